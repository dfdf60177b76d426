// The state of a region: the fields of its fast paths, the contents of a mark, and the statistics.
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
