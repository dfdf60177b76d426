// Ebbpool as one header, made by scripts/cpp-single.sh from cpp/include/ebbpool:
// change those, not this. https://github.com/ebbpool/arena
//
// MIT License
//
// Copyright (c) 2026 The Ebbpool authors
//
// Permission is hereby granted, free of charge, to any person obtaining a copy
// of this software and associated documentation files (the "Software"), to deal
// in the Software without restriction, including without limitation the rights
// to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
// copies of the Software, and to permit persons to whom the Software is
// furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all
// copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
// IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
// FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
// AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
// LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
// OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
// SOFTWARE.
// Annotations of slots and regions for AddressSanitizer, MemorySanitizer and Valgrind. Without these tools, all
// functions are empty, and `annotate::on` is false.
//
// Compilers define macros for the sanitizers. For Valgrind, define EBB_VALGRIND as 1: each annotation takes
// about ten instructions even if the program does not run under Valgrind. To MemorySanitizer, free memory is
// uninitialized; it reports branches that depend on it.
#ifndef EBBPOOL_ANNOTATE_HPP
#define EBBPOOL_ANNOTATE_HPP

#include <cstddef>

// Compiler-specific attributes and builtins, and the inline namespace of the library. Tests define EBB_PLAIN to
// disable the attributes and builtins.
#ifndef EBBPOOL_COMPILER_HPP
#define EBBPOOL_COMPILER_HPP

#if defined(__SANITIZE_ADDRESS__)
#define EBB_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EBB_ASAN 1
#endif
#if __has_feature(memory_sanitizer)
#define EBB_MSAN 1
#endif
#endif
#ifndef EBB_ASAN
#define EBB_ASAN 0
#endif
#ifndef EBB_MSAN
#define EBB_MSAN 0
#endif

#ifndef EBB_VALGRIND
#define EBB_VALGRIND 0
#endif

// Whether exceptions are enabled. Some compilers define only the second macro.
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define EBB_EXCEPTIONS 1
#else
#define EBB_EXCEPTIONS 0
#endif

// The inline namespace of everything in ebb. Sanitizers change the memory layout, and without exceptions
// functions abort instead of throwing. Object files that differ in this have different symbols, so they don't
// link if they share an arena or a pool.
#if EBB_ASAN
#define EBB_ABI_TOOL abi_asan
#elif EBB_MSAN
#define EBB_ABI_TOOL abi_msan
#elif EBB_VALGRIND
#define EBB_ABI_TOOL abi_valgrind
#else
#define EBB_ABI_TOOL abi_plain
#endif
#if EBB_EXCEPTIONS
#define EBB_ABI EBB_ABI_TOOL
#else
#define EBB_ABI_JOIN(tool) tool##_no_exceptions
#define EBB_ABI_OF(tool) EBB_ABI_JOIN(tool)
#define EBB_ABI EBB_ABI_OF(EBB_ABI_TOOL)
#endif

#if defined(EBB_PLAIN)
#define EBB_COLD
#define EBB_NOINLINE
#define EBB_INLINE inline
#define EBB_UNLIKELY(x) (x)
#define EBB_PREFETCH(p) static_cast<void>(p)
#define EBB_ASSUME(x) static_cast<void>(0)
#elif defined(__GNUC__)
#define EBB_COLD [[gnu::cold, gnu::noinline]]
#define EBB_NOINLINE [[gnu::noinline]]
#define EBB_INLINE [[gnu::always_inline]] inline
#define EBB_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EBB_PREFETCH(p) __builtin_prefetch((p), 1)
#define EBB_ASSUME(x) static_cast<void>((x) ? 0 : (__builtin_unreachable(), 0))
#elif defined(_MSC_VER)
#include <intrin.h>
#define EBB_COLD __declspec(noinline)
#define EBB_NOINLINE __declspec(noinline)
#define EBB_INLINE __forceinline
#define EBB_ASSUME(x) __assume(x)
// MSVC has [[unlikely]] for statements only.
#define EBB_UNLIKELY(x) (x)
#if defined(_M_X64) || defined(_M_IX86)
#define EBB_PREFETCH(p) _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0)
#elif defined(_M_ARM64)
#define EBB_PREFETCH(p) __prefetch(p)
#else
#define EBB_PREFETCH(p) static_cast<void>(p)
#endif
#else
#define EBB_COLD
#define EBB_NOINLINE
#define EBB_INLINE inline
#define EBB_UNLIKELY(x) (x)
#define EBB_PREFETCH(p) static_cast<void>(p)
#define EBB_ASSUME(x) static_cast<void>(0)
#endif

// Whether x is a compile-time constant. Always false for clang, whose inliner would count the code of both
// cases.
#if defined(__GNUC__) && !defined(__clang__) && !defined(EBB_PLAIN)
#define EBB_CONSTANT(x) __builtin_constant_p(x)
#else
#define EBB_CONSTANT(x) false
#endif

#endif  // EBBPOOL_COMPILER_HPP

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
// ebb::arena: a region of memory whose objects are freed together.
//
//     ebb::arena a(64 << 10);
//     for (request r; next(r);) {
//         auto* const tree = a.make<node>(r);      // its destructor runs in reset()
//         std::string_view name = a.copy(r.name());
//         answer(*tree, name);
//         a.reset();                               // keeps the chunks
//     }
//
// Nontrivial destructors are recorded in the arena itself. Adjacent objects of one type share a record, so
// destroying them is a loop without indirect calls.
#ifndef EBBPOOL_ARENA_HPP
#define EBBPOOL_ARENA_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

// ebb::arena_mark: the result of arena::mark and the argument of arena::rewind.
#ifndef EBBPOOL_ARENA_MARK_HPP
#define EBBPOOL_ARENA_MARK_HPP

#include <cstddef>
#include <utility>


