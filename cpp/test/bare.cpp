// Compiled without exceptions and RTTI.
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/handle_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/pool_allocator.hpp>
#include <ebbpool/sync_fixed_pool.hpp>

template class ebb::fixed_pool<int>;
template class ebb::sync_fixed_pool<int>;
template class ebb::handle_pool<int>;
template class ebb::pool_allocator<int>;
template class ebb::basic_arena<>;
template class ebb::basic_arena_resource<>;
template class ebb::arena_allocator<int>;
