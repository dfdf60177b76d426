#pragma once

/// \file
/// Boost.Pool.

#include <boost/pool/pool.hpp>
#include <boost/version.hpp>
#include <cstddef>

#include "../object.hpp"

namespace bench {

/// `boost::pool`, its whole capacity taken as the first block.
template <std::size_t Size>
class boost_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "Boost.Pool";
    static bool available() { return true; }

    explicit boost_pool(std::size_t capacity) : pool_(Size, capacity) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(pool_.malloc()); }
    void deallocate(value_type* p) noexcept { pool_.free(p); }

private:
    boost::pool<boost::default_user_allocator_new_delete> pool_;
};

}  // namespace bench
