// The interfaces of Boost.Pool: pool, which grows, and pool_allocator on an arena; object_pool and fast_pool_allocator
// on pools of fixed capacity.
#ifndef EBBPOOL_TEST_PEERS_BOOST_POOL_HPP
#define EBBPOOL_TEST_PEERS_BOOST_POOL_HPP

#include <boost/integer/common_factor_ct.hpp>
#include <cstddef>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <list>
#include <memory>
#include <new>
#include <thread>

namespace boost {

using std::shared_ptr;
using std::thread;

struct default_user_allocator_new_delete {
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    static char* malloc(std::size_t bytes) { return new (std::nothrow) char[bytes]; }
    static void free(char* block) { delete[] block; }
};

template <class UserAllocator = default_user_allocator_new_delete>
class pool {
public:
    explicit pool(std::size_t size, std::size_t next = 32, std::size_t = 0)
        : size_(size), arena_(next * size, 0, {.source = &source_}) {}
    void* malloc() { return ordered_malloc(1); }
    void* ordered_malloc(std::size_t n = 1) {
        try {
            return arena_.allocate(n * size_, n * size_ % 16 == 0 ? 16 : 8);
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    void free(void* p) { ordered_free(p, 1); }
    void ordered_free(void* p, std::size_t n = 1) { arena_.give_back(p, n * size_); }
    bool release_memory() { return arena_.used_bytes() == 0 && purge_memory(); }
    bool purge_memory() {
        const bool has = arena_.stats().retained_bytes != 0;
        arena_.release();
        return has;
    }

private:
    // Chunks have a larger alignment than the user's memory.
    static void* take(std::size_t bytes, std::size_t align, void*) noexcept {
        char* const block = UserAllocator::malloc(bytes + align);
        if (block == nullptr) return nullptr;
        void* at = block + sizeof(char*);
        std::size_t room = bytes + align - sizeof(char*);
        at = std::align(align, bytes, at, room);
        std::memset(at, 0, bytes);
        std::memcpy(static_cast<char*>(at) - sizeof(char*), &block, sizeof block);
        return at;
    }
    static void give(void* at, std::size_t, std::size_t, void*) noexcept {
        char* block = nullptr;
        std::memcpy(&block, static_cast<char*>(at) - sizeof(char*), sizeof block);
        UserAllocator::free(block);
    }
    std::size_t size_;
    ebb::memory_source source_{&take, &give};
    ebb::arena arena_;
};

template <class T>
class object_pool {
public:
    object_pool() = default;
    ~object_pool() { ebb::destroy_all(pool_); }
    template <class... Args>
    T* construct(Args&&... args) {
        return ebb::construct(pool_, std::forward<Args>(args)...);
    }
    void destroy(T* p) { ebb::destroy(pool_, p); }

private:
    ebb::fixed_pool<T> pool_{1'000};
};

template <class T>
class pool_allocator {
public:
    using value_type = T;
    template <class U>
    struct rebind {
        using other = pool_allocator<U>;
    };
    pool_allocator() = default;
    template <class U>
    pool_allocator(const pool_allocator<U>&) {}
    static T* allocate(std::size_t n, const void* = nullptr) { return ebb::arena_allocator<T>(of()).allocate(n); }
    static void deallocate(T* p, std::size_t n) { ebb::arena_allocator<T>(of()).deallocate(p, n); }
    friend bool operator==(const pool_allocator&, const pool_allocator&) { return true; }

private:
    static ebb::arena& of() {
        static ebb::arena all;
        return all;
    }
};
template <>
class pool_allocator<void> {
public:
    template <class U>
    struct rebind {
        using other = pool_allocator<U>;
    };
};

template <class T>
class fast_pool_allocator {
public:
    using value_type = T;
    template <class U>
    struct rebind {
        using other = fast_pool_allocator<U>;
    };
    fast_pool_allocator() = default;
    template <class U>
    fast_pool_allocator(const fast_pool_allocator<U>&) {}
    static T* allocate(std::size_t n) {
        T* const p = n == 1 ? of().allocate() : std::allocator<T>{}.allocate(n);
        return p != nullptr ? p : throw std::bad_alloc();
    }
    static void deallocate(T* p, std::size_t n) { n == 1 ? of().deallocate(p) : std::allocator<T>{}.deallocate(p, n); }
    friend bool operator==(const fast_pool_allocator&, const fast_pool_allocator&) { return true; }

private:
    static ebb::sync_fixed_pool<T>& of() {
        static ebb::sync_fixed_pool<T> all(1'000'000);
        return all;
    }
};
template <>
class fast_pool_allocator<void> {
public:
    template <class U>
    struct rebind {
        using other = fast_pool_allocator<U>;
    };
};

}  // namespace boost

#endif  // EBBPOOL_TEST_PEERS_BOOST_POOL_HPP
