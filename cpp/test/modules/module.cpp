// A shared library that hides its symbols, so that what the headers keep in
// inline variables exists once more in it. Built twice; MODULE_LETTER begins the names.
#include "module.hpp"

#define JOIN_EXPANDED(a, b) a##_##b
#define JOIN(a, b) JOIN_EXPANDED(a, b)
#define MODULE(name) JOIN(MODULE_LETTER, name)
#define EXPORT extern "C" [[gnu::visibility("default")]]

EXPORT module_pool* MODULE(make)() { return new module_pool(4'096); }
EXPORT void MODULE(destroy)(module_pool* pool) { delete pool; }
EXPORT module_item* MODULE(allocate)(module_pool* pool) { return pool->allocate(); }
EXPORT void MODULE(deallocate)(module_pool* pool, module_item* p) { pool->deallocate(p); }
