// A shared library with hidden symbols, so it has its own copy of the headers' inline variables. Built twice;
// MODULE_LETTER is the prefix of the names.
#include "module.hpp"

#define JOIN_EXPANDED(a, b) a##_##b
#define JOIN(a, b) JOIN_EXPANDED(a, b)
#define MODULE(name) JOIN(MODULE_LETTER, name)
#define EXPORT extern "C" [[gnu::visibility("default")]]

EXPORT module_pool* MODULE(make)() { return new module_pool(4'096); }
EXPORT void MODULE(destroy)(module_pool* pool) { delete pool; }
EXPORT module_item* MODULE(allocate)(module_pool* pool) { return pool->allocate(); }
EXPORT void MODULE(deallocate)(module_pool* pool, module_item* p) { pool->deallocate(p); }
