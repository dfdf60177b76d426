// ebb::pool_resource: a std::pmr::memory_resource with blocks of one size.
#ifndef EBBPOOL_POOL_RESOURCE_HPP
#define EBBPOOL_POOL_RESOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <ebbpool/fixed_pool.hpp>

namespace ebb::inline EBB_ABI {

/// The element type of a pool of raw memory.
/// \snippet reference.cpp pool_resource
template <std::size_t Size, std::size_t Alignment = alignof(std::max_align_t)>
struct raw_block {
    /// The bytes.
    alignas(Alignment) std::byte bytes[Size];
};

/// A memory resource of `capacity` blocks of BlockSize bytes.
///
///     ebb::pool_resource<64> nodes(10'000);
///     std::pmr::list<int> list(&nodes);
///
/// Requests of at most BlockSize bytes and Alignment take a block. Larger requests, and all requests when no
/// block is free, go to `upstream`. The default upstream throws std::bad_alloc. Containers that also allocate
/// arrays, such as std::pmr::unordered_map, need another upstream.
///
/// Misuse of deallocate is detected as by fixed_pool. Addresses outside the blocks go to `upstream`; with the
/// default upstream they are misuse. Two resources are equal only if they are the same object. It is for one
/// thread at a time.
/// \snippet reference.cpp pool_resource
template <std::size_t BlockSize = 64, std::size_t Alignment = alignof(std::max_align_t), class Checks = checks::trap>
class pool_resource : public std::pmr::memory_resource {
public:
    using pool_type = fixed_pool<raw_block<BlockSize, Alignment>, Checks>;  ///< The pool's type

    /// Throws as fixed_pool's constructor. `upstream` must not be null and must outlive the resource.
    explicit pool_resource(std::size_t capacity, std::pmr::memory_resource* upstream = std::pmr::null_memory_resource(),
                           const pool_options& options = {})
        : pool_(capacity, options), upstream_(upstream) {}

    /// Returns the pool of the blocks.
    [[nodiscard]] const pool_type& pool() const noexcept { return pool_; }
    /// Returns the upstream resource.
    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

private:
    using block = raw_block<BlockSize, Alignment>;

    static constexpr bool fits(std::size_t bytes, std::size_t alignment) noexcept {
        return bytes <= sizeof(block) && alignment <= alignof(block);
    }

    [[nodiscard]] bool is_inside(const void* p) const noexcept {
        const auto offset = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(pool_.slot(0));
        return offset < pool_.capacity() * sizeof(block);
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (fits(bytes, alignment)) {
            if (void* const p = pool_.allocate(); p != nullptr) return p;
        }
        return upstream_->allocate(bytes, alignment);
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        // Decided by the address, because a wrong size must not go to `upstream`.
        if (is_inside(p) || upstream_->is_equal(*std::pmr::null_memory_resource())) {
            pool_.deallocate(static_cast<block*>(p));
        } else {
            upstream_->deallocate(p, bytes, alignment);
        }
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    pool_type pool_;
    std::pmr::memory_resource* upstream_;
};

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_POOL_RESOURCE_HPP
