#pragma once

/// \file
/// The subjects: Ebbpool, and the allocators that a program would use instead. Subjects of the matrix have the
/// same five members.

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ebbpool/annotate.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <initializer_list>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <vector>

#if BENCH_HAVE_BOOST
#include <boost/pool/object_pool.hpp>
#include <boost/pool/pool.hpp>
#include <boost/version.hpp>
#endif
#if BENCH_HAVE_FOONATHAN
#include <foonathan/memory/memory_pool.hpp>
#endif

#include "object.hpp"

namespace bench {

// The lower bound: the least work that a pool can do.

/// A free list through the free objects of one block, linked beforehand. It has no checks, no count, and no
/// capacity.
template <std::size_t Size>
class lower_bound_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "lower bound";
    static bool available() { return true; }

    explicit lower_bound_pool(std::size_t capacity) : block_(static_cast<node*>(::operator new(capacity* Size))) {
        for (std::size_t i = capacity; i-- > 0;) {
            node* const n = at(i);
            n->next = head_;
            head_ = n;
        }
    }
    ~lower_bound_pool() { ::operator delete(block_); }
    lower_bound_pool(const lower_bound_pool&) = delete;
    lower_bound_pool& operator=(const lower_bound_pool&) = delete;

    value_type* allocate() noexcept {
        node* const n = head_;
        if (n == nullptr) return nullptr;
        head_ = n->next;
        return reinterpret_cast<value_type*>(n);
    }
    void deallocate(value_type* p) noexcept {
        node* const n = reinterpret_cast<node*>(p);
        n->next = head_;
        head_ = n;
    }

private:
    struct node {
        node* next;
    };
    node* at(std::size_t i) noexcept {
        return reinterpret_cast<node*>(reinterpret_cast<std::byte*>(block_) + i * Size);
    }

    node* block_;
    node* head_ = nullptr;
};

// Ebbpool with each policy.

template <std::size_t Size, class Checks>
class ebb_pool {
public:
    using value_type = object<Size>;
    static bool available() { return true; }

    explicit ebb_pool(std::size_t capacity) : pool_(capacity) {}
    value_type* allocate() noexcept { return pool_.allocate(); }
    void deallocate(value_type* p) noexcept { pool_.deallocate(p); }

private:
    ebb::fixed_pool<value_type, Checks> pool_;
};

/// The default policy, which detects misuse in release builds.
template <std::size_t Size>
class ebb_trap : public ebb_pool<Size, ebb::checks::trap> {
public:
    using ebb_pool<Size, ebb::checks::trap>::ebb_pool;
    static constexpr const char* name = "ebb trap";
};

/// The same checks. Misuse calls a handler.
template <std::size_t Size>
class ebb_report : public ebb_pool<Size, ebb::checks::report> {
public:
    using ebb_pool<Size, ebb::checks::report>::ebb_pool;
    static constexpr const char* name = "ebb report";
};

/// Without checks, for the comparison with unchecked pools.
template <std::size_t Size>
class ebb_none : public ebb_pool<Size, ebb::checks::none> {
public:
    using ebb_pool<Size, ebb::checks::none>::ebb_pool;
    static constexpr const char* name = "ebb none";
};

// A common checked design.

/// A straightforward checked pool: a block, a `vector` of pointers as the stack of free objects, a `vector` of
/// flags for allocated objects, and a division to find the flag. It detects the same misuse as Ebbpool.
template <std::size_t Size>
class checked_vectors {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "checked vectors";
    static bool available() { return true; }

    explicit checked_vectors(std::size_t capacity)
        : capacity_(capacity), block_(static_cast<value_type*>(::operator new(capacity* Size))), out_(capacity, 0) {
        free_.reserve(capacity);
        for (std::size_t i = capacity; i-- > 0;) free_.push_back(block_.get() + i);
    }

    value_type* allocate() noexcept {
        if (free_.empty()) return nullptr;
        value_type* const p = free_.back();
        free_.pop_back();
        out_[static_cast<std::size_t>(p - block_.get())] = 1;
        return p;
    }

    void deallocate(value_type* p) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(p);
        const auto first = reinterpret_cast<std::uintptr_t>(block_.get());
        if (address < first || address >= first + capacity_ * Size) fail("not from this pool", p);
        const std::size_t offset = address - first;
        if (offset % Size != 0) fail("not the beginning of an object", p);
        if (out_[offset / Size] == 0) fail("not allocated", p);
        out_[offset / Size] = 0;
        free_.push_back(p);  // never reallocates: reserved for all objects
    }