namespace ebb {
inline namespace EBB_ABI {

/// A point in the cycle of an arena, for rewind. Move-only. A mark that was moved from or default-constructed
/// is null.
///
/// \snippet reference.cpp arena_mark
class arena_mark {
public:
    /// Null.
    constexpr arena_mark() noexcept = default;
    /// Takes the mark of `other`, which becomes null.
    constexpr arena_mark(arena_mark&& other) noexcept
        : region_(std::exchange(other.region_, 0)), serial_(other.serial_) {}
    /// Takes the mark of `other`, which becomes null.
    constexpr arena_mark& operator=(arena_mark&& other) noexcept {
        region_ = std::exchange(other.region_, 0);
        serial_ = other.serial_;
        return *this;
    }
    arena_mark(const arena_mark&) = delete;
    arena_mark& operator=(const arena_mark&) = delete;
    ~arena_mark() = default;

private:
    template <class>
    friend class basic_arena;
    constexpr arena_mark(std::size_t region, std::size_t serial) noexcept : region_(region), serial_(serial) {}

    std::size_t region_ = 0;  // its number, because arenas can move
    std::size_t serial_ = 0;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_MARK_HPP
// Misuse of pools and arenas: its kinds, messages and policies. Nothing here runs unless a check has failed.
#ifndef EBBPOOL_CHECKS_HPP
#define EBBPOOL_CHECKS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>


namespace ebb {
inline namespace EBB_ABI {

/// The kinds of misuse, of a pointer passed to a pool or of a call of an arena.
///
/// \snippet reference.cpp report
enum class misuse : unsigned char {
    null,             ///< the null pointer
    foreign,          ///< not from this pool: stack, heap, another pool, one past the end
    interior,         ///< inside a slot, not at its start, aligned for T
    misaligned,       ///< inside a slot, not aligned for T
    double_free,      ///< a slot that is free
    never_allocated,  ///< a slot that was never allocated
    stale_mark,       ///< rewind to a mark that a rewind or the end of a cycle has removed
    foreign_mark,     ///< rewind to a mark of another arena
    moved_mark,       ///< rewind to a mark that was moved from, or never taken
    reentrant,        ///< reset, release, rewind or move from a constructor or destructor that the arena runs
    stranded          ///< use of an arena_resource after the cycle of its blocks, or a rewind or move under its blocks
};

/// Returns the name of a kind. Never null.
///
/// \snippet reference.cpp report
[[nodiscard]] constexpr const char* name(misuse kind) noexcept {
    switch (kind) {
        case misuse::null: return "null";
        case misuse::foreign: return "foreign";
        case misuse::interior: return "interior";
        case misuse::misaligned: return "misaligned";
        case misuse::double_free: return "double_free";
        case misuse::never_allocated: return "never_allocated";
        case misuse::stale_mark: return "stale_mark";
        case misuse::foreign_mark: return "foreign_mark";
        case misuse::moved_mark: return "moved_mark";
        case misuse::reentrant: return "reentrant";
        case misuse::stranded: return "stranded";
    }
    return "unknown";
}

/// Returns a sentence on what to look for. Never null.
///
/// \snippet reference.cpp report
[[nodiscard]] constexpr const char* advice(misuse kind) noexcept {
    switch (kind) {
        case misuse::null:
            return "a pool has nothing to do for null: test the pointer first, or look for the "
                   "allocate() whose nullptr (pool full) was not checked";
        case misuse::foreign: return "the pointer is not from this pool: give it back to where it came from";
        case misuse::interior:
            return "the pointer is inside an object: give back the address that allocate() answered, "
                   "not that of a member, a base class or an array element";
        case misuse::misaligned:
            return "no object can begin at this address: give back the address that allocate() "
                   "answered, and look for arithmetic on it";
        case misuse::double_free: return "this slot was given back before: look for two owners of one object";
        case misuse::never_allocated:
            return "allocate() never handed out this slot: look for an address that was computed";
        case misuse::stale_mark:
            return "the arena was reset, released or rewound to an earlier mark since this one was taken: take a new "
                   "one";
        case misuse::foreign_mark: return "the mark is of another arena: rewind the one that it was taken from";
        case misuse::moved_mark: return "the mark was moved from or never taken: rewind to the one that it went to";
        case misuse::reentrant:
            return "a constructor or destructor that the arena runs may allocate from it, but not rewind, reset, "
                   "release or move it";
        case misuse::stranded:
            return "a container still has blocks of memory that the arena takes back: destroy it before reset(), "
                   "release(), rewind() and a move, or call abandon() on the resource if it is never to be destroyed";
    }
    return "";
}

/// Reports whether the kind is a misuse of arenas.
///
/// \snippet reference.cpp report
[[nodiscard]] constexpr bool is_of_arena(misuse kind) noexcept { return kind >= misuse::stale_mark; }

/// A misuse, as passed to a policy. `pointer` was not dereferenced. For arenas, the fields about slots are zero
/// or no_slot.
///
/// \snippet reference.cpp report
struct misuse_info {
    /// The value of `slot` if `pointer` is in no slot.
    static constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

    misuse kind;            ///< the kind of misuse
    const void* pool;       ///< the pool or arena object that was called
    const void* pointer;    ///< the argument. For arenas: the mark, the resource, or null
    const void* first;      ///< the address of the pool's slot 0
    std::size_t slot;       ///< the slot that `pointer` points into, or no_slot
    std::size_t slot_size;  ///< bytes
    std::size_t capacity;   ///< slots
};

/// A pool that is destroyed with allocated slots.
///
/// \snippet reference.cpp with_leaks
struct leak_info {
    const void* pool;      ///< the pool
    std::size_t live;      ///< allocated slots
    std::size_t capacity;  ///< slots
};

/// Writes a message of one line, with a terminating zero, to text. It is truncated to `size` bytes; 512 are
/// always enough. It doesn't allocate.
///
/// \snippet reference.cpp report
EBB_COLD inline void describe(const misuse_info& info, char* text, std::size_t size) noexcept {
    if (is_of_arena(info.kind)) {
        const int length = std::snprintf(text, size, "ebbpool: misuse %s: arena %p, called with %p: %s\n",
                                         name(info.kind), info.pool, info.pointer, advice(info.kind));
        if (length < 0 && size > 0) text[0] = '\0';
        return;
    }
    char slot[64] = "no slot of it";
    if (info.slot != misuse_info::no_slot) {
        static_cast<void>(std::snprintf(slot, sizeof slot, "slot %zu", info.slot));
    }
    const int length = std::snprintf(
        text, size, "ebbpool: misuse %s: pool %p (%zu slots of %zu bytes at %p) was given back %p (%s): %s\n",
        name(info.kind), info.pool, info.capacity, info.slot_size, info.first, info.pointer, slot, advice(info.kind));
    if (length < 0 && size > 0) text[0] = '\0';
}

/// The same for leaks.
///
/// \snippet reference.cpp with_leaks
EBB_COLD inline void describe(const leak_info& info, char* text, std::size_t size) noexcept {
    const int length = std::snprintf(text, size,
                                     "ebbpool: leak: pool %p was destroyed with %zu of %zu objects still out: "
                                     "their destructors have not run\n",
                                     info.pool, info.live, info.capacity);
    if (length < 0 && size > 0) text[0] = '\0';
}

/// The type of the function that checks::report calls. It must not use the pool or arena.
///
/// \snippet reference.cpp report
using misuse_handler = void (*)(const misuse_info&) noexcept;
/// The type of the function that with_leaks<report> calls. It must not use the pool.
///
/// \snippet reference.cpp with_leaks
using leak_handler = void (*)(const leak_info&) noexcept;

namespace detail {

template <class Info>
EBB_COLD inline void print(const Info& info) noexcept {
    char text[512];
    describe(info, text, sizeof text);
    static_cast<void>(std::fputs(text, stderr));
}

inline void print_misuse(const misuse_info& info) noexcept { print(info); }
inline void print_leak(const leak_info& info) noexcept { print(info); }

// Atomic, because any thread may set or call them.
inline std::atomic<misuse_handler> current_misuse_handler{print_misuse};
inline std::atomic<leak_handler> current_leak_handler{print_leak};

}  // namespace detail

/// Sets the function that checks::report calls, and returns the previous one. Null restores the default, which
/// prints the message. It applies to the whole program, or to one shared library if that hides its symbols. It
/// is safe for concurrent use.
///
/// \snippet reference.cpp report
inline misuse_handler set_misuse_handler(misuse_handler handler) noexcept {
    return detail::current_misuse_handler.exchange(handler != nullptr ? handler : detail::print_misuse);
}

/// Sets the function that checks::with_leaks<checks::report> calls. Otherwise as set_misuse_handler.
///
/// \snippet reference.cpp with_leaks
inline leak_handler set_leak_handler(leak_handler handler) noexcept {
    return detail::current_leak_handler.exchange(handler != nullptr ? handler : detail::print_leak);
}

/// The policies: the second template argument of a pool, and the argument of an arena. A policy is a type with
///
///     static constexpr bool enabled;              // false: no checks, and no memory for them
///     static void on_misuse(const misuse_info&);  // noexcept; if it returns, the call has no effect
///     static void on_leaks(const leak_info&);     // optional: called by a pool's destructor if slots are allocated
///
/// If on_misuse is constexpr, it also handles misuse in constant expressions, which otherwise does not compile.
namespace checks {

/// The default policy. It prints the message to stderr and aborts.
///
/// \snippet reference.cpp policy
struct trap {
    static constexpr bool enabled = true;  ///< misuse is detected
    /// Prints the message, and aborts.
    [[noreturn]] EBB_COLD static void on_misuse(const misuse_info& info) noexcept {
        detail::print(info);
        std::abort();
    }
};

/// Calls the handler that set_misuse_handler has set. Then the call returns without effect.
///
/// \snippet reference.cpp report
struct report {
    static constexpr bool enabled = true;  ///< misuse is detected
    /// Calls the handler.
    EBB_COLD static void on_misuse(const misuse_info& info) noexcept { detail::current_misuse_handler.load()(info); }
};

/// No checks. Misuse is undefined behavior, as with malloc.
///
/// \snippet reference.cpp policy
struct none {
    static constexpr bool enabled = false;  ///< misuse is not detected
    /// Never called.
    static void on_misuse(const misuse_info&) noexcept {}
};

/// The policy Base, with a report if slots are allocated when a pool is destroyed. With trap it prints and
/// aborts, with report it calls the leak handler, otherwise it prints. It is not the default, because some
/// programs destroy a pool with all its objects.
///
/// \snippet reference.cpp with_leaks
template <class Base = trap>
struct with_leaks : Base {
    /// Called by a pool's destructor if slots are allocated.
    EBB_COLD static void on_leaks(const leak_info& info) noexcept { detail::print(info); }
};

/// Prints, and aborts.
template <>
struct with_leaks<trap> : trap {
    /// Called by a pool's destructor if slots are allocated.
    [[noreturn]] EBB_COLD static void on_leaks(const leak_info& info) noexcept {
        detail::print(info);
        std::abort();
    }
};

/// Calls the handler of set_leak_handler.
template <>
struct with_leaks<report> : report {
    /// Called by a pool's destructor if slots are allocated.
    EBB_COLD static void on_leaks(const leak_info& info) noexcept { detail::current_leak_handler.load()(info); }
};

}  // namespace checks
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_CHECKS_HPP
// Construction of objects in an arena: their memory, the records of their destructors, and cleanup if a
// constructor throws.
#ifndef EBBPOOL_OBJECTS_HPP
#define EBBPOOL_OBJECTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

// Records of destructors, stored in the arena: one for each run of adjacent objects of one type.
#ifndef EBBPOOL_RECORDS_HPP
#define EBBPOOL_RECORDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

// Chunks of an arena: their sizes, the spare chunks, and the limit.
#ifndef EBBPOOL_CHUNKS_HPP
#define EBBPOOL_CHUNKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

// A search tree of an arena's chunks, by address or by size.
#ifndef EBBPOOL_CHUNK_TREE_HPP
#define EBBPOOL_CHUNK_TREE_HPP

#include <cstddef>
#include <cstdint>


namespace ebb {
inline namespace EBB_ABI {
namespace detail {

/// A treap whose nodes are the chunks. Priorities are hashes of addresses, so operations take O(log n) expected
/// steps in any order of calls.
///
/// Order has two functions: links(chunk&), and key(const chunk&), an integer. Equal keys are ordered by
/// address.
template <class Chunk, class Order>
class chunk_tree {
public:
    /// The children: chunks with smaller and with larger keys.
    struct links {
        Chunk* smaller;
        Chunk* larger;
    };

    [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }

    void insert(Chunk* c) noexcept {
        Chunk** at = &root_;
        while (*at != nullptr && priority(*at) > priority(c)) at = child(*at, less(c, *at));
        // Splits the subtree at c's position into smaller and larger chunks.
        Chunk* rest = *at;
        *at = c;
        Chunk** smaller = child(c, true);
        Chunk** larger = child(c, false);
        while (rest != nullptr) {
            const bool above = less(c, rest);
            Chunk**& to = above ? larger : smaller;
            *to = rest;
            to = child(rest, above);
            rest = *to;
        }
        *smaller = *larger = nullptr;
    }

    void erase(Chunk* c) noexcept {
        Chunk** at = &root_;
        while (*at != c) at = child(*at, less(c, *at));
        Chunk* smaller = *child(c, true);
        Chunk* larger = *child(c, false);
        while (smaller != nullptr && larger != nullptr) {
            const bool first = priority(smaller) > priority(larger);
            Chunk*& top = first ? smaller : larger;
            *at = top;
            at = child(top, !first);
            top = *at;
        }
        *at = smaller != nullptr ? smaller : larger;
    }

    /// Returns the chunk with the largest key up to `key`, or null.
    [[nodiscard]] Chunk* last_up_to(std::uintptr_t key) const noexcept {
        Chunk* found = nullptr;
        for (Chunk* c = root_; c != nullptr;) {
            const bool fits = Order::key(*c) <= key;
            if (fits) found = c;
            c = *child(c, !fits);
        }
        return found;
    }

    /// Returns the chunk with the smallest key from `key` on, or null.
    [[nodiscard]] Chunk* first_from(std::uintptr_t key) const noexcept {
        Chunk* found = nullptr;
        for (Chunk* c = root_; c != nullptr;) {
            const bool fits = Order::key(*c) >= key;
            if (fits) found = c;
            c = *child(c, fits);
        }
        return found;
    }

    /// Removes all chunks and calls f with each, in unspecified order. f may free the chunk.
    template <class F>
    void take_all(const F& f) noexcept {
        while (root_ != nullptr) {
            Chunk* const c = root_;
            erase(c);
            f(c);
        }
    }

private:
    static Chunk** child(Chunk* c, bool smaller) noexcept {
        links& l = Order::links(*c);
        return smaller ? &l.smaller : &l.larger;
    }
    static std::uintptr_t address(const Chunk* c) noexcept { return reinterpret_cast<std::uintptr_t>(c); }
    static bool less(const Chunk* a, const Chunk* b) noexcept {
        const std::uintptr_t x = Order::key(*a), y = Order::key(*b);
        return x != y ? x < y : address(a) < address(b);
    }
    static std::uint32_t priority(const Chunk* c) noexcept {
        return static_cast<std::uint32_t>((std::uint64_t{address(c)} * 0x9e3779b97f4a7c15u) >> 32);
    }

    Chunk* root_ = nullptr;
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_CHUNK_TREE_HPP
// Blocks of memory: one for each pool, and one for each chunk of an arena. Large blocks are mapped, so the
// system provides their pages on first use.
#ifndef EBBPOOL_STORAGE_HPP
#define EBBPOOL_STORAGE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>


#if defined(__unix__) || defined(__APPLE__)
#define EBB_HAS_MMAP 1
#include <sys/mman.h>
#else
#define EBB_HAS_MMAP 0
#endif

namespace ebb {
inline namespace EBB_ABI {

/// A source of memory, for programs with their own allocator.
///
/// \snippet reference.cpp memory_source
struct memory_source {
    /// Returns `bytes` zero bytes at a multiple of `alignment`, a power of 2, or null.
    void* (*take)(std::size_t bytes, std::size_t alignment, void* context) noexcept;
    /// Frees a result of take.
    void (*give)(void* data, std::size_t bytes, std::size_t alignment, void* context) noexcept;
    void* context = nullptr;  ///< passed to both
};

/// Options for the memory of a pool or an arena.
///
/// \snippet reference.cpp pool_options
struct pool_options {
    /// Requests huge pages for blocks of at least 2 MiB (on Linux, by madvise), whose size is rounded up to 2
    /// MiB. They can avoid TLB misses in random access to much memory. Measure first: in a virtual machine they
    /// may have no effect.
    bool huge_pages = false;
    /// Touches each page of a block when it is allocated (for a pool, in the constructor), so that later calls
    /// cause no page faults. It takes about 0.25 us per 4 KiB.
    bool prefault = false;
    /// Memory to use instead of the heap. It must outlive the pool or arena; see bytes_needed for its size. A
    /// pool throws std::length_error if it is too small. Ignored if empty.
    std::span<std::byte> storage{};
    /// The source of blocks, which must outlive the pool or arena. Ignored if null.
    const memory_source* source = nullptr;
};

namespace detail {

/// Blocks of at least this size are mapped. For smaller blocks, a system call and page faults take longer than
/// clearing a pool's tables. glibc's malloc has the same threshold.
inline constexpr std::size_t map_from = std::size_t{128} << 10;
inline constexpr std::size_t huge_page = std::size_t{2} << 20;
inline constexpr std::size_t small_page = std::size_t{4} << 10;  // the smallest of all systems; for prefault
inline constexpr std::size_t cache_line = 64;

#if EBB_EXCEPTIONS
[[noreturn]] inline void throw_length(const char* what) { throw std::length_error(what); }
[[noreturn]] inline void throw_bad_alloc() { throw std::bad_alloc(); }
#else
[[noreturn]] inline void throw_length(const char*) { std::abort(); }
[[noreturn]] inline void throw_bad_alloc() { std::abort(); }
#endif

constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) & ~(to - 1); }

inline std::byte* align_up(void* p, std::size_t to) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    return static_cast<std::byte*>(p) + (round_up(address, to) - address);
}

/// A block of memory, freed by the destructor. A literal type, for pools in constant expressions.
class block {
public:
    constexpr block() noexcept = default;

    /// Allocates `bytes` bytes at a multiple of `alignment`, zero from offset `clear_from` on. Throws
    /// std::bad_alloc, or std::length_error if the caller's storage is too small.
    block(std::size_t bytes, std::size_t alignment, std::size_t clear_from, const pool_options& options)
        : block(std::nothrow, bytes, alignment, clear_from, options) {
        if (data_ != nullptr) return;
        if (options.storage.empty()) throw_bad_alloc();
        throw_length("ebbpool: the storage handed in is smaller than bytes_needed()");
    }
    /// The same, but data() is null if there is no memory.
    block(std::nothrow_t, std::size_t bytes, std::size_t alignment, std::size_t clear_from, const pool_options& options)
        : bytes_(bytes), alignment_(alignment) {
        if (!options.storage.empty()) {
            void* at = options.storage.data();
            std::size_t space = options.storage.size();
            data_ = std::align(alignment, bytes, at, space);
        } else if (options.source != nullptr) {
            source_ = options.source;
            data_ = source_->take(bytes, alignment, source_->context);
            clear_from = bytes;
        } else if (EBB_HAS_MMAP && bytes >= map_from) {
            map(options);
            clear_from = bytes;
        } else {
            kind_ = kind::heap;
            data_ = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
        }
        if (data_ == nullptr) return;
        if (clear_from < bytes) clear(clear_from);
        if (options.prefault) touch();
    }

    block(const block&) = delete;
    block& operator=(const block&) = delete;

    /// For chunks of an arena, which are stored in their own block.
    block(block&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          bytes_(other.bytes_),
          alignment_(other.alignment_),
          source_(other.source_),
          mapped_(other.mapped_),
          mapped_bytes_(other.mapped_bytes_),
          kind_(other.kind_) {}
    block& operator=(block&&) = delete;

    constexpr ~block() {
        if (!std::is_constant_evaluated()) give_back();
    }

    [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }

private:
    enum class kind : unsigned char { borrowed, heap, mapped };

    void clear(std::size_t from) noexcept { std::memset(data() + from, 0, bytes_ - from); }

    void touch() noexcept {
        // Writes the value back, because a read would map the shared zero page.
        const auto touch_at = [this](std::size_t i) {
            volatile std::byte* const at = data() + i;
            *at = *at;  // NOLINT(clang-analyzer-core.uninitialized.Assign): whatever it is
        };
        for (std::size_t i = 0; i < bytes_; i += small_page) touch_at(i);
        if (bytes_ > 0) touch_at(bytes_ - 1);  // of another page if the block starts inside a page
    }

    void map([[maybe_unused]] const pool_options& options) noexcept {
#if EBB_HAS_MMAP
        const bool huge = options.huge_pages && bytes_ >= huge_page;
        const std::size_t align = huge && alignment_ < huge_page ? huge_page : alignment_;
        if (huge) bytes_ = round_up(bytes_, huge_page);
        // mmap aligns to pages only. The slack at both ends stays reserved and unused.
        const std::size_t slack = align > small_page ? align : 0;
        mapped_bytes_ = bytes_ + slack;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
        flags |= MAP_NORESERVE;
#endif
        mapped_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (mapped_ == MAP_FAILED) return;
        kind_ = kind::mapped;
        data_ = align_up(mapped_, align);
#ifdef MADV_HUGEPAGE
        // madvise may fail: a system without huge pages uses small ones.
        if (huge) static_cast<void>(::madvise(data_, bytes_, MADV_HUGEPAGE));
#endif
#endif
    }

    void give_back() noexcept {
        if (data_ == nullptr) return;
        if (source_ != nullptr) {
            source_->give(data_, bytes_, alignment_, source_->context);
        } else if (kind_ == kind::heap) {
            // clang-format would insert a space before the parenthesis.
            // clang-format off
            ::operator delete(data_, std::align_val_t{alignment_});
            // clang-format on
        }
#if EBB_HAS_MMAP
        else if (kind_ == kind::mapped) {
            ::munmap(mapped_, mapped_bytes_);
        }
#endif
    }

    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t alignment_ = 1;
    const memory_source* source_ = nullptr;
    void* mapped_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    kind kind_ = kind::borrowed;
};

/// Finds the index of the slot at an address in an array of slots of Size bytes, with one multiplication.
/// For d = p - base,
///
///     q = rotate_right(d * inverse(Size's odd part), log2(Size's even part))
///
/// is d / Size if Size divides d. Otherwise it is at least 2^(bits of a word) / Size, because the map is a
/// bijection of words and all smaller values are quotients. So `q < capacity` tests at once that p is
/// not null, in the array, and at the start of a slot. (Granlund and Montgomery, "Division by Invariant
/// Integers using Multiplication", 1994, section 9; H. S. Warren, "Hacker's Delight", 2nd edition,
/// 10-17.)
template <std::size_t Size>
struct slot_finder {
    static constexpr int shift = std::countr_zero(Size);
    static constexpr std::uintptr_t odd = Size >> shift;

    // Newton's iteration. Each step doubles the number of correct bits; odd is its own inverse to 3
    // bits, and 3 * 2^5 > 64.
    static constexpr std::uintptr_t inverse = [] {
        std::uintptr_t x = odd;
        for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
        return x;
    }();
    static_assert(odd * inverse == 1);

    [[nodiscard]] static std::uintptr_t quotient(const void* p, const void* base) noexcept {
        return quotient(p, reinterpret_cast<std::uintptr_t>(base));
    }
    [[nodiscard]] static std::uintptr_t quotient(const void* p, std::uintptr_t base) noexcept {
        const std::uintptr_t d = reinterpret_cast<std::uintptr_t>(p) - base;
        return std::rotr(d * inverse, shift);
    }
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_STORAGE_HPP

namespace ebb {
inline namespace EBB_ABI {

/// The exception of an arena that needs more memory than its limit allows. The arena is unchanged and stays
/// usable.
///
/// \snippet reference.cpp limit_error
class limit_error : public std::bad_alloc {
public:
    /// Stores the values for the accessors.
    limit_error(std::size_t limit, std::size_t in_use, std::size_t asked) noexcept
        : limit_(limit), in_use_(in_use), asked_(asked) {}

    /// Returns the message.
    [[nodiscard]] const char* what() const noexcept override {
        return "ebb::arena: more memory is needed than limit() allows";
    }
    /// Returns the limit in bytes.
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
    /// Returns the bytes of the arena's chunks.
    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
    /// Returns the bytes that the refused allocation would have added.
    [[nodiscard]] std::size_t asked() const noexcept { return asked_; }

private:
    std::size_t limit_, in_use_, asked_;
};

namespace detail {

/// An address as a number of its own type. Stores through the program's pointers can't alias it, so compilers
/// keep loaded values in registers.
enum class address : std::uintptr_t {};
constexpr std::uintptr_t operator+(address a) noexcept { return static_cast<std::uintptr_t>(a); }
inline address address_of(const void* p) noexcept { return address{reinterpret_cast<std::uintptr_t>(p)}; }
inline std::byte* pointer_to(std::uintptr_t a) noexcept { return reinterpret_cast<std::byte*>(a); }

/// The alignment of objects, and the granularity of their sizes.
inline constexpr std::size_t unit = 8;

/// The header of a chunk. The destructor of `memory` frees the chunk.
struct chunk {
    struct by_address;
    struct by_size;

    chunk* next;        // next older chunk in use
    std::size_t bytes;  // size, with the header
    address lo, hi;     // bounds of the free memory, unless the chunk is current
    std::uint32_t age;  // position among the chunks in use; newer chunks have larger ones
    bool borrowed;      // storage of the caller, kept until the store ends
    bool oversize;      // made for one large allocation
    bool in_use;
    chunk_tree<chunk, by_address>::links addresses;
    chunk_tree<chunk, by_size>::links sizes;
    block memory;

    [[nodiscard]] inline std::uintptr_t begin() const noexcept;
    [[nodiscard]] inline std::uintptr_t end() const noexcept;
    [[nodiscard]] std::size_t room() const noexcept { return end() - begin(); }
};
struct chunk::by_address {
    static auto& links(chunk& c) noexcept { return c.addresses; }
    static std::uintptr_t key(const chunk& c) noexcept { return +address_of(&c); }
};
struct chunk::by_size {
    static auto& links(chunk& c) noexcept { return c.sizes; }
    static std::uintptr_t key(const chunk& c) noexcept { return c.room(); }
};
/// A multiple of a cache line, so that objects as large as a line don't span two. It ends with a red zone.
inline constexpr std::size_t chunk_header = round_up(sizeof(chunk) + annotate::red_zone, cache_line);
inline std::uintptr_t chunk::begin() const noexcept { return +address_of(this) + chunk_header; }
inline std::uintptr_t chunk::end() const noexcept { return +address_of(this) + bytes; }

/// Adding a size up to this to the end of a chunk can't overflow: chunks near the end of the address space are
/// refused.
inline constexpr std::size_t no_chunk_above = 4096;

/// Makes chunks, and keeps the spare ones, which are empty.
class chunk_store {
public:
    /// Sets the limit on the bytes of all chunks; 0 for none.
    void limit(std::size_t bytes) noexcept { limit_ = bytes == 0 ? no_limit : bytes; }

    static constexpr std::size_t bytes_needed(std::size_t bytes) noexcept {
        return chunk_header + round_up(bytes, unit) + cache_line - 1;
    }

    /// Sums of a few sizes up to this can't overflow.
    static constexpr std::size_t max_bytes = std::numeric_limits<std::size_t>::max() / 4;

    /// Throws the exception for a size above max_bytes.
    [[noreturn]] EBB_COLD void too_large(std::size_t bytes) const {
        if (limit_ != no_limit) throw_limit(bytes);
        throw_bad_alloc();
    }

protected:
    chunk_store(std::size_t chunk_size, std::size_t max_retained, const pool_options& options)
        : chunk_size_(chunk_size), max_retained_(max_retained), options_(options) {
        if (chunk_size == 0) throw_length("ebb::arena: chunk_size is 0");
        if (chunk_size > max_bytes) throw_length("ebb::arena: chunk_size is too large");
        if (max_retained == 0) max_retained_ = chunk_size > max_bytes / 10 ? max_bytes : 10 * chunk_size;
        max_retained_ = std::max(max_retained_, chunk_header + round_up(chunk_size, unit));
        if (!options.storage.empty()) borrow();
    }

    /// Adapts a copy of a store for a fork. forget_chunks() must follow.
    void fork_limits() noexcept {
        options_.storage = {};
        if (limit_ != no_limit) limit_ = std::max(left(), std::size_t{1});
    }

    /// Copies refer to the same chunks; forget_chunks() must be called on one of both.
    chunk_store(const chunk_store&) = default;
    chunk_store& operator=(const chunk_store&) = default;

    ~chunk_store() {
        spare_.take_all([this](chunk* c) { free_chunk(c); });
    }

    /// Resets to the state of a new store, without the caller's storage, which now belongs to another store.
    void forget_chunks() noexcept {
        all_ = {};
        spare_ = {};
        found_ = nullptr;
        held_ = chunks_ = oversize_ = grown_ = 0;
    }

    /// Returns the chunk that contains the address, or null. O(log chunks), O(1) if it is in the same chunk as
    /// the last.
    [[nodiscard]] const chunk* chunk_of(std::uintptr_t p) const noexcept {
        if (found_ != nullptr && p - found_->begin() < found_->room()) return found_;
        const chunk* const c = all_.last_up_to(p);
        if (c == nullptr || p - c->begin() >= c->room()) return nullptr;
        found_ = c;
        return c;
    }

    /// Returns a chunk with room for `need` bytes: the smallest spare one, or a new one.
    chunk* next_chunk(std::size_t need) {
        if (chunk* const c = spare_.first_from(need); c != nullptr) {
            spare_.erase(c);
            return c;
        }
        if (chunk* const c = new_chunk(need); c != nullptr) return c;
        if (may_grow() && chunk_header + need > left()) throw_limit(chunk_header + need);
        throw_bad_alloc();
    }
    /// Makes sure that next_chunk(need) will not throw, by making a spare chunk if there is none. Returns false
    /// if that fails.
    bool reserve_chunk(std::size_t need) noexcept {
        if (spare_.first_from(need) != nullptr) return true;
        chunk* const c = new_chunk(need);
        if (c != nullptr) spare_.insert(c);
        return c != nullptr;
    }

    [[nodiscard]] bool may_grow() const noexcept { return options_.storage.empty() || options_.source != nullptr; }

    // Returns null if the limit or the system refuses.
    chunk* new_chunk(std::size_t need) noexcept {
        if (!may_grow()) return nullptr;
        // As large as all growth so far, but the first chunk has the size that the user asked for.
        const std::size_t most = chunk_size_ > max_bytes / max_growth ? max_bytes : chunk_size_ * max_growth;
        std::size_t room = std::clamp(grown_, chunk_size_, std::max(chunk_size_, most));
        if (limit_ != no_limit) {
            if (chunk_header + need > left()) free_spare();
            // need is a multiple of unit, so rounding down does not make it too large.
            if (chunk_header + need > left()) return nullptr;
            // At most a quarter of the rest, so that the arena can use the limit in several chunks.
            const std::size_t rest = (left() - chunk_header) & ~(unit - 1);
            room = std::min(std::max(std::min(room, rest / 4), chunk_size_), rest);
        }
        const bool is_oversize = need > room;
        chunk* const c = make_chunk(std::max(room, need));
        if (c == nullptr) return nullptr;
        c->oversize = is_oversize;
        is_oversize ? ++oversize_ : grown_ += c->bytes;
        return c;
    }

    [[nodiscard]] std::size_t left() const noexcept { return limit_ > held_ ? limit_ - held_ : 0; }

    chunk* make_chunk(std::size_t room) noexcept {
        std::size_t bytes = chunk_header + round_up(room, unit);
        pool_options options = options_;
        options.storage = {};
        if (options.huge_pages && bytes >= huge_page) {
            const std::size_t whole = round_up(bytes, huge_page);
            whole <= left() ? bytes = whole : options.huge_pages = false;
        }
        block memory{std::nothrow, bytes, cache_line, bytes, options};
        if (+address_of(memory.data()) - 1 >= std::numeric_limits<std::uintptr_t>::max() - no_chunk_above - bytes) {
            return nullptr;
        }
        return make(std::move(memory), bytes, false);
    }

    /// Reports whether c is no larger than the size the user asked for.
    [[nodiscard]] bool is_as_asked(const chunk* c) const noexcept { return c->room() <= round_up(chunk_size_, unit); }

    void free_chunk(chunk* c) noexcept {
        held_ -= c->bytes;
        if (!c->oversize) grown_ -= c->bytes;
        --chunks_;
        all_.erase(c);
        found_ = nullptr;
        if constexpr (annotate::on) annotate::show(c + 1, c->bytes - sizeof(chunk));
        const block memory(std::move(c->memory));
        c->~chunk();
    }

    /// Frees spare chunks, largest first, until at most `most` bytes are held. Keeps the caller's storage.
    void free_spare(std::size_t most = 0) noexcept {
        chunk* borrowed = nullptr;
        while (held_ > most && !spare_.empty()) {
            chunk* const c = spare_.last_up_to(max_bytes);
            spare_.erase(c);
            c->borrowed ? void(borrowed = c) : free_chunk(c);
        }
        if (borrowed != nullptr) spare_.insert(borrowed);
    }

    chunk_tree<chunk, chunk::by_size> spare_;
    std::size_t chunk_size_, max_retained_;
    std::size_t held_ = 0;  // bytes of all chunks
    std::size_t chunks_ = 0, oversize_ = 0;

private:
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
    // The largest chunk that growth makes, in chunk sizes. In larger chunks, the unused end would cost more
    // than the saved calls.
    static constexpr std::size_t max_growth = 64;

    void borrow() {
        const std::size_t size = options_.storage.size();
        const std::size_t skip = (0 - +address_of(options_.storage.data())) & (cache_line - 1);
        if (size < skip + chunk_header + unit) throw_length("ebb::arena: the storage is smaller than bytes_needed(1)");
        const std::size_t bytes = (size - skip) & ~(unit - 1);
        pool_options options = options_;
        options.source = nullptr;
        max_retained_ = std::max(max_retained_, bytes);
        spare_.insert(make(block{bytes, cache_line, bytes, options}, bytes, true));
        grown_ = bytes;
    }

    chunk* make(block&& memory, std::size_t bytes, bool borrowed) noexcept {
        std::byte* const data = memory.data();
        auto* const c =
            ::new (data) chunk{nullptr, bytes, {}, {}, 0, borrowed, false, false, {}, {}, std::move(memory)};
        if constexpr (annotate::on) annotate::hide(c + 1, bytes - sizeof(chunk));
        all_.insert(c);
        held_ += bytes;
        ++chunks_;
        return c;
    }

    [[noreturn]] EBB_COLD void throw_limit([[maybe_unused]] std::size_t asked) const {
#if EBB_EXCEPTIONS
        throw limit_error(limit_, held_, asked);
#else
        std::abort();
#endif
    }

    chunk_tree<chunk, chunk::by_address> all_;
    mutable const chunk* found_ = nullptr;  // the last result of chunk_of
    std::size_t grown_ = 0;                 // bytes of chunks that growth made
    std::size_t limit_ = no_limit;
    pool_options options_;
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_CHUNKS_HPP

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

/// The record of a run of adjacent objects of one type. The objects follow it.
struct alignas(unit) record {
    record* older;
    void (*destroy)(record*) noexcept;
    std::uintptr_t end;  // of the last object. Not used while the run can grow; see region_state::run_end_
};

/// The layout of a run of Ts.
template <class T>
struct run {
    static constexpr std::size_t alignment = std::max(alignof(T), alignof(record));
    /// The offset of the first object from the record.
    static constexpr std::size_t first = round_up(sizeof(record) + annotate::red_zone, std::max(alignof(T), unit));
    /// Whether a run can have more than one object: not if there is padding or a red zone between objects. For
    /// large objects, a record each is cheap.
    static constexpr bool can_grow = sizeof(T) % unit == 0 && sizeof(T) <= no_chunk_above && !annotate::on;

    static T* objects(record* r) noexcept { return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(r) + first); }
    static void destroy(record* r) noexcept {
        T* const first_one = objects(r);
        for (T* p = reinterpret_cast<T*>(r->end); p != first_one;) std::destroy_at(--p);
    }
};

/// A record that is not followed by its object.
struct loose_record : record {
    void* object;
};
template <class T>
void destroy_loose(record* r) noexcept {
    std::destroy_at(static_cast<T*>(static_cast<loose_record*>(r)->object));
}

/// Calls f in its destructor.
template <class F>
struct at_end {
    F f;
    explicit at_end(const F& g) : f(g) {}
    explicit at_end(F&& g) : f(std::move(g)) {}
    at_end(const at_end&) = delete;
    at_end& operator=(const at_end&) = delete;
    ~at_end() { f(); }
};

/// Frees the memory of an object and restores the busy bit if the constructor throws.
template <class Region>
struct memory_guard {
    Region& from;
    std::byte* begin;
    std::byte* end;
    std::size_t overhead;
    std::uintptr_t busy = from.busy();
    bool kept = false;
    ~memory_guard() {
        if (EBB_UNLIKELY(!kept)) {
            from.take_back(begin, end, overhead);
            from.unlock(from.busy() - busy);
        }
    }
};

/// If the constructor of an array's element throws, destroys the elements before it, newest first.
template <class T>
struct object_guard {
    T* first;
    std::size_t count;
    ~object_guard() {
        while (EBB_UNLIKELY(count > 0)) std::destroy_at(first + --count);
    }
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_RECORDS_HPP
// A region: the memory of one arena, with its destructors and marks.
//
//     chunk    header | objects -> ... free ... <- text |
//                     begin     lo           hi         end
//
// Objects are allocated from the low end in units of 8 bytes, and text from the high end byte by byte, so text
// needs no padding. When a chunk is full, a new one becomes current, and the old one stays in a list until the
// cycle ends. A large allocation gets a chunk of its own if the current chunk would have more space left than
// the new one.
//
// The fast paths (take, take_small, take_one, take_text) move lo or hi, and call take_slow if the chunk is
// full. used() includes the rounding to 8 bytes and the padding of larger alignments. All other overhead is in
// overhead_.
#ifndef EBBPOOL_REGION_HPP
#define EBBPOOL_REGION_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

// Blocks of containers: free lists, for reuse within the cycle, and counts of allocated blocks.
//
// Size classes are the multiples of 8 up to 128 bytes, then 2^n and 3 * 2^n. A block has the size of its class,
// so any block of a free list fits any request of the class. An allocation pops the free list of its class, or
// bumps. Freeing the newest block moves the bump pointer back; other blocks are pushed on their free list.
#ifndef EBBPOOL_REGION_BLOCKS_HPP
#define EBBPOOL_REGION_BLOCKS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

// The state of a region: the fields of its fast paths, the contents of a mark, and the statistics.
#ifndef EBBPOOL_REGION_STATE_HPP
#define EBBPOOL_REGION_STATE_HPP

#include <cstddef>
#include <cstdint>


namespace ebb {
inline namespace EBB_ABI {

/// Statistics of an arena. Sizes are in bytes.
///
/// \snippet reference.cpp arena_stats
struct arena_stats {
    std::size_t used_bytes;      ///< arena::used_bytes
    std::size_t retained_bytes;  ///< bytes of all chunks, with their headers
    std::size_t high_water;      ///< largest used_bytes at a reset, release, rewind or call of stats
    std::size_t chunks;          ///< number of chunks
    std::size_t resets;          ///< number of calls of reset and release
    std::size_t oversize;        ///< chunks ever made for one allocation larger than a regular chunk
};

namespace detail {

struct free_lists;

/// The times of a container's first block for which its blocks are valid. Each mark, rewind and end of a cycle
/// starts a new time.
struct live_times {
    std::size_t since, until;  // valid in [since, until)
    std::size_t again;         // and from here on

    [[nodiscard]] bool has(std::size_t t) const noexcept { return t >= again || (t >= since && t < until); }
};

/// A mark: the state of a region, stored in the region itself.
struct alignas(unit) place {
    place* older;
    std::size_t time;  // of the mark, and unique
    chunk* newest;
    chunk* current;
    address before, lo, hi;  // before: lo before the mark itself; bit 0: see within
    std::size_t sunk, overhead;
    record* last;
    std::size_t blocks;      // allocated blocks of memory resources between `older` and this mark
    std::size_t own_blocks;  // the same for the arena's own resources
    live_times live;         // before the mark
    free_lists* free;        // the free lists before the mark, or null

    [[nodiscard]] std::uintptr_t begin() const noexcept { return +before & ~std::uintptr_t{unit - 1}; }
    // Whether the mark was taken by a constructor or destructor that the arena runs.
    [[nodiscard]] bool within() const noexcept { return (+before & 1) != 0; }
};

/// A memory resource stored in the region that it allocates from, for objects that need one. A move of the
/// arena updates `arena`.
struct resident {
    resident* older;
    const void* kind;  // identifies the type of the resource
    void* arena;
};

/// The fields of the fast paths come first, because short offsets make short code.
struct region_state {
    static constexpr address no_run{2};

    // Bit 0 of lo_ is the busy bit, set while the arena runs code of the program. A separate field would need a
    // store for each object, because compilers can't rule out that the object overlaps it. lo_ is stored
    // anyway.
    address lo_{}, hi_{};
    std::size_t overhead_ = 0;  // allocated bytes that used_bytes() does not count
    record* last_ = nullptr;    // newest run
    address run_end_ = no_run;  // lo_ at the end of that run if it can grow, else no_run, which lo_ never equals
    address begin_{};           // of the current chunk; 0 before the first
    chunk* newest_ = nullptr;   // newest chunk in use
    address end_{};
    chunk* base_ = nullptr;  // first chunk of each cycle, if no other is in use
    std::size_t cycle_ = 0;
    std::size_t high_ = 0;
    std::size_t sunk_ = 0;  // bytes allocated in chunks that are not current

    // The address in lo_, without the busy bit.
    [[nodiscard]] std::uintptr_t low() const noexcept { return +lo_ & ~std::uintptr_t{unit - 1}; }
    void set_low(std::uintptr_t at) noexcept { lo_ = address{at | busy()}; }

    [[nodiscard]] std::uintptr_t busy() const noexcept { return +lo_ & 1; }
    // Sets the busy bit. Returns the argument for unlock: 0 if the bit was already set. lock adds and unlock
    // subtracts, so that compilers can cancel one against the other.
    EBB_INLINE std::uintptr_t lock() noexcept {
        const std::uintptr_t mine = busy() ^ 1;
        lo_ = address{+lo_ + mine};
        return mine;
    }
    EBB_INLINE void unlock(std::uintptr_t mine) noexcept { lo_ = address{+lo_ - mine}; }
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_REGION_STATE_HPP

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

// std::bit_width, whose return type differs between versions of the standard library.
constexpr std::size_t width(std::size_t x) noexcept {
    return static_cast<std::size_t>(std::numeric_limits<std::size_t>::digits - std::countl_zero(x));
}

/// The size of a container's block and the number of its size class. bytes must be at most
/// chunk_store::max_bytes.
struct block_shape {
    static constexpr std::size_t exact = 128;   // up to here, a class for each multiple of unit
    static constexpr std::size_t classes = 64;  // larger classes are not reused

    std::size_t size, number;

    explicit constexpr block_shape(std::size_t bytes) noexcept {
        const std::size_t last = bytes - (bytes != 0);
        if (last < exact) {
            number = last / unit;
            size = (number + 1) * unit;
        } else {
            const std::size_t shift = width(last) - 2;
            const std::size_t quarter = last >> shift;  // 2 or 3
            number = quarter + 2 * shift + 2;
            size = (quarter + 1) << shift;
        }
    }
};
static_assert(block_shape(block_shape::exact).number + 1 == block_shape(block_shape::exact + 1).number);

struct free_block {
    free_block* next;
};
struct free_lists {
    std::array<free_block*, block_shape::classes> of;
};

class region_blocks : public region_state, public chunk_store {
public:
    /// Frees memory if it is the newest allocation.
    EBB_INLINE void give_back(void* p, std::size_t bytes) noexcept {
        if constexpr (annotate::on) return annotate::hide(p, bytes);
        if (+address_of(p) + round_up(bytes, unit) == low()) set_low(+address_of(p));
    }

    /// Frees a block of a container.
    EBB_INLINE void give_block(void* p, std::size_t bytes) noexcept {
        if constexpr (annotate::on) return annotate::hide(p, bytes);
        const block_shape shape(bytes);
        if (+address_of(p) + shape.size == low()) return set_low(+address_of(p));
        if (EBB_UNLIKELY(shape.number >= block_shape::classes)) return;
        if (EBB_UNLIKELY(places_ != nullptr)) return add_free_since_mark(p, shape);
        add_free(p, shape);
    }

    /// Pops a free block, or returns null.
    EBB_INLINE std::byte* free_block_of(const block_shape& shape) noexcept {
        if (shape.number >= block_shape::classes) return nullptr;
        free_block* const b = free_.of[shape.number];
        if (b == nullptr) return nullptr;
        free_.of[shape.number] = b->next;
        overhead_ -= shape.size;
        return reinterpret_cast<std::byte*>(b);
    }
    /// The same for an alignment above unit. It searches the first 8 blocks of the list.
    std::byte* free_block_of(const block_shape& shape, std::size_t align) noexcept {
        if (shape.number >= block_shape::classes) return nullptr;
        free_block** at = &free_.of[shape.number];
        for (int i = 0; *at != nullptr && i < 8; ++i, at = &(*at)->next) {
            if ((+address_of(*at) & (align - 1)) != 0) continue;
            free_block* const b = std::exchange(*at, (*at)->next);
            overhead_ -= shape.size;
            return reinterpret_cast<std::byte*>(b);
        }
        return nullptr;
    }

    /// The time, an even number. A container's allocator stores the time of its first block.
    [[nodiscard]] std::size_t time() const noexcept { return time_; }
    /// Reports whether a container whose first block has time t may free blocks: no rewind or end of a cycle
    /// has freed them. is_live_at_once may return false for a valid time. O(marks).
    [[nodiscard]] EBB_INLINE bool is_live_at_once(std::size_t t) const noexcept { return t >= live_.again; }
    [[nodiscard]] bool is_live(std::size_t t) const noexcept {
        if (live_.has(t)) return true;
        for (const place* at = places_; at != nullptr && t < at->time; at = at->older) {
            if (at->live.has(t)) return true;
        }
        return false;
    }

    /// The resources that the region stores, newest first.
    [[nodiscard]] resident* residents() const noexcept { return residents_; }
    void add_resident(resident* r) noexcept { residents_ = r; }

    /// Counts an allocated block of a memory resource.
    void add_block() noexcept { ++blocks_; }
    /// Counts a freed block of this cycle. O(1), or O(log chunks + marks after the block) while there are
    /// marks.
    void remove_block(const void* p) noexcept {
        std::size_t* count = &blocks_;
        for (place* at = places_; at != nullptr && !is_since(at, +address_of(p)); at = at->older) count = &at->blocks;
        *count -= *count != 0;
    }
    /// The same while there are no marks.
    EBB_INLINE void remove_block() noexcept { blocks_ -= blocks_ != 0; }
    [[nodiscard]] bool has_marks() const noexcept { return places_ != nullptr; }
    /// The same for the arena's own resources. Blocks older than all marks are not counted, because they end
    /// with the objects that own them.
    void add_block_since_mark() noexcept {
        if (EBB_UNLIKELY(places_ != nullptr)) ++own_blocks_;
    }
    void remove_block_since_mark(const void* p) noexcept {
        std::size_t* count = &own_blocks_;
        for (place* at = places_; at != nullptr; at = at->older) {
            if (is_since(at, +address_of(p))) {
                *count -= *count != 0;
                return;
            }
            count = &at->own_blocks;
        }
    }
    /// Records that n allocated blocks, whichever they are, will never be freed.
    void abandon_blocks(std::size_t n) noexcept { abandoned_ += n; }
    /// Reports whether a block of a memory resource is certainly still allocated.
    [[nodiscard]] bool has_blocks() const noexcept { return outstanding_since(nullptr) > abandoned_; }
    /// The same for blocks allocated after `p`, and for blocks that objects older than p own.
    [[nodiscard]] bool has_blocks_since(const place* p) const noexcept {
        std::size_t own = own_blocks_;
        for (const place* at = places_; at != p; at = at->older) own += at->own_blocks;
        return own != 0 || outstanding_since(p) > abandoned_;
    }

    /// Reports whether a mark was taken after the memory at p was allocated.
    [[nodiscard]] EBB_INLINE bool is_marked(const void* p) const noexcept {
        return EBB_UNLIKELY(places_ != nullptr) && !is_since(places_, +address_of(p));
    }

protected:
    region_blocks(std::size_t chunk_size, std::size_t max_retained, const pool_options& options)
        : chunk_store(chunk_size, max_retained, options) {}
    region_blocks(const region_blocks&) = default;
    region_blocks& operator=(const region_blocks&) = default;

    [[nodiscard]] std::size_t outstanding_since(const place* p) const noexcept {
        std::size_t n = blocks_;
        for (const place* at = places_; at != p; at = at->older) n += at->blocks;
        return n;
    }

    // Whether memory at the low end was allocated after the mark.
    [[nodiscard]] bool is_since(const place* at, std::uintptr_t p) const noexcept {
        if (p >= +at->lo && p < +at->hi) return true;
        const chunk* const c = chunk_of(p);
        return c != nullptr && c->age > at->newest->age;
    }

    // Invalidates the blocks of all containers.
    void end_times() noexcept {
        time_ += 2;
        live_ = {time_, time_, time_};
    }
    void forget_blocks() noexcept {
        residents_ = nullptr;
        blocks_ = own_blocks_ = abandoned_ = 0;
        forget_free_blocks();
    }
    void forget_free_blocks() noexcept {
        if (std::exchange(has_free_, false)) free_ = {};
    }

    place* places_ = nullptr;  // newest mark
    std::size_t time_ = 2;
    live_times live_{2, 2, 2};  // since the newest mark
    resident* residents_ = nullptr;
    std::size_t blocks_ = 0;      // allocated blocks of memory resources since the newest mark
    std::size_t own_blocks_ = 0;  // the same for the arena's own resources, while there is a mark
    std::size_t abandoned_ = 0;   // blocks that will never be freed
    bool has_free_ = false;       // some list may not be empty
    free_lists free_{};

private:
    EBB_INLINE void add_free(void* p, const block_shape& shape) noexcept {
        free_.of[shape.number] = ::new (p) free_block{free_.of[shape.number]};
        has_free_ = true;
        overhead_ += shape.size;
    }
    // Memory older than the newest mark is not reused: a rewind must free all blocks that were allocated after
    // the mark.
    EBB_NOINLINE void add_free_since_mark(void* p, block_shape shape) noexcept {
        if (is_since(places_, +address_of(p))) add_free(p, shape);
    }
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_REGION_BLOCKS_HPP

namespace ebb {
inline namespace EBB_ABI {

namespace detail {

/// A bump allocator for one thread. It does not check for misuse.
class region : public region_blocks {
public:
    /// After a release with allocated blocks, the next allocation calls `on_stranded` first.
    region(std::size_t chunk_size, std::size_t max_retained, const pool_options& options,
           void (*on_stranded)(const region*) noexcept)
        : region_blocks(chunk_size, max_retained, options), on_stranded_(on_stranded) {}

    /// An empty region with the parameters and the limit of `other`.
    struct like {
        const region& other;
    };
    explicit region(like l) noexcept : region(l.other) { be_new(); }
    /// An empty region with the parameters of `other`, without its storage. The limit is the unused rest of its
    /// limit.
    struct fork_of {
        const region& other;
    };
    explicit region(fork_of f) noexcept : region(f.other) {
        fork_limits();
        be_new();
    }

    /// Takes the memory and marks of `other`, which becomes empty. Allocators are not redirected.
    region& operator=(region&& other) noexcept {
        free_chunks();
        const std::size_t ended = cycle_ + 1, t = std::max(time_, other.time_);
        *this = other;
        cycle_ += ended;
        first_cycle_ += ended;
        time_ = t;
        end_times();
        for (place* p = places_; p != nullptr; p = p->older) p->live = {time_, time_, time_};
        other.be_new();
        return *this;
    }

    ~region() { free_chunks(); }

    /// Returns `bytes` bytes from the low end, at a multiple of `align`, a power of 2.
    EBB_INLINE std::byte* take(std::size_t bytes, std::size_t align) {
        if constexpr (annotate::on) return take_annotated(bytes, align);
        const std::uintptr_t lo = +lo_;
        const std::size_t room = +hi_ - low();
        const std::size_t pad = align > unit ? (0 - low()) & (align - 1) : 0;
        const std::size_t last = (bytes - 1) | (unit - 1);  // size - 1, because the size may overflow
        if (EBB_UNLIKELY(pad > room || last >= room - pad)) return take_slow(bytes, align, false);
        lo_ = address{lo + pad + last + 1};
        return pointer_to((lo + pad) & ~std::uintptr_t{unit - 1});
    }

    /// Reports whether take_small accepts the arguments: the end of the allocation can't overflow, and bytes is
    /// not 0.
    static constexpr bool is_small(std::size_t bytes, std::size_t align) noexcept {
        return bytes - 1 < no_chunk_above / 2 && align - 1 < no_chunk_above / 2;
    }
    /// Like take, for small arguments, without a branch for the alignment.
    EBB_INLINE std::byte* take_small(std::size_t bytes, std::size_t align) {
        if constexpr (annotate::on) return take_annotated(bytes, align);
        const std::size_t mask = (align - 1) & ~(unit - 1);
        const std::uintptr_t at = (+lo_ + mask) & ~mask;  // keeps bit 0 of lo_
        const std::uintptr_t end = at + round_up(bytes, unit);
        if (EBB_UNLIKELY(end > +hi_)) return take_apart(bytes, align);
        lo_ = address{end};
        return pointer_to(at & ~std::uintptr_t{unit - 1});
    }

    /// The slow path of take_small and take_one.
    EBB_NOINLINE std::byte* take_apart(std::size_t bytes, std::size_t align) { return take(bytes, align); }

    /// Reports whether Bytes bytes from `lo` on are free in the current chunk.
    template <std::size_t Bytes>
    EBB_INLINE bool fits(std::uintptr_t lo) const noexcept {
        static_assert(Bytes <= no_chunk_above);
        return lo + Bytes <= +hi_;
    }
    /// Returns memory for one T.
    template <class T>
    EBB_INLINE std::byte* take_one() {
        constexpr std::size_t bytes = round_up(sizeof(T), unit);
        if constexpr (bytes > no_chunk_above || alignof(T) > unit || annotate::on) {
            return take(sizeof(T), alignof(T));
        } else {
            if (EBB_UNLIKELY(!fits<bytes>(+lo_))) return take_apart(bytes, unit);
            std::byte* const p = pointer_to(low());
            lo_ = address{+lo_ + bytes};
            return p;
        }
    }

    /// Returns a block for a container. `align` must be a power of 2.
    EBB_INLINE std::byte* take_block(std::size_t bytes, std::size_t align) {
        std::byte* const p = align > unit ? nullptr : take_block_at_once(bytes);
        return EBB_UNLIKELY(p == nullptr) ? take_block_apart(bytes, align) : p;
    }
    /// The fast path of take_block, for an alignment of at most unit. Returns null if it needs the slow path.
    EBB_INLINE std::byte* take_block_at_once(std::size_t bytes) noexcept {
        if (annotate::on || EBB_UNLIKELY(bytes - 1 >= no_chunk_above)) return nullptr;
        const block_shape shape(bytes);
        if (std::byte* const p = free_block_of(shape); p != nullptr) return p;
        const std::uintptr_t lo = +lo_;
        const std::uintptr_t end = lo + shape.size;
        if (EBB_UNLIKELY(end > +hi_)) return nullptr;
        lo_ = address{end};
        return pointer_to(lo & ~std::uintptr_t{unit - 1});
    }
    EBB_NOINLINE std::byte* take_block_apart(std::size_t bytes, std::size_t align) {
        if (annotate::on || bytes > max_bytes) return take(bytes, align);
        const block_shape shape(bytes);
        std::byte* const p = align > unit ? free_block_of(shape, align) : free_block_of(shape);
        return p != nullptr ? p : take(shape.size, align);
    }

    /// Makes sure that the next take(bytes, align) does not throw. Returns false if the limit or the system
    /// refuses the memory.
    EBB_NOINLINE bool reserve(std::size_t bytes, std::size_t align) noexcept {
        if (bytes > max_bytes || align > max_bytes) return false;
        const std::size_t need = round_up(bytes + (bytes == 0), unit) + annotate::red_zone;
        const std::size_t left_here = +hi_ - low();
        const std::size_t pad = (0 - low()) & (std::max(align, unit) - 1);
        if (pad <= left_here && need <= left_here - pad) return true;
        const std::size_t room = need + (align > cache_line ? align - cache_line : 0);
        if (chunk_header + room > left()) leave_empty();
        return reserve_chunk(room);
    }
    /// Like reserve, for take_text.
    bool reserve_text(std::size_t bytes) noexcept {
        return (!annotate::on && bytes <= +hi_ - low()) || reserve(bytes, 1);
    }

    /// Reports whether p points into allocated memory.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        const std::uintptr_t at = +address_of(p);
        const chunk* const c = chunk_of(at);
        if (c == nullptr || !c->in_use) return false;
        return c == current_ ? at < low() || at >= +hi_ : at < +c->lo || at >= +c->hi;
    }

    /// Returns `bytes` bytes, at least 1, from the high end, at any address.
    EBB_INLINE std::byte* take_text(std::size_t bytes) {
        if constexpr (annotate::on) return take_text_annotated(bytes);
        if (EBB_UNLIKELY(bytes > +hi_ - low())) return take_slow(bytes, 1, true);
        hi_ = address{+hi_ - bytes};
        return pointer_to(+hi_);
    }

    /// Frees [from, to) if it is the newest allocation. Otherwise it becomes overhead until the cycle ends.
    /// `overhead` of its bytes already are.
    EBB_COLD void take_back(std::byte* from, std::byte* to, std::size_t overhead) noexcept {
        if constexpr (annotate::on) {
            annotate::hide(from, static_cast<std::size_t>(to - from));
            overhead_ += static_cast<std::size_t>(to - from) - overhead;
            return;
        }
        if (low() == +address_of(to)) {
            lo_ = address_of(from);  // clears the busy bit; memory_guard restores it
            overhead_ -= overhead;
        } else {
            overhead_ += static_cast<std::size_t>(to - from) - overhead;
        }
    }

    /// The fast path of empty, for one chunk without destructors, marks and free blocks. Returns false, and
    /// does nothing, if there may be any.
    EBB_INLINE bool empty_at_once() noexcept {
        // Destructor records, marks and free blocks count as overhead. held_ covers the spare chunks of rewind
        // and reserve.
        if (annotate::on || EBB_UNLIKELY(overhead_ != 0 || newest_ != base_ || held_ > max_retained_)) return false;
        see();
        ++cycle_;
        end_times();
        blocks_ = abandoned_ = 0;
        lo_ = begin_;
        hi_ = end_;
        return true;
    }

    /// Ends the cycle and keeps chunks of at most `retained` bytes. All destructors must have run.
    EBB_NOINLINE void empty(std::size_t retained) noexcept {
        see();
        ++cycle_;
        hide_all();
        chunk* used = std::exchange(newest_, nullptr);
        forget_cycle();
        end_times();
        base_ = nullptr;
        while (used != nullptr) {
            chunk* const c = used;
            used = c->next;
            c->in_use = false;
            // The list ends with the oldest chunk, so base_ becomes the oldest that may be kept.
            if (c->borrowed || is_as_asked(c) || c->bytes <= retained) base_ = c;
            spare_.insert(c);
        }
        if (base_ == nullptr) base_ = spare_.first_from(0);
        if (base_ == nullptr) return;
        spare_.erase(base_);
        if (!base_->borrowed && !is_as_asked(base_) && base_->bytes > retained)
            free_chunk(std::exchange(base_, nullptr));
        free_spare(retained);
        if (base_ == nullptr) return;
        add_chunk(base_);
        enter(base_);
    }
    void empty() noexcept { empty(max_retained_); }

    /// Ends the cycle and frees all chunks. All destructors must have run.
    EBB_NOINLINE void release() noexcept {
        see();
        stranded_ = has_blocks();
        ++cycle_;
        hide_all();
        set_aside(nullptr);
        forget_cycle();
        end_times();
        base_ = nullptr;
        free_spare();
    }

    /// Runs the destructors recorded after `to`, newest first.
    void unwind(const record* to) noexcept {
        close_run();
        while (last_ != to) {
            record* const r = last_;
            last_ = r->older;
            r->destroy(r);
            close_run();  // the destructor may have made objects
        }
    }

    /// Closes the newest run, which then can't grow.
    void close_run() noexcept {
        if (run_end_ == no_run) return;
        last_->end = +run_end_ & ~std::uintptr_t{1};
        run_end_ = no_run;
    }

    /// Records objects at `at` before the marks that their constructor has taken, so that a rewind to these
    /// marks does not destroy them.
    EBB_COLD void add_before_marks(record* r, const void* at) noexcept {
        const place* const p = first_mark_after(at);
        record* const before = p->last;
        record** link = &last_;
        while (*link != before) link = &(*link)->older;
        r->older = before;
        *link = r;
        for (place* q = places_; q != p->older; q = q->older) {
            if (q->last == before) q->last = r;
            q->before = address{q->begin()};
        }
    }
    /// Returns memory that a rewind to these marks does not free either. It uses a chunk of its own.
    EBB_COLD std::byte* take_before_marks(std::size_t bytes, const void* at) {
        const place* const p = first_mark_after(at);
        chunk* const c = next_chunk(bytes);
        c->next = std::exchange(p->newest->next, c);
        c->age = p->newest->age;
        c->in_use = true;
        set_full(c, c->begin() + bytes);
        overhead_ += bytes;
        for (place* q = places_; q != p->older; q = q->older) {
            q->sunk += bytes;
            q->overhead += bytes;
        }
        if constexpr (annotate::on) annotate::show(pointer_to(c->begin()), bytes);
        return pointer_to(c->begin());
    }

    /// Takes a mark. Returns the newest one if nothing has been allocated since. Throws as an allocation.
    const place* mark() {
        if (const place* const p = places_; p != nullptr && +p->lo == low() && p->hi == hi_ && p->newest == newest_ &&
                                            p->last == last_ && p->overhead == overhead_) {
            return p;
        }
        return add_place();
    }

    /// Takes a new mark. Throws as an allocation.
    EBB_NOINLINE place* add_place() {
        if (id_ == 0) id_ = new_id();
        const std::uintptr_t before = low();
        const chunk* const chunk_before = newest_;
        const std::size_t bytes = sizeof(place) + (has_free_ ? sizeof(free_lists) : 0);
        auto* const p = ::new (take(bytes, alignof(place))) place;
        const std::uintptr_t end = +address_of(p) + bytes;
        if (!annotate::on && low() != end) {
            // The mark has a chunk of its own, which becomes current. Otherwise, an older block could be freed
            // as the newest allocation, and its memory be allocated again after the mark.
            sunk_ -= bytes;
            leave_for(newest_);
            set_low(end);
        }
        close_run();
        if (newest_ == chunk_before) {
            p->before = address{before | busy()};
            overhead_ += low() - before - annotate::red_zone;  // added by take
        } else {
            p->before = address{(newest_ == current_ ? +address_of(p) : low()) | busy()};
            overhead_ += bytes;
        }
        p->free = nullptr;
        if (has_free_) p->free = ::new (static_cast<void*>(p + 1)) free_lists{free_};
        forget_free_blocks();
        p->live = live_;
        end_times();
        p->time = time_;
        p->older = places_;
        p->newest = newest_;
        p->current = current_;
        p->lo = address{low()};
        p->hi = hi_;
        p->sunk = sunk_;
        p->overhead = overhead_;
        p->last = last_;
        p->blocks = std::exchange(blocks_, 0);
        p->own_blocks = std::exchange(own_blocks_, 0);
        return places_ = p;
    }

    /// Returns the mark of that time, or null if it is gone.
    [[nodiscard]] place* find(std::size_t time) const noexcept {
        place* p = places_;
        while (p != nullptr && p->time > time) p = p->older;
        return p != nullptr && p->time == time ? p : nullptr;
    }

    /// Frees all allocations since `p`. The destructors recorded after p->last must have run.
    EBB_NOINLINE void rewind(place* p) noexcept {
        see();
        // Blocks that are still allocated were abandoned.
        abandoned_ -= std::min(abandoned_, outstanding_since(p));
        while (residents_ != nullptr && is_since(p, +address_of(residents_))) residents_ = residents_->older;
        if constexpr (annotate::on) hide_since(p);
        set_aside(p->newest);
        enter(p->current);
        set_low(+p->lo);
        hi_ = p->hi;
        sunk_ = p->sunk;
        overhead_ = p->overhead;
        places_ = p;
        blocks_ = own_blocks_ = 0;
        forget_free_blocks();
        end_times();
        run_end_ = no_run;
    }

    /// Rewinds to `p` and removes it.
    void remove(place* p) noexcept {
        rewind(p);
        overhead_ -= +p->lo - p->begin();
        set_low(p->begin());
        places_ = p->older;
        blocks_ = p->blocks;
        own_blocks_ = p->own_blocks;
        if (p->free != nullptr) {
            free_ = *p->free;
            has_free_ = true;
        }
        // Times before the mark are valid again. live_times has one gap, so a second gap is merged with the
        // first.
        live_ = {p->live.since, p->live.since < p->live.until ? p->live.until : p->time, time_};
        if (p->live.since >= p->live.until) live_.since = p->live.again;
        if constexpr (annotate::on) annotate::hide(pointer_to(p->begin()), +p->lo - p->begin());
    }

    [[nodiscard]] std::size_t used() const noexcept { return sunk_ + (low() - +begin_) + (+end_ - +hi_) - overhead_; }

    [[nodiscard]] arena_stats stats() noexcept {
        see();
        return {used(), held_, high_, chunks_, cycle_ - first_cycle_, oversize_};
    }

    /// The number of the cycle, unique in the region, even after a move.
    [[nodiscard]] std::size_t cycle() const noexcept { return cycle_; }

    /// The number of the region, unique in the process; 0 before the first mark.
    [[nodiscard]] std::size_t id() const noexcept { return id_; }

    using region_blocks::max_retained_;

private:
    region(const region&) = default;
    region& operator=(const region&) = default;

    void be_new() noexcept {
        first_cycle_ = ++cycle_;
        forget_chunks();
        newest_ = base_ = nullptr;
        forget_cycle();
        end_times();
        high_ = id_ = 0;
        stranded_ = false;
    }

    [[nodiscard]] const place* first_mark_after(const void* at) const noexcept {
        const place* p = places_;
        while (p->older != nullptr && !is_since(p->older, +address_of(at))) p = p->older;
        return p;
    }

    void free_chunks() noexcept {
        set_aside(nullptr);
        spare_.take_all([this](chunk* c) { free_chunk(c); });
    }

    // Makes the chunks that are newer than `to` spare.
    void set_aside(const chunk* to) noexcept {
        while (newest_ != to) {
            chunk* const c = newest_;
            newest_ = c->next;
            c->in_use = false;
            spare_.insert(c);
        }
    }

    void add_chunk(chunk* c) noexcept {
        c->next = newest_;
        c->age = newest_ == nullptr ? 0 : newest_->age + 1;
        c->in_use = true;
        newest_ = c;
    }

    // Makes the only chunk spare if it is empty.
    void leave_empty() noexcept {
        chunk* const c = newest_;
        if (c == nullptr || c->next != nullptr || c != current_ || low() != +begin_ || hi_ != end_) return;
        set_aside(nullptr);
        base_ = nullptr;
        forget_cycle();
    }

    static std::size_t new_id() noexcept {
        static std::atomic<std::size_t> next{1};
        return next.fetch_add(1, std::memory_order_relaxed);
    }

    void see() noexcept {
        const std::size_t n = used();
        if (n > high_) high_ = n;
    }

    void enter(chunk* c) noexcept {
        current_ = c;
        begin_ = address{c->begin()};
        set_low(c->begin());
        end_ = hi_ = address{c->end()};
    }
    // Makes c the current chunk.
    void leave_for(chunk* c) noexcept {
        if (current_ != nullptr) current_->lo = address{low()}, current_->hi = hi_;
        sunk_ += (low() - +begin_) + (+end_ - +hi_);
        enter(c);
    }
    // Marks c as full: it holds one allocation, which ends at `end`.
    void set_full(chunk* c, std::uintptr_t end) noexcept {
        c->lo = address{end};
        c->hi = address{c->end()};
        sunk_ += end - c->begin();
    }

    void forget_cycle() noexcept {
        current_ = nullptr;
        lo_ = hi_ = begin_ = end_ = {};  // not busy: memory of running constructors is gone
        run_end_ = no_run;
        sunk_ = overhead_ = 0;
        last_ = nullptr;
        places_ = nullptr;
        forget_blocks();
    }

    void hide_all() noexcept {
        if constexpr (annotate::on) {
            for (chunk* c = newest_; c != nullptr; c = c->next) annotate::hide(pointer_to(c->begin()), c->room());
        }
    }
    void hide_since(const place* p) noexcept {
        for (chunk* c = newest_; c != p->newest; c = c->next) annotate::hide(pointer_to(c->begin()), c->room());
        annotate::hide(pointer_to(+p->lo), +p->hi - +p->lo);
    }

    EBB_NOINLINE std::byte* take_annotated(std::size_t bytes, std::size_t align) {
        if (bytes > max_bytes) too_large(bytes);
        const std::size_t user = round_up(bytes + (bytes == 0), unit);
        const std::uintptr_t lo = low();
        const std::size_t room = +hi_ - lo;
        const std::size_t pad = (0 - lo) & (std::max(align, unit) - 1);
        const std::size_t need = user + annotate::red_zone;
        std::byte* p = nullptr;
        if (pad > room || need > room - pad) {
            p = take_slow(need, align, false);
        } else {
            set_low(lo + pad + need);
            p = pointer_to(lo + pad);
        }
        overhead_ += annotate::red_zone;
        annotate::show(p, bytes);
        return p;
    }

    EBB_NOINLINE std::byte* take_text_annotated(std::size_t bytes) {
        if (bytes > max_bytes) too_large(bytes);
        // AddressSanitizer can only poison the end of a unit, so text is padded to whole units.
        const std::size_t need = round_up(bytes, unit) + annotate::red_zone;
        std::byte* p = nullptr;
        if (need > +hi_ - low()) {
            p = take_slow(need, 1, true);
        } else {
            hi_ = address{+hi_ - need};
            p = pointer_to(+hi_);
        }
        overhead_ += need - bytes;
        annotate::show(p, bytes);
        return p;
    }

    EBB_NOINLINE std::byte* take_slow(std::size_t bytes, std::size_t align, bool text) {
        if (bytes > max_bytes || align > max_bytes) too_large(std::max(bytes, align));
        if (bytes == 0) return take(1, align);
        if (stranded_) {
            stranded_ = false;
            on_stranded_(this);
        }
        const std::size_t need = text ? bytes : round_up(bytes, unit);
        const std::size_t room = round_up(need, unit) + (align > cache_line ? align - cache_line : 0);
        if (EBB_UNLIKELY(chunk_header + room > left())) leave_empty();
        chunk* const c = next_chunk(room);
        const std::size_t pad = (0 - c->begin()) & (align - 1);
        add_chunk(c);
        if (current_ != nullptr && c->room() - pad - need <= +hi_ - low()) {
            // The current chunk has more space left than c, so it stays current.
            set_full(c, c->begin() + pad + need);
            return pointer_to(c->begin() + pad);
        }
        if (c->next == nullptr && (c->bytes <= max_retained_ || is_as_asked(c))) base_ = c;
        leave_for(c);
        if (text) {
            hi_ = address{+hi_ - need};
            return pointer_to(+hi_);
        }
        lo_ = address{+lo_ + pad + need};
        return pointer_to(low() - need);
    }

    chunk* current_ = nullptr;
    std::size_t id_ = 0;
    std::size_t first_cycle_ = 0;  // when the region was new
    bool stranded_ = false;        // blocks were allocated at the last release
    void (*on_stranded_)(const region*) noexcept;
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_REGION_HPP
// Construction with the arena's allocator: objects whose type takes an allocator, such as std::pmr::string or a
// std::pmr::vector of them, allocate from the arena that contains them. This is uses-allocator construction, as
// in std::pmr.
#ifndef EBBPOOL_WITHIN_HPP
#define EBBPOOL_WITHIN_HPP

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

// Objects in a pool: construct, destroy, and a handle that owns an object.
//
//     ebb::fixed_pool<order> orders(10'000);
//     if (auto o = ebb::make(orders, 17, "ACME")) o->fill(3);   // destroyed here
#ifndef EBBPOOL_MAKE_HPP
#define EBBPOOL_MAKE_HPP

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

// ebb::fixed_pool<T>: a fixed number of slots for objects of one type, allocated and freed in any order. Misuse
// is detected in release builds.
//
//     block    slot 0 | slot 1 | ... | slot N-1 || order: N + 8 x 4 B || states: N x 1 B
//
// The pool stores nothing in the slots, so a stray write to a free slot can't corrupt it, and AddressSanitizer
// can poison whole slots.
//
// `order` is a permutation of the slots: entries below `top` are unused, and the rest are the free slots in the
// order of allocation. Entry i holds (slot XOR i), so zeroed memory reads as "slot i at entry i". A new pool
// needs no initialization, and never-allocated slots come last, lowest first, without a branch of their own.
//
// `states` has a byte per slot. To check a pointer, one comparison tests null, range and stride (slot_finder),
// and one tests the state.
//
// The slot that was freed last is the hot slot, a member. It enters the tables only when the next slot is
// freed, so a loop that alternates between allocate and deallocate does not write to them.
#ifndef EBBPOOL_FIXED_POOL_HPP
#define EBBPOOL_FIXED_POOL_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>


namespace ebb {
inline namespace EBB_ABI {

namespace detail {

/// The state of a slot. An enumeration, because a store through a char may alias the pool's members, and
/// compilers would reload them.
enum class slot_state : unsigned char { never = 0, live = 1, free = 2 };

/// A number with its own type, because a store to a std::size_t may alias the pool's members.
enum class counter : std::size_t {};
constexpr std::size_t operator+(counter c) noexcept { return static_cast<std::size_t>(c); }

/// Returns a description of the misuse. `slot` is the result of slot_finder.
EBB_COLD constexpr misuse_info classify(const void* pool, const void* p, const void* base, std::size_t size,
                                        std::size_t alignment, std::size_t capacity, std::size_t slot,
                                        bool never) noexcept {
    misuse_info info{misuse::foreign, pool, p, base, misuse_info::no_slot, size, capacity};
    if (slot < capacity) {
        info.slot = slot;
        info.kind = never ? misuse::never_allocated : misuse::double_free;
    } else if (p == nullptr) {
        info.kind = misuse::null;
    } else if (!std::is_constant_evaluated()) {
        const auto at = reinterpret_cast<std::uintptr_t>(p);
        const std::uintptr_t offset = at - reinterpret_cast<std::uintptr_t>(base);
        if (offset < capacity * size) {
            info.slot = offset / size;
            info.kind = at % alignment != 0 ? misuse::misaligned : misuse::interior;
        }
    }
    return info;
}

/// The number of allocations by which a slot is prefetched ahead: at 10 ns per object, they take the 100 ns of
/// a load from memory.
inline constexpr std::size_t prefetch_ahead = 8;

/// The smallest size of slots that are prefetched when they become hot. Smaller slots often share a cached
/// line.
inline constexpr std::size_t prefetch_hot_from = 64;

}  // namespace detail

/// A pool of `capacity` slots for objects of type T, in one block of memory.
///
/// It is for one thread at a time; see sync_fixed_pool for several. It can't be copied or moved, and addresses
/// are stable. The destructor frees the memory without running destructors of T; make.hpp has handles that run
/// them.
///
/// Misuse of deallocate is detected and changes nothing, unless the policy is checks::none. One case is not
/// detected: a double free after the slot was allocated again frees the new owner's object. handle_pool detects
/// it.
///
/// Slots are reused last in, first out. A slot that was never allocated is used only if no other is free,
/// lowest first. Calls are O(1), except the constructor and high_water(). The pool takes sizeof(T) + 5 bytes
/// per slot (4 with checks::none), and pages of a mapped block only on first use.
///
/// \snippet reference.cpp fixed_pool
template <class T, class Checks = checks::trap>
class fixed_pool {
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                  "ebb::fixed_pool<T>: T must be an object type without const and volatile, and no array");

public:
    /// T.
    using value_type = T;
    /// The policy.
    using checks_type = Checks;

    /// The largest capacity of a pool: 2^32 - 2 slots.
    static constexpr std::size_t max_capacity = static_cast<std::size_t>(std::numeric_limits<std::uint32_t>::max()) - 1;

    /// A pool of `capacity` slots. With 0 slots it is both empty and full.
    ///
    /// It makes one allocation. Throws std::bad_alloc, and std::length_error if capacity > max_capacity or the
    /// block would exceed PTRDIFF_MAX bytes. Blocks of at least 128 KiB are mapped, which takes microseconds.
    /// In smaller blocks and in pool_options::storage, 5 bytes per slot are cleared.
    constexpr explicit fixed_pool(std::size_t capacity) : fixed_pool(capacity, pool_options{}) {}

    /// The same with options.
    constexpr fixed_pool(std::size_t capacity, const pool_options& options)
        : block_(checked_block(capacity, options)), capacity_{capacity} {
        if (std::is_constant_evaluated()) {
            base_ = std::allocator<T>{}.allocate(capacity);
            order_ = new std::uint32_t[capacity + detail::prefetch_ahead]{};
            states_ = new detail::slot_state[capacity + 1]{};
        } else {
            std::byte* const data = block_.data();
            base_ = reinterpret_cast<T*>(data);
            order_ = reinterpret_cast<std::uint32_t*>(data + order_at(capacity));
            states_ = reinterpret_cast<detail::slot_state*>(data + states_at(capacity));
            if constexpr (annotate::on) annotate::begin(this, base_, capacity * sizeof(T));
        }
    }

    fixed_pool(const fixed_pool&) = delete;
    fixed_pool& operator=(const fixed_pool&) = delete;

    constexpr ~fixed_pool() {
        if constexpr (requires(const leak_info& info) { Checks::on_leaks(info); }) {
            if (!empty()) Checks::on_leaks(leak_info{this, used(), capacity()});
        }
        if (std::is_constant_evaluated()) {
            std::allocator<T>{}.deallocate(base_, +capacity_);
            delete[] order_;
            delete[] states_;
        } else if constexpr (annotate::on) {
            annotate::end(this, base_, +capacity_ * sizeof(T));
        }
    }

    /// Allocates a slot, without clearing it or running a constructor. Returns nullptr if the pool is full.
    [[nodiscard]] constexpr T* allocate() noexcept {
        if (hot_ != no_slot) {
            const std::size_t slot = +hot_;
            hot_ = no_slot;
            return hand_out(slot);
        }
        const std::size_t top = +top_;
        if (EBB_UNLIKELY(top == +capacity_)) return nullptr;
        const std::size_t slot = order_[top] ^ static_cast<std::uint32_t>(top);
        top_ = detail::counter{top + 1};
        if constexpr (Checks::enabled) states_[slot] = detail::slot_state::live;
        if (!std::is_constant_evaluated()) {
            // The table has 8 extra entries. They are zero and name slots that don't exist, whose prefetch has
            // no effect.
            const std::size_t ahead = top + detail::prefetch_ahead;
            EBB_PREFETCH(address(order_[ahead] ^ static_cast<std::uint32_t>(ahead)));
        }
        return hand_out(slot);
    }

    /// Frees a slot. p must be a result of allocate() that was not freed since, and its object must have been
    /// destroyed. Otherwise the policy is called, and the pool is unchanged.
    constexpr void deallocate(T* p) noexcept {
        const std::size_t slot = slot_of(p);
        const detail::counter hot = hot_;
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(slot >= +capacity_ || !is_out(slot, hot))) {
                complain(p, slot);
                return;
            }
        }
        if constexpr (annotate::on) {
            if (!std::is_constant_evaluated()) annotate::given_back(this, p, sizeof(T));
        }
        hot_ = detail::counter{slot};
        if (hot == no_slot) {
            // After an allocation, the next call is likely to allocate this slot.
            if constexpr (sizeof(T) >= detail::prefetch_hot_from) {
                if (!std::is_constant_evaluated()) EBB_PREFETCH(p);
            }
            if constexpr (!Checks::enabled) {
                if (EBB_UNLIKELY(+top_ > +high_)) high_ = top_;
            }
        } else {
            // No prefetch, because after several frees most slots are not needed soon.
            const std::size_t top = +top_ - 1;
            order_[top] = static_cast<std::uint32_t>(+hot) ^ static_cast<std::uint32_t>(top);
            top_ = detail::counter{top};
            if constexpr (Checks::enabled) states_[+hot] = detail::slot_state::free;
        }
    }

    /// Returns the number of slots.
    [[nodiscard]] constexpr std::size_t capacity() const noexcept { return +capacity_; }

    /// Returns the number of allocated slots.
    [[nodiscard]] constexpr std::size_t used() const noexcept {
        return +top_ - static_cast<std::size_t>(hot_ != no_slot);
    }

    /// Returns capacity() - used().
    [[nodiscard]] constexpr std::size_t available() const noexcept { return capacity() - used(); }

    /// Reports whether used() == 0.
    [[nodiscard]] constexpr bool empty() const noexcept { return used() == 0; }

    /// Reports whether used() == capacity(), so that allocate() returns nullptr.
    [[nodiscard]] constexpr bool full() const noexcept { return used() == capacity(); }

    /// Reports whether p is the address of a slot, allocated or not. It is false for null, an address
    /// inside a slot, and the end of the block.
    [[nodiscard]] constexpr bool owns(const T* p) const noexcept { return slot_of(p) < +capacity_; }

    /// Returns the largest number of slots that were allocated at one time. O(log capacity).
    [[nodiscard]] constexpr std::size_t high_water() const noexcept {
        if constexpr (!Checks::enabled) {
            return +high_ > +top_ ? +high_ : +top_;
        } else {
            // Slots that were ever allocated come first.
            std::size_t low = 0;
            std::size_t high = +capacity_;
            while (low < high) {
                const std::size_t middle = low + (high - low) / 2;
                if (states_[middle] == detail::slot_state::never) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low;
        }
    }

    /// Reports whether p is an allocated slot. It does not call the policy.
    [[nodiscard]] constexpr bool is_live(const T* p) const noexcept requires(Checks::enabled) {
        const std::size_t slot = slot_of(p);
        return slot < +capacity_ && slot_is_live(slot);
    }

    /// Checks p as deallocate does: if p is not an allocated slot, it calls the policy and returns false. It is
    /// for callers that must do something before the free, such as running a destructor. With checks::none it
    /// returns true.
    [[nodiscard]] constexpr bool verify(const T* p) const noexcept {
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(!is_live(p))) {
                complain(p, slot_of(p));
                return false;
            }
        }
        return true;
    }

    /// Returns the index of p's slot in address order, or a number of at least capacity() if !owns(p).
    [[nodiscard]] constexpr std::size_t index_of(const T* p) const noexcept { return slot_of(p); }

    /// Returns the address of a slot, allocated or not. The index must be less than capacity(), which is not
    /// checked.
    [[nodiscard]] constexpr T* slot(std::size_t index) const noexcept { return base_ + index; }

    /// Reports whether a slot is allocated. The index must be less than capacity().
    [[nodiscard]] constexpr bool slot_is_live(std::size_t index) const noexcept requires(Checks::enabled) {
        return is_out(index, hot_);
    }

    /// Returns a size of pool_options::storage that is enough for `capacity` slots, at any address. Throws
    /// std::length_error as the constructor.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return block_bytes(capacity) + block_alignment - 1;
    }

private:
    static constexpr detail::counter no_slot{misuse_info::no_slot};
    // At least a cache line, so that objects of that size don't span two.
    static constexpr std::size_t block_alignment = alignof(T) > detail::cache_line ? alignof(T) : detail::cache_line;
    static constexpr std::size_t state_bytes = Checks::enabled ? 1 : 0;

    static constexpr std::size_t order_at(std::size_t capacity) noexcept {
        return detail::round_up(capacity * sizeof(T), detail::cache_line);
    }
    static constexpr std::size_t states_at(std::size_t capacity) noexcept {
        const std::size_t entries = capacity + detail::prefetch_ahead;
        return detail::round_up(order_at(capacity) + entries * sizeof(std::uint32_t), detail::cache_line);
    }

    static constexpr std::size_t block_bytes(std::size_t capacity) {
        constexpr std::size_t limit = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
        constexpr std::size_t slack = 2 * detail::huge_page + 2 * block_alignment;
        if (capacity > max_capacity || capacity > (limit - slack) / (sizeof(T) + sizeof(std::uint32_t) + 1)) {
            detail::throw_length("ebb::fixed_pool: capacity is too large");
        }
        return states_at(capacity) + capacity * state_bytes;
    }

    static constexpr detail::block checked_block(std::size_t capacity, const pool_options& options) {
        if (std::is_constant_evaluated()) return detail::block{};
        return detail::block{block_bytes(capacity), block_alignment, order_at(capacity), options};
    }

    [[nodiscard]] constexpr std::size_t slot_of(const T* p) const noexcept {
        if (std::is_constant_evaluated()) {
            // Constant expressions can compare addresses only for equality.
            for (std::size_t i = 0; i < +capacity_; ++i) {
                if (p == base_ + i) return i;
            }
            return misuse_info::no_slot;
        }
        return detail::slot_finder<sizeof(T)>::quotient(p, base_);
    }

    // The slot need not exist.
    [[nodiscard]] const void* address(std::size_t slot) const noexcept {
        return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base_) + slot * sizeof(T));
    }

    // The state of the hot slot is not up to date.
    [[nodiscard]] constexpr bool is_out(std::size_t slot, detail::counter hot) const noexcept {
        return states_[slot] == detail::slot_state::live && slot != +hot;
    }

    constexpr T* hand_out(std::size_t slot) noexcept {
        T* const p = base_ + slot;
        if constexpr (annotate::on) {
            if (!std::is_constant_evaluated()) annotate::handed_out(this, p, sizeof(T));
        }
        return p;
    }

    EBB_COLD constexpr void complain(const T* p, std::size_t slot) const noexcept {
        const bool never = slot < +capacity_ && states_[slot] == detail::slot_state::never;
        Checks::on_misuse(detail::classify(this, p, base_, sizeof(T), alignof(T), +capacity_, slot, never));
    }

    detail::block block_;
    T* base_ = nullptr;
    std::uint32_t* order_ = nullptr;
    detail::slot_state* states_ = nullptr;
    detail::counter capacity_{};
    detail::counter top_{};         // allocated slots, plus the hot one
    detail::counter hot_{no_slot};  // the slot that was freed last, if it is still free
    detail::counter high_{};        // the largest top_ at a free; with checks::none only
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_FIXED_POOL_HPP

namespace ebb {
inline namespace EBB_ABI {

namespace detail {

// Frees a slot if the constructor throws. A try block would not compile without exceptions.
template <class T, class Pool>
struct slot_guard {
    Pool& pool;
    T* slot;
    constexpr ~slot_guard() {
        if (slot != nullptr) pool.deallocate(slot);
    }
};

// A scalar argument for a member of an aggregate. It allows the conversions of parentheses, because braces
// would refuse an int for a double as narrowing.
template <class Scalar>
struct converted {
    Scalar value;
    template <class Member>
    requires std::is_convertible_v<Scalar, Member>
    constexpr operator Member() const noexcept(std::is_nothrow_convertible_v<Scalar, Member>) {
        return static_cast<Member>(value);
    }
};
template <class Arg>
constexpr decltype(auto) in_braces(std::remove_reference_t<Arg>& arg) noexcept {
    if constexpr (std::is_scalar_v<std::remove_cvref_t<Arg>>) {
        return converted<std::remove_cvref_t<Arg>>{arg};
    } else {
        return std::forward<Arg>(arg);
    }
}

// Like std::construct_at, but with braces for aggregates: clang before 16 can't initialize them with
// parentheses.
template <class T, class... Args>
constexpr T* construct_in(T* slot, Args&&... args) {
    if constexpr (std::is_constructible_v<T, Args...>) {
        return std::construct_at(slot, std::forward<Args>(args)...);
    } else {
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
#endif
        if constexpr (requires { T{std::forward<Args>(args)...}; }) {
            return ::new (static_cast<void*>(slot)) T{std::forward<Args>(args)...};
        } else {
            return ::new (static_cast<void*>(slot)) T{in_braces<Args>(args)...};
        }
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
    }
}

}  // namespace detail

/// Allocates a slot of `pool` and constructs an object in it from `args`. Returns nullptr if the pool is full.
/// If the constructor throws, the slot is freed and the exception is passed on.
///
/// \snippet reference.cpp construct
template <class Pool, class... Args>
[[nodiscard]] constexpr typename Pool::value_type* construct(Pool& pool, Args&&... args) noexcept(
    std::is_nothrow_constructible_v<typename Pool::value_type, Args...>) {
    using T = typename Pool::value_type;
    T* const slot = pool.allocate();
    if (slot == nullptr) return nullptr;
    if constexpr (std::is_nothrow_constructible_v<T, Args...>) {
        return std::construct_at(slot, std::forward<Args>(args)...);
    } else {
        detail::slot_guard<T, Pool> guard{pool, slot};
        T* const object = detail::construct_in(slot, std::forward<Args>(args)...);
        guard.slot = nullptr;
        return object;
    }
}

/// Destroys the object at p and frees its slot. Misuse is detected before the destructor runs: then the policy
/// is called, and nothing else happens.
///
/// \snippet reference.cpp construct
template <class Pool>
constexpr void destroy(Pool& pool, typename Pool::value_type* p) noexcept {
    if (!pool.verify(p)) return;
    std::destroy_at(p);
    pool.deallocate(p);
}

/// Owns an object in a pool, which must outlive it. Move-only. It is empty if the pool was full, and after a
/// move or release().
///
/// \snippet reference.cpp pooled
template <class Pool>
class pooled {
public:
    /// The type of the pool's objects.
    using element_type = typename Pool::value_type;

    /// Empty.
    constexpr pooled() noexcept = default;
    /// Empty.
    constexpr pooled(std::nullptr_t) noexcept {}

    /// Owns p, which is a result of construct(pool, ...) or null.
    constexpr pooled(Pool& pool, element_type* p) noexcept : pool_(&pool), object_(p) {}

    /// Takes the object of `other`.
    constexpr pooled(pooled&& other) noexcept : pool_(other.pool_), object_(std::exchange(other.object_, nullptr)) {}

    /// Destroys its object and takes the object of `other`.
    constexpr pooled& operator=(pooled&& other) noexcept {
        pooled old(std::move(other));
        swap(old);
        return *this;
    }

    pooled(const pooled&) = delete;
    pooled& operator=(const pooled&) = delete;

    /// As reset().
    constexpr ~pooled() { reset(); }

    /// Destroys the object and frees its slot. Does nothing if empty.
    constexpr void reset() noexcept {
        // Cleared first, because the destructor may use this handle.
        if (element_type* const p = std::exchange(object_, nullptr); p != nullptr) destroy(*pool_, p);
    }

    /// Returns the object without destroying it. The caller must call destroy(pool, p).
    [[nodiscard]] constexpr element_type* release() noexcept { return std::exchange(object_, nullptr); }

    /// Returns the object, or null.
    [[nodiscard]] constexpr element_type* get() const noexcept { return object_; }
    /// Returns the object. Undefined if empty.
    [[nodiscard]] constexpr element_type& operator*() const noexcept { return *object_; }
    /// Returns the object. Undefined if empty.
    [[nodiscard]] constexpr element_type* operator->() const noexcept { return object_; }
    /// Reports whether it owns an object.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return object_ != nullptr; }

    /// Exchanges the objects.
    constexpr void swap(pooled& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(object_, other.object_);
    }
    /// The same.
    friend constexpr void swap(pooled& a, pooled& b) noexcept { a.swap(b); }
    /// Reports whether both have the same object.
    friend constexpr bool operator==(const pooled& a, const pooled& b) noexcept { return a.object_ == b.object_; }
    /// Reports whether a is empty.
    friend constexpr bool operator==(const pooled& a, std::nullptr_t) noexcept { return a.object_ == nullptr; }

private:
    Pool* pool_ = nullptr;
    element_type* object_ = nullptr;
};

/// Constructs an object in `pool` and returns a handle that owns it, empty if the pool is full. Otherwise
/// as construct.
///
/// \snippet reference.cpp pooled
template <class Pool, class... Args>
[[nodiscard]] constexpr pooled<Pool> make(Pool& pool, Args&&... args) noexcept(
    std::is_nothrow_constructible_v<typename Pool::value_type, Args...>) {
    return pooled<Pool>(pool, construct(pool, std::forward<Args>(args)...));
}

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_MAKE_HPP

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

/// A std::pmr::polymorphic_allocator, or a type of the same form: constructed from the result of resource(), a
/// pointer to a polymorphic class. It is recognized by its form so that programs without std::pmr need not
/// include <memory_resource>.
template <class A>
concept polymorphic = requires(const A& a) {
    typename A::value_type;
    requires std::is_polymorphic_v<std::remove_reference_t<decltype(*a.resource())>>;
    A(a.resource());
};
template <class A>
using resource_of = std::remove_pointer_t<decltype(std::declval<const A&>().resource())>;

/// A memory resource stored in the arena that it allocates from.
template <class Resource, class Arena>
class resident_resource final : public Resource, public resident {
public:
    explicit resident_resource(resident r) noexcept : resident(r) {}
    static constexpr char kind = 0;  // only the address matters

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return static_cast<Arena*>(arena)->take_own_block(bytes, alignment);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
        static_cast<Arena*>(arena)->give_own_block(p, bytes);
    }
    bool do_is_equal(const Resource& other) const noexcept override { return this == &other; }
};

/// An upper bound of the size of a resident_resource.
inline constexpr std::size_t resident_bytes = sizeof(resident) + 2 * sizeof(void*) + annotate::red_zone;

struct no_allocator {
    using value_type = std::byte;
};

/// Whether T takes an allocator like A. Types that take any allocator, such as std::promise, are excluded,
/// because they share their memory with other objects.
template <class T, class A>
struct takes : std::bool_constant<std::uses_allocator_v<T, A> && !std::uses_allocator_v<T, no_allocator>> {};
template <class T, class U, class A>
struct takes<std::pair<T, U>, A>
    : std::bool_constant<takes<std::remove_cv_t<T>, A>::value || takes<std::remove_cv_t<U>, A>::value> {};
template <class... Ts, class A>
struct takes<std::tuple<Ts...>, A> : std::bool_constant<(takes<std::remove_cv_t<Ts>, A>::value || ...)> {};

template <class T, class A>
struct takes<std::optional<T>, A> : takes<std::remove_cv_t<T>, A> {};
template <class T, std::size_t N, class A>
struct takes<std::array<T, N>, A> : std::bool_constant<N != 0 && takes<T, A>::value> {};
template <class... Ts, class A>
struct takes<std::variant<Ts...>, A> : std::bool_constant<(takes<Ts, A>::value || ...)> {};

template <class T>
inline constexpr bool is_pair = false;
template <class T, class U>
inline constexpr bool is_pair<std::pair<T, U>> = true;

/// Constructs optionals, arrays and variants, passing the allocator to their elements. Objects with other
/// arguments are constructed as usual.
template <class T>
struct holder : std::false_type {};
template <class T>
struct holder<std::optional<T>> : std::true_type {
    template <class A, class... Args>
    static void construct(std::optional<T>* at, const A& allocator, std::in_place_t, Args&&... args) {
        std::apply([&](auto&&... all) { std::construct_at(at, std::in_place, std::forward<decltype(all)>(all)...); },
                   std::uses_allocator_construction_args<T>(allocator, std::forward<Args>(args)...));
    }
    template <class A, class Arg>
    requires(std::is_constructible_v<T, Arg> &&
             !std::is_same_v<std::remove_cvref_t<Arg>, std::optional<T>>) static void construct(std::optional<T>* at,
                                                                                                const A& allocator,
                                                                                                Arg&& arg) {
        construct(at, allocator, std::in_place, std::forward<Arg>(arg));
    }
    template <class A, class Arg>
    requires std::is_same_v<std::remove_cvref_t<Arg>, std::optional<T>>
    static void construct(std::optional<T>* at, const A& allocator, Arg&& arg) {
        arg ? construct(at, allocator, std::in_place, *std::forward<Arg>(arg)) : void(std::construct_at(at));
    }
};
template <class T, std::size_t N>
struct holder<std::array<T, N>> : std::true_type {
    template <class A, class... Args>
    requires(sizeof...(Args) <= N &&
             (std::is_constructible_v<T, Args> && ...)) static void construct(std::array<T, N>* at, const A& allocator,
                                                                              Args&&... args) {
        auto all = std::forward_as_tuple(std::forward<Args>(args)...);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ::new (static_cast<void*>(at)) std::array<T, N>{{element<I>(allocator, all)...}};
        }
        (std::make_index_sequence<N>());
    }

private:
    template <std::size_t I, class A, class... Args>
    static T element(const A& allocator, std::tuple<Args...>& all) {
        if constexpr (I < sizeof...(Args)) {
            return std::make_obj_using_allocator<T>(allocator, std::get<I>(std::move(all)));
        } else {
            return std::make_obj_using_allocator<T>(allocator);
        }
    }
};
template <class... Ts>
struct holder<std::variant<Ts...>> : std::true_type {
    using variant = std::variant<Ts...>;
    template <class A, std::size_t I, class... Args>
    static void construct(variant* at, const A& allocator, std::in_place_index_t<I> index, Args&&... args) {
        std::apply([&](auto&&... all) { std::construct_at(at, index, std::forward<decltype(all)>(all)...); },
                   std::uses_allocator_construction_args<std::variant_alternative_t<I, variant>>(
                       allocator, std::forward<Args>(args)...));
    }
    template <class A, class T, class... Args>
    static void construct(variant* at, const A& allocator, std::in_place_type_t<T>, Args&&... args) {
        constexpr std::size_t index = [] {
            constexpr bool same[] = {std::is_same_v<T, Ts>...};
            std::size_t i = 0;
            while (!same[i]) ++i;
            return i;
        }();
        construct(at, allocator, std::in_place_index<index>, std::forward<Args>(args)...);
    }
    template <class A>
    static void construct(variant* at, const A& allocator) {
        construct(at, allocator, std::in_place_index<0>);
    }
    template <class A, class Arg>
    requires(std::is_constructible_v<variant, Arg> &&
             !std::is_same_v<std::remove_cvref_t<Arg>, variant>) static void construct(variant* at, const A& allocator,
                                                                                       Arg&& arg) {
        construct(at, allocator, std::in_place_index<chosen<Arg>()>, std::forward<Arg>(arg));
    }
    template <class A, class Arg>
    requires std::is_same_v<std::remove_cvref_t<Arg>, variant>
    static void construct(variant* at, const A& allocator, Arg&& arg) {
        const auto is = [&]<std::size_t I>(std::in_place_index_t<I> index) {
            if (arg.index() == I) construct(at, allocator, index, std::get<I>(std::forward<Arg>(arg)));
            return arg.index() == I;
        };
        const bool found = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (is(std::in_place_index<I>) || ...);
        }
        (std::index_sequence_for<Ts...>());
        if (!found) std::construct_at(at, std::forward<Arg>(arg));
    }

private:
    // The index of the alternative that the variant's constructor selects for an argument: overload resolution
    // among one function for each alternative that the argument initializes without narrowing.
    template <std::size_t I, class T>
    struct candidate {
        struct array {
            T element[1];
        };
        template <class Arg>
        static auto pick(T, Arg&& arg) -> decltype(array{{std::forward<Arg>(arg)}}, std::in_place_index<I>);
    };
    template <class>
    struct candidates;
    template <std::size_t... I>
    struct candidates<std::index_sequence<I...>> : candidate<I, Ts>... {
        using candidate<I, Ts>::pick...;
    };
    template <std::size_t I>
    static constexpr std::size_t number(std::in_place_index_t<I>) {
        return I;
    }
    template <class Arg>
    static constexpr std::size_t chosen() {
        using all = candidates<std::index_sequence_for<Ts...>>;
        return number(decltype(all::pick(std::declval<Arg>(), std::declval<Arg>())){});
    }
};

/// An argument for a member of an aggregate. It converts to the member, constructed with the allocator. If a
/// member accepts any argument, the conversion is ambiguous, and the aggregate is constructed as usual.
template <class A, class F, class Arg>
struct for_member {
    const F& allocator;
    Arg&& arg;
    template <class Member>
    requires std::is_convertible_v<Arg, Member>
    operator Member() && noexcept(!takes<Member, A>::value && std::is_nothrow_constructible_v<Member, Arg>) {
        if constexpr (takes<Member, A>::value) {
            return std::make_obj_using_allocator<Member>(allocator(), std::forward<Arg>(arg));
        } else if constexpr (std::is_same_v<Member, std::remove_cvref_t<Arg>>) {
            return std::forward<Arg>(arg);
        } else {
            return static_cast<Member>(std::forward<Arg>(arg));
        }
    }
};
/// Whether T is an aggregate whose first members can be initialized from such arguments.
template <class T, class A, class F, class... Args>
concept aggregate_of = std::is_aggregate_v<T> && sizeof...(Args) != 0 &&
                       !(std::is_same_v<std::remove_cvref_t<Args>, T> || ...) &&
                       !std::is_trivially_destructible_v<T> && requires {
    T{std::declval<for_member<A, F, Args>>()...};
};
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
template <class T, class... Members>
T* construct_members(T* at, Members&&... members) noexcept(noexcept(T{std::forward<Members>(members)...})) {
    return ::new (static_cast<void*>(at)) T{std::forward<Members>(members)...};
}
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Constructs a T at `at` from args. If T takes an allocator, it gets the result of allocator(), unless args
/// contain one.
template <class A, class T, class F, class... Args>
T* construct_within(T* at, [[maybe_unused]] const F& allocator, Args&&... args) {
    if constexpr (takes<T, A>::value && is_pair<T>) {
        return std::apply([at](auto&&... all) { return std::construct_at(at, std::forward<decltype(all)>(all)...); },
                          std::uses_allocator_construction_args<T>(allocator(), std::forward<Args>(args)...));
    } else if constexpr (takes<T, A>::value && holder<T>::value) {
        if constexpr (requires { holder<T>::construct(at, allocator(), std::forward<Args>(args)...); }) {
            holder<T>::construct(at, allocator(), std::forward<Args>(args)...);
            return at;
        } else {
            return construct_in(at, std::forward<Args>(args)...);
        }
    } else if constexpr (std::conjunction_v<takes<T, A>, std::is_constructible<T, std::allocator_arg_t, A, Args...>>) {
        return std::construct_at(at, std::allocator_arg, allocator(), std::forward<Args>(args)...);
    } else if constexpr (std::conjunction_v<takes<T, A>, std::is_constructible<T, Args..., A>>) {
        return std::construct_at(at, std::forward<Args>(args)..., allocator());
    } else if constexpr (aggregate_of<T, A, F, Args...>) {
        return construct_members(at, for_member<A, F, Args>{allocator, std::forward<Args>(args)}...);
    } else {
        return construct_in(at, std::forward<Args>(args)...);
    }
}

/// Whether construct_within doesn't throw.
template <class T, class A, class... Args>
inline constexpr bool constructs_nothrow = [] {
    using F = A (*)();
    if constexpr (aggregate_of<T, A, F, Args...>) {
        return noexcept(construct_members<T>(nullptr, std::declval<for_member<A, F, Args>>()...));
    } else {
        return !takes<T, A>::value && std::is_nothrow_constructible_v<T, Args...>;
    }
}();

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_WITHIN_HPP

namespace ebb {
inline namespace EBB_ABI {

template <class>
class basic_arena;
template <class, class>
class arena_allocator;

namespace detail {

/// A range that has a size or allows several passes.
template <class R>
concept countable = requires(R& r) {
    std::begin(r) != std::end(r);
    requires std::forward_iterator<decltype(std::begin(r))> || requires { std::size(r); };
};

/// Copies n bytes, at least 1. Copies of up to 32 bytes make no call.
EBB_INLINE void copy_text(char* to, const char* from, std::size_t n) noexcept {
    const auto ends = [=]<std::size_t Bytes>() {
        // Reads both parts before it writes, so that the bytes stay in registers.
        std::array<char, Bytes> first, last;
        std::memcpy(first.data(), from, Bytes);
        std::memcpy(last.data(), from + n - Bytes, Bytes);
        std::memcpy(to, first.data(), Bytes);
        std::memcpy(to + n - Bytes, last.data(), Bytes);
    };
    if (n > 32) {
        std::memcpy(to, from, n);
    } else if (n >= 16) {
        ends.template operator()<16>();
    } else if (n >= 8) {
        ends.template operator()<8>();
    } else if (n >= 4) {
        ends.template operator()<4>();
    } else {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }
}

/// The part of basic_arena<Checks> that makes objects.
template <class Checks>
class objects {
protected:
    explicit objects(std::size_t chunk_size, std::size_t max_retained, const pool_options& options)
        : region_(chunk_size, max_retained, options, &report_stranded) {}
    explicit objects(region::like r) noexcept : region_(r) {}
    explicit objects(region::fork_of r) noexcept : region_(r) {}

    /// The allocator of objects that take one.
    using allocator = arena_allocator<std::byte, Checks>;

    // For types without a destructor to run.
    template <class T, class... Args>
    EBB_INLINE T* make_plain(Args&&... args) {
        std::byte* const at = region_.take_one<T>();
        T* const p = reinterpret_cast<T*>(at);
        if constexpr (constructs_nothrow<T, allocator, Args...>) {
            return construct(p, std::forward<Args>(args)...);
        } else {
            memory_guard<region> guard{region_, at, at + round_up(sizeof(T), unit), 0};
            T* const object = construct(p, std::forward<Args>(args)...);
            guard.kept = true;
            return object;
        }
    }

    // For types with a destructor. construct is called in one place, so that the constructor is inlined once.
    template <class T, class... Args>
    EBB_INLINE T* make_recorded(Args&&... args) {
        using run = detail::run<T>;
        const address end = region_.run_end_;
        constexpr std::size_t step = run::can_grow ? sizeof(T) : 0;
        const bool grows = run::can_grow && end == region_.lo_ && region_.last_->destroy == &run::destroy &&
                           region_.template fits<step>(region_.low());
        std::byte* at = nullptr;
        if (grows) {
            at = pointer_to(region_.low());
            region_.lo_ = address{+end + sizeof(T)};
        } else {
            at = take_run<T>(run::first + sizeof(T)) + run::first;
        }
        T* object = reinterpret_cast<T*>(at);
        constexpr std::size_t size = round_up(sizeof(T), unit);
        if constexpr (constructs_nothrow<T, allocator, Args...>) {
            object = construct(object, std::forward<Args>(args)...);
        } else {
            const std::size_t before = grows ? 0 : run::first;
            memory_guard<region> memory{region_, at - before, at + size, before};
            object = construct(object, std::forward<Args>(args)...);
            memory.kept = true;
        }
        if (!grows) {
            add<T>(at - run::first, 1);
        } else if (EBB_UNLIKELY(region_.run_end_ != end)) {
            add_loose(object);  // the constructor has made objects itself
        } else {
            region_.run_end_ = address{+end + sizeof(T)};
        }
        return object;
    }

    // Makes n objects. f(first, made) constructs them, and increments made after each.
    template <class T, class F>
    std::span<T> make_objects(std::size_t n, const F& f) {
        if (n == 0) return {};
        if constexpr (std::is_trivially_destructible_v<T>) {
            const std::size_t bytes = bytes_of<T>(n, 0);
            std::byte* const at = region_.take(bytes, alignof(T));
            memory_guard<region> guard{region_, at, at + round_up(bytes, unit), 0};
            std::size_t made = 0;
            f(reinterpret_cast<T*>(at), made);
            guard.kept = true;
            return {reinterpret_cast<T*>(at), n};
        } else {
            using run = detail::run<T>;
            const std::size_t bytes = bytes_of<T>(n, run::first);
            std::byte* const at = take_run<T>(bytes);
            memory_guard<region> memory{region_, at, at + round_up(bytes, unit), run::first};
            T* const first = reinterpret_cast<T*>(at + run::first);
            object_guard<T> made{first, 0};
            f(first, made.count);
            made.count = 0;
            memory.kept = true;
            add<T>(at, n);
            return {first, n};
        }
    }
    // Makes n objects, each constructed from args.
    template <class T, class... Args>
    std::span<T> make_equal(std::size_t n, const Args&... args) {
        return make_objects<T>(n, [&](T* first, std::size_t& made) {
            constructing<!std::is_trivially_constructible_v<T, const Args&...>>([&] {
                for (; made < n; ++made) construct_within<allocator>(first + made, own(), args...);
            });
        });
    }
    // Makes n objects, constructed from the elements of a range.
    template <class T, class Iterator>
    std::span<T> make_copies(std::size_t n, Iterator from) {
        return make_objects<T>(n, [&](T* first, std::size_t& made) {
            constructing<true>([&] {
                for (; made < n; ++made, ++from) construct_within<allocator>(first + made, own(), *from);
            });
        });
    }
    // Makes n objects, the results of f(0) to f(n - 1).
    template <class T, class F>
    std::span<T> make_generated(std::size_t n, F& f) {
        return make_objects<T>(n, [&](T* first, std::size_t& made) {
            constructing<true>([&] {
                for (; made < n; ++made) ::new (static_cast<void*>(first + made)) T(f(made));
            });
        });
    }

    // Makes sure that make or copy of n objects needs no other chunk, with the resource for objects that take
    // an allocator. Returns false if the limit or the system refuses the memory.
    template <class T>
    [[nodiscard]] bool reserve_objects(std::size_t n) noexcept {
        using run = detail::run<T>;
        constexpr bool recorded = !std::is_trivially_destructible_v<T>;
        constexpr bool may_use_resource = recorded && (takes<T, allocator>::value || std::is_aggregate_v<T>);
        constexpr std::size_t more = (recorded ? run::first : 0) + (may_use_resource ? resident_bytes : 0);
        if (n > (region::max_bytes - more) / sizeof(T)) return false;
        return n == 0 || region_.reserve(more + n * sizeof(T), recorded ? run::alignment : alignof(T));
    }

    template <class T>
    std::size_t bytes_of(std::size_t n, std::size_t before) const {
        if (EBB_UNLIKELY(n > (region::max_bytes - before) / sizeof(T))) {
            region_.too_large(region::max_bytes);
        }
        return before + n * sizeof(T);
    }

    // Returns memory for a record and its objects.
    template <class T>
    std::byte* take_run(std::size_t bytes) {
        using run = detail::run<T>;
        std::byte* const at = region_.take(bytes, run::alignment);
        region_.overhead_ += run::first;
        if constexpr (annotate::on) {
            annotate::hide(at + sizeof(record), run::first - sizeof(record));
        }
        return at;
    }

    // Records n objects. Their record precedes them.
    template <class T>
    void add(std::byte* at, std::size_t n) noexcept {
        using run = detail::run<T>;
        const address end = address_of(at + run::first + n * sizeof(T));
        region_.close_run();
        auto* const made = ::new (static_cast<void*>(at)) record{region_.last_, &run::destroy, +end};
        if (region_.is_marked(at)) return region_.add_before_marks(made, at);
        region_.last_ = made;
        if constexpr (run::can_grow) region_.run_end_ = address{+end | region_.busy()};
    }

    // Records an object without memory for a record before it. If there is no memory for a record, destroys the
    // object and throws.
    template <class T>
    EBB_NOINLINE void add_loose(T* object) {
        constexpr std::size_t size = round_up(sizeof(T), unit);
        auto* const begin = reinterpret_cast<std::byte*>(object);
        memory_guard<region> memory{region_, begin, begin + size, 0};
        object_guard<T> guard{object, 1};  // destroyed before `memory`
        const bool marked = region_.is_marked(object);
        void* at = nullptr;
        constructing<true>([&] {  // also protects ~T if take throws
            constexpr std::size_t bytes = sizeof(loose_record);
            at = marked ? region_.take_before_marks(bytes, object) : region_.take(bytes, alignof(loose_record));
        });
        if (!marked) region_.overhead_ += sizeof(loose_record);
        region_.close_run();
        auto* const made = ::new (at) loose_record{{region_.last_, &destroy_loose<T>, 0}, object};
        marked ? region_.add_before_marks(made, object) : void(region_.last_ = made);
        memory.kept = true;
        guard.count = 0;
    }

    // Calls f, which runs code of the program, with the busy bit set. If f throws, the caller's memory_guard
    // restores the bit: a guard in this function would keep compilers from inlining constructors.
    template <bool RunsCode, class F>
    EBB_INLINE void constructing(const F& f) {
        if constexpr (Checks::enabled && RunsCode) {
            const std::uintptr_t mine = region_.lock();
            f();
            region_.unlock(mine);
        } else {
            f();
        }
    }
    template <class T, class... Args>
    EBB_INLINE T* construct(T* at, Args&&... args) {
        constructing<!std::is_trivially_constructible_v<T, Args...>>(
            [&] { at = construct_within<allocator>(at, own(), std::forward<Args>(args)...); });
        return at;
    }
    auto own() noexcept {
        return [this] { return allocator(static_cast<basic_arena<Checks>&>(*this)); };
    }

    static void report_stranded(const region* r) noexcept {
        if constexpr (Checks::enabled) {
            Checks::on_misuse(misuse_info{misuse::stranded, r, nullptr, nullptr, misuse_info::no_slot, 0, 0});
        }
    }

    region region_;  // first, so that its address is the arena's
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_OBJECTS_HPP

namespace ebb {
inline namespace EBB_ABI {

/// A region: allocations of any type, freed together by reset().
///
/// It is for one thread at a time; see fork and sync_arena for several. It can be moved, not copied. Addresses
/// are stable until the end of the cycle: reset(), release() or the destructor.
///
/// An object whose type takes an allocator, such as std::pmr::string or a std::pmr::vector of them, gets the
/// arena's, unless it is constructed with one. This includes objects in std::optional, std::variant,
/// std::array, std::pair and std::tuple, and members of an aggregate that an argument initializes.
///
/// Misuse is detected and changes nothing, unless the policy is checks::none: rewinding to a mark that is
/// stale, moved from, or of another arena; rewind, reset, release and move in a constructor or destructor that
/// the arena runs; use of a memory resource that has blocks of an earlier cycle; rewind or move under a block
/// of a memory resource. AddressSanitizer and Valgrind detect accesses to objects of earlier cycles and to the
/// 16 bytes between allocations, and make retained_bytes larger.
///
/// Without exceptions, functions that would throw call std::abort.
///
/// Allocation bumps a pointer in a chunk. When a chunk is full, the next one is as large as all chunks before
/// it, up to 64 times chunk_size. An object takes its size, rounded up to 8 bytes, and text takes its length.
/// Each run of adjacent objects of one type with a destructor takes 24 more bytes, and a mark takes 128.
///
/// \snippet reference.cpp arena
template <class Checks = checks::trap>
class basic_arena : detail::objects<Checks> {
    using base = detail::objects<Checks>;
    using base::region_;
    using typename base::allocator;

public:
    /// The policy.
    using checks_type = Checks;
    /// The result of mark().
    using mark_type = arena_mark;

    /// An arena whose first chunk has room for `chunk_size` bytes. It takes no memory before the first
    /// allocation. After a reset, it keeps chunks of at most `max_retained` bytes, or ten times chunk_size if
    /// that is 0. It always keeps options.storage and one chunk of chunk_size if it has one.
    ///
    /// options.storage becomes the first chunk. When it is full, further chunks come from options.source;
    /// without a source, std::bad_alloc is thrown. huge_pages and prefault apply to each chunk. Throws
    /// std::length_error if chunk_size is 0 or more than a quarter of the address space, or if options.storage
    /// is too small for an object.
    explicit basic_arena(std::size_t chunk_size, std::size_t max_retained = 0, const pool_options& options = {})
        : base(chunk_size, max_retained, options) {}

    /// An arena of default_chunk_size.
    basic_arena() : basic_arena(default_chunk_size) {}
    /// The default size of the first chunk.
    static constexpr std::size_t default_chunk_size = std::size_t{16} << 10;

    /// Takes the memory, objects and marks of `other`, which becomes empty and loses the caller's storage.
    /// Allocators of objects in the arena move along. Every arena_allocator and arena_resource still refers to
    /// `other`, so their containers must have been destroyed. O(1).
    basic_arena(basic_arena&& other) noexcept : base(detail::region::like{other.region_}) {
        if (may_move(other)) take_over(other);
    }
    /// The same, after ending this arena's cycle and freeing its memory.
    basic_arena& operator=(basic_arena&& other) noexcept {
        if (this == &other) return *this;
        if (is_busy()) {
            complain(misuse::reentrant, &other);
        } else if (may_move(other)) {
            unwind(nullptr);
            take_over(other);
        }
        return *this;
    }

    basic_arena(const basic_arena&) = delete;
    basic_arena& operator=(const basic_arena&) = delete;

    /// Runs the destructors, newest object first, and frees all memory.
    ~basic_arena() { unwind(nullptr); }

    /// Returns a new T, constructed from args, or value-initialized without args. Its destructor runs at the
    /// end of the cycle and must not throw. Throws std::bad_alloc, limit_error and exceptions of T's
    /// constructor. If the constructor throws, the memory is freed, unless the constructor has allocated from
    /// the arena. O(1).
    ///
    /// \snippet reference.cpp arena_make
    template <class T, class... Args>
    T* make(Args&&... args) {
        static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                      "ebb::arena::make<T>: T must be an object type without const and volatile; make_span for arrays");
        if constexpr (std::is_trivially_destructible_v<T>) {
            return this->template make_plain<T>(std::forward<Args>(args)...);
        } else {
            return this->template make_recorded<T>(std::forward<Args>(args)...);
        }
    }

    /// Returns n value-initialized objects. If n is 0, it allocates nothing. Otherwise as make. O(n).
    template <class T>
    std::span<T> make_span(std::size_t n) {
        check_element<T>();
        if constexpr (std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>) {
            return this->template make_objects<T>(
                n, [n](T* first, std::size_t&) { std::uninitialized_value_construct_n(first, n); });
        } else {
            return this->template make_equal<T>(n);
        }
    }

    /// Returns n copies of `value`. Otherwise as make_span.
    template <class T>
    std::span<T> make_span(std::size_t n, const T& value) {
        check_element<T>();
        return this->template make_equal<T>(n, value);
    }

    /// Returns the results of f(0) to f(n - 1), constructed in place, so T need not be movable. f may allocate
    /// from the arena. Otherwise as make_span.
    template <class T, class F>
    std::span<T> make_span_with(std::size_t n, F&& f) {
        check_element<T>();
        return this->template make_generated<T>(n, f);
    }

    /// Returns n objects of a trivial type without initializing them. Otherwise as make_span. O(1).
    template <class T>
    std::span<T> make_span_uninit(std::size_t n) {
        static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                      "ebb::arena::make_span_uninit<T>: T must be trivial; use make_span");
        if (n == 0) return {};
        // Arrays of trivial types are created implicitly.
        return {reinterpret_cast<T*>(region_.take(this->template bytes_of<T>(n, 0), alignof(T))), n};
    }

    /// Returns a copy of `text`, without a terminating zero or padding.
    std::string_view copy(std::string_view text) {
        if (text.empty()) return {};
        auto* const at = reinterpret_cast<char*>(region_.take_text(text.size()));
        detail::copy_text(at, text.data(), text.size());
        return {at, text.size()};
    }

    /// Returns a copy of `text` with a terminating zero. Never null.
    char* copy_c_str(std::string_view text) {
        auto* const at = reinterpret_cast<char*>(region_.take_text(text.size() + 1));
        if (!text.empty()) std::memcpy(at, text.data(), text.size());
        at[text.size()] = '\0';
        return at;
    }

    /// Returns copies of objects. Otherwise as make_span. O(n).
    template <class T, std::size_t Extent>
    std::span<std::remove_const_t<T>> copy(std::span<T, Extent> all) {
        using element = std::remove_const_t<T>;
        check_element<element>();
        if constexpr (std::is_trivially_copyable_v<element> && std::is_trivially_destructible_v<element>) {
            return this->template make_objects<element>(all.size(), [all](element* first, std::size_t&) {
                std::memcpy(static_cast<void*>(first), all.data(), all.size_bytes());
            });
        } else {
            return this->template make_copies<element>(all.size(), all.begin());
        }
    }
    /// Returns copies of the elements of a list.
    ///
    /// \snippet reference.cpp arena_copy
    template <class T>
    std::span<T> copy(std::initializer_list<T> all) {
        return copy(std::span<const T>(all.begin(), all.size()));
    }
    /// Returns copies of the elements of a range. It must have a size or be a forward range.
    ///
    /// \snippet reference.cpp arena_copy
    template <detail::countable R>
    requires(!std::is_convertible_v<R, std::string_view>) auto copy(R&& all) {
        using element = std::iter_value_t<decltype(std::begin(all))>;
        check_element<element>();
        std::size_t n = 0;
        if constexpr (requires { std::size(all); }) {
            n = std::size(all);
        } else {
            for (auto at = std::begin(all); at != std::end(all); ++at) ++n;
        }
        return this->template make_copies<element>(n, std::begin(all));
    }
    /// As copy.
    template <class T>
    std::span<T> make_span(std::initializer_list<T> all) {
        return copy(all);
    }
    /// As copy.
    template <detail::countable R>
    requires(!std::is_convertible_v<R, std::string_view>) auto make_span(R&& all) { return copy(std::forward<R>(all)); }

    /// As make, but returns null if the limit or the system refuses memory for the object. Throws exceptions of
    /// T's constructor, which may need more memory. An object with a destructor takes 24 more bytes.
    ///
    /// \snippet reference.cpp arena_try
    template <class T, class... Args>
    [[nodiscard]] T* try_make(Args&&... args) {
        if (!this->template reserve_objects<T>(1)) return nullptr;
        region_.close_run();
        return make<T>(std::forward<Args>(args)...);
    }
    /// As allocate, but returns null if the limit or the system refuses the memory, or if align is not a power
    /// of 2.
    ///
    /// \snippet reference.cpp arena_try
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) noexcept {
        if (align == 0 || (align & (align - 1)) != 0 || !region_.reserve(bytes, align)) return nullptr;
        return region_.take(bytes, align);
    }
    /// As copy, but returns a view with a null data() if the limit or the system refuses the memory.
    ///
    /// \snippet reference.cpp arena_try
    [[nodiscard]] std::string_view try_copy(std::string_view text) noexcept {
        return region_.reserve_text(text.size()) ? copy(text) : std::string_view();
    }
    /// The same for objects. Throws exceptions of their constructors, which may need more memory.
    template <class T, std::size_t Extent>
    [[nodiscard]] std::span<std::remove_const_t<T>> try_copy(std::span<T, Extent> all) {
        if (!this->template reserve_objects<std::remove_const_t<T>>(all.size())) return {};
        return copy(all);
    }

    /// Calls f when the cycle ends, or in a rewind to an earlier mark. Such functions and destructors run in
    /// one order, newest first. f must not throw. Throws as make.
    ///
    /// \snippet reference.cpp arena_on_end
    template <class F>
    void on_end(F&& f) {
        make<detail::at_end<std::decay_t<F>>>(std::forward<F>(f));
    }
    /// Takes ownership from `p`, deletes the object when the cycle ends, and returns it. Throws as make; then p
    /// keeps the object.
    ///
    /// \snippet reference.cpp arena_on_end
    template <class T, class Delete>
    typename std::unique_ptr<T, Delete>::pointer adopt(std::unique_ptr<T, Delete>&& p) {
        return p == nullptr ? nullptr : make<std::unique_ptr<T, Delete>>(std::move(p))->get();
    }

    /// Reports whether p points into memory that the arena has allocated in this cycle, including padding and
    /// blocks that containers have freed. O(log chunks).
    ///
    /// \snippet reference.cpp arena_owns
    [[nodiscard]] bool owns(const void* p) const noexcept { return region_.owns(p); }

    /// Returns an arena for another thread. It is an object in this arena, so it ends with the cycle; then no
    /// thread may use it. It has its own chunks, from the same source, which must be safe for use by several
    /// threads. Its limit is the unused rest of this arena's. Throws as make.
    ///
    /// \snippet reference.cpp arena_fork
    [[nodiscard]] basic_arena& fork() { return *make<basic_arena>(detail::region::fork_of{region_}); }
    /// For fork.
    explicit basic_arena(detail::region::fork_of parent) noexcept : base(parent) {}

    /// Returns `bytes` bytes, or 1 if that is 0, uninitialized. Throws std::bad_alloc, limit_error, and
    /// std::length_error if align is not a power of 2.
    void* allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) {
        if (EBB_UNLIKELY(!region_.is_small(bytes, align) || (align & (align - 1)) != 0)) {
            return allocate_large(bytes, align);
        }
        return region_.take_small(bytes, align);
    }

    /// Frees the result p of allocate(bytes) if it is the newest allocation. Otherwise does nothing. O(1).
    EBB_INLINE void give_back(void* p, std::size_t bytes) noexcept { region_.give_back(p, bytes); }

    /// Returns a mark for rewind. Marks nest. A mark takes 128 bytes, and 512 more if containers have freed
    /// blocks, but none if nothing was allocated since the last mark. Throws as allocate.
    [[nodiscard]] arena_mark mark() {
        const std::size_t serial = region_.mark()->time;
        return {region_.id(), serial};
    }

    /// Frees all allocations since `m` was taken, after running their destructors, newest first. m stays valid.
    /// Marks taken after it become stale.
    ///
    /// Rewinding to a mark that is stale, moved from, or of another arena is misuse. So is rewinding under a
    /// block of an arena_resource that was allocated since m; then the destructors have run, but no memory is
    /// freed. O(chunks, destructors and marks since m).
    void rewind(const arena_mark& m) noexcept {
        if (detail::place* const p = find(m); p != nullptr) region_.rewind(p);
    }

    /// Ends the cycle: runs the destructors, newest object first, and frees all allocations. All marks become
    /// stale. Without destructors, marks, freed blocks and further chunks it takes a few instructions.
    EBB_INLINE void reset() noexcept {
        if (EBB_UNLIKELY(is_busy() || !region_.empty_at_once())) end_cycle(region_.max_retained_);
    }
    /// The same, but keeps at most `retained` bytes of chunks instead of max_retained.
    ///
    /// \snippet reference.cpp arena_reset
    void reset(std::size_t retained) noexcept { end_cycle(retained); }

    /// Ends the cycle and frees all chunks.
    void release() noexcept { end_cycle(0, true); }

    /// Limits the bytes of the arena's chunks, used or not. An allocation that needs a chunk beyond the limit
    /// throws limit_error. 0 removes the limit. Chunks that already exceed it are kept until reset.
    void limit(std::size_t bytes) noexcept { region_.limit(bytes); }

    /// Returns the bytes allocated in this cycle: the sizes of objects, rounded up to 8 bytes, padding for
    /// larger alignments, and the lengths of text. O(1).
    [[nodiscard]] std::size_t used_bytes() const noexcept { return region_.used(); }

    /// Returns statistics. O(1).
    [[nodiscard]] arena_stats stats() noexcept { return region_.stats(); }

    /// Returns a size of pool_options::storage that is enough for `bytes` bytes of objects, at any address.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t bytes) noexcept {
        return detail::region::bytes_needed(bytes);
    }

private:
    template <class>
    friend class basic_arena_resource;
    template <class>
    friend class arena_scope;
    template <class>
    friend class basic_sync_arena;
    template <class, class>
    friend class arena_allocator;
    friend base;

    template <class T>
    static constexpr void check_element() noexcept {
        static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                      "ebb::arena::make_span<T>: T must be an object type without const and volatile, and no array");
    }

    EBB_NOINLINE void* allocate_large(std::size_t bytes, std::size_t align) {
        // std::has_single_bit would be a function call without -march.
        if (align == 0 || (align & (align - 1)) != 0) {
            detail::throw_length("ebb::arena::allocate: the alignment is no power of 2");
        }
        return region_.take(bytes, align);
    }

    void unwind(const detail::record* to) noexcept {
        const std::uintptr_t mine = Checks::enabled ? region_.lock() : 0;
        region_.unwind(to);
        region_.unlock(mine);
    }

    [[nodiscard]] bool is_busy() const noexcept { return Checks::enabled && region_.busy() != 0; }

    EBB_NOINLINE void end_cycle(std::size_t retained, bool release = false) noexcept {
        if (is_busy()) return complain(misuse::reentrant, nullptr);
        unwind(nullptr);
        release ? region_.release() : region_.empty(retained);
    }

    // For arena_scope.
    arena_mark new_mark() {
        const std::size_t serial = region_.add_place()->time;
        return {region_.id(), serial};
    }
    void remove(const arena_mark& m) noexcept {
        if (detail::place* const p = find(m, true); p != nullptr) region_.remove(p);
    }
    // Runs the destructors since the mark and returns its place, or reports misuse and returns null. A scope
    // may end in the constructor or destructor that began it.
    detail::place* find(const arena_mark& m, bool of_scope = false) noexcept {
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(m.region_ == 0)) return complain(misuse::moved_mark, &m), nullptr;
            if (EBB_UNLIKELY(m.region_ != region_.id())) return complain(misuse::foreign_mark, &m), nullptr;
        }
        detail::place* const p = region_.find(m.serial_);
        if (EBB_UNLIKELY(p == nullptr)) return complain(misuse::stale_mark, &m), nullptr;
        if (EBB_UNLIKELY(is_busy() && !(of_scope && p->within()))) return complain(misuse::reentrant, &m), nullptr;
        if (region_.last_ != p->last) unwind(p->last);
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(region_.has_blocks_since(p))) return complain(misuse::stranded, &m), nullptr;
        }
        return p;
    }

    EBB_COLD void complain(misuse kind, const void* pointer) const noexcept {
        Checks::on_misuse(misuse_info{kind, this, pointer, nullptr, misuse_info::no_slot, 0, 0});
    }

    // Whether the memory of `other` may move: no constructor or destructor uses it, and no resource has blocks
    // of it.
    static bool may_move(const basic_arena& other) noexcept {
        if (other.is_busy()) return other.complain(misuse::reentrant, nullptr), false;
        if (Checks::enabled && other.region_.has_blocks()) {
            return other.complain(misuse::stranded, nullptr), false;
        }
        return true;
    }
    void take_over(basic_arena& other) noexcept {
        region_ = std::move(other.region_);
        for (auto* r = region_.residents(); r != nullptr; r = r->older) r->arena = this;
    }

    // Allocates a block of an arena_resource. Throws length_error if the alignment is not a power of 2.
    EBB_INLINE void* take_block(std::size_t bytes, std::size_t align) {
        if (EBB_UNLIKELY((align & (align - 1)) != 0 || align == 0)) return allocate_large(bytes, align);
        return region_.take_block(bytes, align);
    }

    // Allocate and free blocks of the arena's own resources.
    template <class, class>
    friend class detail::resident_resource;
    void* take_own_block(std::size_t bytes, std::size_t align) {
        void* const p = take_block(bytes, align);
        if constexpr (Checks::enabled) region_.add_block_since_mark();
        return p;
    }
    void give_own_block(void* p, std::size_t bytes) noexcept {
        if constexpr (Checks::enabled) region_.remove_block_since_mark(p);
        region_.give_block(p, bytes);
    }

    // Returns the arena's own resource, for objects that take one; see within.hpp. It ends with the cycle or a
    // rewind.
    template <class Resource>
    Resource* resident() {
        using own = detail::resident_resource<Resource, basic_arena>;
        for (auto* r = region_.residents(); r != nullptr; r = r->older) {
            if (r->kind == &own::kind) return static_cast<own*>(r);
        }
        void* const at = region_.take(sizeof(own), alignof(own));
        region_.overhead_ += sizeof(own);
        auto* const made = ::new (at) own(detail::resident{region_.residents(), &own::kind, this});
        region_.add_resident(made);
        return made;
    }
};

/// An arena with the default policy.
///
/// \snippet reference.cpp arena
using arena = basic_arena<>;

/// Frees the allocations of a scope at its end, also after an exception, and runs their destructors. Scopes
/// nest.
///
///     ebb::arena_scope scope(a);
///
/// In a scope, it is misuse to end the arena's cycle, to move the arena, or to rewind to an older mark; the end
/// of the scope detects it (stale_mark, foreign_mark). Blocks of an arena_resource must be freed before the
/// end, as with rewind. A constructor or destructor that the arena runs may use a scope that ends in it. Throws
/// as arena::mark.
///
/// \snippet reference.cpp arena_scope
template <class Checks = checks::trap>
class [[nodiscard]] arena_scope {
public:
    /// Begins a scope of `a`, which must outlive it. O(1).
    explicit arena_scope(basic_arena<Checks>& a) : arena_(&a), start_(a.new_mark()) {}
    arena_scope(const arena_scope&) = delete;
    arena_scope& operator=(const arena_scope&) = delete;
    /// Frees the allocations of the scope. O(chunks, destructors and marks in it).
    ~arena_scope() { arena_->remove(start_); }

    /// Returns the arena.
    [[nodiscard]] basic_arena<Checks>& arena() const noexcept { return *arena_; }

private:
    basic_arena<Checks>* arena_;
    arena_mark start_;
};

}  // namespace EBB_ABI
}  // namespace ebb

// ebb::arena_allocator<T>: a standard allocator for containers in an arena.
#ifndef EBBPOOL_ARENA_ALLOCATOR_HPP
#define EBBPOOL_ARENA_ALLOCATOR_HPP

#include <cstddef>
#include <memory>
#include <type_traits>


namespace ebb {
inline namespace EBB_ABI {

/// A standard allocator that allocates from an arena, which must outlive it.
///
///     std::vector<int, ebb::arena_allocator<int>> v(a);
///
/// A container must not be used after the end of the cycle in which it allocated. This is not checked;
/// arena_resource checks it. Containers reuse memory that containers have freed. Throws as arena::allocate.
///
/// Two allocators are equal if they have the same arena. Move assignment and swap of containers propagate the
/// allocator; copy assignment doesn't.
///
/// \snippet reference.cpp arena_allocator
template <class T, class Checks = checks::trap>
class arena_allocator {
public:
    /// T.
    using value_type = T;
    /// The arena's type.
    using arena_type = basic_arena<Checks>;
    /// Copy assignment of containers does not propagate the allocator.
    using propagate_on_container_copy_assignment = std::false_type;
    /// Move assignment propagates it.
    using propagate_on_container_move_assignment = std::true_type;
    /// Swap propagates it.
    using propagate_on_container_swap = std::true_type;
    /// Allocators of different arenas are not equal.
    using is_always_equal = std::false_type;

    /// The allocator for another type.
    template <class U>
    struct rebind {
        using other = arena_allocator<U, Checks>;
    };

    /// Allocates from `a`, which must outlive it.
    arena_allocator(arena_type& a) noexcept : arena_(&a), time_(a.region_.time() | 1) {}

    /// Allocates from the arena of `other`.
    template <class U>
    arena_allocator(const arena_allocator<U, Checks>& other) noexcept : arena_(other.arena_), time_(other.time_) {}

    /// Returns memory for n objects. O(1). Throws std::bad_alloc and limit_error.
    [[nodiscard]] EBB_INLINE T* allocate(std::size_t n) {
        const taken t = EBB_CONSTANT(n) ? take(*arena_, n, time_) : take_apart(*arena_, n, time_);
        time_ = t.time;
        return t.memory;
    }

    /// Returns memory for at least n objects, and the number that fits.
    ///
    /// \snippet reference.cpp allocate_at_least
    [[nodiscard]] auto allocate_at_least(std::size_t n) {
        if (n > detail::region::max_bytes / sizeof(T)) detail::throw_bad_alloc();
        const std::size_t count = detail::block_shape(n * sizeof(T)).size / sizeof(T);
#if defined(__cpp_lib_allocate_at_least)
        return std::allocation_result<T*, std::size_t>{allocate(count), count};
#else
        struct result {
            T* ptr;
            std::size_t count;
        };
        return result{allocate(count), count};
#endif
    }

    /// Frees memory. Containers can reuse it, unless a mark was taken after it was allocated. If it was the
    /// newest allocation, all allocations can. Does nothing if a reset, release or rewind has already freed it.
    /// O(1), or O(log chunks + marks) while there are marks.
    EBB_INLINE void deallocate(T* p, std::size_t n) noexcept { give(*arena_, p, n * sizeof(T), time_); }

    /// Returns a std::pmr::polymorphic_allocator for containers, as in `std::pmr::string
    /// s(ebb::arena_allocator<char>(a))`. Its resource is stored in the arena and ends with the cycle, or with
    /// a rewind to an older mark, which is not checked. Throws as allocate.
    template <detail::polymorphic P>
    operator P() const {
        return P(arena_->template resident<detail::resource_of<P>>());
    }

    /// Returns the arena.
    [[nodiscard]] arena_type& arena() const noexcept { return *arena_; }

    /// Reports whether both have the same arena.
    template <class U>
    friend bool operator==(const arena_allocator& a, const arena_allocator<U, Checks>& b) noexcept {
        return &a.arena() == &b.arena();
    }

private:
    template <class, class>
    friend class arena_allocator;

    struct taken {
        T* memory;
        std::size_t time;
    };
    EBB_INLINE static taken take(arena_type& a, std::size_t n, std::size_t time) {
        if (EBB_UNLIKELY(n > detail::region::max_bytes / sizeof(T))) detail::throw_bad_alloc();
        T* const p = reinterpret_cast<T*>(a.region_.take_block(n * sizeof(T), alignof(T)));
        return {p, (time & 1) != 0 ? a.region_.time() : time};
    }
    // Not inlined, and passed copies of the fields: containers whose address is not passed to a call can stay
    // in registers.
    EBB_NOINLINE static taken take_apart(arena_type& a, std::size_t n, std::size_t time) { return take(a, n, time); }
    EBB_NOINLINE static void give(arena_type& a, void* p, std::size_t bytes, std::size_t time) noexcept {
        if (EBB_UNLIKELY(!a.region_.is_live_at_once(time))) return give_older(a, p, bytes, time);
        a.region_.give_block(p, bytes);
    }
    EBB_NOINLINE static void give_older(arena_type& a, void* p, std::size_t bytes, std::size_t time) noexcept {
        if (a.region_.is_live(time)) a.region_.give_block(p, bytes);
    }

    arena_type* arena_;
    // The region's time at the container's first allocation. Before that, the time at construction with bit 0
    // set. deallocate uses it to skip blocks that a reset or rewind has freed.
    std::size_t time_;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_ALLOCATOR_HPP

#endif  // EBBPOOL_ARENA_HPP
// Other names of the pools: ebb::arena_pool<T> and ebb::sync_arena_pool<T>.
#ifndef EBBPOOL_ARENA_POOL_HPP
#define EBBPOOL_ARENA_POOL_HPP

// ebb::sync_fixed_pool<T>: a fixed_pool for several threads.
//
// Each thread has a magazine of free slots, which it uses without a lock or an atomic read-modify-write.
// Magazines are refilled from, and flushed to, a depot with a lock, one batch at a time. A lock-free stack was
// 20 times slower with two threads, because each call writes its head.
#ifndef EBBPOOL_SYNC_FIXED_POOL_HPP
#define EBBPOOL_SYNC_FIXED_POOL_HPP

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

// The free slots of a sync_fixed_pool, by index: a magazine for each thread, and a depot with a lock. (J.
// Bonwick and J. Adams, "Magazines and Vmem", USENIX 2001.)
#ifndef EBBPOOL_SYNC_DEPOT_HPP
#define EBBPOOL_SYNC_DEPOT_HPP

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

// An object for each thread that uses it, destroyed when the thread ends.
//
// A thread_local object with a destructor is not safe on systems that emulate thread-local storage (MinGW,
// Android before 10, OpenBSD): the storage may be freed before the destructor runs. So the object is on the
// heap, and a thread-specific key of the system destroys it.
#ifndef EBBPOOL_PER_THREAD_HPP
#define EBBPOOL_PER_THREAD_HPP

#include <new>
#include <utility>


#if defined(_WIN32)
// Declared here as in <windows.h>, which would define the macros min and max.
extern "C" {
__declspec(dllimport) unsigned long __stdcall FlsAlloc(void(__stdcall*)(void*));
__declspec(dllimport) int __stdcall FlsFree(unsigned long);
__declspec(dllimport) void* __stdcall FlsGetValue(unsigned long);
__declspec(dllimport) int __stdcall FlsSetValue(unsigned long, void*);
}
#else
#include <pthread.h>
#endif

#if (defined(__MINGW32__) && !defined(__clang__)) || defined(__OpenBSD__) || \
    (defined(__ANDROID__) && __ANDROID_API__ < 29)
#define EBB_EMULATED_TLS 1
#else
#define EBB_EMULATED_TLS 0
#endif

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

#if defined(_WIN32)
/// A pointer for each thread or fiber.
class thread_key {
public:
    template <void (*End)(void*)>
    static thread_key with() noexcept {
        return thread_key(::FlsAlloc([](void* p) { End(p); }));
    }
    ~thread_key() {
        if (valid()) ::FlsFree(number_);
    }
    [[nodiscard]] bool valid() const noexcept { return number_ != 0xffffffff; }
    [[nodiscard]] void* get() const noexcept { return ::FlsGetValue(number_); }
    bool set(void* p) const noexcept { return ::FlsSetValue(number_, p) != 0; }

private:
    explicit thread_key(unsigned long number) noexcept : number_(number) {}
    unsigned long number_;
};
#else
/// A pointer for each thread.
class thread_key {
public:
    template <void (*End)(void*)>
    static thread_key with() noexcept {
        thread_key k;
        k.valid_ = ::pthread_key_create(&k.number_, [](void* p) { End(p); }) == 0;
        return k;
    }
    ~thread_key() {
        if (valid_) ::pthread_key_delete(number_);
    }
    [[nodiscard]] bool valid() const noexcept { return valid_; }
    [[nodiscard]] void* get() const noexcept { return ::pthread_getspecific(number_); }
    bool set(void* p) const noexcept { return ::pthread_setspecific(number_, p) == 0; }

private:
    thread_key() = default;
    ::pthread_key_t number_{};
    bool valid_ = false;
};
#endif

/// A T for each thread that calls make(). When the thread ends, T::leave() is called.
template <class T>
class per_thread {
public:
    /// Returns the object of the calling thread. If it has none, returns a shared one, which must not be
    /// changed.
    static T& get() noexcept {
#if EBB_EMULATED_TLS
        T* const p = static_cast<T*>(key().get());
        return p != nullptr ? *p : none;
#else
        return *current;
#endif
    }

    /// Returns the object of the calling thread, and creates it if needed. Returns null if there is no memory,
    /// or the object was already destroyed at the thread's end.
    static T* make() noexcept {
        T& mine = get();
        if (&mine != &none) return &mine;
        if (has_left() || !key().valid()) return nullptr;
        T* const made = new (std::nothrow) T;
        if (made == nullptr) return nullptr;
        if (!key().set(made)) {
            delete made;
            return nullptr;
        }
        set(made);
        return made;
    }

private:
    static inline constinit T none{};

    static void end(void* p) noexcept {
        static_cast<T*>(p)->leave();
        delete static_cast<T*>(p);
        set(nullptr);
    }
    // Deleted when a shared library is unloaded, so that ending threads don't call into it.
    static const thread_key& key() noexcept {
        static const thread_key k = thread_key::with<&end>();
        return k;
    }

#if EBB_EMULATED_TLS
    static bool has_left() noexcept { return false; }
    static void set(T*) noexcept {}
#else
    static bool has_left() noexcept { return left; }
    static void set(T* p) noexcept {
        left = p == nullptr;
        current = p != nullptr ? p : &none;
    }
    static inline thread_local constinit T* current = &none;
    static inline thread_local constinit bool left = false;
#endif
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_PER_THREAD_HPP

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

// libstdc++ with Windows threads has no std::mutex before gcc 13. The lock is held for some hundred
// instructions, so waiting threads yield.
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_HAS_GTHREADS)
extern "C" __declspec(dllimport) void __stdcall Sleep(unsigned long milliseconds);
class mutex {
public:
    void lock() noexcept {
        while (flag_.test_and_set(std::memory_order_acquire)) Sleep(0);
    }
    void unlock() noexcept { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_;
};
#else
using std::mutex;
#endif

/// The number of slots in a run, whose state bytes share a cache line.
inline constexpr std::size_t run_length = 64;

class depot;

/// A thread's free slots, last in, first out. Only its thread changes it. Fields that used() reads in other
/// threads are atomic. It is aligned to two cache lines, because processors prefetch the neighbor of a line.
struct alignas(128) magazine {
    // One more than the limit of a thread, for the hot slot of a front that is evicted.
    static constexpr std::size_t max_slots = 2 * run_length;

    std::atomic<std::uint32_t> count{0};
    bool taken = false;                               // in use; guarded by the depot's lock, like the next fields
    const std::atomic<std::uint32_t>* hot = nullptr;  // of its front, or null
    depot* home = nullptr;
    magazine* next = nullptr;  // next magazine of the depot
    std::uint32_t slots[max_slots] = {};
};

/// The entry of a thread's cache for one pool, with the hot slot plus one. Alternating frees and allocations
/// only use the hot slot, without counters and without waiting for the previous call's stores. The key
/// identifies the pool and gives the position in the cache, so one load is enough to find the front.
struct alignas(32) front {
    static constexpr std::uint32_t none = 0;

    std::uint64_t key = 0;  // of the depot
    magazine* own = nullptr;
    std::atomic<std::uint32_t> hot{none};
};

/// The free slots that are in no magazine: a bit for each slot, and a stack of the runs with free slots. A
/// refill empties one run before the next, so that threads rarely share the cache line of a run's states.
class alignas(cache_line) depot {
public:
    /// `bits` and `stack` have one entry per run; bits are zero.
    depot(std::size_t capacity, std::size_t batch, std::uint64_t* bits, std::uint32_t* stack) noexcept
        : capacity_(capacity), batch_(batch == 0 ? 1 : batch), bits_(bits), stack_(stack) {}

    depot(const depot&) = delete;
    depot& operator=(const depot&) = delete;

    ~depot() {
        while (magazines_ != nullptr) {
            magazine* const m = magazines_;
            magazines_ = m->next;
            delete m;
        }
    }

    static constexpr std::uint32_t none = 0xffffffff;

    /// The largest number of slots in a magazine, without the hot slot.
    static constexpr std::uint32_t room(std::size_t batch) noexcept {
        return batch == 0 ? 0 : static_cast<std::uint32_t>(2 * batch - 1);
    }

    /// Takes a slot from the magazine, and refills it if it is empty. Returns `none` if there is no slot. Does
    /// not take the hot slot.
    std::uint32_t take(magazine& m) noexcept {
        std::uint32_t n = m.count.load(std::memory_order_relaxed);
        if (n == 0) n = refill(m);
        if (n == 0) return none;
        m.count.store(n - 1, std::memory_order_relaxed);
        return m.slots[n - 1];
    }

    /// Puts a slot into the magazine, and flushes its older half if it is full.
    void put(magazine& m, std::uint32_t slot) noexcept {
        std::uint32_t n = m.count.load(std::memory_order_relaxed);
        if (n >= room(batch_)) n = flush(m);
        m.slots[n] = slot;
        m.count.store(n + 1, std::memory_order_relaxed);
    }

    /// Takes a slot without a magazine. Returns `none` if there is none.
    std::uint32_t take_one() noexcept {
        const std::lock_guard lock(mutex_);
        if (height_ == 0) return fresh_ < capacity_ ? static_cast<std::uint32_t>(fresh_++) : none;
        const std::uint32_t run = stack_[height_ - 1];
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits_[run]));
        bits_[run] &= bits_[run] - 1;
        if (bits_[run] == 0) --height_;
        --free_;
        return run * static_cast<std::uint32_t>(run_length) + bit;
    }

    void put_one(std::uint32_t slot) noexcept {
        const std::lock_guard lock(mutex_);
        put(slot);
    }

    /// Returns a magazine for a thread, or null if there is no memory for one.
    magazine* enter() noexcept {
        const std::lock_guard lock(mutex_);
        for (magazine* m = magazines_; m != nullptr; m = m->next) {
            if (!m->taken) {
                m->taken = true;
                return m;
            }
        }
        magazine* const m = new (std::nothrow) magazine;
        if (m != nullptr) {
            m->taken = true;
            m->home = this;
            m->next = magazines_;
            magazines_ = m;
        }
        return m;
    }

    /// Assigns the front, without a hot slot, to the magazine.
    void give_front(front& f, magazine& m, std::uint64_t key) noexcept {
        const std::lock_guard lock(mutex_);
        f.key = key;
        f.own = &m;
        m.hot = &f.hot;
    }

    /// Removes the front from the magazine. The hot slot goes into the magazine.
    void take_front(front& f, magazine& m) noexcept {
        const std::lock_guard lock(mutex_);
        lose_front(f, m);
    }

    /// Flushes the magazine of a thread that ends. `f` is its front, or null.
    void leave(magazine& m, front* f) noexcept {
        const std::lock_guard lock(mutex_);
        if (f != nullptr) lose_front(*f, m);
        if (closed()) return;  // bits and stack are in the pool's memory
        const std::uint32_t n = m.count.load(std::memory_order_relaxed);
        for (std::uint32_t i = 0; i < n; ++i) put(m.slots[i]);
        m.count.store(0, std::memory_order_relaxed);
        m.taken = false;
    }

    /// Must be called when the pool is destroyed.
    void close() noexcept {
        const std::lock_guard lock(mutex_);
        closed_.store(true, std::memory_order_release);
    }
    [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }

    /// Returns the number of allocated slots.
    [[nodiscard]] std::size_t used() noexcept {
        const std::lock_guard lock(mutex_);
        std::size_t free = free_ + (capacity_ - fresh_);
        for (const magazine* m = magazines_; m != nullptr; m = m->next) {
            free += m->count.load(std::memory_order_relaxed);
            if (m->hot != nullptr && m->hot->load(std::memory_order_relaxed) != front::none) ++free;
        }
        // The sum can only be larger if other threads are in a call.
        return free < capacity_ ? capacity_ - free : 0;
    }

    [[nodiscard]] std::size_t fresh() noexcept {
        const std::lock_guard lock(mutex_);
        return fresh_;
    }

private:
    static void lose_front(front& f, magazine& m) noexcept {
        m.hot = nullptr;
        const std::uint32_t hot = f.hot.exchange(front::none, std::memory_order_relaxed);
        f.key = 0;
        if (hot == front::none) return;
        const std::uint32_t n = m.count.load(std::memory_order_relaxed);
        m.slots[n] = hot - 1;
        m.count.store(n + 1, std::memory_order_relaxed);
    }

    // Refills an empty magazine and returns the number of its slots.
    std::uint32_t refill(magazine& m) noexcept {
        const std::lock_guard lock(mutex_);
        std::uint32_t n = 0;
        while (n < batch_ && height_ > 0) n = take_run(m, n);
        if (n == 0) {
            // Takes fresh slots, up to the end of a batch, with the lowest on top.
            std::size_t end = (fresh_ | (batch_ - 1)) + 1;  // a batch is a power of 2
            if (end > capacity_) end = capacity_;
            for (std::size_t i = end; i > fresh_; --i) {
                m.slots[n++] = static_cast<std::uint32_t>(i - 1);
            }
            fresh_ = end;
        }
        m.count.store(n, std::memory_order_relaxed);
        return n;
    }

    // Flushes the older half and returns the number of remaining slots.
    std::uint32_t flush(magazine& m) noexcept {
        const std::uint32_t n = m.count.load(std::memory_order_relaxed);
        const auto out = n < batch_ ? n : static_cast<std::uint32_t>(batch_);
        // Under the lock: used() in another thread must not count these slots twice.
        const std::lock_guard lock(mutex_);
        for (std::uint32_t i = 0; i < out; ++i) put(m.slots[i]);
        std::memmove(m.slots, m.slots + out, (n - out) * sizeof(std::uint32_t));
        m.count.store(n - out, std::memory_order_relaxed);
        return n - out;
    }

    void put(std::uint32_t slot) noexcept {
        std::uint64_t& bits = bits_[slot / run_length];
        const std::uint64_t bit = std::uint64_t{1} << (slot % run_length);
        // The bit is already set if two threads freed the slot at the same moment.
        if ((bits & bit) != 0) return;
        if (bits == 0) stack_[height_++] = static_cast<std::uint32_t>(slot / run_length);
        bits |= bit;
        ++free_;
    }

    // Takes the free slots of the top run, at most a batch in all.
    std::uint32_t take_run(magazine& m, std::uint32_t n) noexcept {
        const std::uint32_t run = stack_[height_ - 1];
        std::uint64_t bits = bits_[run];
        while (bits != 0 && n < batch_) {
            const auto bit = static_cast<std::uint32_t>(std::countl_zero(bits) ^ 63);
            bits &= ~(std::uint64_t{1} << bit);
            m.slots[n++] = run * static_cast<std::uint32_t>(run_length) + bit;
            --free_;
        }
        bits_[run] = bits;
        if (bits == 0) --height_;
        return n;
    }

    mutex mutex_;
    const std::size_t capacity_;
    const std::size_t batch_;  // a power of 2, 1 to run_length
    std::uint64_t* const bits_;
    std::uint32_t* const stack_;
    std::size_t height_ = 0;  // height of the stack
    std::size_t free_ = 0;    // number of set bits
    std::size_t fresh_ = 0;   // slots from here on were never allocated
    magazine* magazines_ = nullptr;
    std::atomic<bool> closed_{false};
};

/// A thread's magazines, one for each depot that it has used. A depot is identified by its address, because it
/// lives as long as its pool and all these threads. A counter might not be unique: shared libraries may have
/// separate ones.
class thread_magazines {
public:
    static constexpr std::size_t fronts = 64;

    /// Returns a key for a new depot: its address, shifted, with the offset of its place in the cache in the
    /// low bits. Successive pools get successive places, so 64 of them don't collide. Keys are unique, because
    /// the shift only drops bits that are zero in all addresses.
    static std::uint64_t new_key(const depot* d) noexcept {
        static std::atomic<std::size_t> last{0};
        const std::size_t place = last.fetch_add(1, std::memory_order_relaxed) % fronts * sizeof(front);
        return (std::uint64_t{reinterpret_cast<std::uintptr_t>(d)} << key_shift) | place;
    }
    /// Returns the calling thread's front at the place of a key. It may belong to another depot.
    static front& at(std::uint64_t key) noexcept { return per_thread<thread_magazines>::get().front_at(key); }

    /// Returns the calling thread's front for a depot, with a magazine. Returns null if there is no memory for
    /// one, or if the thread is ending.
    static front* find(std::uint64_t key, const std::shared_ptr<depot>& d) noexcept {
        thread_magazines* const mine = per_thread<thread_magazines>::make();
        if (mine == nullptr) return nullptr;
        front& f = mine->front_at(key);
        if (f.key == key) return &f;
        magazine* const own = mine->find_own(d);
        if (own == nullptr) return nullptr;
        if (f.key != 0) f.own->home->take_front(f, *f.own);
        d->give_front(f, *own, key);
        return &f;
    }

    /// Flushes all magazines of a thread that ends.
    void leave() noexcept {
        while (first_ != nullptr) {
            entry* const e = first_;
            first_ = e->next;
            e->home->leave(*e->own, front_of(*e->own));
            delete e;
        }
    }

private:
    struct entry {
        std::shared_ptr<depot> home;
        magazine* own;
        entry* next;
    };

    static constexpr int key_shift = 5;
    static constexpr std::uint64_t place_mask = fronts * sizeof(front) - 1;
    static_assert((alignof(depot) << key_shift) >= fronts * sizeof(front));

    front& front_at(std::uint64_t key) noexcept {
        const std::size_t place = key & place_mask;
        return *reinterpret_cast<front*>(reinterpret_cast<std::byte*>(cache_.data()) + place);
    }
    // Returns the front of a magazine, or null.
    front* front_of(const magazine& m) noexcept {
        for (front& f : cache_) {
            if (f.key != 0 && f.own == &m) return &f;
        }
        return nullptr;
    }

    magazine* find_own(const std::shared_ptr<depot>& d) noexcept {
        for (entry** at = &first_; *at != nullptr; at = &(*at)->next) {
            entry* const e = *at;
            if (e->home != d) continue;
            *at = e->next;  // move to front, for the next search
            e->next = first_;
            first_ = e;
            return e->own;
        }
        forget_closed();
        entry* const e = new (std::nothrow) entry{d, nullptr, first_};
        if (e == nullptr) return nullptr;
        e->own = d->enter();
        if (e->own == nullptr) {
            delete e;
            return nullptr;
        }
        first_ = e;
        return e->own;
    }

    // Removes magazines of destroyed pools. Otherwise, a thread that outlives many pools would keep their
    // depots.
    void forget_closed() noexcept {
        for (entry** at = &first_; *at != nullptr;) {
            entry* const e = *at;
            if (!e->home->closed()) {
                at = &e->next;
                continue;
            }
            if (front* const f = front_of(*e->own); f != nullptr) e->home->take_front(*f, *e->own);
            *at = e->next;
            delete e;
        }
    }

    // Direct-mapped by the place in the key.
    std::array<front, fronts> cache_{};
    entry* first_ = nullptr;
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_SYNC_DEPOT_HPP

namespace ebb {
inline namespace EBB_ABI {

/// Options of a sync_fixed_pool.
///
/// \snippet reference.cpp sync_options
struct sync_options {
    /// The pool chooses the batch.
    static constexpr std::size_t automatic = static_cast<std::size_t>(-1);

    /// The options of the memory.
    pool_options memory{};
    /// The number of slots that a refill or flush moves: 0 to 64, rounded down to a power of 2. A thread caches
    /// at most twice as many. With 0, it caches none, and each call takes the lock. The default is capacity /
    /// 64, at most 64, so that a thread caches at most 1/32 of the slots.
    std::size_t batch = automatic;
};

/// A pool of `capacity` slots for objects of type T that several threads may use at the same time. Any thread
/// may free a slot.
///
/// allocate() returns nullptr if neither the thread's magazine nor the depot has a free slot. The magazine of
/// each other thread may have up to 2 * batch() free slots. When a thread ends, its magazine is flushed. The
/// order of slots is unspecified.
///
/// Misuse is detected as by fixed_pool. Two racing frees of one slot may both succeed. Then the second copy is
/// dropped and reported when it is about to be allocated, unless another thread allocates the first copy at the
/// same moment.
///
/// No thread may be in a call when the pool is destroyed. After fork(), the child may use the pool only if the
/// parent had one thread: slots in the magazines of other threads are lost, and a lock that another thread held
/// stays locked.
///
/// About one call in batch() takes the lock, more if the pool is nearly full. A thread that alternates between
/// more than 64 pools searches a list of them. The pool takes sizeof(T) + 1.2 bytes per slot and 640 bytes per
/// thread. Each thread takes 2 KiB for all pools, and keeps about 800 bytes of a destroyed pool until it uses a
/// new one or ends.
///
/// Under AddressSanitizer, free slots are poisoned if sizeof(T) is a multiple of 8.
///
/// \snippet reference.cpp sync_fixed_pool
template <class T, class Checks = checks::trap>
class sync_fixed_pool {
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                  "ebb::sync_fixed_pool<T>: T must be an object type without const and volatile, and no array");

public:
    /// T.
    using value_type = T;
    /// The policy.
    using checks_type = Checks;

    /// As fixed_pool's: 2^32 - 2 slots.
    static constexpr std::size_t max_capacity = static_cast<std::size_t>(std::numeric_limits<std::uint32_t>::max()) - 1;

    /// Throws as fixed_pool's constructor.
    explicit sync_fixed_pool(std::size_t capacity, const sync_options& options = {})
        : capacity_{capacity},
          batch_(batch_of(capacity, options)),
          room_(detail::depot::room(batch_)),
          block_(block_bytes(capacity), block_alignment, states_at(capacity) - detail::cache_line, options.memory) {
        std::byte* const data = block_.data();
        before_ = reinterpret_cast<std::uintptr_t>(data) - sizeof(T);
        states_ = reinterpret_cast<state*>(data + states_at(capacity)) - 1;
        depot_ = std::make_shared<detail::depot>(capacity, batch_,
                                                 reinterpret_cast<std::uint64_t*>(data + bits_at(capacity)),
                                                 reinterpret_cast<std::uint32_t*>(data + stack_at(capacity)));
        key_ = key{detail::thread_magazines::new_key(depot_.get())};
        if constexpr (annotated) annotate::begin(this, data, capacity * sizeof(T));
    }

    sync_fixed_pool(const sync_fixed_pool&) = delete;
    sync_fixed_pool& operator=(const sync_fixed_pool&) = delete;

    ~sync_fixed_pool() {
        if constexpr (requires(const leak_info& info) { Checks::on_leaks(info); }) {
            if (!empty()) Checks::on_leaks(leak_info{this, used(), capacity()});
        }
        depot_->close();
        if constexpr (annotated) annotate::end(this, block_.data(), +capacity_ * sizeof(T));
    }

    /// Allocates a slot. Returns nullptr if the thread can reach no free slot. Otherwise as fixed_pool's.
    [[nodiscard]] EBB_INLINE T* allocate() noexcept {
        detail::front& f = front();
        if (EBB_UNLIKELY(f.key != +key_)) return allocate_slowly();
        const std::uint32_t hot = f.hot.load(std::memory_order_relaxed);
        if constexpr (Checks::enabled) {
            // The name `none` has a state other than free, so this also tests for it.
            if (EBB_UNLIKELY(!is(hot, detail::slot_state::free))) return allocate_counted(f);
            states_[hot].store(detail::slot_state::live, std::memory_order_relaxed);
        } else {
            if (EBB_UNLIKELY(hot == detail::front::none)) return allocate_counted(f);
        }
        f.hot.store(detail::front::none, std::memory_order_relaxed);
        return hand_out(hot);
    }

    /// Frees a slot, which any thread may have allocated. Otherwise as fixed_pool's.
    EBB_INLINE void deallocate(T* p) noexcept {
        const std::size_t name = name_of(p);
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(name > +capacity_ || !is(name, detail::slot_state::live))) return complain(p);
            states_[name].store(detail::slot_state::free, std::memory_order_relaxed);
        }
        if constexpr (annotated) annotate::given_back(this, p, sizeof(T));
        detail::front& f = front();
        if (EBB_UNLIKELY(f.key != +key_)) return deallocate_slowly(name);
        const std::uint32_t hot = f.hot.load(std::memory_order_relaxed);
        if (hot != detail::front::none) {
            detail::magazine& m = *f.own;
            const std::uint32_t n = m.count.load(std::memory_order_relaxed);
            if (EBB_UNLIKELY(n >= room_)) return deallocate_slowly(name);
            m.slots[n] = hot - 1;
            m.count.store(n + 1, std::memory_order_relaxed);
        }
        f.hot.store(static_cast<std::uint32_t>(name), std::memory_order_relaxed);
    }

    /// Returns the number of slots.
    [[nodiscard]] std::size_t capacity() const noexcept { return +capacity_; }

    /// Returns the number of allocated slots. While other threads use the pool, it may be off by one for each;
    /// this also applies to available, empty and full. It takes the lock, and O(threads) time.
    [[nodiscard]] std::size_t used() const noexcept { return depot_->used(); }
    /// Returns capacity() - used(), which includes slots in the magazines of other threads.
    [[nodiscard]] std::size_t available() const noexcept { return capacity() - used(); }
    /// Reports whether used() == 0.
    [[nodiscard]] bool empty() const noexcept { return used() == 0; }
    /// Reports whether used() == capacity().
    [[nodiscard]] bool full() const noexcept { return used() == capacity(); }

    /// As fixed_pool::owns.
    [[nodiscard]] bool owns(const T* p) const noexcept { return slot_of(p) < +capacity_; }

    /// Returns the number of slots that were ever allocated or in a magazine, an upper bound of the slots
    /// allocated at one time.
    [[nodiscard]] std::size_t high_water() const noexcept { return depot_->fresh(); }

    /// Returns the number of slots that a refill or flush moves, or 0 if each call takes the lock.
    [[nodiscard]] std::size_t batch() const noexcept { return batch_; }

    /// As fixed_pool::verify.
    [[nodiscard]] bool verify(const T* p) const noexcept {
        if constexpr (Checks::enabled) {
            const std::size_t name = name_of(p);
            if (EBB_UNLIKELY(name > +capacity_ || !is(name, detail::slot_state::live))) {
                complain(p);
                return false;
            }
        }
        return true;
    }

    /// As fixed_pool::bytes_needed.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return block_bytes(capacity) + block_alignment - 1;
    }

private:
    using state = std::atomic<detail::slot_state>;
    // Its own type, for the reason given at detail::counter.
    enum class key : std::uint64_t {};
    friend constexpr std::uint64_t operator+(key k) noexcept { return static_cast<std::uint64_t>(k); }
    // It is only loaded and stored, with plain instructions even if is_always_lock_free is false, as on
    // riscv64.
    static_assert(sizeof(state) == 1, "states are bytes of memory that is zero");

    // AddressSanitizer has one shadow byte for 8 bytes. Threads would race for the shadow bytes of slots that
    // share one.
    static constexpr bool annotated = annotate::on && (EBB_ASAN == 0 || sizeof(T) % 8 == 0);

    static constexpr std::size_t block_alignment = alignof(T) > detail::cache_line ? alignof(T) : detail::cache_line;

    static constexpr std::size_t runs(std::size_t capacity) noexcept {
        return (capacity + detail::run_length - 1) / detail::run_length;
    }
    // The states of each run start at a cache line. The line before has the state of the name without a slot.
    static constexpr std::size_t states_at(std::size_t capacity) noexcept {
        return detail::round_up(capacity * sizeof(T), detail::cache_line) + detail::cache_line;
    }
    static constexpr std::size_t bits_at(std::size_t capacity) noexcept {
        return states_at(capacity) + runs(capacity) * detail::run_length;
    }
    static constexpr std::size_t stack_at(std::size_t capacity) noexcept {
        return bits_at(capacity) + runs(capacity) * sizeof(std::uint64_t);
    }
    static constexpr std::size_t block_bytes(std::size_t capacity) {
        constexpr std::size_t limit = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
        constexpr std::size_t slack = 2 * detail::huge_page + 2 * block_alignment;
        if (capacity > max_capacity || capacity > (limit - slack) / (sizeof(T) + 2)) {
            detail::throw_length("ebb::sync_fixed_pool: capacity is too large");
        }
        // Not 0 for a capacity of 0.
        return stack_at(capacity) + (runs(capacity) + 1) * sizeof(std::uint32_t);
    }
    static constexpr std::uint32_t batch_of(std::size_t capacity, const sync_options& options) noexcept {
        const std::size_t wanted = options.batch == sync_options::automatic ? capacity / 64 : options.batch;
        return static_cast<std::uint32_t>(std::bit_floor(std::min(wanted, detail::run_length)));
    }

    // In an executable, this makes no call. A call would make the function save registers, a third of its time. In a
    // shared library, finding the thread's cache is a call.
    [[nodiscard]] detail::front& front() const noexcept { return detail::thread_magazines::at(+key_); }
    [[nodiscard]] detail::front* find_front() noexcept {
        return batch_ == 0 ? nullptr : detail::thread_magazines::find(+key_, depot_);
    }

    // For a thread without a hot slot, or whose hot slot is already allocated.
    EBB_NOINLINE T* allocate_counted(detail::front& f) noexcept {
        if (f.hot.load(std::memory_order_relaxed) == detail::front::none) {
            detail::magazine& m = *f.own;
            const std::uint32_t n = m.count.load(std::memory_order_relaxed);
            if (n != 0) {
                const std::size_t name = m.slots[n - 1] + std::size_t{1};
                m.count.store(n - 1, std::memory_order_relaxed);
                if (claim(name)) return hand_out(name);
            }
        }
        return allocate_slowly();
    }
    EBB_NOINLINE T* allocate_slowly() noexcept {
        detail::front* const f = find_front();
        for (;;) {
            const std::size_t name = f != nullptr ? next_of(*f) : depot_->take_one() + std::size_t{1};
            if (name == detail::depot::none + std::size_t{1}) return nullptr;
            if (claim(name)) return hand_out(name);
        }
    }
    std::size_t next_of(detail::front& f) noexcept {
        const std::uint32_t hot = f.hot.exchange(detail::front::none, std::memory_order_relaxed);
        if (hot != detail::front::none) return hot;
        const bool refills = f.own->count.load(std::memory_order_relaxed) == 0;
        const std::uint32_t slot = depot_->take(*f.own);
        if (refills) fetch(*f.own);
        return slot + std::size_t{1};
    }
    // Prefetches the first line of each slot of a refill, because these slots were used long ago, or by another
    // thread.
    void fetch(const detail::magazine& m) const noexcept {
        for (std::uint32_t i = m.count.load(std::memory_order_relaxed); i-- > 0;) {
            EBB_PREFETCH(named(m.slots[i] + std::size_t{1}));
        }
    }
    EBB_NOINLINE void deallocate_slowly(std::size_t name) noexcept {
        detail::front* const f = find_front();
        if (f == nullptr) return depot_->put_one(static_cast<std::uint32_t>(name - 1));
        const std::uint32_t hot = f->hot.load(std::memory_order_relaxed);
        if (hot != detail::front::none) depot_->put(*f->own, hot - 1);
        f->hot.store(static_cast<std::uint32_t>(name), std::memory_order_relaxed);
    }

    // Returns false if the slot is already allocated: two threads freed it at the same moment, and this copy is
    // dropped. If two threads claim both copies at the same moment, both succeed. An exchange of the state
    // would detect that, but take as long as the rest of the call.
    [[nodiscard]] bool claim(std::size_t name) noexcept {
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(is(name, detail::slot_state::live))) {
                complain_late(name);
                return false;
            }
            states_[name].store(detail::slot_state::live, std::memory_order_relaxed);
        }
        return true;
    }
    T* hand_out(std::size_t name) noexcept {
        T* const p = named(name);
        EBB_ASSUME(p != nullptr);
        if constexpr (annotated) annotate::handed_out(this, p, sizeof(T));
        return p;
    }

    // The name of a slot is its index plus one. No slot has the name 0, whose state is always `never`.
    [[nodiscard]] T* named(std::size_t name) const noexcept { return reinterpret_cast<T*>(before_ + name * sizeof(T)); }
    [[nodiscard]] bool is(std::size_t name, detail::slot_state s) const noexcept {
        return states_[name].load(std::memory_order_relaxed) == s;
    }
    [[nodiscard]] std::size_t name_of(const T* p) const noexcept {
        return detail::slot_finder<sizeof(T)>::quotient(p, before_);
    }
    [[nodiscard]] std::size_t slot_of(const T* p) const noexcept { return name_of(p) - 1; }

    EBB_COLD void complain(const T* p) const noexcept {
        const std::size_t slot = slot_of(p);
        Checks::on_misuse(detail::classify(this, p, named(1), sizeof(T), alignof(T), +capacity_, slot,
                                           slot < +capacity_ && is(slot + 1, detail::slot_state::never)));
    }
    EBB_COLD void complain_late(std::size_t name) const noexcept {
        Checks::on_misuse(
            misuse_info{misuse::double_free, this, named(name), named(1), name - 1, sizeof(T), +capacity_});
    }

    detail::counter capacity_;
    std::uint32_t batch_;
    std::uint32_t room_;  // of a magazine, in slots
    detail::block block_;
    key key_{};                  // of the depot in each thread's cache
    std::uintptr_t before_ = 0;  // the address of the name 0
    state* states_ = nullptr;    // by name
    std::shared_ptr<detail::depot> depot_;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_SYNC_FIXED_POOL_HPP

namespace ebb {
inline namespace EBB_ABI {

/// An alias of fixed_pool.
template <class T, class Checks = checks::trap>
using arena_pool = fixed_pool<T, Checks>;

/// An alias of sync_fixed_pool.
template <class T, class Checks = checks::trap>
using sync_arena_pool = sync_fixed_pool<T, Checks>;

}  // namespace EBB_ABI
}  // namespace ebb

#endif
// ebb::arena_resource: a std::pmr::memory_resource on an arena.
#ifndef EBBPOOL_ARENA_RESOURCE_HPP
#define EBBPOOL_ARENA_RESOURCE_HPP

#include <cstddef>
#include <memory_resource>


namespace ebb {
inline namespace EBB_ABI {

/// A memory resource that allocates from an arena, which must outlive it.
///
///     ebb::arena_resource memory(a);
///     std::pmr::vector<std::pmr::string> words(&memory);
///
/// Containers must be destroyed before the arena's cycle ends; for containers that are never destroyed, call
/// abandon(). The following is misuse (`stranded`): using a resource that has blocks of an earlier cycle,
/// allocating from the arena after a release() under a block, and rewinding under a block.
///
/// Containers reuse blocks that containers have freed. Two resources are equal only if they are the same
/// object. Throws as arena::allocate. Freeing a block is O(1), or O(log chunks + marks after the block) while
/// there are marks.
///
/// \snippet reference.cpp arena_resource
template <class Checks = checks::trap>
class basic_arena_resource : public std::pmr::memory_resource {
public:
    /// Allocates from `a`, which must outlive it.
    explicit basic_arena_resource(basic_arena<Checks>& a) noexcept : arena_(&a) {}
    basic_arena_resource(const basic_arena_resource&) = delete;
    basic_arena_resource& operator=(const basic_arena_resource&) = delete;
    ~basic_arena_resource() override { abandon(); }

    /// Returns the arena.
    [[nodiscard]] basic_arena<Checks>& arena() const noexcept { return *arena_; }

    /// Returns the number of allocated blocks.
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

    /// Promises that the allocated blocks will not be freed, or used after the end of the cycle.
    void abandon() noexcept {
        if (Checks::enabled && blocks_ != 0 && !is_stranded()) arena_->region_.abandon_blocks(blocks_);
        blocks_ = 0;
    }

private:
    [[nodiscard]] bool is_stranded() const noexcept { return blocks_ != 0 && cycle_ != arena_->region_.cycle(); }

    // If the policy returns, the resource has no blocks.
    EBB_COLD void complain() noexcept {
        blocks_ = 0;
        if constexpr (Checks::enabled) arena_->complain(misuse::stranded, this);
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        // Whether the alignment is 1, 2, 4 or 8. Without -march, clang compiles the usual power-of-2 test to 17
        // more instructions.
        const bool simple = alignment <= detail::unit && (0b1'0001'0110 >> alignment & 1) != 0;
        if (EBB_UNLIKELY(!simple || is_stranded())) return allocate_apart(bytes, alignment);
        void* const p = arena_->region_.take_block_at_once(bytes);
        if (EBB_UNLIKELY(p == nullptr)) return allocate_apart(bytes, alignment);
        return add_block(), p;
    }

    // Not inlined, so that do_allocate saves no registers.
    EBB_NOINLINE void* allocate_apart(std::size_t bytes, std::size_t alignment) {
        if (EBB_UNLIKELY(is_stranded())) complain();
        void* const p = arena_->take_block(bytes, alignment);
        return add_block(), p;
    }

    EBB_INLINE void add_block() noexcept {
        if (blocks_++ == 0) cycle_ = arena_->region_.cycle();
        if constexpr (Checks::enabled) arena_->region_.add_block();
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
        if (EBB_UNLIKELY(blocks_ == 0)) return;  // abandoned
        if (EBB_UNLIKELY(is_stranded())) return complain();
        --blocks_;
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(arena_->region_.has_marks())) return give_under_marks(p, bytes);
            arena_->region_.remove_block();
        }
        arena_->region_.give_block(p, bytes);
    }
    EBB_NOINLINE void give_under_marks(void* p, std::size_t bytes) noexcept {
        arena_->region_.remove_block(p);
        arena_->region_.give_block(p, bytes);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    basic_arena<Checks>* arena_;
    std::size_t blocks_ = 0;
    std::size_t cycle_ = 0;  // the arena's cycle at the first block
};

/// Sets std::pmr's default resource, for all threads, and restores the previous one at the end of the scope.
/// Scopes must nest.
///
/// \snippet reference.cpp default_resource
class default_resource_scope {
public:
    /// `memory` must outlive the scope and all blocks allocated from it.
    explicit default_resource_scope(std::pmr::memory_resource& memory) noexcept
        : before_(std::pmr::set_default_resource(&memory)) {}
    default_resource_scope(const default_resource_scope&) = delete;
    default_resource_scope& operator=(const default_resource_scope&) = delete;
    ~default_resource_scope() { std::pmr::set_default_resource(before_); }

private:
    std::pmr::memory_resource* before_;
};

/// A resource on an arena with the default policy.
///
/// \snippet reference.cpp arena_resource
using arena_resource = basic_arena_resource<>;

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_RESOURCE_HPP
// ebb::handle<T> and its pool. A handle has the index of a slot and the slot's generation, which is incremented
// when the object is destroyed. So each use of a stale handle is detected, even if the slot has a new object,
// which no check of a pointer can do.
#ifndef EBBPOOL_HANDLE_POOL_HPP
#define EBBPOOL_HANDLE_POOL_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

// Ranges over the allocated slots of a pool, in the order of their addresses.
#ifndef EBBPOOL_ITERATE_HPP
#define EBBPOOL_ITERATE_HPP

#include <cstddef>
#include <iterator>


namespace ebb {
inline namespace EBB_ABI {

/// A range over the allocated slots of a pool: `for (T& object : ebb::live(pool))`. It includes slots without a
/// constructed object.
///
/// The loop may free the current slot. Slots allocated in the loop may or may not be visited. A loop takes
/// O(high_water()) time. Pools with checks::none have no such range.
///
/// \snippet reference.cpp live
template <class Pool>
class live_range {
public:
    /// The type of the pool's objects.
    using value_type = typename Pool::value_type;

    /// A forward iterator.
    class iterator {
    public:
        /// Forward.
        using iterator_category = std::forward_iterator_tag;
        /// The type of the pool's objects.
        using value_type = typename Pool::value_type;
        /// For std::iterator_traits.
        using difference_type = std::ptrdiff_t;
        /// For std::iterator_traits.
        using pointer = value_type*;
        /// For std::iterator_traits.
        using reference = value_type&;

        /// A singular iterator.
        constexpr iterator() noexcept = default;
        /// The object.
        [[nodiscard]] constexpr reference operator*() const noexcept { return *pool_->slot(index_); }
        /// The object.
        [[nodiscard]] constexpr pointer operator->() const noexcept { return pool_->slot(index_); }
        /// Advances to the next allocated slot. O(slots between them).
        constexpr iterator& operator++() noexcept {
            ++index_;
            skip();
            return *this;
        }
        /// The same, but returns the previous value.
        constexpr iterator operator++(int) noexcept {
            iterator old = *this;
            ++*this;
            return old;
        }
        /// Reports whether both are at the same slot.
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.index_ == b.index_; }

    private:
        friend class live_range;
        constexpr iterator(const Pool* pool, std::size_t index, std::size_t end) noexcept
            : pool_(pool), index_(index), end_(end) {
            skip();
        }
        constexpr void skip() noexcept {
            while (index_ < end_ && !pool_->slot_is_live(index_)) ++index_;
        }
        const Pool* pool_ = nullptr;
        std::size_t index_ = 0;
        std::size_t end_ = 0;
    };

    /// The range of `pool`, which must outlive it.
    constexpr explicit live_range(const Pool& pool) noexcept : pool_(&pool), end_(pool.high_water()) {}
    /// The first allocated slot. O(slots before it).
    [[nodiscard]] constexpr iterator begin() const noexcept { return iterator(pool_, 0, end_); }
    /// The end. O(1).
    [[nodiscard]] constexpr iterator end() const noexcept { return iterator(pool_, end_, end_); }

private:
    const Pool* pool_;
    std::size_t end_;  // slots from here on were never allocated
};

/// Returns the range of the allocated slots of `pool`; see live_range.
///
/// \snippet reference.cpp live
template <class T, class Checks>
requires(Checks::enabled)
    [[nodiscard]] constexpr live_range<fixed_pool<T, Checks>> live(const fixed_pool<T, Checks>& pool) noexcept {
    return live_range<fixed_pool<T, Checks>>(pool);
}

/// Destroys all objects of `pool`, frees their slots, and returns their number. Each allocated slot must have
/// an object. Call it before the pool is destroyed if its objects own resources.
///
/// \snippet reference.cpp live
template <class T, class Checks>
requires(Checks::enabled) constexpr std::size_t destroy_all(fixed_pool<T, Checks>& pool) noexcept {
    std::size_t destroyed = 0;
    // Repeated, because destructors may make objects.
    while (!pool.empty()) {
        for (T& object : live(pool)) {
            destroy(pool, &object);
            ++destroyed;
        }
    }
    return destroyed;
}

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ITERATE_HPP

namespace ebb {
inline namespace EBB_ABI {

namespace detail {
struct generations;  // access for a test, which can't make 2^31 objects
}

/// Refers to an object in a handle_pool<T>, in 8 bytes. The default handle is null. A handle does not identify
/// its pool: in another pool of the same type, it may refer to an unrelated object.
///
/// \snippet reference.cpp handle_pool
template <class T>
struct handle {
    /// The index of the slot.
    std::uint32_t index = 0;
    std::uint32_t generation = 0;  ///< odd for a handle to an object; 0 for none

    /// Reports whether the handle isn't null. The object may have been destroyed.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return generation != 0; }
    /// Reports whether both refer to the same object.
    friend constexpr bool operator==(const handle&, const handle&) noexcept = default;
    /// An arbitrary order, for containers.
    friend constexpr auto operator<=>(const handle&, const handle&) noexcept = default;
};

/// A pool of a fixed number of objects that are accessed by handles. It is for one thread at a time.
///
/// The destructor destroys the remaining objects, including objects that their destructors create, so
/// with_leaks reports nothing.
///
/// Generations don't wrap, so a stale handle never becomes valid: after 2,147,483,647 objects, a slot is
/// retired and not used again. Calls are O(1). The pool takes the memory of a fixed_pool<T> and 4 bytes per
/// slot.
///
/// \snippet reference.cpp handle_pool
template <class T, class Checks = checks::trap>
class handle_pool {
public:
    /// T.
    using value_type = T;
    /// The result of create().
    using handle_type = handle<T>;

    /// Throws as fixed_pool's constructor. It makes two allocations, or none with options.storage.
    explicit handle_pool(std::size_t capacity, const pool_options& options = {})
        : pool_(capacity, for_objects(capacity, options)),
          generations_(generation_bytes(capacity), alignof(std::uint32_t), 0, for_generations(capacity, options)) {}

    handle_pool(const handle_pool&) = delete;
    handle_pool& operator=(const handle_pool&) = delete;

    ~handle_pool() {
        // Repeated, because a destructor may create objects.
        while (!empty()) {
            for (std::size_t i = 0; i < pool_.high_water(); ++i) {
                if (slot_is_live(i)) drop(i);
            }
        }
        // Retired slots are not leaks.
        for (std::size_t i = 0; i < pool_.high_water(); ++i) {
            if (generation(i) == retired_generation) pool_.deallocate(pool_.slot(i));
        }
    }

    /// Constructs a T from `args`. Returns the null handle if the pool is full. If the constructor throws,
    /// the pool is unchanged.
    template <class... Args>
    [[nodiscard]] handle_type create(Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
        T* const p = construct(pool_, std::forward<Args>(args)...);
        if (p == nullptr) return {};
        const std::size_t i = pool_.index_of(p);
        return {static_cast<std::uint32_t>(i), ++generation(i)};
    }

    /// Returns the object, or nullptr if it was destroyed.
    [[nodiscard]] T* get(handle_type h) const noexcept {
        // Even generations belong to no object, but a forged handle may have one.
        return h.index < pool_.capacity() && is_odd(h.generation) && h.generation != retired_generation &&
                       generation(h.index) == h.generation
                   ? pool_.slot(h.index)
                   : nullptr;
    }

    /// Destroys the object and frees its slot. Returns false, and does nothing, if the handle is stale or
    /// null.
    bool destroy(handle_type h) noexcept {
        if (get(h) == nullptr) return false;
        drop(h.index);
        return true;
    }

    /// Returns the handle of an object, or the null handle if p is not an object of this pool.
    [[nodiscard]] handle_type handle_of(const T* p) const noexcept {
        const std::size_t i = pool_.index_of(p);
        if (i >= pool_.capacity()) return {};
        const handle_type h{static_cast<std::uint32_t>(i), generation(i)};
        return get(h) != nullptr ? h : handle_type{};
    }

    /// Returns the number of slots.
    [[nodiscard]] std::size_t capacity() const noexcept { return pool_.capacity(); }
    /// Returns the number of objects.
    [[nodiscard]] std::size_t used() const noexcept { return pool_.used() - retired_; }
    /// Returns the number of objects that can still be created.
    [[nodiscard]] std::size_t available() const noexcept { return pool_.available(); }
    /// Reports whether used() == 0.
    [[nodiscard]] bool empty() const noexcept { return used() == 0; }
    /// Reports whether create() returns the null handle. Retired slots count as used.
    [[nodiscard]] bool full() const noexcept { return pool_.full(); }
    /// Returns the number of retired slots.
    [[nodiscard]] std::size_t retired() const noexcept { return retired_; }

    /// Returns the largest number of slots that were allocated or retired at one time. O(log capacity).
    [[nodiscard]] std::size_t high_water() const noexcept { return pool_.high_water(); }
    /// Returns the address of a slot. The index must be less than capacity().
    [[nodiscard]] T* slot(std::size_t index) const noexcept { return pool_.slot(index); }
    /// Reports whether a slot has an object whose constructor and destructor are not running. The index
    /// must be less than high_water().
    [[nodiscard]] bool slot_is_live(std::size_t index) const noexcept {
        const std::uint32_t g = generation(index);
        return is_odd(g) && g != retired_generation;
    }

    /// Returns a size of pool_options::storage that is enough, at any address.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return fixed_pool<T, Checks>::bytes_needed(capacity) + storage_of_generations(capacity);
    }

private:
    friend struct detail::generations;

    // The largest generation, which no handle has.
    static constexpr std::uint32_t retired_generation = std::numeric_limits<std::uint32_t>::max();

    static constexpr bool is_odd(std::uint32_t g) noexcept { return g % 2 != 0; }

    // At least one entry. The pool's constructor has checked for overflow.
    static constexpr std::size_t generation_bytes(std::size_t capacity) noexcept {
        return (capacity + 1) * sizeof(std::uint32_t);
    }
    static constexpr std::size_t storage_of_generations(std::size_t capacity) noexcept {
        return generation_bytes(capacity) + alignof(std::uint32_t) - 1;
    }

    // Splits the caller's storage. The generations are at its end.
    static pool_options for_objects(std::size_t capacity, const pool_options& options) {
        pool_options own = options;
        if (!options.storage.empty()) {
            const std::size_t all = options.storage.size();
            if (all < bytes_needed(capacity)) {
                detail::throw_length("ebb::handle_pool: the storage handed in is smaller than bytes_needed()");
            }
            own.storage = options.storage.first(all - storage_of_generations(capacity));
        }
        return own;
    }
    static pool_options for_generations(std::size_t capacity, const pool_options& options) noexcept {
        pool_options own = options;
        if (!options.storage.empty()) own.storage = options.storage.last(storage_of_generations(capacity));
        return own;
    }

    [[nodiscard]] std::uint32_t& generation(std::size_t i) const noexcept {
        return reinterpret_cast<std::uint32_t*>(generations_.data())[i];
    }

    void drop(std::size_t i) noexcept {
        // Before the destructor runs, so that handles are stale in it.
        T* const p = pool_.slot(i);
        if (++generation(i) == retired_generation - 1) {
            generation(i) = retired_generation;
            ++retired_;
            std::destroy_at(p);
            return;
        }
        std::destroy_at(p);
        pool_.deallocate(p);
    }

    fixed_pool<T, Checks> pool_;
    detail::block generations_;
    std::size_t retired_ = 0;
};

/// Returns a range of the objects of `pool` in the order of their addresses; see live_range. The handle
/// of an object is pool.handle_of(&object).
///
/// \snippet reference.cpp handle_pool
template <class T, class Checks>
[[nodiscard]] live_range<handle_pool<T, Checks>> live(const handle_pool<T, Checks>& pool) noexcept {
    return live_range<handle_pool<T, Checks>>(pool);
}

}  // namespace EBB_ABI
}  // namespace ebb

template <class T>
struct std::hash<ebb::handle<T>> {
    std::size_t operator()(const ebb::handle<T>& h) const noexcept {
        return std::hash<std::uint64_t>{}(std::uint64_t{h.generation} << 32 | h.index);
    }
};

#endif  // EBBPOOL_HANDLE_POOL_HPP
// ebb::pool_allocator<T>: allocates nodes of containers such as std::list, std::map, std::set and
// std::unordered_map from a pool.
//
//     using entry = std::pair<const int, double>;
//     ebb::node_pool<entry> nodes(10'000);
//     std::map<int, double, std::less<>, ebb::pool_allocator<entry>> prices(nodes);
#ifndef EBBPOOL_POOL_ALLOCATOR_HPP
#define EBBPOOL_POOL_ALLOCATOR_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

// ebb::pool_resource: a std::pmr::memory_resource with blocks of one size.
#ifndef EBBPOOL_POOL_RESOURCE_HPP
#define EBBPOOL_POOL_RESOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <memory_resource>


namespace ebb {
inline namespace EBB_ABI {

/// The element type of a pool of raw memory.
///
/// \snippet reference.cpp pool_resource
template <std::size_t Size, std::size_t Alignment = alignof(std::max_align_t)>
struct raw_block {
    /// The bytes.
    alignas(Alignment) std::byte bytes[Size];
};

/// A memory resource of `capacity` blocks of BlockSize bytes.
///
///     ebb::pool_resource<64> nodes(10'000);
///     std::pmr::list<int> list(&nodes);
///
/// Requests of at most BlockSize bytes and Alignment take a block. Larger requests, and all requests when no
/// block is free, go to `upstream`. The default upstream throws std::bad_alloc. Containers that also allocate
/// arrays, such as std::pmr::unordered_map, need another upstream.
///
/// Misuse of deallocate is detected as by fixed_pool. Addresses outside the blocks go to `upstream`; with the
/// default upstream they are misuse. Two resources are equal only if they are the same object. It is for one
/// thread at a time.
///
/// \snippet reference.cpp pool_resource
template <std::size_t BlockSize = 64, std::size_t Alignment = alignof(std::max_align_t), class Checks = checks::trap>
class pool_resource : public std::pmr::memory_resource {
public:
    /// The pool's type.
    using pool_type = fixed_pool<raw_block<BlockSize, Alignment>, Checks>;

    /// Throws as fixed_pool's constructor. `upstream` must not be null and must outlive the resource.
    explicit pool_resource(std::size_t capacity, std::pmr::memory_resource* upstream = std::pmr::null_memory_resource(),
                           const pool_options& options = {})
        : pool_(capacity, options), upstream_(upstream) {}

    /// Returns the pool of the blocks.
    [[nodiscard]] const pool_type& pool() const noexcept { return pool_; }
    /// Returns the upstream resource.
    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

private:
    using block = raw_block<BlockSize, Alignment>;

    static constexpr bool fits(std::size_t bytes, std::size_t alignment) noexcept {
        return bytes <= sizeof(block) && alignment <= alignof(block);
    }

    [[nodiscard]] bool is_inside(const void* p) const noexcept {
        const auto offset = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(pool_.slot(0));
        return offset < pool_.capacity() * sizeof(block);
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (fits(bytes, alignment)) {
            if (void* const p = pool_.allocate(); p != nullptr) return p;
        }
        return upstream_->allocate(bytes, alignment);
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        // Decided by the address, because a wrong size must not go to `upstream`.
        if (is_inside(p) || upstream_->is_equal(*std::pmr::null_memory_resource())) {
            pool_.deallocate(static_cast<block*>(p));
        } else {
            upstream_->deallocate(p, bytes, alignment);
        }
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    pool_type pool_;
    std::pmr::memory_resource* upstream_;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_POOL_RESOURCE_HPP

namespace ebb {
inline namespace EBB_ABI {

namespace detail {

// An upper bound of a node of any standard container of T in libstdc++, libc++ and Microsoft's library: at most
// 4 words before the T (std::map: three pointers and a color), or one before and one after it
// (std::unordered_map: the next node and the hash).
template <class T>
constexpr std::size_t node_bytes() noexcept {
    constexpr std::size_t word = sizeof(void*);
    constexpr std::size_t align = std::max(alignof(T), word);
    constexpr std::size_t tree = round_up(4 * word, align) + round_up(sizeof(T), align);
    constexpr std::size_t hash = round_up(word, align) + round_up(sizeof(T) + word, align);
    return std::max(tree, hash);
}

}  // namespace detail

/// The pool of a pool_allocator<T, BlockSize, Checks>, with blocks that hold a node of T. The nodes of a
/// std::list need two words less than the default.
///
/// \snippet reference.cpp pool_allocator
template <class T, std::size_t BlockSize = detail::node_bytes<T>(), class Checks = checks::trap>
using node_pool = fixed_pool<raw_block<BlockSize, std::max(alignof(T), alignof(void*))>, Checks>;

/// A standard allocator that takes single objects from a node_pool, and arrays, such as the buckets of a hash
/// table, from the heap. The pool must outlive the containers that use it. Containers of one thread may share
/// it.
///
/// Two allocators are equal if they have the same pool. Move assignment and swap of containers propagate the
/// allocator; copy assignment doesn't.
///
/// \snippet reference.cpp pool_allocator
template <class T, std::size_t BlockSize = detail::node_bytes<T>(),
          std::size_t Alignment = std::max(alignof(T), alignof(void*)), class Checks = checks::trap>
class pool_allocator {
public:
    /// T.
    using value_type = T;
    /// A node_pool.
    using pool_type = fixed_pool<raw_block<BlockSize, Alignment>, Checks>;
    /// Copy assignment of containers does not propagate the allocator.
    using propagate_on_container_copy_assignment = std::false_type;
    /// Move assignment propagates it.
    using propagate_on_container_move_assignment = std::true_type;
    /// Swap propagates it.
    using propagate_on_container_swap = std::true_type;
    /// Allocators of different pools are not equal.
    using is_always_equal = std::false_type;

    /// The allocator for another type.
    template <class U>
    struct rebind {
        using other = pool_allocator<U, BlockSize, Alignment, Checks>;
    };

    /// Allocates from `pool`, which must outlive it.
    pool_allocator(pool_type& pool) noexcept : pool_(&pool) {}

    /// Allocates from the pool of `other`.
    template <class U>
    pool_allocator(const pool_allocator<U, BlockSize, Alignment, Checks>& other) noexcept : pool_(&other.pool()) {}

    /// Returns memory for n objects. Throws std::bad_alloc if the pool is full, or if n != 1 and the heap has
    /// no memory.
    [[nodiscard]] T* allocate(std::size_t n) {
        if constexpr (fits) {
            if (n == 1) {
                void* const p = pool_->allocate();
                if (p == nullptr) detail::throw_bad_alloc();
                return static_cast<T*>(p);
            }
        }
        return std::allocator<T>{}.allocate(n);
    }

    /// Frees a result of allocate(n).
    void deallocate(T* p, std::size_t n) noexcept {
        if constexpr (fits) {
            if (n == 1) {
                pool_->deallocate(reinterpret_cast<typename pool_type::value_type*>(p));
                return;
            }
        }
        std::allocator<T>{}.deallocate(p, n);
    }

    /// Returns the pool.
    [[nodiscard]] pool_type& pool() const noexcept { return *pool_; }

    /// Reports whether both have the same pool.
    template <class U>
    friend bool operator==(const pool_allocator& a, const pool_allocator<U, BlockSize, Alignment, Checks>& b) noexcept {
        return &a.pool() == &b.pool();
    }

private:
    // Larger types to which containers rebind the allocator, such as the arrays of std::deque, are allocated
    // from the heap.
    static constexpr bool fits = sizeof(T) <= BlockSize && alignof(T) <= Alignment;

    pool_type* pool_;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_POOL_ALLOCATOR_HPP
// ebb::sync_arena: a region for several threads.
//
// Each thread has a part, an arena of its own, and a thread-local cache of its parts. Only the first call of a
// thread takes a lock. When a thread ends, its part and the objects in it pass to the next new thread.
#ifndef EBBPOOL_SYNC_ARENA_HPP
#define EBBPOOL_SYNC_ARENA_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <utility>


namespace ebb {
inline namespace EBB_ABI {
namespace detail {

/// A thread's cache of its parts.
class thread_parts {
public:
    struct entry {
        const void* of = nullptr;  // a sync_arena
        std::size_t number = 0;    // of the sync_arena, because another one may get its address
        void* part = nullptr;
    };
    static constexpr std::size_t entries = 64;

    entry& at(std::size_t number) noexcept { return cache_[number % entries]; }
    /// A flag that is set when the thread ends. Throws std::bad_alloc.
    [[nodiscard]] const std::shared_ptr<std::atomic<bool>>& ended() {
        if (ended_ == nullptr) ended_ = std::make_shared<std::atomic<bool>>(false);
        return ended_;
    }
    void leave() noexcept {
        if (ended_ != nullptr) ended_->store(true, std::memory_order_release);
    }

private:
    std::array<entry, entries> cache_{};
    std::shared_ptr<std::atomic<bool>> ended_;
};

}  // namespace detail

/// A region that several threads may allocate from at the same time.
///
/// Any thread may use the objects; the program must synchronize access to them. reset, release, the destructor,
/// used_bytes and owns must not run while another thread uses the arena. The destructors of objects of one
/// thread run newest first. The order between threads is unspecified. It is neither copied nor moved.
///
/// Only a thread's first allocation takes a lock, and allocations of threads that alternate between more than
/// 64 arenas. Each thread has chunks of its own. If many threads make a few small objects each, an ebb::arena
/// under a lock needs less memory.
///
/// \snippet reference.cpp sync_arena
template <class Checks = checks::trap>
class basic_sync_arena {
public:
    /// The policy.
    using checks_type = Checks;

    /// An arena whose first chunk in each thread has room for `chunk_size` bytes. After a reset, each thread
    /// keeps chunks of at most `max_retained` bytes, or ten times chunk_size if that is 0. A memory source must
    /// be safe for use by several threads. options.storage is ignored. Throws as ebb::arena.
    explicit basic_sync_arena(std::size_t chunk_size, std::size_t max_retained = 0, const pool_options& options = {})
        : first_(chunk_size, max_retained, without_storage(options)) {}
    /// An arena of ebb::arena's default_chunk_size.
    basic_sync_arena() : basic_sync_arena(basic_arena<Checks>::default_chunk_size) {}
    basic_sync_arena(const basic_sync_arena&) = delete;
    basic_sync_arena& operator=(const basic_sync_arena&) = delete;
    /// Runs the destructors and frees all memory.
    ~basic_sync_arena() {
        reset();  // before deleting a part, because destructors may use others
        while (parts_ != nullptr) {
            part* const p = parts_;
            parts_ = p->next;
            delete p;
        }
    }

    /// Returns the calling thread's part, for functions that only ebb::arena has. Only this thread may use it,
    /// until it ends. Throws std::bad_alloc at a thread's first call.
    [[nodiscard]] EBB_INLINE basic_arena<Checks>& local() {
        const auto& e = detail::per_thread<detail::thread_parts>::get().at(number_);
        if (EBB_UNLIKELY(e.of != this || e.number != number_)) return find();
        return static_cast<part*>(e.part)->arena;
    }

    /// As ebb::arena::make.
    template <class T, class... Args>
    T* make(Args&&... args) {
        return local().template make<T>(std::forward<Args>(args)...);
    }
    /// As ebb::arena::make_span.
    template <class T>
    std::span<T> make_span(std::size_t n) {
        return local().template make_span<T>(n);
    }
    /// As ebb::arena::copy.
    std::string_view copy(std::string_view text) { return local().copy(text); }
    /// As ebb::arena::allocate.
    void* allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) {
        return local().allocate(bytes, align);
    }

    /// Ends the cycle in all threads' parts, as ebb::arena::reset. O(threads).
    void reset() noexcept {
        for_each([](part& p) { p.arena.reset(); });
    }
    /// The same, and frees all chunks.
    void release() noexcept {
        for_each([](part& p) { p.arena.release(); });
    }

    /// Returns the bytes that all threads have allocated in this cycle. O(threads).
    [[nodiscard]] std::size_t used_bytes() const noexcept {
        std::size_t n = 0;
        for_each([&n](const part& p) { n += p.arena.used_bytes(); });
        return n;
    }
    /// Reports whether p points into memory that any thread has allocated in this cycle. O(threads * log
    /// chunks).
    [[nodiscard]] bool owns(const void* p) const noexcept {
        bool any = false;
        for_each([&any, p](const part& of) { any = any || of.arena.owns(p); });
        return any;
    }

private:
    struct part {
        explicit part(const basic_arena<Checks>& like) noexcept : arena(detail::region::fork_of{region_of(like)}) {}
        basic_arena<Checks> arena;
        std::shared_ptr<std::atomic<bool>> ended;  // of its thread
        part* next = nullptr;
    };
    static const detail::region& region_of(const basic_arena<Checks>& a) noexcept { return a.region_; }

    static pool_options without_storage(pool_options options) noexcept {
        options.storage = {};
        return options;
    }
    // Numbers start at an address, so that shared libraries with counters of their own don't return the same
    // ones.
    static std::size_t new_number() noexcept {
        static std::atomic<std::size_t> last{reinterpret_cast<std::size_t>(&last)};
        return last.fetch_add(1, std::memory_order_relaxed);
    }

    EBB_NOINLINE basic_arena<Checks>& find() {
        detail::thread_parts* const mine = detail::per_thread<detail::thread_parts>::make();
        if (mine == nullptr) detail::throw_bad_alloc();
        part* const p = part_of(mine->ended());
        if (p == nullptr) detail::throw_bad_alloc();
        mine->at(number_) = {this, number_, p};
        return p->arena;
    }
    // Returns the part of a thread, an ended thread's part, or a new one.
    part* part_of(const std::shared_ptr<std::atomic<bool>>& thread) {
        const std::lock_guard lock(mutex_);
        part* idle = nullptr;
        for (part* p = parts_; p != nullptr; p = p->next) {
            if (p->ended == thread) return p;
            if (p->ended->load(std::memory_order_acquire)) idle = p;
        }
        if (idle == nullptr) {
            idle = new (std::nothrow) part(first_);
            if (idle == nullptr) return nullptr;
            idle->next = std::exchange(parts_, idle);
        }
        idle->ended = thread;
        return idle;
    }

    // Without the lock, because destructors may use the arena.
    template <class F>
    void for_each(const F& f) const noexcept {
        for (part* p = parts_; p != nullptr; p = p->next) f(*p);
    }

    const std::size_t number_ = new_number();
    detail::mutex mutex_;
    part* parts_ = nullptr;
    basic_arena<Checks> first_;  // always empty; parts copy its parameters
};

/// A sync arena with the default policy.
///
/// \snippet reference.cpp sync_arena
using sync_arena = basic_sync_arena<>;

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_SYNC_ARENA_HPP
