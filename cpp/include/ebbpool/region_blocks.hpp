// Blocks of containers: lists of those that were given back, for reuse within the cycle, and
// counts of those that are outstanding.
//
// A block is as large as its class: a multiple of 8 up to 128 bytes, then 2^n or 3 * 2^n. So
// every block of a list serves every request of its class, and none shrinks. Taking a block
// pops the list of its class, or bumps; giving one back moves the bump pointer back if the block
// is the newest, else pushes.
#ifndef EBBPOOL_REGION_BLOCKS_HPP
#define EBBPOOL_REGION_BLOCKS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include <ebbpool/annotate.hpp>
#include <ebbpool/chunks.hpp>
#include <ebbpool/region_state.hpp>

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

// std::bit_width, whose result is an int or not, depending on the library's version.
constexpr std::size_t width(std::size_t x) noexcept {
    return static_cast<std::size_t>(std::numeric_limits<std::size_t>::digits - std::countl_zero(x));
}

/// The size and the class of a container's block; bytes must not be above chunk_store::max_bytes.
struct block_shape {
    static constexpr std::size_t exact = 128;   // up to here there is a class for each multiple of unit
    static constexpr std::size_t classes = 64;  // blocks of a class from here on are not reused

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
    /// Takes the newest memory back; other memory stays taken.
    EBB_INLINE void give_back(void* p, std::size_t bytes) noexcept {
        if constexpr (annotate::on) return annotate::hide(p, bytes);
        if (+address_of(p) + round_up(bytes, unit) == low()) set_low(+address_of(p));
    }

    /// Takes a container's block back.
    EBB_INLINE void give_block(void* p, std::size_t bytes) noexcept {
        if constexpr (annotate::on) return annotate::hide(p, bytes);
        const block_shape shape(bytes);
        if (+address_of(p) + shape.size == low()) return set_low(+address_of(p));
        if (EBB_UNLIKELY(shape.number >= block_shape::classes)) return;
        if (EBB_UNLIKELY(places_ != nullptr)) return add_free_since_mark(p, shape);
        add_free(p, shape);
    }

    /// A free block of the shape, or null.
    EBB_INLINE std::byte* free_block_of(const block_shape& shape) noexcept {
        if (shape.number >= block_shape::classes) return nullptr;
        free_block* const b = free_.of[shape.number];
        if (b == nullptr) return nullptr;
        free_.of[shape.number] = b->next;
        overhead_ -= shape.size;
        return reinterpret_cast<std::byte*>(b);
    }
    /// The same for an alignment above unit. Looks at a few blocks only.
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

    /// The time, an even number: what a container remembers of its first block.
    [[nodiscard]] std::size_t time() const noexcept { return time_; }
    /// Whether a container that took its first block at t may free blocks: neither a rewind nor the
    /// end of a cycle has freed them. is_live_at_once may miss that. O(marks).
    [[nodiscard]] EBB_INLINE bool is_live_at_once(std::size_t t) const noexcept { return t >= live_.again; }
    [[nodiscard]] bool is_live(std::size_t t) const noexcept {
        if (live_.has(t)) return true;
        for (const place* at = places_; at != nullptr && t < at->time; at = at->older) {
            if (at->live.has(t)) return true;
        }
        return false;
    }

    /// Resources that are stored here, the newest first.
    [[nodiscard]] resident* residents() const noexcept { return residents_; }
    void add_resident(resident* r) noexcept { residents_ = r; }

    /// Counts a block of a memory resource.
    void add_block() noexcept { ++blocks_; }
    /// The block at `p`, of this cycle, is back. O(1) without marks, else O(log chunks + marks
    /// after the block).
    void remove_block(const void* p) noexcept {
        std::size_t* count = &blocks_;
        for (place* at = places_; at != nullptr && !is_since(at, +address_of(p)); at = at->older) count = &at->blocks;
        *count -= *count != 0;
    }
    /// The same if there is no mark.
    EBB_INLINE void remove_block() noexcept { blocks_ -= blocks_ != 0; }
    [[nodiscard]] bool has_marks() const noexcept { return places_ != nullptr; }
    /// The same for the arena's own resources. Blocks that came before every mark end with the
    /// objects that have them, and are not counted.
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
    /// n outstanding blocks will not come back. It is not known which.
    void abandon_blocks(std::size_t n) noexcept { abandoned_ += n; }
    /// Whether a block of a memory resource is outstanding for sure.
    [[nodiscard]] bool has_blocks() const noexcept { return outstanding_since(nullptr) > abandoned_; }
    /// Whether a block is that came after `p`, or one of an older object's.
    [[nodiscard]] bool has_blocks_since(const place* p) const noexcept {
        std::size_t own = own_blocks_;
        for (const place* at = places_; at != p; at = at->older) own += at->own_blocks;
        return own != 0 || outstanding_since(p) > abandoned_;
    }

    /// Whether a mark was taken after the memory at p.
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

    // Whether memory of the low end was taken after the mark.
    [[nodiscard]] bool is_since(const place* at, std::uintptr_t p) const noexcept {
        if (p >= +at->lo && p < +at->hi) return true;
        const chunk* const c = chunk_of(p);
        return c != nullptr && c->age > at->newest->age;
    }

    // From now on, blocks of containers that have any are no blocks.
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

    place* places_ = nullptr;  // the newest mark
    std::size_t time_ = 2;
    live_times live_{2, 2, 2};  // since the newest mark
    resident* residents_ = nullptr;
    std::size_t blocks_ = 0;      // outstanding blocks of memory resources that came after the newest mark
    std::size_t own_blocks_ = 0;  // of residents, likewise, while there is a mark
    std::size_t abandoned_ = 0;   // of all that are outstanding
    bool has_free_ = false;       // a list may have blocks
    free_lists free_{};

private:
    EBB_INLINE void add_free(void* p, const block_shape& shape) noexcept {
        free_.of[shape.number] = ::new (p) free_block{free_.of[shape.number]};
        has_free_ = true;
        overhead_ += shape.size;
    }
    // Memory from before the newest mark is not reused: a block that is allocated after the mark must
    // be after it, so that a rewind frees it.
    EBB_NOINLINE void add_free_since_mark(void* p, block_shape shape) noexcept {
        if (is_since(places_, +address_of(p))) add_free(p, shape);
    }
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_REGION_BLOCKS_HPP
