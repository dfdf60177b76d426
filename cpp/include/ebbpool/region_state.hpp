// The state of a region: the fields of its fast paths, the contents of a mark, and the blocks of containers, which
// are reused within the cycle and counted.
//
// Size classes of blocks are the multiples of 8 up to 128 bytes, then 2^n and 3 * 2^n. A block has the size of its
// class, so any block of a free list fits any request of the class. An allocation pops the free list of its class,
// or bumps. Freeing the newest block moves the bump pointer back; other blocks are pushed on their free list.
#ifndef EBBPOOL_REGION_STATE_HPP
#define EBBPOOL_REGION_STATE_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include <ebbpool/annotate.hpp>
#include <ebbpool/chunks.hpp>

namespace ebb::inline EBB_ABI {

/// Statistics of an arena. Sizes are in bytes.
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

/// The record of a run of adjacent objects of one type. The objects follow it.
struct alignas(unit) record {
    record* older;
    void (*destroy)(record*) noexcept;
    std::uintptr_t end;  // of the last object. Not used while the run can grow; see region_state::run_end_
};

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
    // Sets the busy bit. Returns the argument for unlock, which restores the bit.
    EBB_INLINE address lock() noexcept {
        const address before = lo_;
        lo_ = address{+before | 1};
        return before;
    }
    EBB_INLINE void unlock(address before) noexcept {
        // If nothing was allocated since, lo_ gets a known value: the next allocation does not wait for a load,
        // and compilers can cancel the store of lock.
        if (EBB_UNLIKELY(+lo_ != (+before | 1))) {
            lo_ = address{low() | (+before & 1)};
        } else {
            lo_ = before;
        }
    }
};

class region_blocks : public region_state, public chunk_store {
public:
    /// Frees memory if it is the newest allocation.
    EBB_INLINE void give_back(void* p, std::size_t bytes) noexcept {
        if constexpr (annotate::on) return annotate::hide(p, bytes);
        if (+address_of(p) + round_up(bytes, unit) == low()) set_low(+address_of(p));
    }

    EBB_INLINE void give_block(void* p, std::size_t bytes) noexcept {
        if constexpr (annotate::on) return annotate::hide(p, bytes);
        const block_shape shape(bytes);
        if (+address_of(p) + shape.size == low()) return set_low(+address_of(p));
        if (EBB_UNLIKELY(shape.number >= block_shape::classes)) return;
        if (EBB_UNLIKELY(places_ != nullptr)) return add_free_since_mark(p, shape);
        add_free(p, shape);
    }

    /// Pops a free block, or returns null. The shape must be of a class that is reused.
    EBB_INLINE std::byte* free_block_of(const block_shape& shape) noexcept {
        free_block* const b = free_.of[shape.number];
        if (b == nullptr) return nullptr;
        free_.of[shape.number] = b->next;
        overhead_ -= shape.size;
        return reinterpret_cast<std::byte*>(b);
    }
    /// The same for an alignment above unit. It searches the first 8 blocks of the list.
    std::byte* free_block_of(const block_shape& shape, std::size_t align) noexcept {
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
}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_REGION_STATE_HPP
