#pragma once

/// \file
/// Documents as a JSON parser makes them: a tree of nodes with a key, and text or
/// a number, built from the same list, walked and dropped.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "subjects/shared_malloc.hpp"
#include "workloads.hpp"

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

/// What the parser sees: nodes in order, each with how many children follow.
struct document_node {
    std::string key;   // 3 to 20 bytes
    std::string text;  // up to 60 bytes; empty for a number
    std::uint64_t number;
    std::size_t children;
};
struct document {
    std::vector<document_node> nodes;
    std::uint64_t checksum;  // of one walk
};
document random_document();

struct document_subject {
    const char* name;
    /// Seconds of so many documents, after one to warm up, and the sum of the walks.
    sample (*play)(const document& d, std::size_t times);
};

/// Those that this machine has, ebb::arena first.
std::vector<document_subject> document_subjects();

}  // namespace bench
