#pragma once

/// \file
/// Allocators of a program as two calls.

#include <cstddef>
#include <cstdlib>

#include "shared_malloc.hpp"

namespace bench {

/// The C library's allocator.
struct glibc_calls {
    static constexpr const char* name = "glibc malloc";
    static bool available() { return true; }
    static void* take(std::size_t bytes) { return std::malloc(bytes); }
    static void give(void* p) { std::free(p); }
};

struct mimalloc_calls {
    static constexpr const char* name = "mimalloc";
    static bool available() { return mimalloc_library.available(); }
    static void* take(std::size_t bytes) { return mimalloc_library.allocate(bytes); }
    static void give(void* p) { mimalloc_library.deallocate(p); }
};

}  // namespace bench
