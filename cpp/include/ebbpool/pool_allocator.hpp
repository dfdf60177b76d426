// ebb::pool_allocator<T>: the nodes of std::list, std::map, std::set,
// std::unordered_map and the like from a pool.
//
//     using entry = std::pair<const int, double>;
//     ebb::node_pool<entry> nodes(10'000);
//     std::map<int, double, std::less<>, ebb::pool_allocator<entry>> prices(nodes);
#ifndef EBBPOOL_POOL_ALLOCATOR_HPP
#define EBBPOOL_POOL_ALLOCATOR_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/pool_resource.hpp>

namespace ebb {
inline namespace EBB_ABI {

namespace detail {

// Bytes that hold a node of any standard container around a T, for libstdc++,
// libc++ and Microsoft's library: at most 4 words before it (std::map: three
// pointers and a colour) or one before and one behind (std::unordered_map: the
// next node and the hash).
template <class T>
constexpr std::size_t node_bytes() noexcept {
    constexpr std::size_t word = sizeof(void*);
    constexpr std::size_t align = std::max(alignof(T), word);
    constexpr std::size_t tree = round_up(4 * word, align) + round_up(sizeof(T), align);
    constexpr std::size_t hash = round_up(word, align) + round_up(sizeof(T) + word, align);
    return std::max(tree, hash);
}

}  // namespace detail

/// The pool behind pool_allocator<T, BlockSize, Checks>: blocks that hold a
/// node around a T. A std::list needs two words less than the default.
///
/// \snippet reference.cpp pool_allocator
template <class T, std::size_t BlockSize = detail::node_bytes<T>(), class Checks = checks::trap>
using node_pool = fixed_pool<raw_block<BlockSize, std::max(alignof(T), alignof(void*))>, Checks>;

/// A standard allocator over a node_pool, which it does not own: the pool must
/// outlive every container that uses it, and may serve several.
///
/// Single objects come from the pool; std::bad_alloc when it is full. Arrays
/// (buckets of a hash table) come from the heap. Two are equal when their pools
/// are one. It goes along when containers are swapped or moved, not when they
/// are copied into. One thread at a time.
///
/// \snippet reference.cpp pool_allocator
template <class T, std::size_t BlockSize = detail::node_bytes<T>(),
          std::size_t Alignment = std::max(alignof(T), alignof(void*)), class Checks = checks::trap>
class pool_allocator {
public:
    /// What is allocated.
    using value_type = T;
    /// The pool's type: a node_pool.
    using pool_type = fixed_pool<raw_block<BlockSize, Alignment>, Checks>;
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
        using other = pool_allocator<U, BlockSize, Alignment, Checks>;
    };

    /// Takes from `pool`, which must outlive it.
    pool_allocator(pool_type& pool) noexcept : pool_(&pool) {}

    /// Takes from the other's pool.
    template <class U>
    pool_allocator(const pool_allocator<U, BlockSize, Alignment, Checks>& other) noexcept : pool_(&other.pool()) {}

    /// Throws std::bad_alloc when the pool is full, or the heap for n != 1.
    [[nodiscard]] T* allocate(std::size_t n) {
        if constexpr (fits) {
            if (n == 1) {
                void* const p = pool_->allocate();
                if (p == nullptr) detail::throw_bad_alloc();
                return static_cast<T*>(p);
            }
        }
        return std::allocator<T>{}.allocate(n);
    }

    /// Gives back what allocate(n) answered. O(1) for n = 1; otherwise as the heap.
    void deallocate(T* p, std::size_t n) noexcept {
        if constexpr (fits) {
            if (n == 1) {
                pool_->deallocate(reinterpret_cast<typename pool_type::value_type*>(p));
                return;
            }
        }
        std::allocator<T>{}.deallocate(p, n);
    }

    /// The pool.
    [[nodiscard]] pool_type& pool() const noexcept { return *pool_; }

    /// Whether both take from one pool.
    template <class U>
    friend bool operator==(const pool_allocator& a, const pool_allocator<U, BlockSize, Alignment, Checks>& b) noexcept {
        return &a.pool() == &b.pool();
    }

private:
    // What a container rebinds to and does not fit (std::deque's arrays, a
    // debug mode's bookkeeping) comes from the heap.
    static constexpr bool fits = sizeof(T) <= BlockSize && alignof(T) <= Alignment;

    pool_type* pool_;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_POOL_ALLOCATOR_HPP
