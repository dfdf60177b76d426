// Memory that containers take from an arena and give back: what is free again before the
// arena's epoch ends, and which blocks are outstanding.
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

/// A container's block that is free, in the list of those of its size.
struct free_block {
    free_block* next;
};

class region_blocks : protected region_state {
public:
    /// Memory of a container's that it needs no more: free again if it is the newest.
    EBB_INLINE void give_back(void* p, std::size_t bytes) noexcept {
        if constexpr (annotate::on) return annotate::hide(p, bytes);
        if (+address_of(p) + round_up(bytes, unit) == low()) set_low(+address_of(p));
    }

    /// The same for a container, which may be handed it again by recycled().
    EBB_INLINE void recycle(void* p, std::size_t bytes) noexcept {
        give_back(p, bytes);
        if (annotate::on || bytes < smallest || low() == +address_of(p)) return;
        put_by(p, bytes);
    }

    /// A block of at least `bytes` bytes that a container gave back, at a multiple of
    /// unit; null when there is none.
    EBB_INLINE void* recycled(std::size_t bytes) noexcept { return may_recycle(bytes) ? take_again(bytes) : nullptr; }
    [[nodiscard]] bool may_recycle(std::size_t bytes) const noexcept { return bytes >= smallest && free_sizes_ != 0; }

    /// What each end of an epoch and each rewind changes: a block that is given back with
    /// another stamp than it was taken with is no block any more.
    [[nodiscard]] std::size_t stamp() const noexcept { return epochs_ + rewinds_; }

    /// Resources that lie here, the newest first.
    [[nodiscard]] resident* residents() const noexcept { return residents_; }
    /// One that lies in memory that was taken last.
    void add_resident(resident* r) noexcept { residents_ = r; }

    /// A memory resource has handed out a block.
    void add_block() noexcept {
        begin_blocks();
        ++blocks_;
    }
    /// The block at `p` is back, of this epoch. O(1) while there is no mark, else
    /// O(marks and chunks that came after the block).
    void remove_block(const void* p) noexcept {
        std::size_t* count = &blocks_;
        for (place* at = places_; at != nullptr && !is_since(at, +address_of(p)); at = at->older) count = &at->blocks;
        if (*count != 0) --*count;
    }
    /// The same of the arena's own resources: what came before every mark ends with the
    /// objects that have it.
    void add_block_since_mark() noexcept {
        if (EBB_UNLIKELY(places_ != nullptr)) ++own_blocks_;
    }
    void remove_block_since_mark(const void* p) noexcept {
        std::size_t* count = &own_blocks_;
        for (place* at = places_; at != nullptr; at = at->older) {
            if (is_since(at, +address_of(p))) {
                if (*count != 0) --*count;
                return;
            }
            count = &at->own_blocks;
        }
    }
    /// n blocks are not to be waited for. Which ones is not known.
    void abandon_blocks(std::size_t n) noexcept { abandoned_ += n; }
    /// Whether a block of a memory resource is outstanding for sure.
    [[nodiscard]] bool has_blocks() const noexcept {
        return blocks_of_ == epochs_ && outstanding_since(nullptr) > abandoned_;
    }
    /// Whether a block that came after `p` is, or one of an object's that is older.
    [[nodiscard]] bool has_blocks_since(const place* p) const noexcept {
        std::size_t own = own_blocks_;
        for (const place* at = places_; at != p; at = at->older) own += at->own_blocks;
        return own != 0 || outstanding_since(p) > abandoned_;
    }

protected:
    // Counts of an earlier epoch count no more.
    void begin_blocks() noexcept {
        if (blocks_of_ == epochs_) return;
        blocks_of_ = epochs_;
        blocks_ = abandoned_ = 0;
    }

    [[nodiscard]] std::size_t outstanding_since(const place* p) const noexcept {
        std::size_t n = blocks_;
        for (const place* at = places_; at != p; at = at->older) n += at->blocks;
        return n;
    }

    // Whether what was taken from the low end came after the mark.
    [[nodiscard]] bool is_since(const place* at, std::uintptr_t p) const noexcept {
        if (p >= +at->lo && p < +at->hi) return true;
        for (const chunk* c = newest_; c != at->newest; c = c->next) {
            if (p >= c->begin && p < c->end) return true;
        }
        return false;
    }

    void forget_blocks() noexcept {
        residents_ = nullptr;
        forget_blocks_since();
    }
    // Those that are free may lie in memory that a rewind takes.
    void forget_blocks_since() noexcept {
        own_blocks_ = 0;
        forget_free_blocks();
    }
    void forget_free_blocks() noexcept { free_sizes_ = 0; }

    // Blocks of 64 to 127 bytes, of up to 255 and so on.
    static constexpr std::size_t smallest = 64;
    static constexpr std::size_t sizes = 16;

    place* places_ = nullptr;  // the newest mark
    resident* residents_ = nullptr;
    std::size_t blocks_ = 0;      // outstanding ones of memory resources that came after the newest mark
    std::size_t own_blocks_ = 0;  // of residents, likewise, while there is a mark
    std::size_t abandoned_ = 0;   // of all that are outstanding
    std::size_t blocks_of_ = 0;   // the epoch in which they were counted
    std::size_t rewinds_ = 0;

private:
    // std::bit_width, whose result is an int or not, by the library's version.
    static constexpr std::size_t width(std::size_t x) noexcept {
        return static_cast<std::size_t>(std::numeric_limits<std::size_t>::digits - std::countl_zero(x));
    }
    EBB_NOINLINE void put_by(void* p, std::size_t bytes) noexcept {
        const auto size = width(bytes) - width(smallest);
        // What came before the newest mark stays there: a block that is taken after a mark must
        // lie after it, for a rewind to find it, and to count it among those since the mark.
        if (size >= sizes || (places_ != nullptr && !is_since(places_, +address_of(p)))) return;
        const bool has = (free_sizes_ >> size & 1) != 0;
        free_[size] = ::new (p) free_block{has ? free_[size] : nullptr};
        free_sizes_ |= std::uint32_t{1} << size;
        overhead_ += round_up(bytes, unit);
    }
    EBB_NOINLINE void* take_again(std::size_t bytes) noexcept {
        const auto size = width(bytes - 1) - width(smallest) + 1;
        if (size >= sizes || (free_sizes_ >> size & 1) == 0) return nullptr;
        free_block* const b = free_[size];
        free_[size] = b->next;
        if (b->next == nullptr) free_sizes_ &= ~(std::uint32_t{1} << size);
        overhead_ -= round_up(bytes, unit);
        return b;
    }

    std::uint32_t free_sizes_ = 0;  // which lists have blocks
    std::array<free_block*, sizes> free_{};
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_REGION_BLOCKS_HPP
