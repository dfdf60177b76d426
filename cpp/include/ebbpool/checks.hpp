// Misuse of pools and arenas: its kinds, messages and policies. Nothing here runs unless a check has failed.
#ifndef EBBPOOL_CHECKS_HPP
#define EBBPOOL_CHECKS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include <ebbpool/compiler.hpp>

namespace ebb::inline EBB_ABI {

/// The kinds of misuse, of a pointer passed to a pool or of a call of an arena.
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

/// A misuse, as passed to a policy. `pointer` was not dereferenced. For arenas, the fields about slots are zero
/// or no_slot.
/// \snippet reference.cpp report
struct misuse_info {
    /// The value of `slot` if `pointer` is in no slot.
    static constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

    misuse kind;                  ///< the kind of misuse
    const void* pool;             ///< the pool or arena object that was called
    const void* pointer;          ///< the argument. For arenas: the mark, the resource, or null
    const void* first = nullptr;  ///< the address of the pool's slot 0
    std::size_t slot = no_slot;   ///< the slot that `pointer` points into, or no_slot
    std::size_t slot_size = 0;    ///< bytes
    std::size_t capacity = 0;     ///< slots
};

/// A pool that is destroyed with allocated slots.
/// \snippet reference.cpp with_leaks
struct leak_info {
    const void* pool;      ///< the pool
    std::size_t live;      ///< allocated slots
    std::size_t capacity;  ///< slots
};

/// Writes a message of one line, with a terminating zero, to text. It is truncated to `size` bytes; 512 are
/// always enough. It doesn't allocate.
/// \snippet reference.cpp report
EBB_COLD inline void describe(const misuse_info& info, char* text, std::size_t size) noexcept {
    if (size > 0) text[0] = '\0';  // snprintf may fail
    if (info.kind >= misuse::stale_mark) {
        const char* const function = info.kind <= misuse::moved_mark ? "rewind" : "arena";
        static_cast<void>(std::snprintf(text, size, "ebbpool: %s: %s: argument %p, arena %p\n", function,
                                        name(info.kind), info.pointer, info.pool));
        return;
    }
    char slot[32] = "no slot";
    if (info.slot != misuse_info::no_slot) static_cast<void>(std::snprintf(slot, sizeof slot, "slot %zu", info.slot));
    static_cast<void>(
        std::snprintf(text, size, "ebbpool: deallocate: %s: pointer %p, %s, pool %p of %zu slots of %zu bytes at %p\n",
                      name(info.kind), info.pointer, slot, info.pool, info.capacity, info.slot_size, info.first));
}
/// The same for leaks.
/// \snippet reference.cpp with_leaks
EBB_COLD inline void describe(const leak_info& info, char* text, std::size_t size) noexcept {
    if (size > 0) text[0] = '\0';
    static_cast<void>(std::snprintf(text, size, "ebbpool: destructor: leak: %zu of %zu slots, pool %p\n", info.live,
                                    info.capacity, info.pool));
}

/// The type of the function that checks::report calls. It must not use the pool or arena.
/// \snippet reference.cpp report
using misuse_handler = void (*)(const misuse_info&) noexcept;
/// The type of the function that with_leaks<report> calls. It must not use the pool.
/// \snippet reference.cpp with_leaks
using leak_handler = void (*)(const leak_info&) noexcept;

namespace detail {

template <class Info>
EBB_COLD inline void print(const Info& info) noexcept {
    char text[512];
    describe(info, text, sizeof text);
    static_cast<void>(std::fputs(text, stderr));
}

// Atomic, because any thread may set or call them.
inline std::atomic<misuse_handler> current_misuse_handler{print<misuse_info>};
inline std::atomic<leak_handler> current_leak_handler{print<leak_info>};

}  // namespace detail

/// Sets the function that checks::report calls, and returns the previous one. Null restores the default, which
/// prints the message. It applies to the whole program, or to one shared library if that hides its symbols. It
/// is safe for concurrent use.
/// \snippet reference.cpp report
inline misuse_handler set_misuse_handler(misuse_handler handler) noexcept {
    return detail::current_misuse_handler.exchange(handler != nullptr ? handler : detail::print<misuse_info>);
}

/// Sets the function that checks::with_leaks<checks::report> calls. Otherwise as set_misuse_handler.
/// \snippet reference.cpp with_leaks
inline leak_handler set_leak_handler(leak_handler handler) noexcept {
    return detail::current_leak_handler.exchange(handler != nullptr ? handler : detail::print<leak_info>);
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
/// \snippet reference.cpp report
struct report {
    static constexpr bool enabled = true;  ///< misuse is detected
    /// Calls the handler.
    EBB_COLD static void on_misuse(const misuse_info& info) noexcept { detail::current_misuse_handler.load()(info); }
};

/// No checks. Misuse is undefined behavior, as with malloc.
/// \snippet reference.cpp policy
struct none {
    static constexpr bool enabled = false;  ///< misuse is not detected
    /// Never called.
    static void on_misuse(const misuse_info&) noexcept {}
};

/// The policy Base, with a report if slots are allocated when a pool is destroyed. With trap it prints and
/// aborts, with report it calls the leak handler, otherwise it prints. It is not the default, because some
/// programs destroy a pool with all its objects.
/// \snippet reference.cpp with_leaks
template <class Base = trap>
struct with_leaks : Base {
    /// Called by a pool's destructor if slots are allocated.
    EBB_COLD static void on_leaks(const leak_info& info) noexcept {
        if constexpr (std::is_same_v<Base, report>) {
            detail::current_leak_handler.load()(info);
        } else {
            detail::print(info);
            if constexpr (std::is_same_v<Base, trap>) std::abort();
        }
    }
};

}  // namespace checks
}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_CHECKS_HPP