private:
    [[noreturn, gnu::cold, gnu::noinline]] static void fail(const char* what, void* p) {
        std::fprintf(stderr, "checked vectors: %p: %s\n", p, what);
        std::abort();
    }
    struct raw_delete {
        void operator()(value_type* p) const noexcept { ::operator delete(p); }
    };

    std::size_t capacity_;
    std::unique_ptr<value_type, raw_delete> block_;
    std::vector<value_type*> free_;
    std::vector<unsigned char> out_;
};

// A common fixed pool.

/// A block and a `vector` of pointers to free objects, last in, first out. It only checks whether it is full.
template <std::size_t Size>
class pointer_stack {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "stack of pointers";
    static bool available() { return true; }

    explicit pointer_stack(std::size_t capacity)
        : block_(static_cast<value_type*>(::operator new(capacity* Size))), free_(capacity) {
        for (std::size_t i = 0; i < capacity; ++i) free_[i] = block_.get() + (capacity - 1 - i);
    }

    value_type* allocate() noexcept {
        if (free_.empty()) return nullptr;
        value_type* const p = free_.back();
        free_.pop_back();
        return p;
    }
    void deallocate(value_type* p) noexcept { free_.push_back(p); }

private:
    struct release {
        void operator()(value_type* p) const noexcept { ::operator delete(p); }
    };
    std::unique_ptr<value_type, release> block_;
    std::vector<value_type*> free_;
};

// The pool resource of the standard library.

template <std::size_t Size>
class pmr_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "std::pmr pool";
    static bool available() { return true; }

    explicit pmr_pool(std::size_t) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(resource_.allocate(Size, alignof(value_type))); }
    void deallocate(value_type* p) noexcept { resource_.deallocate(p, Size, alignof(value_type)); }

private:
    std::pmr::unsynchronized_pool_resource resource_;
};

// Allocators that replace `malloc`, as shared libraries. They are opened at run time, because linking them
// would replace every `malloc` of the program, including the subject "glibc malloc". Each call goes through one
// pointer, as with the table of a linked library.

/// The two functions of such a library, or null if the machine doesn't have it.
struct shared_malloc {
    void* (*allocate)(std::size_t) = nullptr;
    void (*deallocate)(void*) = nullptr;
    void* library = nullptr;

    bool available() const noexcept { return allocate != nullptr && deallocate != nullptr; }

    /// Opens the first of the file names that loads.
    static shared_malloc open(std::initializer_list<const char*> files, const char* malloc_name,
                              const char* free_name) {
        shared_malloc m;
        if (EBB_ASAN) return m;  // would report the library's memory as leaks
        for (const char* file : files) {
            m.library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
            if (m.library != nullptr) break;
        }
        if (m.library == nullptr) return m;
        m.allocate = reinterpret_cast<void* (*)(std::size_t)>(::dlsym(m.library, malloc_name));
        m.deallocate = reinterpret_cast<void (*)(void*)>(::dlsym(m.library, free_name));
        return m;
    }
};

/// Opened before `main`, so that the first call is not measured.
inline const shared_malloc mimalloc_library = shared_malloc::open(
    {"libmimalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so.3", "libmimalloc.so"}, "mi_malloc", "mi_free");
inline const shared_malloc jemalloc_library =
    shared_malloc::open({"libjemalloc.so.2", "libjemalloc.so"}, "malloc", "free");
inline const shared_malloc tcmalloc_library =
    shared_malloc::open({"libtcmalloc_minimal.so.4", "libtcmalloc_minimal.so"}, "tc_malloc", "tc_free");

inline const shared_malloc tbb_library =
    shared_malloc::open({"libtbbmalloc.so.2", "libtbbmalloc.so"}, "scalable_malloc", "scalable_free");

/// Restarts the program if jemalloc is installed but can't be opened: it needs more static thread-local storage
/// than glibc reserves for libraries opened at run time. glibc reads the amount from the environment at the
/// start. Must be called first in `main`.
inline void restart_with_room_for_jemalloc(char** argv) {
    constexpr const char* variable = "GLIBC_TUNABLES";
    if (jemalloc_library.available() || std::getenv(variable) != nullptr) return;
    ::setenv(variable, "glibc.rtld.optional_static_tls=16384", 1);
    ::execv("/proc/self/exe", argv);  // if it fails, the benchmark runs without jemalloc
}

// Allocators as two functions.

/// The C library's.
struct glibc_calls {
    static constexpr const char* name = "glibc malloc";
    static bool available() { return true; }
    static void* take(std::size_t bytes) { return std::malloc(bytes); }
    static void give(void* p) { std::free(p); }
};

