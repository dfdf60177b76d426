// As resources.hpp, for Boost.Container's own memory_resource.
#ifndef EBBPOOL_TEST_PEERS_BOOST_RESOURCE_HPP
#define EBBPOOL_TEST_PEERS_BOOST_RESOURCE_HPP

#include <boost/container/pmr/global_resource.hpp>
#include <boost/container/pmr/memory_resource.hpp>
#include <cstddef>

#include "resources.hpp"

namespace boost::container::pmr {

/// A std::pmr resource that uses a Boost resource.
struct upstream_of final : std::pmr::memory_resource {
    explicit upstream_of(pmr::memory_resource* r) : to(r) {}
    pmr::memory_resource* to;

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override { return to->allocate(bytes, align); }
    void do_deallocate(void* p, std::size_t bytes, std::size_t align) override { to->deallocate(p, bytes, align); }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

class monotonic_buffer_resource : public memory_resource {
public:
    static constexpr std::size_t initial_next_buffer_size = 32 * sizeof(void*);

    explicit monotonic_buffer_resource(memory_resource* upstream = nullptr)
        : monotonic_buffer_resource(initial_next_buffer_size, upstream) {}
    explicit monotonic_buffer_resource(std::size_t size, memory_resource* upstream = nullptr)
        : upstream_(upstream == nullptr ? get_default_resource() : upstream), next_(size), own_(size, &upstream_) {}
    monotonic_buffer_resource(void* buffer, std::size_t size, memory_resource* upstream = nullptr)
        : upstream_(upstream == nullptr ? get_default_resource() : upstream),
          next_(2 * size + 2),
          buffer_(buffer),
          own_(buffer, size, &upstream_) {}

    void release() { own_.release(); }
    memory_resource* upstream_resource() const { return upstream_.to; }
    std::size_t next_buffer_size() const { return next_; }
    const void* current_buffer() const { return buffer_; }
    // An arena does not report it; this is an upper bound.
    std::size_t remaining_storage(std::size_t = 1) { return own_.retained(); }
    std::size_t remaining_storage(std::size_t, std::size_t& wasted) { return wasted = 0, own_.retained(); }

protected:
    void* do_allocate(std::size_t bytes, std::size_t align) override {
        return static_cast<std::pmr::memory_resource&>(own_).allocate(bytes, align);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t align) override {
        static_cast<std::pmr::memory_resource&>(own_).deallocate(p, bytes, align);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

private:
    upstream_of upstream_;
    std::size_t next_;
    void* buffer_ = nullptr;
    peers::monotonic_buffer_resource own_;
};

struct block_slist {
    static constexpr std::size_t header_size = ebb::detail::chunk_header;
};

}  // namespace boost::container::pmr

#endif  // EBBPOOL_TEST_PEERS_BOOST_RESOURCE_HPP
