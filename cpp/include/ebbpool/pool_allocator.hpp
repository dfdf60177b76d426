// ebb::pool_allocator<T>: allocates nodes of containers such as std::list, std::map, std::set and
// std::unordered_map from a pool.
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

namespace ebb::inline EBB_ABI {

namespace detail {

// An upper bound of a node of any standard container of T in libstdc++, libc++ and Microsoft's library: at most
// 4 words before the T (std::map: three pointers and a color), or one before and one after it
// (std::unordered_map: the next node and the hash).
template <class T>
constexpr std::size_t node_bytes() noexcept {
    constexpr std::size_t word = sizeof(void*);
    constexpr std::size_t align = std::max(alignof(T), word);
    constexpr std::size_t tree = round_up(4 * word, align) + round_up(sizeof(T), align);
    constexpr std::size_t hash = round_up(word, align) + round_up(sizeof(T) + word, align);
    return std::max(tree, hash);
}

}  // namespace detail

/// The pool of a pool_allocator<T, BlockSize, Checks>, with blocks that hold a node of T. The nodes of a
/// std::list need two words less than the default.
/// \snippet reference.cpp pool_allocator
template <class T, std::size_t BlockSize = detail::node_bytes<T>(), class Checks = checks::trap>
using node_pool = fixed_pool<raw_block<BlockSize, std::max(alignof(T), alignof(void*))>, Checks>;

/// A standard allocator that takes single objects from a node_pool, and arrays, such as the buckets of a hash
/// table, from the heap. The pool must outlive the containers that use it. Containers of one thread may share
/// it.
///
/// Two allocators are equal if they have the same pool. Move assignment and swap of containers propagate the
/// allocator; copy assignment doesn't.
/// \snippet reference.cpp pool_allocator
template <class T, std::size_t BlockSize = detail::node_bytes<T>(),
          std::size_t Alignment = std::max(alignof(T), alignof(void*)), class Checks = checks::trap>
class pool_allocator {
public:
    using value_type = T;                                                   ///< T
    using pool_type = fixed_pool<raw_block<BlockSize, Alignment>, Checks>;  ///< A node_pool
    using propagate_on_container_move_assignment = std::true_type;          ///< Move assignment propagates it
    using propagate_on_container_swap = std::true_type;                     ///< Swap propagates it

    /// The allocator for another type.
    template <class U>
    struct rebind {
        using other = pool_allocator<U, BlockSize, Alignment, Checks>;
    };

    /// Allocates from `pool`, which must outlive it.
    pool_allocator(pool_type& pool) noexcept : pool_(&pool) {}

    /// Allocates from the pool of `other`.
    template <class U>
    pool_allocator(const pool_allocator<U, BlockSize, Alignment, Checks>& other) noexcept : pool_(&other.pool()) {}

    /// Returns memory for n objects. Throws std::bad_alloc if the pool is full, or if n != 1 and the heap has
    /// no memory.
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

    /// Frees a result of allocate(n).
    void deallocate(T* p, std::size_t n) noexcept {
        if constexpr (fits) {
            if (n == 1) {
                pool_->deallocate(reinterpret_cast<typename pool_type::value_type*>(p));
                return;
            }
        }
        std::allocator<T>{}.deallocate(p, n);
    }

    /// Returns the pool.
    [[nodiscard]] pool_type& pool() const noexcept { return *pool_; }

    /// Reports whether both have the same pool.
    template <class U>
    friend bool operator==(const pool_allocator& a, const pool_allocator<U, BlockSize, Alignment, Checks>& b) noexcept {
        return &a.pool() == &b.pool();
    }

private:
    // Larger types to which containers rebind the allocator, such as the arrays of std::deque, are allocated
    // from the heap.
    static constexpr bool fits = sizeof(T) <= BlockSize && alignof(T) <= Alignment;

    pool_type* pool_;
};

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_POOL_ALLOCATOR_HPP
