// Other names of the pools: ebb::arena_pool<T> and ebb::sync_arena_pool<T>.
#ifndef EBBPOOL_ARENA_POOL_HPP
#define EBBPOOL_ARENA_POOL_HPP

#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/sync_fixed_pool.hpp>

namespace ebb::inline EBB_ABI {

/// An alias of fixed_pool.
template <class T, class Checks = checks::trap>
using arena_pool = fixed_pool<T, Checks>;

/// An alias of sync_fixed_pool.
template <class T, class Checks = checks::trap>
using sync_arena_pool = sync_fixed_pool<T, Checks>;

}  // namespace ebb::inline EBB_ABI

#endif
