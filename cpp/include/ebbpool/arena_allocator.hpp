// ebb::arena_allocator<T>: standard containers in an arena, without a virtual call.
#ifndef EBBPOOL_ARENA_ALLOCATOR_HPP
#define EBBPOOL_ARENA_ALLOCATOR_HPP

#include <cstddef>
#include <memory>
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
    arena_allocator(arena_type& a) noexcept : arena_(&a), time_(a.region_.time() | 1) {}

    /// Takes from the other's arena.
    template <class U>
    arena_allocator(const arena_allocator<U, Checks>& other) noexcept : arena_(other.arena_), time_(other.time_) {}

    /// Returns memory for n objects. O(1). Throws std::bad_alloc and limit_error.
    [[nodiscard]] EBB_INLINE T* allocate(std::size_t n) {
        const taken t = EBB_CONSTANT(n) ? take(*arena_, n, time_) : take_apart(*arena_, n, time_);
        time_ = t.time;
        return t.memory;
    }

    /// Returns memory for at least n objects, and for how many: all of their block.
    ///
    /// \snippet reference.cpp allocate_at_least
    [[nodiscard]] auto allocate_at_least(std::size_t n) {
        if (n > detail::region::max_bytes / sizeof(T)) detail::throw_bad_alloc();
        const std::size_t count = detail::block_shape(n * sizeof(T)).size / sizeof(T);
#if defined(__cpp_lib_allocate_at_least)
        return std::allocation_result<T*, std::size_t>{allocate(count), count};
#else
        struct result {
            T* ptr;
            std::size_t count;
        };
        return result{allocate(count), count};
#endif
    }

    /// Gives memory back. It is free for all if it is the arena's newest. Otherwise it is free for
    /// containers, unless a mark was taken after it. Memory that a reset, release or rewind has
    /// taken stays as it is. O(1), or O(log chunks + marks) while there are marks.
    EBB_INLINE void deallocate(T* p, std::size_t n) noexcept { give(*arena_, p, n * sizeof(T), time_); }

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

    struct taken {
        T* memory;
        std::size_t time;
    };
    EBB_INLINE static taken take(arena_type& a, std::size_t n, std::size_t time) {
        if (EBB_UNLIKELY(n > detail::region::max_bytes / sizeof(T))) detail::throw_bad_alloc();
        T* const p = reinterpret_cast<T*>(a.region_.take_block(n * sizeof(T), alignof(T)));
        return {p, (time & 1) != 0 ? a.region_.time() : time};
    }
    // Out of line, with copies of the allocator's fields: a container whose address goes into no
    // call can stay in registers.
    EBB_NOINLINE static taken take_apart(arena_type& a, std::size_t n, std::size_t time) { return take(a, n, time); }
    EBB_NOINLINE static void give(arena_type& a, void* p, std::size_t bytes, std::size_t time) noexcept {
        if (a.region_.is_live(time)) a.region_.give_block(p, bytes);
    }

    arena_type* arena_;
    // The region's time when the first block was taken, or, with bit 0 set, when the allocator was
    // made. So a container doesn't give back blocks that a reset or rewind has taken.
    std::size_t time_;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_ALLOCATOR_HPP
