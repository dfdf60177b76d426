#include "regions.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <ebbpool/arena.hpp>
#include <memory>
#include <memory_resource>
#include <string_view>

#include "documents.hpp"
#include "subjects/shared_malloc.hpp"
#include "workloads.hpp"

#if defined(BENCH_HAVE_PROTOBUF)
#include <google/protobuf/arena.h>
#endif

namespace bench {
namespace {

/// An object of a life: linked to the one before, so that all can be found.
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
    static constexpr const char* name = "ebb::arena";
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
    static constexpr const char* name = "std::pmr monotonic, one buffer";
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

[[noreturn]] void wrong(const std::string& name, const char* subject) {
    std::fprintf(stderr, "%s: %s has a wrong checksum\n", name.c_str(), subject);
    std::exit(1);
}

/// Seconds of `lives` lives of `count` objects; the last one is read before it
/// is dropped, and its sum, with those of what was destroyed, is the checksum.
template <class T, class Subject>
[[gnu::noinline]] sample live(std::size_t count, std::size_t lives) {
    Subject subject(count * sizeof(T));
    destroyed = 0;
    std::uint64_t stamp = 0;
    T* newest = nullptr;
    const auto one_life = [&] {
        newest = nullptr;
        for (std::size_t i = 0; i < count; ++i) {
            newest = subject.make(++stamp, newest);
            keep(subject);
        }
    };
    one_life();  // to warm up
    subject.drop(newest);
    const std::clock_t start = std::clock();
    for (std::size_t i = 0; i < lives; ++i) {
        one_life();
        opaque(newest);
        subject.drop(newest);
        keep(subject);
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    one_life();
    std::uint64_t sum = 0;
    for (const T* p = newest; p != nullptr; p = static_cast<const T*>(p->before)) sum += p->number;
    subject.drop(newest);
    if (!std::is_trivially_destructible_v<T> && Subject::destroys) sum += destroyed;
    return {seconds, sum};
}

std::uint64_t up_to(std::uint64_t n) { return n * (n + 1) / 2; }

struct entry {
    const char* name;
    bool available;
    bool destroys;
    sample (*play)(std::size_t count, std::size_t lives);
};

template <class T, class Subject>
entry entry_of() {
    return {Subject::name, Subject::available(), Subject::destroys, &live<T, Subject>};
}

template <class T>
std::vector<entry> entries() {
    std::vector<entry> all{entry_of<T, bump>(), entry_of<T, ebb_arena>()};
    if constexpr (std::is_trivially_destructible_v<T>) all.push_back(entry_of<T, pmr_buffer>());
#if defined(BENCH_HAVE_PROTOBUF)
    all.push_back(entry_of<T, protobuf_arena>());
#endif
    all.push_back(entry_of<T, one_by_one<glibc_calls>>());
    if (mimalloc_library.available()) all.push_back(entry_of<T, one_by_one<mimalloc_calls>>());
    return all;
}

template <class T>
region_measurements run_lives(const char* what, std::size_t count, std::size_t rounds, std::size_t objects,
                              progress& steps) {
    region_measurements m;
    m.name = what;
    m.size = sizeof(T);
    const auto all = entries<T>();
    const bool has_destructor = !std::is_trivially_destructible_v<T>;
    m.ns.resize(all.size());
    for (const entry& e : all) m.subjects.emplace_back(e.name);
    const std::size_t lives = (objects + count - 1) / count;
    const std::uint64_t made = (lives + 2) * count;
    const std::uint64_t last_life = up_to(made) - up_to(made - count);
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t s = (i + round) % all.size();
            const sample got = all[s].play(count, lives);
            if (got.checksum != last_life + (has_destructor && all[s].destroys ? up_to(made) : 0)) {
                wrong(m.name, all[s].name);
            }
            m.ns[s].push_back(got.seconds * 1e9 / static_cast<double>(lives * count));
        }
        steps.step(what);
    }
    return m;
}

region_measurements run_documents(std::size_t rounds, std::size_t nodes, progress& steps) {
    region_measurements m;
    m.name = "documents";
    const auto all = document_subjects();
    m.ns.resize(all.size());
    for (const document_subject& s : all) m.subjects.emplace_back(s.name);
    const document d = random_document();
    const std::size_t times = (nodes + d.nodes.size() - 1) / d.nodes.size();
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t s = (i + round) % all.size();
            const sample got = all[s].play(d, times);
            if (got.checksum != d.checksum * (times + 1)) wrong(m.name, all[s].name);
            m.ns[s].push_back(got.seconds * 1e9 / static_cast<double>(times * d.nodes.size()));
        }
        steps.step("documents");
    }
    return m;
}

constexpr std::size_t kinds = 8;

}  // namespace

std::size_t region_steps(std::size_t rounds) noexcept { return kinds * rounds; }

std::vector<region_measurements> run_regions(std::size_t rounds, bool quick, progress& steps) {
    const std::size_t objects = quick ? 200'000 : 4'000'000;
    return {run_lives<plain<32>>("32 B, lives of 20", 20, rounds, objects, steps),
            run_lives<plain<32>>("32 B, lives of 1,000", 1'000, rounds, objects, steps),
            run_lives<plain<32>>("32 B, lives of 16,000", 16'000, rounds, objects, steps),
            run_lives<plain<64>>("64 B, lives of 20", 20, rounds, objects, steps),
            run_lives<plain<64>>("64 B, lives of 1,000", 1'000, rounds, objects, steps),
            run_lives<plain<64>>("64 B, lives of 16,000", 16'000, rounds, objects, steps),
            run_lives<counted>("64 B with a destructor, lives of 1,000", 1'000, rounds, objects, steps),
            run_documents(rounds, objects / 16, steps)};
}

}  // namespace bench
