#pragma once

/// \file
/// `malloc` and `free` of the C library.

#include <cstddef>
#include <cstdlib>

#include "../object.hpp"

namespace bench {

template <std::size_t Size>
class glibc_malloc {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "glibc malloc";
    static bool available() { return true; }

    explicit glibc_malloc(std::size_t) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(std::malloc(Size)); }
    void deallocate(value_type* p) noexcept { std::free(p); }
};

}  // namespace bench
