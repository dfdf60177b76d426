#pragma once

/// \file
/// The pool of Boost.Pool that knows its objects' type.

#include <boost/pool/object_pool.hpp>
#include <cstddef>

#include "../object.hpp"

namespace bench {

/// `boost::object_pool`, its whole capacity taken as the first block. It keeps
/// its free list in the order of addresses, so that its destructor finds what is
/// still out: a free walks the list to its place.
template <std::size_t Size>
class boost_object_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "Boost.ObjectPool";
    static bool available() { return true; }

    explicit boost_object_pool(std::size_t capacity) : pool_(capacity) {}
    // In parentheses, as the library has them, for those who define them as macros.
    value_type* allocate() noexcept { return (pool_.malloc)(); }
    void deallocate(value_type* p) noexcept { (pool_.free)(p); }

private:
    boost::object_pool<value_type> pool_;
};

}  // namespace bench
