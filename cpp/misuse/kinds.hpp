#pragma once

/// \file
/// The ways to misuse a pool that the matrix tries, and what can come of it.

#include <array>
#include <cstdint>

namespace misuse {

/// What is given back that should not be.
enum class kind : std::uint8_t {
    null,
    stack,
    heap,
    other_pool,
    past_end,
    interior,
    misaligned,
    double_free,
    never_allocated
};
inline constexpr std::array all_kinds{kind::null,       kind::stack,       kind::heap,
                                      kind::other_pool, kind::past_end,    kind::interior,
                                      kind::misaligned, kind::double_free, kind::never_allocated};

constexpr const char* name(kind k) noexcept {
    switch (k) {
        case kind::null: return "null";
        case kind::stack: return "stack";
        case kind::heap: return "heap";
        case kind::other_pool: return "other pool";
        case kind::past_end: return "one past the end";
        case kind::interior: return "interior";
        case kind::misaligned: return "misaligned";
        case kind::double_free: return "double free";
        case kind::never_allocated: return "never allocated";
    }
    return "?";
}

/// What was given back, for the document.
constexpr const char* explain(kind k) noexcept {
    switch (k) {
        case kind::null: return "the null pointer";
        case kind::stack: return "the address of a local variable";
        case kind::heap: return "memory of the C library's `malloc`";
        case kind::other_pool: return "a live object of another pool of the same type";
        case kind::past_end: return "the address behind the last object of a pool that was full";
        case kind::interior: return "the middle of a live object, aligned as objects are";
        case kind::misaligned: return "one byte into a live object";
        case kind::double_free: return "an object that was freed, with another freed in between";
        case kind::never_allocated: return "a place in the pool that was not handed out yet";
    }
    return "?";
}

/// What came of it, from best to worst.
enum class outcome : std::uint8_t {
    legal,     ///< not misuse of this allocator
    caught,    ///< reported by the call itself
    crashed,   ///< a signal within the call, with no report
    silent,    ///< accepted; nothing wrong was seen afterwards
    corrupted  ///< accepted; memory handed out twice, or not the pool's, or live data damaged
};

constexpr const char* name(outcome o) noexcept {
    switch (o) {
        case outcome::legal: return "legal";
        case outcome::caught: return "caught";
        case outcome::crashed: return "crashed";
        case outcome::silent: return "silent";
        case outcome::corrupted: return "CORRUPTED";
    }
    return "?";
}

}  // namespace misuse
