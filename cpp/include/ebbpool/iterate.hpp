// All objects of a pool that are out, in the order of their addresses.
#ifndef EBBPOOL_ITERATE_HPP
#define EBBPOOL_ITERATE_HPP

#include <cstddef>
#include <iterator>

#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/make.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A range over the live slots of a pool: `for (T& object : ebb::live(pool))`.
/// Slots that are out but in which no object was constructed are among them.
///
/// A step is O(distance to the next live slot); all of the range O(the most
/// slots that were ever out). The object that the iterator is at may be given
/// back in the loop. Objects made in the loop may or may not be met. Not for
/// checks::none, which does not know what is out.
///
/// \snippet reference.cpp live
template <class Pool>
class live_range {
public:
    /// The pool's type of object.
    using value_type = typename Pool::value_type;

    /// A forward iterator over objects that are out.
    class iterator {
    public:
        /// Forward.
        using iterator_category = std::forward_iterator_tag;
        /// The pool's type of object.
        using value_type = typename Pool::value_type;
        /// As std::iterator_traits asks for.
        using difference_type = std::ptrdiff_t;
        /// As std::iterator_traits asks for.
        using pointer = value_type*;
        /// As std::iterator_traits asks for.
        using reference = value_type&;

        /// Of no range.
        constexpr iterator() noexcept = default;
        /// The object.
        [[nodiscard]] constexpr reference operator*() const noexcept { return *pool_->slot(index_); }
        /// The object.
        [[nodiscard]] constexpr pointer operator->() const noexcept { return pool_->slot(index_); }
        /// To the next object that is out. O(slots between them).
        constexpr iterator& operator++() noexcept {
            ++index_;
            skip();
            return *this;
        }
        /// The same; answers where it was.
        constexpr iterator operator++(int) noexcept {
            iterator old = *this;
            ++*this;
            return old;
        }
        /// Whether both are at one slot.
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

    /// Of `pool`, which must outlive it.
    constexpr explicit live_range(const Pool& pool) noexcept : pool_(&pool), end_(pool.high_water()) {}
    /// The first object that is out. O(slots before it).
    [[nodiscard]] constexpr iterator begin() const noexcept { return iterator(pool_, 0, end_); }
    /// Behind the last. O(1).
    [[nodiscard]] constexpr iterator end() const noexcept { return iterator(pool_, end_, end_); }

private:
    const Pool* pool_;
    std::size_t end_;  // slots behind were never out
};

/// The live objects of `pool`; see live_range.
///
/// \snippet reference.cpp live
template <class T, class Checks>
requires(Checks::enabled)
    [[nodiscard]] constexpr live_range<fixed_pool<T, Checks>> live(const fixed_pool<T, Checks>& pool) noexcept {
    return live_range<fixed_pool<T, Checks>>(pool);
}

/// Destroys every object that is out and gives its slot back; answers how
/// many. An object must have been constructed in every slot that is out. Does
/// in one call what a program does before it drops a pool whose objects own
/// something.
///
/// \snippet reference.cpp live
template <class T, class Checks>
requires(Checks::enabled) constexpr std::size_t destroy_all(fixed_pool<T, Checks>& pool) noexcept {
    std::size_t destroyed = 0;
    // Again, for destructors that make objects; ends when none does.
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
