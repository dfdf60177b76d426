// Where an arena stands: what its fast paths use, what a mark remembers, and what
// it says of itself.
#ifndef EBBPOOL_REGION_STATE_HPP
#define EBBPOOL_REGION_STATE_HPP

#include <cstddef>
#include <cstdint>

#include <ebbpool/chunks.hpp>
#include <ebbpool/records.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// An arena at one moment. Sizes are in bytes.
///
/// \snippet reference.cpp arena_stats
struct arena_stats {
    std::size_t used_bytes;      ///< as arena::used_bytes
    std::size_t retained_bytes;  ///< in the chunks that it holds now, their headers included, used or not
    std::size_t high_water;      ///< the most used_bytes has been, as seen by reset, release, rewind and stats
    std::size_t chunks;          ///< chunks that it holds now
    std::size_t resets;          ///< epochs that have ended, by reset or release
    std::size_t oversize;        ///< chunks ever made larger than growth would have, for one large allocation
};

namespace detail {

/// A place in the epoch of a region. It lies in the arena, behind what it keeps.
struct alignas(unit) place {
    place* older;
    std::size_t serial;  // no other has it
    chunk* newest;
    chunk* current;
    address lo, hi;
    std::size_t sunk, overhead;
    record* last;
    std::size_t blocks;      // outstanding ones of memory resources that came after `older`
    std::size_t own_blocks;  // of residents, likewise
};

/// A memory resource that lies in the region whose memory it hands out, for objects that
/// want one. It knows where the arena is, which may move.
struct resident {
    resident* older;
    const void* kind;  // of resource
    void* arena;
};

/// What fast paths use of a region, at its beginning, where addresses are short.
struct region_state {
    static constexpr address no_run{2};

    // Bit 0 of lo_ says that the arena runs code of the program's. A member of its own would
    // be stored for each object, too, even where a compiler sees all of the constructor: the
    // object might, for all it knows, lie there. lo_ is stored anyway.
    address lo_{}, hi_{};
    std::size_t overhead_ = 0;  // bytes taken that are none of the user's
    record* last_ = nullptr;    // the newest run
    address run_end_ = no_run;  // what lo_ is where that ends, while it may grow; else what it never is
    address begin_{};           // of the current chunk; 0 before the first
    chunk* newest_ = nullptr;   // of those that hold something
    address end_{};
    chunk* base_ = nullptr;  // where each epoch begins, if there is just one chunk in use; else null
    std::size_t epochs_ = 0;
    std::size_t high_ = 0;
    std::size_t sunk_ = 0;  // bytes taken of chunks that are not current

    // The address in lo_, and a new one.
    [[nodiscard]] std::uintptr_t low() const noexcept { return +lo_ & ~std::uintptr_t{unit - 1}; }
    void set_low(std::uintptr_t at) noexcept { lo_ = address{at | busy()}; }

    [[nodiscard]] std::uintptr_t busy() const noexcept { return +lo_ & 1; }
    // Sets the bit, and answers what unlock gets: 0 where it is set already. Both count, since
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
