// The library as a C++20 module:
//
//     import ebbpool;
//
//     clang++ -std=c++20 -pthread -Iinclude --precompile module/ebbpool.cppm -o ebbpool.pcm
//     clang++ -std=c++20 -pthread -fmodule-file=ebbpool=ebbpool.pcm program.cpp ebbpool.pcm
//
// Tested with clang 19; clang 16 fails to merge functions of libstdc++ 12. Other files of the same program may include
// the headers.
module;

#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <ebbpool/arena_pool.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/handle_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/pool_allocator.hpp>
#include <ebbpool/pool_resource.hpp>
#include <ebbpool/sync_arena.hpp>
#include <ebbpool/sync_fixed_pool.hpp>

export module ebbpool;

export namespace ebb {
using ebb::arena;
using ebb::arena_allocator;
using ebb::arena_mark;
using ebb::arena_pool;
using ebb::arena_resource;
using ebb::arena_scope;
using ebb::arena_stats;
using ebb::basic_arena;
using ebb::basic_arena_resource;
using ebb::construct;
using ebb::default_resource_scope;
using ebb::describe;
using ebb::destroy;
using ebb::destroy_all;
using ebb::fixed_pool;
using ebb::handle;
using ebb::handle_pool;
using ebb::leak_handler;
using ebb::leak_info;
using ebb::limit_error;
using ebb::live;
using ebb::live_range;
using ebb::make;
using ebb::memory_source;
using ebb::misuse;
using ebb::misuse_handler;
using ebb::misuse_info;
using ebb::name;
using ebb::node_pool;
using ebb::pool_allocator;
using ebb::pool_options;
using ebb::pool_resource;
using ebb::pooled;
using ebb::raw_block;
using ebb::set_leak_handler;
using ebb::set_misuse_handler;
using ebb::sync_arena_pool;
using ebb::basic_sync_arena;
using ebb::sync_arena;
using ebb::sync_fixed_pool;
using ebb::sync_options;
namespace checks {
using ebb::checks::none;
using ebb::checks::report;
using ebb::checks::trap;
using ebb::checks::with_leaks;
}  // namespace checks
}  // namespace ebb
