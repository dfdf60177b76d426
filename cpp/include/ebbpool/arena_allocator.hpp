// ebb::arena_allocator<T>: a standard allocator for containers in an arena.
#ifndef EBBPOOL_ARENA_ALLOCATOR_HPP
#define EBBPOOL_ARENA_ALLOCATOR_HPP

#include <cstddef>
#include <memory>
#include <type_traits>

#include <ebbpool/arena.hpp>

namespace ebb::inline EBB_ABI {

/// A standard allocator that allocates from an arena, which must outlive it.
///
///     std::vector<int, ebb::arena_allocator<int>> v(a);
///
/// A container must not be used after the end of the cycle in which it allocated. This is not checked;
/// arena_resource checks it. Containers reuse memory that containers have freed. Throws as arena::allocate.
///
/// Two allocators are equal if they have the same arena. Move assignment and swap of containers propagate the
/// allocator; copy assignment doesn't.
/// \snippet reference.cpp arena_allocator
template <class T, class Checks = checks::trap>
class arena_allocator {
public:
    using value_type = T;                                           ///< T
    using arena_type = basic_arena<Checks>;                         ///< The arena's type
    using propagate_on_container_move_assignment = std::true_type;  ///< Move assignment propagates it
    using propagate_on_container_swap = std::true_type;             ///< Swap propagates it

    /// Allocates from `a`, which must outlive it.
    arena_allocator(arena_type& a) noexcept : arena_(&a), time_(a.region_.time() | 1) {}

    /// Allocates from the arena of `other`.
    template <class U>
    arena_allocator(const arena_allocator<U, Checks>& other) noexcept : arena_(other.arena_), time_(other.time_) {}

    /// Returns memory for n objects. O(1). Throws std::bad_alloc and limit_error.
    [[nodiscard]] EBB_INLINE T* allocate(std::size_t n) {
        const taken t = EBB_CONSTANT(n) ? take(*arena_, n, time_) : take_apart(*arena_, n, time_);
        time_ = t.time;
        return t.memory;
    }

    /// Returns memory for at least n objects, and the number that fits.
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

    /// Frees memory. Containers can reuse it, unless a mark was taken after it was allocated. If it was the
    /// newest allocation, all allocations can. Does nothing if a reset, release or rewind has already freed it.
    /// O(1), or O(log chunks + marks) while there are marks.
    EBB_INLINE void deallocate(T* p, std::size_t n) noexcept { give(*arena_, p, extent_of(p, n), time_); }

    /// Returns a std::pmr::polymorphic_allocator for containers, as in `std::pmr::string
    /// s(ebb::arena_allocator<char>(a))`. Its resource is stored in the arena and ends with the cycle, or with
    /// a rewind to an older mark, which is not checked. Throws as allocate.
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

    // A vector has the end of its block in a register, so give takes the end: gcc would compute the size in each
    // push_back. clang takes the size, because its inliner would count the computation of the end.
#if defined(__clang__)
    using extent = std::size_t;
    static extent extent_of(T*, std::size_t n) noexcept { return n * sizeof(T); }
    static std::size_t bytes_of(T*, extent bytes) noexcept { return bytes; }
#else
    using extent = T*;
    static extent extent_of(T* p, std::size_t n) noexcept { return p + n; }
    static std::size_t bytes_of(T* p, extent end) noexcept { return static_cast<std::size_t>(end - p) * sizeof(T); }
#endif

    struct taken {
        T* memory;
        std::size_t time;
    };
    EBB_INLINE static taken take(arena_type& a, std::size_t n, std::size_t time) {
        if (EBB_UNLIKELY(n > detail::region::max_bytes / sizeof(T))) detail::throw_bad_alloc();
        T* const p = reinterpret_cast<T*>(a.region_.take_block(n * sizeof(T), alignof(T)));
        return {p, (time & 1) != 0 ? a.region_.time() : time};
    }
    // Not inlined, and passed copies of the fields: containers whose address is not passed to a call can stay
    // in registers.
    EBB_NOINLINE static taken take_apart(arena_type& a, std::size_t n, std::size_t time) { return take(a, n, time); }
    EBB_NOINLINE static void give(arena_type& a, T* p, extent e, std::size_t time) noexcept {
        if (EBB_UNLIKELY(!a.region_.is_live_at_once(time))) return give_older(a, p, e, time);
        a.region_.give_block(p, bytes_of(p, e));
    }
    EBB_NOINLINE static void give_older(arena_type& a, T* p, extent e, std::size_t time) noexcept {
        if (a.region_.is_live(time)) a.region_.give_block(p, bytes_of(p, e));
    }

    arena_type* arena_;
    // The region's time at the container's first allocation. Before that, the time at construction with bit 0
    // set. deallocate uses it to skip blocks that a reset or rewind has freed.
    std::size_t time_;
};

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_ARENA_ALLOCATOR_HPP
