#include <cstring>
#include <ebbpool/arena.hpp>
#include <ebbpool/sync_arena.hpp>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "bench.hpp"
#include "object.hpp"
#include "subjects.hpp"

#if defined(BENCH_HAVE_PROTOBUF)
#include <google/protobuf/arena.h>
#endif
#if defined(BENCH_HAVE_FOLLY)
#include <folly/memory/ThreadCachedArena.h>
#endif

namespace bench {
namespace {

/// An object of a cycle, linked to the previous one for verification.
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
    template <class T, class... Args>
    T* make(Args... args) {
        std::byte* const p = next_;
        next_ = p + sizeof(T);
        return ::new (p) T(args...);
    }
    void* allocate(std::size_t bytes, std::size_t align) {
        next_ += (0 - reinterpret_cast<std::uintptr_t>(next_)) & (align - 1);
        std::byte* const p = next_;
        next_ = p + bytes;
        return p;
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
    explicit ebb_arena(std::size_t) : arena_(64 << 10, 16 << 20) {}
    template <class T, class... Args>
    T* make(Args... args) {
        return arena_.make<T>(args...);
    }
    void* allocate(std::size_t bytes, std::size_t align) { return arena_.allocate(bytes, align); }
    std::string_view copy(std::string_view text) { return arena_.copy(text); }
    template <class T>
    void drop(T*) {
        arena_.reset();
    }

private:
    ebb::arena arena_;
};

/// The arena for several threads. Each call looks up the thread's part.
class ebb_sync_arena {
public:
    static constexpr const char* name = "ebb sync arena";
    static constexpr bool destroys = true;
    static bool available() { return true; }
    explicit ebb_sync_arena(std::size_t) : arena_(64 << 10, 64 << 20) {}
    template <class T, class... Args>
    T* make(Args... args) {
        return arena_.make<T>(args...);
    }
    template <class T>
    void drop(T*) {
        arena_.reset();
    }

private:
    ebb::sync_arena arena_;
};

/// An arena, and a fork of it for the second thread of each cycle.
class ebb_fork {
public:
    static constexpr const char* name = "ebb fork";
    static bool available() { return true; }
    explicit ebb_fork(std::size_t) : arena_(64 << 10, 64 << 20) {}
    ebb::arena& part(std::size_t thread) { return thread == 0 ? arena_ : arena_.fork(); }
    template <class T>
    void drop(T*) {
        arena_.reset();
    }

private:
    ebb::arena arena_;
};

/// A monotonic_buffer_resource on a buffer that is large enough. The compiler knows the resource's type.
class pmr_buffer {
public:
    static constexpr const char* name = "pmr buffer";
    static constexpr bool destroys = false;
    static bool available() { return true; }
    explicit pmr_buffer(std::size_t bytes)
        : buffer_(new std::byte[bytes]), resource_(buffer_.get(), bytes, std::pmr::null_memory_resource()) {}
    template <class T, class... Args>
    T* make(Args... args) {
        return ::new (resource_.allocate(sizeof(T), alignof(T))) T(args...);
    }
    std::string_view copy(std::string_view text) {
        auto* const p = static_cast<char*>(resource_.allocate(text.size(), 1));
        std::memcpy(p, text.data(), text.size());
        return {p, text.size()};
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
    template <class T, class... Args>
    T* make(Args... args) {
        return google::protobuf::Arena::Create<T>(&arena_, args...);
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

#if defined(BENCH_HAVE_FOLLY)
/// folly's arena for several threads. It has no reset, so each cycle uses a new one.
class folly_arena {
public:
    static constexpr const char* name = "folly ThreadCachedArena";
    static bool available() { return true; }
    explicit folly_arena(std::size_t) { arena_.emplace(64 << 10); }
    template <class T, class... Args>
    T* make(Args... args) {
        return ::new (arena_->allocate(sizeof(T))) T(args...);
    }
    template <class T>
    void drop(T*) {
        arena_.emplace(64 << 10);
    }

private:
    std::optional<folly::ThreadCachedArena> arena_;
};
#endif

/// An allocator of the program, which frees objects one by one.
template <class Malloc>
class one_by_one {
public:
    static constexpr const char* name = Malloc::name;
    static constexpr bool destroys = true;
    static bool available() { return Malloc::available(); }
    explicit one_by_one(std::size_t) {}
    template <class T, class... Args>
    T* make(Args... args) {
        return ::new (Malloc::take(sizeof(T))) T(args...);
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

/// An iteration is a cycle of `count` objects. The last one is verified: the sum of its objects and of the
/// destroyed objects must be the sum of all values written.
template <class T, class Subject>
void run(benchmark::State& state, std::size_t count) {
    Subject subject(count * sizeof(T));
    destroyed = 0;
    std::uint64_t stamp = 0;
    T* newest = nullptr;
    const auto one_cycle = [&]() __attribute__((always_inline)) {
        newest = nullptr;
        for (std::size_t i = 0; i < count; ++i) {
            newest = subject.template make<T>(++stamp, newest);
            keep(subject);
        }
    };
    one_cycle();  // to warm up
    subject.drop(newest);
    for ([[maybe_unused]] auto _ : state) {
        one_cycle();
        opaque(newest);
        subject.drop(newest);
        keep(subject);
    }
    count_calls(state, count);
    one_cycle();
    std::uint64_t sum = 0;
    for (const T* p = newest; p != nullptr; p = static_cast<const T*>(p->before)) sum += p->number;
    subject.drop(newest);
    if (sum != up_to(stamp) - up_to(stamp - count)) state.SkipWithError("an object was written by another");
    if (!std::is_trivially_destructible_v<T> && Subject::destroys && destroyed != up_to(stamp))
        state.SkipWithError("not every object was destroyed once");
}

/// Returns the arena of a thread.
template <class Subject>
auto& part_of(Subject& subject, [[maybe_unused]] std::size_t thread) {
    if constexpr (requires { subject.part(thread); }) {
        return subject.part(thread);
    } else {
        return subject;
    }
}

/// An iteration is a cycle in which two threads make `count` objects each in one arena. The time is the CPU time of
/// both.
template <class T, class Subject>
void run_threads(benchmark::State& state, std::size_t count) {
    Subject subject(2 * count * sizeof(T));
    for ([[maybe_unused]] auto _ : state) {
        T* newest[2] = {};
        const auto one_thread = [&newest, count](auto* part, std::size_t me) {
            T* last = nullptr;
            for (std::size_t i = 0; i < count; ++i) last = part->template make<T>(i, last);
            newest[me] = last;
        };
        auto* const mine = &part_of(subject, 0);
        std::thread other(one_thread, &part_of(subject, 1), 1);
        one_thread(mine, 0);
        other.join();
        for (const T* const last : newest) {
            std::size_t n = 0;
            for (const T* p = last; p != nullptr; p = static_cast<const T*>(p->before)) ++n;
            if (n != count) state.SkipWithError("an object is missing");
        }
        subject.drop(newest[0]);
    }
    count_calls(state, 2 * count);
}

struct node {
    node(node* l, node* r) noexcept : left(l), right(r) {}
    node* left;
    node* right;
};

/// Builds a tree of the given depth. Nodes are made after their children, or before them.
template <bool ChildrenFirst, class Subject>
node* build(Subject& subject, std::size_t depth) {
    node* n = ChildrenFirst && depth > 0 ? nullptr : subject.template make<node>(nullptr, nullptr);
    if (depth == 0) return n;
    node* const left = build<ChildrenFirst>(subject, depth - 1);
    node* const right = build<ChildrenFirst>(subject, depth - 1);
    if (ChildrenFirst) return subject.template make<node>(left, right);
    n->left = left;
    n->right = right;
    return n;
}

std::size_t nodes_of(const node* n) { return n == nullptr ? 0 : 1 + nodes_of(n->left) + nodes_of(n->right); }

template <bool ChildrenFirst, class Subject>
void run_tree(benchmark::State& state, std::size_t depth) {
    const std::size_t count = (std::size_t{2} << depth) - 1;
    Subject subject(count * sizeof(node));
    subject.drop(build<ChildrenFirst>(subject, depth));
    for ([[maybe_unused]] auto _ : state) {
        node* root = build<ChildrenFirst>(subject, depth);
        opaque(root);
        subject.drop(root);
        keep(subject);
    }
    count_calls(state, count);
    if (nodes_of(build<ChildrenFirst>(subject, depth)) != count) state.SkipWithError("a node is missing");
}

/// Raw memory of mixed sizes up to 256 bytes, and alignments up to 64.
struct mixed {
    explicit mixed(random_numbers& random) : bytes(1 + random.below(256)), align(std::size_t{1} << random.below(7)) {}
    std::size_t bytes, align;
    using made = unsigned char*;

    template <class Subject>
    made make(Subject& subject) const {
        auto* const p = static_cast<unsigned char*>(subject.allocate(bytes, align));
        p[0] = p[bytes - 1] = static_cast<unsigned char>(bytes);
        return p;
    }
    bool is(made p) const {
        const auto first = static_cast<unsigned char>(bytes);
        return p[0] == first && p[bytes - 1] == first && reinterpret_cast<std::uintptr_t>(p) % align == 0;
    }
};

/// Copies of texts of 3 to 40 bytes.
struct text {
    explicit text(random_numbers& random) : from(3 + random.below(38), static_cast<char>('a' + random.below(26))) {}
    std::string from;
    using made = std::string_view;

    template <class Subject>
    made make(Subject& subject) const {
        return subject.copy(from);
    }
    bool is(made copy) const { return copy == from && copy.data() != from.data(); }
};

/// An iteration is a cycle of `count` random allocations. The last one is verified.
template <class Work, class Subject>
void run_random(benchmark::State& state, std::size_t count) {
    random_numbers random(11);
    std::vector<Work> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(random);
    std::vector<typename Work::made> made(count);
    Subject subject(count * 384);
    const auto one_cycle = [&]() __attribute__((always_inline)) {
        for (std::size_t i = 0; i < count; ++i) {
            made[i] = all[i].make(subject);
            keep(subject);
        }
    };
    one_cycle();  // to warm up
    subject.drop(made.data());
    for ([[maybe_unused]] auto _ : state) {
        one_cycle();
        subject.drop(made.data());
        keep(subject);
    }
    count_calls(state, count);
    one_cycle();
    for (std::size_t i = 0; i < count; ++i)
        if (!all[i].is(made[i])) state.SkipWithError("not what was made");
}

template <class Subject>
void add(const char* what, std::size_t count, void (*f)(benchmark::State&, std::size_t)) {
    if (!Subject::available()) return;
    const std::string name = std::string("arena/") + what + "/" + std::to_string(count) + "/" + Subject::name;
    benchmark::RegisterBenchmark(name.c_str(), f, count);
}

template <class Subject>
void add_threads() {
    if (!Subject::available()) return;
    benchmark::RegisterBenchmark((std::string("arena/two-threads-64/100000/") + Subject::name).c_str(),
                                 &run_threads<plain<64>, Subject>, std::size_t{100'000})
        ->MeasureProcessCPUTime();
}

template <class T>
void add_cycles(const char* what, std::size_t count) {
    add<bump>(what, count, &run<T, bump>);
    add<ebb_arena>(what, count, &run<T, ebb_arena>);
    add<ebb_sync_arena>(what, count, &run<T, ebb_sync_arena>);
    if constexpr (std::is_trivially_destructible_v<T>) add<pmr_buffer>(what, count, &run<T, pmr_buffer>);
#if defined(BENCH_HAVE_PROTOBUF)
    add<protobuf_arena>(what, count, &run<T, protobuf_arena>);
#endif
    add<one_by_one<glibc_calls>>(what, count, &run<T, one_by_one<glibc_calls>>);
    add<one_by_one<mimalloc_calls>>(what, count, &run<T, one_by_one<mimalloc_calls>>);
    add<one_by_one<jemalloc_calls>>(what, count, &run<T, one_by_one<jemalloc_calls>>);
    add<one_by_one<tcmalloc_calls>>(what, count, &run<T, one_by_one<tcmalloc_calls>>);
    add<one_by_one<tbb_calls>>(what, count, &run<T, one_by_one<tbb_calls>>);
}

}  // namespace

void add_regions() {
    for (const std::size_t count : {20u, 1'000u, 16'000u}) {
        add_cycles<plain<32>>("32", count);
        add_cycles<plain<64>>("64", count);
    }
    add_cycles<counted>("destructor", 1'000);
    add_threads<ebb_sync_arena>();
    add_threads<ebb_fork>();
#if defined(BENCH_HAVE_PROTOBUF)
    add_threads<protobuf_arena>();
#endif
#if defined(BENCH_HAVE_FOLLY)
    add_threads<folly_arena>();
#endif
    add<bump>("tree-children-first", 17, &run_tree<true, bump>);
    add<ebb_arena>("tree-children-first", 17, &run_tree<true, ebb_arena>);
    add<pmr_buffer>("tree-children-first", 17, &run_tree<true, pmr_buffer>);
    add<bump>("tree-parents-first", 17, &run_tree<false, bump>);
    add<ebb_arena>("tree-parents-first", 17, &run_tree<false, ebb_arena>);
    add<pmr_buffer>("tree-parents-first", 17, &run_tree<false, pmr_buffer>);
    add<bump>("mixed", 1'000, &run_random<mixed, bump>);
    add<ebb_arena>("mixed", 1'000, &run_random<mixed, ebb_arena>);
    add<pmr_buffer>("text", 1'000, &run_random<text, pmr_buffer>);
    add<ebb_arena>("text", 1'000, &run_random<text, ebb_arena>);
}

}  // namespace bench
