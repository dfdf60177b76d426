// The pools' former names, for programs that use them: fixed_pool.hpp and
// sync_fixed_pool.hpp are the same under names that say what they are.
#ifndef EBBPOOL_ARENA_POOL_HPP
#define EBBPOOL_ARENA_POOL_HPP

#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/sync_fixed_pool.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// fixed_pool under its former name.
template <class T, class Checks = checks::trap>
using arena_pool = fixed_pool<T, Checks>;

/// sync_fixed_pool under its former name.
template <class T, class Checks = checks::trap>
using sync_arena_pool = sync_fixed_pool<T, Checks>;

}  // namespace EBB_ABI
}  // namespace ebb

#endif
