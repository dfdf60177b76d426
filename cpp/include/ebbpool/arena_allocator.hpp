// ebb::arena_allocator<T>: a standard allocator, for containers in an arena without virtual calls.
#ifndef EBBPOOL_ARENA_ALLOCATOR_HPP
#define EBBPOOL_ARENA_ALLOCATOR_HPP

#include <cstddef>
#include <memory>
#include <type_traits>

#include <ebbpool/arena.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A standard allocator that allocates from an arena, which must outlive it.
///
///     std::vector<int, ebb::arena_allocator<int>> v(a);
///
/// Containers reuse the memory that containers have freed. At the end of the arena's cycle all of it is
/// free, and a container that still has some must not be used any more. That is not checked; see
/// arena_resource for that. Throws as arena::allocate.
///
/// Two allocators are equal if they have the same arena. Move assignment and swap of containers
/// propagate it, copy assignment doesn't.
///
/// \snippet reference.cpp arena_allocator
template <class T, class Checks = checks::trap>
class arena_allocator {
public:
    /// T.
    using value_type = T;
    /// The arena's type.
    using arena_type = basic_arena<Checks>;
    /// Copy assignment keeps a container's own.
    using propagate_on_container_copy_assignment = std::false_type;
    /// Move assignment takes the other one's.
    using propagate_on_container_move_assignment = std::true_type;
    /// Swap exchanges them.
    using propagate_on_container_swap = std::true_type;
    /// Two may have different arenas.
    using is_always_equal = std::false_type;

    /// The allocator for another type.
    template <class U>
    struct rebind {
        using other = arena_allocator<U, Checks>;
    };

    /// Allocates from `a`, which must outlive it.
    arena_allocator(arena_type& a) noexcept : arena_(&a), time_(a.region_.time() | 1) {}

    /// Allocates from the other one's arena.
    template <class U>
    arena_allocator(const arena_allocator<U, Checks>& other) noexcept : arena_(other.arena_), time_(other.time_) {}

    /// Returns memory for n objects. O(1). Throws std::bad_alloc and limit_error.
    [[nodiscard]] EBB_INLINE T* allocate(std::size_t n) {
        const taken t = EBB_CONSTANT(n) ? take(*arena_, n, time_) : take_apart(*arena_, n, time_);
        time_ = t.time;
        return t.memory;
    }

    /// Returns memory for at least n objects, and the number of objects for which it is enough.
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

    /// Frees memory. Any allocation can reuse it if it is the arena's newest, and otherwise containers can,
    /// unless a mark was taken after it. Memory that a reset, release or rewind has freed stays as it is.
    /// O(1), or O(log chunks + marks) while there are marks.
    EBB_INLINE void deallocate(T* p, std::size_t n) noexcept { give(*arena_, p, n * sizeof(T), time_); }

    /// A std::pmr::polymorphic_allocator of the arena's own resource, which ends with the cycle or a rewind
    /// to an older mark. Objects in the arena get it, and a container elsewhere can be constructed with
    /// it: `std::pmr::string s(ebb::arena_allocator<char>(a))`. Nothing is checked. Throws as allocate.
    template <detail::polymorphic P>
    operator P() const {
        return P(arena_->template resident<detail::resource_of<P>>());
    }

    /// Returns the arena.
    [[nodiscard]] arena_type& arena() const noexcept { return *arena_; }

    /// Reports whether both have the same arena.
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
        if (EBB_UNLIKELY(!a.region_.is_live_at_once(time))) return give_older(a, p, bytes, time);
        a.region_.give_block(p, bytes);
    }
    EBB_NOINLINE static void give_older(arena_type& a, void* p, std::size_t bytes, std::size_t time) noexcept {
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
