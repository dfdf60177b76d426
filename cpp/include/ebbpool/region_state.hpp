// The state of a region: the fields of its fast paths, what a mark stores, and the statistics.
#ifndef EBBPOOL_REGION_STATE_HPP
#define EBBPOOL_REGION_STATE_HPP

#include <cstddef>
#include <cstdint>

#include <ebbpool/chunks.hpp>
#include <ebbpool/records.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// Statistics of an arena. Sizes are in bytes.
///
/// \snippet reference.cpp arena_stats
struct arena_stats {
    std::size_t used_bytes;      ///< as arena::used_bytes
    std::size_t retained_bytes;  ///< in all chunks that it holds now, with their headers
    std::size_t high_water;      ///< the largest used_bytes that reset, release, rewind or stats has seen
    std::size_t chunks;          ///< chunks that it holds now
    std::size_t resets;          ///< calls of reset and release
    std::size_t oversize;        ///< chunks ever made for one allocation larger than the next chunk would have been
};

namespace detail {

struct free_lists;

/// Times at which a container may have taken its first block for the blocks that it gives back
/// to be valid. Each mark, rewind and end of a cycle begins another time.
struct live_times {
    std::size_t since, until;  // valid, and
    std::size_t again;         // from here on

    [[nodiscard]] bool has(std::size_t t) const noexcept { return t >= again || (t >= since && t < until); }
};

/// The state of a region at a mark. It is stored in the region, after what it keeps.
struct alignas(unit) place {
    place* older;
    std::size_t time;  // of the mark; no other mark has it
    chunk* newest;
    chunk* current;
    address before, lo, hi;  // before: lo without the place itself; bit 0: see within
    std::size_t sunk, overhead;
    record* last;
    std::size_t blocks;      // outstanding blocks of memory resources, taken between `older` and this place
    std::size_t own_blocks;  // of residents, likewise
    live_times live;         // before the mark
    free_lists* free;        // lists of free blocks before the mark, or null

    [[nodiscard]] std::uintptr_t begin() const noexcept { return +before & ~std::uintptr_t{unit - 1}; }
    // Whether a constructor or destructor has taken the mark that may still be running.
    [[nodiscard]] bool within() const noexcept { return (+before & 1) != 0; }
};

/// A memory resource that is stored in the region whose memory it hands out, for objects that
/// take one. A move of the arena sets `arena`.
struct resident {
    resident* older;
    const void* kind;  // of resource
    void* arena;
};

/// The fields of a region's fast paths, at its beginning, where offsets are short.
struct region_state {
    static constexpr address no_run{2};

    // Bit 0 of lo_ is set while the arena runs the program's code. A field of its own would be
    // stored again for each object, even if the compiler sees all of the constructor, because the
    // object might overlap it. lo_ is stored anyway.
    address lo_{}, hi_{};
    std::size_t overhead_ = 0;  // bytes taken that used_bytes() doesn't count
    record* last_ = nullptr;    // the newest run
    address run_end_ = no_run;  // lo_ at the end of that run if it can grow, else a value that lo_ never has
    address begin_{};           // of the current chunk; 0 before the first
    chunk* newest_ = nullptr;   // of those in use
    address end_{};
    chunk* base_ = nullptr;  // where each cycle begins, if one chunk at most is in use; else null
    std::size_t cycle_ = 0;
    std::size_t high_ = 0;
    std::size_t sunk_ = 0;  // bytes taken of chunks that are not current

    // The address in lo_, without the bit.
    [[nodiscard]] std::uintptr_t low() const noexcept { return +lo_ & ~std::uintptr_t{unit - 1}; }
    void set_low(std::uintptr_t at) noexcept { lo_ = address{at | busy()}; }

    [[nodiscard]] std::uintptr_t busy() const noexcept { return +lo_ & 1; }
    // Sets the bit and returns what unlock takes: 0 if it was set already. Both add, because
    // compilers cancel an addition against a subtraction.
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
