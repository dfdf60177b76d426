#include <ebbpool/arena.hpp>
#include <memory>
#include <memory_resource>
#include <type_traits>

#include "bench.hpp"
#include "subjects.hpp"

#if defined(BENCH_HAVE_PROTOBUF)
#include <google/protobuf/arena.h>
#endif

namespace bench {
namespace {

/// An object of an epoch: linked to the one before, so that all can be found.
template <std::size_t Size>
struct plain {
    plain(std::uint64_t n, plain* p) noexcept : number(n), before(p) {}
    std::uint64_t number;
    plain* before;
    std::byte rest[Size - sizeof(std::uint64_t) - sizeof(void*)];
};

std::uint64_t destroyed = 0;

/// The same with a destructor.
struct counted : plain<64> {
    counted(std::uint64_t n, counted* p) noexcept : plain(n, p) {}
    ~counted() { destroyed += number; }
};
static_assert(sizeof(plain<32>) == 32 && sizeof(plain<64>) == 64 && sizeof(counted) == 64);

class bump {
public:
    static constexpr const char* name = "raw bump";
    static constexpr bool destroys = false;
    static bool available() { return true; }
    explicit bump(std::size_t bytes) : buffer_(new std::byte[bytes]), next_(buffer_.get()) {}
    template <class T>
    T* make(std::uint64_t n, T* before) {
        std::byte* const p = next_;
        next_ = p + sizeof(T);
        return ::new (p) T(n, before);
    }
    template <class T>
    void drop(T*) {
        next_ = buffer_.get();
    }

private:
    std::unique_ptr<std::byte[]> buffer_;
    std::byte* next_;
};

class ebb_arena {
public:
    static constexpr const char* name = "ebb arena";
    static constexpr bool destroys = true;
    static bool available() { return true; }
    explicit ebb_arena(std::size_t) : arena_(64 << 10, 4 << 20) {}
    template <class T>
    T* make(std::uint64_t n, T* before) {
        return arena_.make<T>(n, before);
    }
    template <class T>
    void drop(T*) {
        arena_.reset();
    }

private:
    ebb::arena arena_;
};

/// On a buffer of its own that is large enough; the resource's own type is known
/// to the compiler.
class pmr_buffer {
public:
    static constexpr const char* name = "pmr buffer";
    static constexpr bool destroys = false;
    static bool available() { return true; }
    explicit pmr_buffer(std::size_t bytes)
        : buffer_(new std::byte[bytes]), resource_(buffer_.get(), bytes, std::pmr::null_memory_resource()) {}
    template <class T>
    T* make(std::uint64_t n, T* before) {
        return ::new (resource_.allocate(sizeof(T), alignof(T))) T(n, before);
    }
    template <class T>
    void drop(T*) {
        resource_.release();
    }

private:
    std::unique_ptr<std::byte[]> buffer_;
    std::pmr::monotonic_buffer_resource resource_;
};

#if defined(BENCH_HAVE_PROTOBUF)
class protobuf_arena {
public:
    static constexpr const char* name = "protobuf Arena";
    static constexpr bool destroys = true;
    static bool available() { return true; }
    explicit protobuf_arena(std::size_t bytes) : buffer_(new char[2 * bytes]), arena_(options(2 * bytes)) {}
    template <class T>
    T* make(std::uint64_t n, T* before) {
        return google::protobuf::Arena::Create<T>(&arena_, n, before);
    }
    template <class T>
    void drop(T*) {
        arena_.Reset();
    }

private:
    google::protobuf::ArenaOptions options(std::size_t bytes) {
        google::protobuf::ArenaOptions o;
        o.initial_block = buffer_.get();
        o.initial_block_size = bytes;
        return o;
    }
    std::unique_ptr<char[]> buffer_;
    google::protobuf::Arena arena_;
};
#endif

/// An allocator of the program, that gives back one by one.
template <class Malloc>
class one_by_one {
public:
    static constexpr const char* name = Malloc::name;
    static constexpr bool destroys = true;
    static bool available() { return Malloc::available(); }
    explicit one_by_one(std::size_t) {}
    template <class T>
    T* make(std::uint64_t n, T* before) {
        return ::new (Malloc::take(sizeof(T))) T(n, before);
    }
    template <class T>
    void drop(T* newest) {
        while (newest != nullptr) {
            T* const before = static_cast<T*>(newest->before);
            newest->~T();
            Malloc::give(newest);
            newest = before;
        }
    }
};

std::uint64_t up_to(std::uint64_t n) { return n * (n + 1) / 2; }

/// An iteration is an epoch of `count` objects. The last one is read before it is dropped:
/// its sum, with those of what was destroyed, must be what was written.
template <class T, class Subject>
void run(benchmark::State& state, std::size_t count) {
    Subject subject(count * sizeof(T));
    destroyed = 0;
    std::uint64_t stamp = 0;
    T* newest = nullptr;
    const auto one_epoch = [&] {
        newest = nullptr;
        for (std::size_t i = 0; i < count; ++i) {
            newest = subject.make(++stamp, newest);
            keep(subject);
        }
    };
    one_epoch();  // to warm up
    subject.drop(newest);
    for ([[maybe_unused]] auto _ : state) {
        one_epoch();
        opaque(newest);
        subject.drop(newest);
        keep(subject);
    }
    count_calls(state, count);
    one_epoch();
    std::uint64_t sum = 0;
    for (const T* p = newest; p != nullptr; p = static_cast<const T*>(p->before)) sum += p->number;
    subject.drop(newest);
    if (sum != up_to(stamp) - up_to(stamp - count)) state.SkipWithError("an object was written by another");
    if (!std::is_trivially_destructible_v<T> && Subject::destroys && destroyed != up_to(stamp))
        state.SkipWithError("not every object was destroyed once");
}

template <class T, class Subject>
void add(const char* what, std::size_t count) {
    if (!Subject::available()) return;
    const std::string name = std::string("arena/") + what + "/" + std::to_string(count) + "/" + Subject::name;
    benchmark::RegisterBenchmark(name.c_str(), &run<T, Subject>, count);
}

template <class T>
void add_epochs(const char* what, std::size_t count) {
    add<T, bump>(what, count);
    add<T, ebb_arena>(what, count);
    if constexpr (std::is_trivially_destructible_v<T>) add<T, pmr_buffer>(what, count);
#if defined(BENCH_HAVE_PROTOBUF)
    add<T, protobuf_arena>(what, count);
#endif
    add<T, one_by_one<glibc_calls>>(what, count);
    add<T, one_by_one<mimalloc_calls>>(what, count);
    add<T, one_by_one<jemalloc_calls>>(what, count);
    add<T, one_by_one<tcmalloc_calls>>(what, count);
    add<T, one_by_one<tbb_calls>>(what, count);
}

}  // namespace

void add_regions() {
    for (const std::size_t count : {20u, 1'000u, 16'000u}) {
        add_epochs<plain<32>>("32", count);
        add_epochs<plain<64>>("64", count);
    }
    add_epochs<counted>("destructor", 1'000);
}

}  // namespace bench
