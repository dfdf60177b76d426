// ebb::pool_resource: a std::pmr::memory_resource of blocks of one size, for
// the containers of std::pmr whose nodes fit.
#ifndef EBBPOOL_POOL_RESOURCE_HPP
#define EBBPOOL_POOL_RESOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <ebbpool/fixed_pool.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// Raw bytes as an element type of a pool.
///
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
/// A request of at most BlockSize bytes and Alignment takes a block. What is
/// larger, and what comes when all blocks are out, goes to `upstream`; the
/// default upstream has nothing and throws std::bad_alloc, so that the
/// resource never uses the heap. Containers that also ask for arrays
/// (std::pmr::unordered_map: buckets) need one.
///
/// Misuse of deallocate is checked as in fixed_pool for addresses inside the
/// blocks; others are misuse with the default upstream, and upstream's business
/// with any other. Two resources are equal when they are one. One thread at a
/// time.
///
/// \snippet reference.cpp pool_resource
template <std::size_t BlockSize = 64, std::size_t Alignment = alignof(std::max_align_t), class Checks = checks::trap>
class pool_resource : public std::pmr::memory_resource {
public:
    /// The pool's type.
    using pool_type = fixed_pool<raw_block<BlockSize, Alignment>, Checks>;

    /// Throws as fixed_pool's constructor. `upstream` must not be null and must
    /// outlive the resource.
    explicit pool_resource(std::size_t capacity, std::pmr::memory_resource* upstream = std::pmr::null_memory_resource(),
                           const pool_options& options = {})
        : pool_(capacity, options), upstream_(upstream) {}

    /// The blocks: used(), capacity() and so on.
    [[nodiscard]] const pool_type& pool() const noexcept { return pool_; }
    /// Where goes what the pool does not serve.
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
        // An address of ours with a size that does not fit is ours all the
        // same: the size is wrong, and upstream has never seen the address. The
        // default upstream has seen none at all.
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

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_POOL_RESOURCE_HPP
