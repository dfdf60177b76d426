#pragma once

/// \file
/// Ebbpool itself: with each setting of its checks.

#include <cstddef>
#include <ebbpool/fixed_pool.hpp>

#include "../object.hpp"

namespace bench {

template <std::size_t Size, class Checks>
class ebb_pool {
public:
    using value_type = object<Size>;
    static bool available() { return true; }

    explicit ebb_pool(std::size_t capacity) : pool_(capacity) {}
    value_type* allocate() noexcept { return pool_.allocate(); }
    void deallocate(value_type* p) noexcept { pool_.deallocate(p); }

private:
    ebb::fixed_pool<value_type, Checks> pool_;
};

/// The default: every misuse is reported, in release builds too.
template <std::size_t Size>
class ebb_trap : public ebb_pool<Size, ebb::checks::trap> {
public:
    using ebb_pool<Size, ebb::checks::trap>::ebb_pool;
    static constexpr const char* name = "ebb trap";
};

/// The same checks; misuse is given to a handler, and the call returns.
template <std::size_t Size>
class ebb_report : public ebb_pool<Size, ebb::checks::report> {
public:
    using ebb_pool<Size, ebb::checks::report>::ebb_pool;
    static constexpr const char* name = "ebb report";
};

/// For the comparison with pools that check nothing.
template <std::size_t Size>
class ebb_none : public ebb_pool<Size, ebb::checks::none> {
public:
    using ebb_pool<Size, ebb::checks::none>::ebb_pool;
    static constexpr const char* name = "ebb none";
};

}  // namespace bench
