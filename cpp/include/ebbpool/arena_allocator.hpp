// ebb::arena_allocator<T>: standard containers in an arena, without a virtual call.
#ifndef EBBPOOL_ARENA_ALLOCATOR_HPP
#define EBBPOOL_ARENA_ALLOCATOR_HPP

#include <cstddef>
#include <type_traits>

#include <ebbpool/arena.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A standard allocator over an arena, which must outlive the containers that use
/// it. What a container gives back is free at once if it is the newest of the
/// arena's, else at the end of its epoch; so is what one still has, which must not be
/// used after that, nor destroyed.
///
///     std::vector<int, ebb::arena_allocator<int>> v(a);
///
/// Throws as arena::allocate. Two are equal when their arenas are one. It goes
/// along when containers are swapped or moved, not when they are copied into.
/// Nothing is checked: see arena_resource for that.
///
/// \snippet reference.cpp arena_allocator
template <class T, class Checks = checks::trap>
class arena_allocator {
public:
    /// What is allocated.
    using value_type = T;
    /// The arena's type.
    using arena_type = basic_arena<Checks>;
    /// A container that is copied into keeps its own.
    using propagate_on_container_copy_assignment = std::false_type;
    /// A container that is moved into takes over the other's.
    using propagate_on_container_move_assignment = std::true_type;
    /// Containers that are swapped swap theirs.
    using propagate_on_container_swap = std::true_type;
    /// Two may be of different memory.
    using is_always_equal = std::false_type;

    /// The same for another type, as containers ask for.
    template <class U>
    struct rebind {
        using other = arena_allocator<U, Checks>;
    };

    /// Takes from `a`, which must outlive it.
    arena_allocator(arena_type& a) noexcept : arena_(&a), stamp_(a.region_.stamp()) {}

    /// Takes from the other's arena.
    template <class U>
    arena_allocator(const arena_allocator<U, Checks>& other) noexcept : arena_(other.arena_), stamp_(other.stamp_) {}

    /// Memory for n objects. O(1). Throws std::bad_alloc, and limit_error.
    [[nodiscard]] T* allocate(std::size_t n) {
        if (EBB_UNLIKELY(n > detail::region::max_bytes / sizeof(T))) detail::throw_bad_alloc();
        // Texts are rather made anew than grown.
        if (sizeof(T) == 1 || EBB_INLINES(n)) return static_cast<T*>(arena_->take_or_reuse(n * sizeof(T), alignof(T)));
        return static_cast<T*>(arena_->take_or_reuse_apart(n * sizeof(T), alignof(T)));
    }

    /// The memory is free again: for all if it is the newest of the arena's, else for
    /// containers, unless it is older than the newest mark. Where the arena was reset,
    /// released or rewound since the allocator was made nothing happens. O(1), or O(chunks
    /// since the mark).
    void deallocate(T* p, std::size_t n) noexcept {
        if (EBB_UNLIKELY(stamp_ != arena_->region_.stamp())) return;
        arena_->region_.recycle(p, n * sizeof(T));
    }

    /// A std::pmr::polymorphic_allocator of the arena's own resource, which goes with
    /// the epoch or with a rewind to a mark before. So an object that is made in the arena
    /// gets it, and a container elsewhere may: `std::pmr::string s(ebb::arena_allocator<char>(a))`.
    /// Nothing is checked. Throws as an allocation.
    template <detail::polymorphic P>
    operator P() const {
        return P(arena_->template resident<detail::resource_of<P>>());
    }

    /// The arena.
    [[nodiscard]] arena_type& arena() const noexcept { return *arena_; }

    /// Whether both take from one arena.
    template <class U>
    friend bool operator==(const arena_allocator& a, const arena_allocator<U, Checks>& b) noexcept {
        return &a.arena() == &b.arena();
    }

private:
    template <class, class>
    friend class arena_allocator;

    arena_type* arena_;
    std::size_t stamp_;  // of when it was made: what is older than an end of an epoch, or a rewind, is not used again
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_ALLOCATOR_HPP
