// Annotations of slots and regions for AddressSanitizer, MemorySanitizer and Valgrind. Without these tools, all
// functions are empty, and `annotate::on` is false.
//
// Compilers define macros for the sanitizers. For Valgrind, define EBB_VALGRIND as 1: each annotation takes
// about ten instructions even if the program does not run under Valgrind.
#ifndef EBBPOOL_ANNOTATE_HPP
#define EBBPOOL_ANNOTATE_HPP

#include <cstddef>

#include <ebbpool/compiler.hpp>

#if EBB_ASAN
#include <sanitizer/asan_interface.h>
#elif EBB_MSAN
#include <sanitizer/msan_interface.h>
#endif
#if EBB_VALGRIND
#include <valgrind/memcheck.h>
#endif

namespace ebb::inline EBB_ABI::annotate {

inline constexpr bool on = EBB_ASAN != 0 || EBB_MSAN != 0 || EBB_VALGRIND != 0;

/// The size of the inaccessible memory after each allocation of an arena.
inline constexpr std::size_t red_zone = on ? 16 : 0;

// hide marks memory as free, and show marks it as allocated, with undefined contents. AddressSanitizer has a
// granularity of 8 bytes, so it misses some accesses to slots that share a unit with an allocated slot. To
// MemorySanitizer, free memory is uninitialized; it reports branches that depend on it.
#if EBB_ASAN
inline void hide(const void* first, std::size_t bytes) noexcept { __asan_poison_memory_region(first, bytes); }
inline void show(const void* first, std::size_t bytes) noexcept { __asan_unpoison_memory_region(first, bytes); }
#elif EBB_MSAN
inline void hide(const void* first, std::size_t bytes) noexcept { __msan_poison(first, bytes); }
inline void show(const void* first, std::size_t bytes) noexcept { __msan_poison(first, bytes); }
#elif EBB_VALGRIND
inline void hide(const void* first, std::size_t bytes) noexcept { VALGRIND_MAKE_MEM_NOACCESS(first, bytes); }
inline void show(const void* first, std::size_t bytes) noexcept { VALGRIND_MAKE_MEM_UNDEFINED(first, bytes); }
#else
inline void hide(const void*, std::size_t) noexcept {}
inline void show(const void*, std::size_t) noexcept {}
#endif

// The memory and the slots of a pool.
inline void begin([[maybe_unused]] const void* pool, const void* first, std::size_t bytes) noexcept {
    hide(first, bytes);
#if EBB_VALGRIND
    VALGRIND_CREATE_MEMPOOL(pool, 0, 0);
#endif
}
inline void handed_out([[maybe_unused]] const void* pool, const void* slot, std::size_t bytes) noexcept {
    show(slot, bytes);
#if EBB_VALGRIND
    VALGRIND_MEMPOOL_ALLOC(pool, slot, bytes);
#endif
}
inline void given_back([[maybe_unused]] const void* pool, const void* slot, std::size_t bytes) noexcept {
    hide(slot, bytes);
#if EBB_VALGRIND
    VALGRIND_MEMPOOL_FREE(pool, slot);
#endif
}
inline void end([[maybe_unused]] const void* pool, const void* first, std::size_t bytes) noexcept {
#if EBB_VALGRIND
    VALGRIND_DESTROY_MEMPOOL(pool);
#endif
    show(first, bytes);
}

}  // namespace ebb::inline EBB_ABI::annotate

#endif  // EBBPOOL_ANNOTATE_HPP
