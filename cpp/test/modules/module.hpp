// The exports of the two libraries of this test, a and b.
#ifndef EBBPOOL_TEST_MODULE_HPP
#define EBBPOOL_TEST_MODULE_HPP

#include <cstdint>
#include <ebbpool/sync_fixed_pool.hpp>

using module_item = std::uint64_t;
using module_pool = ebb::sync_fixed_pool<module_item, ebb::checks::report>;

extern "C" {
module_pool* a_make();
void a_destroy(module_pool*);
module_item* a_allocate(module_pool*);
void a_deallocate(module_pool*, module_item*);
module_pool* b_make();
void b_destroy(module_pool*);
module_item* b_allocate(module_pool*);
void b_deallocate(module_pool*, module_item*);
}

#endif  // EBBPOOL_TEST_MODULE_HPP
