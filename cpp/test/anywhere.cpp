// A test of the whole library that needs only a compiler: for other processors and compilers, builds without
// exceptions and RTTI, the single header, and the module. With the directory of the shared traces as an
// argument, it also replays them. It prints failures and exits with 1.
//
// ANYWHERE_SINGLE uses the single header, ANYWHERE_MODULE the module.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if defined(ANYWHERE_MODULE)
import ebbpool;
#elif defined(ANYWHERE_SINGLE)
#include "ebbpool.hpp"
#else
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/handle_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/pool_allocator.hpp>
#include <ebbpool/pool_resource.hpp>
#include <ebbpool/sync_arena.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#if defined(__cpp_exceptions)
#include <filesystem>

#include "region_trace.hpp"
#include "trace.hpp"
#define ANYWHERE_TRACES 1
#endif
#endif

namespace {

int failures = 0;
void check(bool right, const char* what, int line) {
    if (right) return;
    std::fprintf(stderr, "anywhere.cpp:%d: %s\n", line, what);
    ++failures;
}
#define CHECK(x) check((x), #x, __LINE__)

struct remember {
    static constexpr bool enabled = true;
    static inline thread_local int count = 0;
    static inline thread_local ebb::misuse last{};
    static void on_misuse(const ebb::misuse_info& info) noexcept {
        ++count;
        last = info.kind;
    }
};
bool was(ebb::misuse kind) { return std::exchange(remember::count, 0) == 1 && remember::last == kind; }

struct item {
    std::uint64_t owner;
    std::uint64_t check;
    std::uint32_t rest[3];
};

template <class T>
T* shifted(T* p, std::ptrdiff_t bytes) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(bytes));
}

// The kinds of misuse that every pool distinguishes.
template <class Pool>
void pool_misuse() {
    Pool pool(100);
    item on_stack{};
    item* const live = pool.allocate();
    item* const freed = pool.allocate();
    pool.deallocate(freed);
    remember::count = 0;
    pool.deallocate(nullptr);
    CHECK(was(ebb::misuse::null));
    pool.deallocate(&on_stack);
    CHECK(was(ebb::misuse::foreign));
    pool.deallocate(live + 100);
    CHECK(was(ebb::misuse::foreign));
    pool.deallocate(shifted(live, alignof(item)));
    CHECK(was(ebb::misuse::interior));
    pool.deallocate(shifted(live, 1));
    CHECK(was(ebb::misuse::misaligned));
    pool.deallocate(freed);
    CHECK(was(ebb::misuse::double_free));
    pool.deallocate(live + 90);
    CHECK(was(ebb::misuse::never_allocated));
    CHECK(pool.used() == 1);
    pool.deallocate(live);
    CHECK(remember::count == 0 && pool.empty());
}

// Compares the pool with a list of free slots, newest last.
void pool_order() {
    ebb::fixed_pool<item, remember> pool(300);
    std::vector<item*> freed, out;
    std::mt19937 random(7);
    std::size_t fresh = 0;
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 2 == 0) {
            item* const p = pool.allocate();
            item* expected = nullptr;
            if (!freed.empty()) {
                expected = freed.back();
                freed.pop_back();
            } else if (fresh < 300) {
                expected = pool.slot(fresh++);
            }
            CHECK(p == expected);
            if (p == nullptr) continue;
            *p = {reinterpret_cast<std::uintptr_t>(p), ~std::uint64_t{0}, {}};
            out.push_back(p);
        } else if (!out.empty()) {
            std::swap(out[random() % out.size()], out.back());
            CHECK(out.back()->owner == reinterpret_cast<std::uintptr_t>(out.back()));
            pool.deallocate(out.back());
            freed.push_back(out.back());
            out.pop_back();
        }
        CHECK(pool.used() == out.size());
    }
    CHECK(remember::count == 0 && pool.high_water() == fresh);
}

void pool_objects() {
    ebb::fixed_pool<std::string, remember> pool(3);
    auto a = ebb::make(pool, "a string that is too long for the small one");
    auto* const b = ebb::construct(pool, "b");
    CHECK(a && b != nullptr && pool.used() == 2);
    std::size_t letters = 0;
    for (const std::string& s : ebb::live(pool)) letters += s.size();
    CHECK(letters == a->size() + 1);
    ebb::destroy(pool, b);
    a.reset();
    CHECK(pool.empty());

    ebb::handle_pool<item> handles(2);
    const auto h = handles.create(item{1, 2, {}});
    CHECK(handles.get(h)->check == 2);
    CHECK(handles.destroy(h) && handles.get(h) == nullptr && !handles.destroy(h));

    using entry = std::pair<const int, double>;
    ebb::node_pool<entry> nodes(100);
    std::map<int, double, std::less<>, ebb::pool_allocator<entry>> map{ebb::pool_allocator<entry>(nodes)};
    for (int i = 0; i < 50; ++i) map[i * 7 % 50] = i;
    CHECK(nodes.used() >= 50 && map.size() == 50 && map.begin()->first == 0);
    ebb::pool_resource<64> resource(100);
    std::pmr::vector<int> vector(&resource);
    for (int i = 0; i < 8; ++i) vector.push_back(i);
    CHECK(vector[7] == 7 && resource.pool().used() == 1);
}

