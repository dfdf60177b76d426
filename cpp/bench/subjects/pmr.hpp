#pragma once

/// \file
/// The pool resource of the standard library.

#include <cstddef>
#include <memory_resource>

#include "../object.hpp"

namespace bench {

template <std::size_t Size>
class pmr_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "std::pmr pool";
    static bool available() { return true; }

    explicit pmr_pool(std::size_t) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(resource_.allocate(Size, alignof(value_type))); }
    void deallocate(value_type* p) noexcept { resource_.deallocate(p, Size, alignof(value_type)); }

private:
    std::pmr::unsynchronized_pool_resource resource_;
};

}  // namespace bench
