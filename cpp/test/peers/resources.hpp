// An arena and pools with the interfaces of std::pmr's resources, for their tests in scripts/cpp-peers.sh.
#ifndef EBBPOOL_TEST_PEERS_RESOURCES_HPP
#define EBBPOOL_TEST_PEERS_RESOURCES_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <ebbpool/pool_resource.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <memory_resource>
#include <optional>

namespace peers {

/// A memory_source that allocates from a memory_resource.
struct source_of : ebb::memory_source {
    explicit source_of(std::pmr::memory_resource* upstream) : memory_source{&take_from, &give_to, upstream} {}
    static void* take_from(std::size_t bytes, std::size_t align, void* upstream) noexcept {
        try {
            return std::memset(static_cast<std::pmr::memory_resource*>(upstream)->allocate(bytes, align), 0, bytes);
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    static void give_to(void* p, std::size_t bytes, std::size_t align, void* upstream) noexcept {
        static_cast<std::pmr::memory_resource*>(upstream)->deallocate(p, bytes, align);
    }
};

class monotonic_buffer_resource : public std::pmr::memory_resource {
public:
    monotonic_buffer_resource() : monotonic_buffer_resource(std::pmr::get_default_resource()) {}
    explicit monotonic_buffer_resource(std::pmr::memory_resource* upstream)
        : monotonic_buffer_resource(128 * sizeof(void*), upstream) {}
    explicit monotonic_buffer_resource(std::size_t size)
        : monotonic_buffer_resource(size, std::pmr::get_default_resource()) {}
    monotonic_buffer_resource(std::size_t size, std::pmr::memory_resource* upstream)
        : upstream_(upstream), arena_(std::max(size, std::size_t{1}), 0, {.source = &source_}) {}
    monotonic_buffer_resource(void* buffer, std::size_t size)
        : monotonic_buffer_resource(buffer, size, std::pmr::get_default_resource()) {}
    // A buffer that is too small for a chunk's header is not used.
    monotonic_buffer_resource(void* buffer, std::size_t size, std::pmr::memory_resource* upstream)
        : upstream_(upstream),
          arena_(std::max(size, std::size_t{1}), 0,
                 {.storage = size < ebb::arena::bytes_needed(8)
                                 ? std::span<std::byte>{}
                                 : std::span<std::byte>(static_cast<std::byte*>(buffer), size),
                  .source = &source_}) {}
    monotonic_buffer_resource(const monotonic_buffer_resource&) = delete;
    monotonic_buffer_resource& operator=(const monotonic_buffer_resource&) = delete;
    ~monotonic_buffer_resource() override = default;

    void release() { arena_.release(); }
    std::size_t retained() { return arena_.stats().retained_bytes; }
    std::pmr::memory_resource* upstream_resource() const { return upstream_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override { return arena_.allocate(bytes, align); }
    void do_deallocate(void* p, std::size_t bytes, std::size_t) override { arena_.give_back(p, bytes); }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::pmr::memory_resource* upstream_;
    source_of source_{upstream_};
    ebb::arena arena_;
};

/// A memory resource on a sync_fixed_pool, which the library doesn't have.
class sync_pool_resource : public std::pmr::memory_resource {
public:
    sync_pool_resource(std::size_t capacity, std::pmr::memory_resource* upstream, const ebb::pool_options& options)
        : upstream_(upstream), pool_(capacity, {.memory = options}) {}

private:
    using block = ebb::raw_block<64>;
    void* do_allocate(std::size_t bytes, std::size_t align) override {
        if (bytes <= sizeof(block) && align <= alignof(block)) {
            if (void* const p = pool_.allocate(); p != nullptr) return p;
        }
        return upstream_->allocate(bytes, align);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t align) override {
        auto* const own = static_cast<block*>(p);
        pool_.owns(own) ? pool_.deallocate(own) : upstream_->deallocate(p, bytes, align);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::pmr::memory_resource* upstream_;
    ebb::sync_fixed_pool<block> pool_;
};

/// The interface of std::pmr's pool resources with a fixed capacity and one size. Larger requests go upstream.
/// Memory is allocated on first use.
template <class Resource>
class pool_resource : public std::pmr::memory_resource {
public:
    explicit pool_resource(std::pmr::memory_resource* upstream = std::pmr::get_default_resource())
        : pool_resource(std::pmr::pool_options{}, upstream) {}
    explicit pool_resource(const std::pmr::pool_options& o) : pool_resource(o, std::pmr::get_default_resource()) {}
    pool_resource(const std::pmr::pool_options&, std::pmr::memory_resource* upstream) : upstream_(upstream) {}
    pool_resource(const pool_resource&) = delete;
    pool_resource& operator=(const pool_resource&) = delete;
    ~pool_resource() override = default;

    void release() { resource_.reset(); }
    std::pmr::memory_resource* upstream_resource() const { return upstream_; }
    std::pmr::pool_options options() const {
        return {.max_blocks_per_chunk = 1'000, .largest_required_pool_block = 64};
    }

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override {
        if (!resource_) resource_.emplace(1'000, upstream_, ebb::pool_options{.source = &source_});
        return resource_->allocate(bytes, align);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t align) override {
        resource_->deallocate(p, bytes, align);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::pmr::memory_resource* upstream_;
    source_of source_{upstream_};
    std::optional<Resource> resource_;
};
struct unsynchronized_pool_resource : pool_resource<ebb::pool_resource<64>> {
    using pool_resource::pool_resource;
};
struct synchronized_pool_resource : pool_resource<sync_pool_resource> {
    using pool_resource::pool_resource;
};

}  // namespace peers

#endif  // EBBPOOL_TEST_PEERS_RESOURCES_HPP