struct counted {
    static inline int alive = 0;
    static inline int last = 0;
    int number;
    explicit counted(int n) : number(n) { ++alive; }
    counted(const counted&) = delete;
    ~counted() {
        --alive;
        last = number;
    }
};
struct alignas(256) wide {
    char bytes[256];
};

void region() {
    ebb::basic_arena<remember> a(1'000, 4'000), other(1'000);
    for (int cycle = 0; cycle < 3; ++cycle) {
        for (int i = 0; i < 100; ++i) CHECK(a.make<counted>(i)->number == i);
        const std::string_view text = a.copy("text");
        CHECK(reinterpret_cast<std::uintptr_t>(a.make<wide>()) % 256 == 0);
        CHECK(text == "text" && counted::alive == 100);
        auto m = a.mark();
        const std::size_t before = a.used_bytes();
        for (int i = 0; i < 100; ++i) a.make<counted>(100 + i);
        auto late = a.mark();
        a.rewind(m);
        CHECK(counted::alive == 100 && counted::last == 100 && a.used_bytes() == before);
        a.rewind(late);
        CHECK(was(ebb::misuse::stale_mark));
        other.rewind(m);
        CHECK(was(ebb::misuse::foreign_mark));
        auto moved = std::move(m);
        a.rewind(m);
        CHECK(was(ebb::misuse::moved_mark));
        std::uint64_t sum = 0;
        for (std::uint64_t& n : a.make_span<std::uint64_t>(1'000)) sum += n++;
        CHECK(sum == 0);
        a.reset();
        CHECK(counted::alive == 0 && counted::last == 0 && a.used_bytes() == 0);
        CHECK(a.stats().retained_bytes <= 4'000);
    }
    ebb::basic_arena_resource<remember> memory(a);
    {
        std::pmr::vector<std::pmr::string> words(&memory);
        for (int i = 0; i < 20; ++i) words.emplace_back("a word that is too long for the small string");
        CHECK(words.back() == words.front());
    }
    CHECK(memory.blocks() == 0);
    CHECK(!memory.is_equal(*std::pmr::null_memory_resource()));
    // Also without exceptions.
    a.limit(a.stats().retained_bytes + 2'000);
    CHECK(a.try_allocate(10'000) == nullptr && a.try_make<wide>() != nullptr && a.try_copy("text") == "text");
    {
        const ebb::arena_scope scope(a);
        CHECK(a.owns(a.make<counted>(1)) && counted::alive == 1);
    }
    CHECK(counted::alive == 0 && a.fork().make<counted>(2)->number == 2);
    int ended = 0;
    a.on_end([&ended] { ++ended; });
    CHECK(*a.adopt(std::make_unique<int>(7)) == 7 && a.copy({1, 2})[1] == 2);
    a.reset(1'000);
    CHECK(ended == 1 && counted::alive == 0 && a.stats().retained_bytes <= ebb::arena::bytes_needed(1'000));
    ebb::sync_arena shared(1'000);
    CHECK(shared.owns(shared.make<wide>()));
#if defined(__cpp_exceptions)
    a.limit(a.stats().retained_bytes + 2'000);
    bool refused = false;
    try {
        a.allocate(10'000);
    } catch (const ebb::limit_error& e) {
        refused = e.asked() >= 10'000;
    }
    CHECK(refused && a.allocate(100) != nullptr);
    try {
        refused = false;
        ebb::fixed_pool<item> pool(ebb::fixed_pool<item>::max_capacity + 1);
    } catch (const std::length_error&) {
        refused = true;
    }
    CHECK(refused);
#endif
    CHECK(remember::count == 0);
}

// An aggregate. Some compilers can only initialize it with braces, which don't allow narrowing conversions.
struct place {
    double x;
    float y;
    std::string name;
    char letter;
};
void aggregates() {
    const char letter = 'x';
    int number = 3;
    ebb::arena a(1'000);
    const place* p = a.make<place>(1, 2.5, "a name", letter);
    CHECK(p->x == 1 && p->y == 2.5f && p->name == "a name" && p->letter == 'x');
    p = a.make<place>(number, number);
    CHECK(p->x == 3 && p->y == 3 && p->name.empty() && p->letter == 0);
    ebb::fixed_pool<place> pool(1);
    const auto in_pool = ebb::make(pool, number, 2L, std::string(3, 'y'), 'z');
    CHECK(in_pool->x == 3 && in_pool->y == 2 && in_pool->name == "yyy" && in_pool->letter == 'z');
    enum { seven = 7 };
    CHECK(a.make<place>(seven)->x == 7);
    // A class whose constructor takes numbers.
    struct perhaps {
        std::optional<int> value;
        bool is_there;
    };
    CHECK(a.make<perhaps>(number, true)->value == 3);
    CHECK(a.make<perhaps>(std::nullopt, p)->is_there);
}

// Threads that end free their slots. On Windows without std::thread, which some standard libraries lack there.
#if defined(_WIN32)
extern "C" {
__declspec(dllimport) void* __stdcall CreateThread(void*, std::size_t, unsigned long(__stdcall*)(void*), void*,
                                                   unsigned long, unsigned long*);
__declspec(dllimport) unsigned long __stdcall WaitForSingleObject(void*, unsigned long);
__declspec(dllimport) int __stdcall CloseHandle(void*);
}
template <class F>
void in_thread(F f) {
    void* const t = CreateThread(
        nullptr, 0, [](void* p) -> unsigned long { return (*static_cast<F*>(p))(), 0; }, &f, 0, nullptr);
    CHECK(t != nullptr && WaitForSingleObject(t, 0xffffffff) == 0 && CloseHandle(t) != 0);
}
#else
template <class F>
void in_thread(F f) {
    std::thread(f).join();
}
#endif
void ended_threads() {
    ebb::sync_fixed_pool<item, remember> pool(64, {.batch = 8});
    for (int i = 0; i < 20; ++i) {
        in_thread([&] {
            pool.deallocate(pool.allocate());
            ebb::sync_fixed_pool<item, remember> own(64, {.batch = 8});
            own.deallocate(own.allocate());
        });
    }
    CHECK(pool.empty());
    int n = 0;
    while (pool.allocate() != nullptr) ++n;
    CHECK(n == 64 && remember::count == 0);
}

// With Windows threads, libstdc++ has no std::thread before gcc 13.
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_HAS_GTHREADS)
void threads() {
    ebb::sync_fixed_pool<item, remember> pool(2'000);
    std::set<item*> out;
    while (item* const p = pool.allocate()) out.insert(p);
    for (item* const p : out) pool.deallocate(p);
    CHECK(out.size() == 2'000 && pool.empty() && remember::count == 0);
}
#else
void threads() {
    for (const std::size_t batch : {0u, 1u, 64u}) {
        ebb::sync_fixed_pool<item, remember> pool(2'000, {.batch = batch});
        const auto use = [&](std::uint64_t me) {
            std::vector<item*> mine;
            for (std::uint64_t i = 0; i < 20'000; ++i) {
                if (mine.size() < 300 && (i * me) % 7 < 4) {
                    item* const p = pool.allocate();
                    if (p == nullptr) continue;
                    *p = {me, ~me, {}};
                    mine.push_back(p);
                } else if (!mine.empty()) {
                    CHECK(mine.back()->owner == me && mine.back()->check == ~me);
                    pool.deallocate(mine.back());
                    mine.pop_back();
                }
            }
            for (item* const p : mine) pool.deallocate(p);
        };
        std::thread one(use, 1), two(use, 2);
        use(3);
        one.join();
        two.join();
        CHECK(pool.empty());
        std::set<item*> out;
        while (item* const p = pool.allocate()) out.insert(p);
        CHECK(out.size() == 2'000 && pool.full() && remember::count == 0);
    }
}

#endif

#if ANYWHERE_TRACES
void traces(const char* folder) {
    int replayed = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string file = entry.path().string();
        std::string wrong;
        if (entry.path().extension() == ".trace") {
            trace::trace t;
            wrong = trace::read(file, t);
            if (wrong.empty()) wrong = trace::replay<trace::object<24, 8>>(t);
        } else if (entry.path().extension() == ".region") {
            region_trace::trace t;
            wrong = region_trace::read(file, t);
            if (wrong.empty()) wrong = region_trace::replay(t);
        } else {
            continue;
        }
        ++replayed;
        if (!wrong.empty()) std::fprintf(stderr, "%s: %s\n", file.c_str(), wrong.c_str());
        CHECK(wrong.empty());
    }
    CHECK(replayed >= 40);
}
#endif

}  // namespace

int main([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
    pool_misuse<ebb::fixed_pool<item, remember>>();
    pool_misuse<ebb::sync_fixed_pool<item, remember>>();
    pool_order();
    pool_objects();
    region();
    aggregates();
    ended_threads();
    threads();
#if ANYWHERE_TRACES
    if (argc > 1) traces(argv[1]);
#endif
    if (failures == 0) std::puts("as it should be");
    return failures == 0 ? 0 : 1;
}
