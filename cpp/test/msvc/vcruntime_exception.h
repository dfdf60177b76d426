#pragma once
#include <vcruntime.h>
namespace std {
class exception {
public:
    exception() noexcept;
    explicit exception(const char*) noexcept;
    exception(const char*, int) noexcept;
    exception(const exception&) noexcept;
    exception& operator=(const exception&) noexcept;
    virtual ~exception() noexcept;
    virtual const char* what() const;
};
class bad_exception : public exception {};
class bad_alloc : public exception {
public:
    bad_alloc() noexcept;

protected:
    explicit bad_alloc(const char*) noexcept;
};
class bad_array_new_length : public bad_alloc {};
}  // namespace std
using terminate_handler = void(__cdecl*)();
using unexpected_handler = void(__cdecl*)();
[[noreturn]] void __cdecl terminate() noexcept;
terminate_handler __cdecl set_terminate(terminate_handler) noexcept;
terminate_handler __cdecl _get_terminate();
[[noreturn]] void __cdecl unexpected() noexcept(false);
unexpected_handler __cdecl set_unexpected(unexpected_handler) noexcept;
unexpected_handler __cdecl _get_unexpected();
