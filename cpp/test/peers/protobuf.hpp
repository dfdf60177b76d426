// An ebb::arena with the interface of protobuf's Arena, for protobuf's tests without messages, which need protobuf's
// own Arena.
#ifndef EBBPOOL_TEST_PEERS_PROTOBUF_HPP
#define EBBPOOL_TEST_PEERS_PROTOBUF_HPP
#include <gtest/gtest.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <memory>
#include <string>
#include <vector>

#define GOOGLE_DISALLOW_EVIL_CONSTRUCTORS(T) \
    T(const T&) = delete;                    \
    T& operator=(const T&) = delete
#define GOOGLE_CHECK_EQ(a, b) EXPECT_EQ(a, b)

namespace google::protobuf {

struct ArenaOptions {
    std::size_t start_block_size = 256, max_block_size = 8192;
    char* initial_block = nullptr;
    std::size_t initial_block_size = 0;
};

class Arena {
public:
    static constexpr int kBlockOverhead = static_cast<int>(ebb::detail::chunk_header);

    // Storage that is too small for a chunk is not used.
    explicit Arena(const ArenaOptions& o = {})
        : arena_(std::max<std::size_t>(o.start_block_size, 1), 0,
                 {.storage = o.initial_block_size < ebb::arena::bytes_needed(8)
                                 ? std::span<std::byte>{}
                                 : std::span(reinterpret_cast<std::byte*>(o.initial_block), o.initial_block_size),
                  .source = &source_}) {}

    template <class T, class... Args>
    static T* Create(Arena* a, Args&&... args) {
        return a->arena_.template make<T>(std::forward<Args>(args)...);
    }
    template <class T>
    static T* CreateArray(Arena* a, std::size_t n) {
        return ebb::arena_allocator<T>(a->arena_).allocate(n);
    }
    template <class T>
    void Own(T* p) {
        arena_.make<std::unique_ptr<T>>(p);
    }
    std::uint64_t SpaceUsed() const { return arena_.used_bytes(); }
    std::uint64_t SpaceAllocated() { return arena_.stats().retained_bytes; }
    std::uint64_t Reset() {
        const std::uint64_t n = SpaceAllocated();
        arena_.release();
        return n;
    }
    void ReturnArrayMemory(void* p, std::size_t n) {
        ebb::arena_allocator<char>(arena_).deallocate(static_cast<char*>(p), n);
    }

private:
    static void* take(std::size_t bytes, std::size_t align, void*) noexcept {
        return std::memset(::operator new (bytes, std::align_val_t{align}), 0, bytes);
    }
    static void give(void* p, std::size_t, std::size_t align, void*) noexcept {
        ::operator delete (p, std::align_val_t{align});
    }
    ebb::memory_source source_{&take, &give};
    ebb::arena arena_;
};

namespace internal {
struct ArenaTestPeer {
    static void ReturnArrayMemory(Arena* a, void* p, std::size_t n) { a->ReturnArrayMemory(p, n); }
};
}  // namespace internal

}  // namespace google::protobuf

#endif  // EBBPOOL_TEST_PEERS_PROTOBUF_HPP
