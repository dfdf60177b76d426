#pragma once
#include <vcruntime_exception.h>
class type_info {
public:
    size_t hash_code() const noexcept;
    const char* name() const noexcept;
    bool operator==(const type_info&) const noexcept;
    virtual ~type_info() noexcept;
};
namespace std {
using ::type_info;
class bad_cast : public exception {};
class bad_typeid : public exception {};
}  // namespace std
