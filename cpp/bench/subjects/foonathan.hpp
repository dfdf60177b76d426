#pragma once

/// \file
/// foonathan/memory.

#include <cstddef>
#include <foonathan/memory/memory_pool.hpp>

#include "../object.hpp"

namespace bench {

/// `memory_pool<node_pool>`, its whole capacity taken as the first block.
template <std::size_t Size>
class foonathan_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "foonathan memory";
    static bool available() { return true; }

    explicit foonathan_pool(std::size_t capacity) : pool_(Size, pool::min_block_size(Size, capacity)) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(pool_.allocate_node()); }
    void deallocate(value_type* p) noexcept { pool_.deallocate_node(p); }

private:
    using pool = foonathan::memory::memory_pool<foonathan::memory::node_pool>;
    pool pool_;
};

}  // namespace bench
