// Tells AddressSanitizer, MemorySanitizer and Valgrind about slots and regions. Without them every
// function here is empty, and `annotate::on` is false.
//
// The compiler says whether it instruments for a sanitizer. Valgrind has no macro, because a program
// does not know that it will run under it, and its requests cost about ten instructions each: they
// are made if EBB_VALGRIND is 1. To MemorySanitizer memory that may not be touched is memory without
// a value, which it reports when a branch depends on it.
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

/// Whether any tool is told anything.
inline constexpr bool on = EBB_ASAN != 0 || EBB_MSAN != 0 || EBB_VALGRIND != 0;

/// A pool begins: none of its bytes may be touched until handed_out.
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

/// A slot is out: its bytes may be touched; their values are not defined.
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

/// A slot is back: a touch of it is a bug of the program's. AddressSanitizer
/// works in units of 8 bytes: of a smaller slot that shares its unit with a
/// live one not all misuse is seen.
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

/// A pool ends: its bytes are the system's, or the caller's, again.
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

/// Bytes between two allocations of an arena that belong to neither, so that an
/// overrun of one is found before it reaches the next. None without a tool.
inline constexpr std::size_t red_zone = on ? 16 : 0;

/// Bytes of an arena's chunk that nobody may touch.
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

/// Bytes of an arena's chunk that are handed out, or the system's again.
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
