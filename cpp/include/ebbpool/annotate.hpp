// Tells AddressSanitizer, MemorySanitizer and Valgrind about slots and regions. Without them every
// function here is empty, and `annotate::on` is false.
//
// The compiler defines whether it instruments for a sanitizer. Requests to Valgrind are made if
// EBB_VALGRIND is 1, because each takes about ten instructions whether or not the program runs under
// it. MemorySanitizer is told that free memory is uninitialized, and reports branches that depend on it.
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

/// Whether a tool is used.
inline constexpr bool on = EBB_ASAN != 0 || EBB_MSAN != 0 || EBB_VALGRIND != 0;

/// Begins a pool. Its slots must not be accessed.
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

/// Marks a slot as free. AddressSanitizer works in units of 8 bytes, so it misses some accesses to a slot
/// that shares one with an allocated slot.
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

/// Ends a pool. Its memory may be accessed again.
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

/// Bytes after each allocation of an arena that must not be accessed.
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
