// Ranges over the allocated slots of a pool, in the order of their addresses.
#ifndef EBBPOOL_ITERATE_HPP
#define EBBPOOL_ITERATE_HPP

#include <cstddef>
#include <iterator>

#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/make.hpp>

namespace ebb::inline EBB_ABI {

/// A range over the allocated slots of a pool: `for (T& object : ebb::live(pool))`. It includes slots without a
/// constructed object.
///
/// The loop may free the current slot. Slots allocated in the loop may or may not be visited. A loop takes
/// O(high_water()) time. Pools with checks::none have no such range.
/// \snippet reference.cpp live
template <class Pool>
class live_range {
public:
    using value_type = typename Pool::value_type;  ///< The type of the pool's objects

    /// A forward iterator.
    class iterator {
    public:
        using iterator_category = std::forward_iterator_tag;  ///< Forward
        using value_type = typename Pool::value_type;         ///< The type of the pool's objects
        using difference_type = std::ptrdiff_t;               ///< For std::iterator_traits
        using pointer = value_type*;                          ///< For std::iterator_traits
        using reference = value_type&;                        ///< For std::iterator_traits

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
/// \snippet reference.cpp live
template <class T, class Checks>
requires(Checks::enabled)
    [[nodiscard]] constexpr live_range<fixed_pool<T, Checks>> live(const fixed_pool<T, Checks>& pool) noexcept {
    return live_range<fixed_pool<T, Checks>>(pool);
}

/// Destroys all objects of `pool`, frees their slots, and returns their number. Each allocated slot must have
/// an object. Call it before the pool is destroyed if its objects own resources.
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

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_ITERATE_HPP