template <const shared_malloc& Library>
struct library_calls {
    static bool available() { return Library.available(); }
    static void* take(std::size_t bytes) { return Library.allocate(bytes); }
    static void give(void* p) { Library.deallocate(p); }
};
struct mimalloc_calls : library_calls<mimalloc_library> {
    static constexpr const char* name = "mimalloc";
};
struct jemalloc_calls : library_calls<jemalloc_library> {
    static constexpr const char* name = "jemalloc";
};
struct tcmalloc_calls : library_calls<tcmalloc_library> {
    static constexpr const char* name = "tcmalloc";
};
struct tbb_calls : library_calls<tbb_library> {
    static constexpr const char* name = "oneTBB";
};

/// Such an allocator as a standard allocator.
template <class T, class Calls>
struct calls_allocator {
    using value_type = T;
    calls_allocator() = default;
    template <class U>
    calls_allocator(const calls_allocator<U, Calls>&) noexcept {}
    T* allocate(std::size_t n) { return static_cast<T*>(Calls::take(n * sizeof(T))); }
    void deallocate(T* p, std::size_t) noexcept { Calls::give(p); }
    template <class U>
    friend bool operator==(const calls_allocator&, const calls_allocator<U, Calls>&) noexcept {
        return true;
    }
};

/// Such an allocator as a pool.
template <class Calls, std::size_t Size>
class malloc_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = Calls::name;
    static bool available() { return Calls::available(); }

    explicit malloc_pool(std::size_t) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(Calls::take(Size)); }
    void deallocate(value_type* p) noexcept { Calls::give(p); }
};
template <std::size_t Size>
using glibc_malloc = malloc_pool<glibc_calls, Size>;
template <std::size_t Size>
using mimalloc = malloc_pool<mimalloc_calls, Size>;
template <std::size_t Size>
using jemalloc = malloc_pool<jemalloc_calls, Size>;
template <std::size_t Size>
using tcmalloc = malloc_pool<tcmalloc_calls, Size>;
template <std::size_t Size>
using tbb = malloc_pool<tbb_calls, Size>;

#if BENCH_HAVE_BOOST
// Boost.Pool.

/// `boost::pool`, with its whole capacity as the first block.
template <std::size_t Size>
class boost_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "Boost.Pool";
    static bool available() { return true; }

    explicit boost_pool(std::size_t capacity) : pool_(Size, capacity) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(pool_.malloc()); }
    void deallocate(value_type* p) noexcept { pool_.free(p); }

private:
    boost::pool<boost::default_user_allocator_new_delete> pool_;
};
#endif

#if BENCH_HAVE_BOOST
// Boost.Pool's pool of typed objects.

/// `boost::object_pool`, with its whole capacity as the first block. Its free list is sorted by address, for
/// the destructor, so a free walks the list.
template <std::size_t Size>
class boost_object_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "Boost.ObjectPool";
    static bool available() { return true; }

    explicit boost_object_pool(std::size_t capacity) : pool_(capacity) {}
    // In parentheses, as in the library, for programs that define them as macros.
    value_type* allocate() noexcept { return (pool_.malloc)(); }
    void deallocate(value_type* p) noexcept { (pool_.free)(p); }

private:
    boost::object_pool<value_type> pool_;
};
#endif

#if BENCH_HAVE_FOONATHAN
// foonathan/memory.

/// `memory_pool<node_pool>`, with its whole capacity as the first block.
template <std::size_t Size>
class foonathan_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "foonathan memory";
    static bool available() { return true; }

    explicit foonathan_pool(std::size_t capacity) : pool_(Size, pool::min_block_size(Size, capacity)) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(pool_.allocate_node()); }
    void deallocate(value_type* p) noexcept { pool_.deallocate_node(p); }

private:
    using pool = foonathan::memory::memory_pool<foonathan::memory::node_pool>;
    pool pool_;
};
#endif

// Ebbpool's pool for threads, with checks, and a pool with a lock.

template <std::size_t Size>
class ebb_sync {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "ebb sync";
    static bool available() { return true; }

    explicit ebb_sync(std::size_t capacity) : pool_(capacity) {}
    value_type* allocate() noexcept { return pool_.allocate(); }
    void deallocate(value_type* p) noexcept { pool_.deallocate(p); }

private:
    ebb::sync_fixed_pool<value_type> pool_;
};

/// A fixed_pool with a mutex.
template <std::size_t Size>
class ebb_mutex {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "ebb + mutex";
    static bool available() { return true; }

    explicit ebb_mutex(std::size_t capacity) : pool_(capacity) {}
    value_type* allocate() noexcept {
        const std::lock_guard lock(mutex_);
        return pool_.allocate();
    }
    void deallocate(value_type* p) noexcept {
        const std::lock_guard lock(mutex_);
        pool_.deallocate(p);
    }

private:
    std::mutex mutex_;
    ebb::fixed_pool<value_type> pool_;
};

}  // namespace bench
