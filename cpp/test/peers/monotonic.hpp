// An ebb::arena by the interface of std::pmr::monotonic_buffer_resource, for the tests of
// that one. Only scripts/cpp-peers.sh includes it.
#ifndef EBBPOOL_TEST_PEERS_MONOTONIC_HPP
#define EBBPOOL_TEST_PEERS_MONOTONIC_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <memory_resource>

namespace peers {

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
    std::pmr::memory_resource* upstream_resource() const { return upstream_; }

private:
    static void* take(std::size_t bytes, std::size_t align, void* self) noexcept {
        try {
            void* const p = static_cast<monotonic_buffer_resource*>(self)->upstream_->allocate(bytes, align);
            return std::memset(p, 0, bytes);
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    static void give(void* p, std::size_t bytes, std::size_t align, void* self) noexcept {
        static_cast<monotonic_buffer_resource*>(self)->upstream_->deallocate(p, bytes, align);
    }

    void* do_allocate(std::size_t bytes, std::size_t align) override { return arena_.allocate(bytes, align); }
    void do_deallocate(void* p, std::size_t bytes, std::size_t) override { arena_.give_back(p, bytes); }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::pmr::memory_resource* upstream_;
    ebb::memory_source source_{&take, &give, this};
    ebb::arena arena_;
};

}  // namespace peers

#endif  // EBBPOOL_TEST_PEERS_MONOTONIC_HPP
