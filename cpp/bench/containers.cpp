#include <algorithm>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "object.hpp"
#include "subjects.hpp"

namespace bench {
namespace {

// The subjects: each makes empty containers, and drop() ends the cycle of all of them.

class arena_allocated {
public:
    static constexpr const char* name = "ebb arena";
    static bool available() { return true; }
    auto vector() { return std::vector<int, ebb::arena_allocator<int>>(arena_); }
    void drop() { arena_.reset(); }

private:
    ebb::arena arena_{64 << 10, 16 << 20};
};

/// The containers of std::pmr. The compiler does not know the resource's type.
template <class Resource>
class pmr_containers : public Resource {
public:
    static bool available() { return true; }
    auto vector() { return std::pmr::vector<int>(pointer()); }
    auto map() { return std::pmr::map<int, int>(pointer()); }
    auto unordered_map() { return std::pmr::unordered_map<int, int>(pointer()); }

private:
    std::pmr::memory_resource* pointer() {
        std::pmr::memory_resource* p = this->resource();
        opaque(p);
        return p;
    }
};

class arena_memory {
public:
    static constexpr const char* name = "ebb resource";
    std::pmr::memory_resource* resource() { return &resource_; }
    void drop() { arena_.reset(); }

private:
    ebb::arena arena_{64 << 10, 16 << 20};
    ebb::arena_resource resource_{arena_};
};

/// A monotonic_buffer_resource on a buffer that is large enough.
class buffer_memory {
public:
    static constexpr const char* name = "pmr buffer";
    std::pmr::memory_resource* resource() { return &resource_; }
    void drop() { resource_.release(); }

private:
    static constexpr std::size_t bytes = 4 << 20;
    std::unique_ptr<std::byte[]> buffer_{new std::byte[bytes]};
    std::pmr::monotonic_buffer_resource resource_{buffer_.get(), bytes, std::pmr::null_memory_resource()};
};

/// glibc's malloc as a resource.
class heap_memory {
public:
    static constexpr const char* name = "pmr heap";
    std::pmr::memory_resource* resource() { return std::pmr::new_delete_resource(); }
    void drop() {}
};

/// An allocator of the program. glibc's is used through std::allocator.
template <class Calls>
class heap {
public:
    static constexpr const char* name = Calls::name;
    static bool available() { return Calls::available(); }
    auto vector() { return std::vector<int, calls_allocator<int, Calls>>(); }
    void drop() {}
};
template <>
auto heap<glibc_calls>::vector() {
    return std::vector<int>();
}

/// Fills a vector with `count` numbers. If Escapes, the vector's address is passed on, so the compiler can't
/// keep the vector in registers.
template <bool Escapes, class Subject>
[[gnu::noinline]] std::uint64_t fill(Subject& subject, std::size_t count) {
    auto v = subject.vector();
    if constexpr (Escapes) keep(v);
    for (std::size_t k = 0; k < count; ++k) v.push_back(static_cast<int>(k));
    return v.size() + static_cast<std::uint64_t>(v.back());
}

/// An iteration is a cycle of 200 vectors, one after the other.
template <class Subject, bool Escapes>
void run_vectors(benchmark::State& state, std::size_t count) {
    constexpr int vectors = 200;
    Subject subject;
    for ([[maybe_unused]] auto _ : state) {
        for (int i = 0; i < vectors; ++i) {
            if (fill<Escapes>(subject, count) != 2 * count - 1) state.SkipWithError("a wrong vector");
        }
        subject.drop();
    }
    count_calls(state, vectors * count);
}

/// An iteration is a cycle of one map with `count` keys in random order.
template <class Subject, auto Get>
void run_map(benchmark::State& state, std::size_t count) {
    random_numbers random(5);
    std::vector<int> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
        keys[i] = static_cast<int>(i);
        std::swap(keys[i], keys[random.below(i + 1)]);
    }
    Subject subject;
    for ([[maybe_unused]] auto _ : state) {
        {
            auto map = Get(subject);
            for (const int key : keys) map[key] = key;
            keep(map);
            if (map.size() != count || map.find(keys[0])->second != keys[0]) state.SkipWithError("a wrong map");
        }
        subject.drop();
    }
    count_calls(state, count);
}

template <class Subject>
void add(const char* what, void (*f)(benchmark::State&, std::size_t)) {
    if (!Subject::available()) return;
    benchmark::RegisterBenchmark((std::string("arena/") + what + "/1000/" + Subject::name).c_str(), f, 1'000u);
}

template <class Subject>
void add_vectors() {
    add<Subject>("vectors", &run_vectors<Subject, false>);
    add<Subject>("vectors-escaping", &run_vectors<Subject, true>);
}

template <class Subject>
void add_maps() {
    add<Subject>("map", &run_map<Subject, [](Subject& s) { return s.map(); }>);
    add<Subject>("unordered_map", &run_map<Subject, [](Subject& s) { return s.unordered_map(); }>);
}

}  // namespace

void add_containers() {
    using resource = pmr_containers<arena_memory>;
    using buffer = pmr_containers<buffer_memory>;
    add_vectors<arena_allocated>();
    add_vectors<resource>();
    add_vectors<pmr_containers<heap_memory>>();
    add_vectors<heap<glibc_calls>>();
    add_vectors<heap<mimalloc_calls>>();
    add_maps<resource>();
    add_maps<buffer>();
}

}  // namespace bench
