// Annotations of slots and regions for AddressSanitizer, MemorySanitizer and Valgrind. Without these tools, all
// functions are empty, and `annotate::on` is false.
//
// Compilers define macros for the sanitizers. For Valgrind, define EBB_VALGRIND as 1: each annotation takes
// about ten instructions even if the program does not run under Valgrind. To MemorySanitizer, free memory is
// uninitialized; it reports branches that depend on it.
#ifndef EBBPOOL_ANNOTATE_HPP
#define EBBPOOL_ANNOTATE_HPP

#include <cstddef>

#include <ebbpool/compiler.hpp>

#if EBB_ASAN
#include <sanitizer/asan_interface.h>
#endif
#if EBB_MSAN
#include <sanitizer/msan_interface.h>
#endif
#if EBB_VALGRIND
#include <valgrind/memcheck.h>
#endif

namespace ebb {
inline namespace EBB_ABI {
namespace annotate {

/// Whether annotations are enabled.
inline constexpr bool on = EBB_ASAN != 0 || EBB_MSAN != 0 || EBB_VALGRIND != 0;

/// Begins a pool, with all slots free.
inline void begin([[maybe_unused]] const void* pool, [[maybe_unused]] void* first,
                  [[maybe_unused]] std::size_t bytes) noexcept {
#if EBB_ASAN
    __asan_poison_memory_region(first, bytes);
#endif
#if EBB_VALGRIND
    VALGRIND_CREATE_MEMPOOL(pool, 0, 0);
    VALGRIND_MAKE_MEM_NOACCESS(first, bytes);
#endif
}

/// Marks a slot as allocated, with undefined contents.
inline void handed_out([[maybe_unused]] const void* pool, [[maybe_unused]] void* slot,
                       [[maybe_unused]] std::size_t bytes) noexcept {
#if EBB_ASAN
    __asan_unpoison_memory_region(slot, bytes);
#endif
#if EBB_MSAN
    __msan_poison(slot, bytes);
#endif
#if EBB_VALGRIND
    VALGRIND_MEMPOOL_ALLOC(pool, slot, bytes);
#endif
}

/// Marks a slot as free. AddressSanitizer has a granularity of 8 bytes, so it misses some accesses to slots
/// that share a unit with an allocated slot.
inline void given_back([[maybe_unused]] const void* pool, [[maybe_unused]] void* slot,
                       [[maybe_unused]] std::size_t bytes) noexcept {
#if EBB_ASAN
    __asan_poison_memory_region(slot, bytes);
#endif
#if EBB_MSAN
    __msan_poison(slot, bytes);
#endif
#if EBB_VALGRIND
    VALGRIND_MEMPOOL_FREE(pool, slot);
#endif
}

/// Ends a pool and makes its memory accessible.
inline void end([[maybe_unused]] const void* pool, [[maybe_unused]] void* first,
                [[maybe_unused]] std::size_t bytes) noexcept {
#if EBB_ASAN
    __asan_unpoison_memory_region(first, bytes);
#endif
#if EBB_VALGRIND
    VALGRIND_DESTROY_MEMPOOL(pool);
    VALGRIND_MAKE_MEM_UNDEFINED(first, bytes);
#endif
}

/// The size of the inaccessible memory after each allocation of an arena.
inline constexpr std::size_t red_zone = on ? 16 : 0;

/// Marks bytes of an arena's chunk as free.
inline void hide([[maybe_unused]] void* first, [[maybe_unused]] std::size_t bytes) noexcept {
#if EBB_ASAN
    __asan_poison_memory_region(first, bytes);
#endif
#if EBB_MSAN
    __msan_poison(first, bytes);
#endif
#if EBB_VALGRIND
    VALGRIND_MAKE_MEM_NOACCESS(first, bytes);
#endif
}

/// Marks bytes of an arena's chunk as allocated, with undefined contents.
inline void show([[maybe_unused]] void* first, [[maybe_unused]] std::size_t bytes) noexcept {
#if EBB_ASAN
    __asan_unpoison_memory_region(first, bytes);
#endif
#if EBB_MSAN
    __msan_poison(first, bytes);
#endif
#if EBB_VALGRIND
    VALGRIND_MAKE_MEM_UNDEFINED(first, bytes);
#endif
}

}  // namespace annotate
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ANNOTATE_HPP
