// Memory is bounded within a cycle, and times don't depend on the number of chunks, blocks and marks. If they
// did, these tests would take minutes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <forward_list>
#include <list>
#include <map>
#include <memory_resource>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace arena_bounds_test {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

#if !EBB_ASAN && !EBB_VALGRIND  // they don't reuse memory

// Returns the bytes of chunks after many calls of f, which keeps a container small.
template <class Container, class Step>
std::size_t held(const Step& step, Container c) {
    ebb::arena& a = c.get_allocator().arena();
    for (int i = 0; i < 200'000; ++i) step(c, i);
    return a.stats().retained_bytes;
}
template <class T>
using of = ebb::arena_allocator<T>;

struct large {
    explicit large(int i) : words{i} {}
    int words[25];  // makes nodes of at least 116 bytes
};
struct alignas(32) aligned {
    explicit aligned(int i) : words{i} {}
    int words[8];
};

TEST(ArenaBounds, ContainersReuseNodes) {
    constexpr std::size_t most = 64 << 10;
    const auto queue = [](auto& c, int i) {
        c.emplace_back(i);
        if (c.size() > 10) c.pop_front();
    };
    ebb::arena a;
    EXPECT_LE(held(queue, std::list<int, of<int>>(a)), most);
    EXPECT_LE(held(queue, std::list<large, of<large>>(a)), most);
    EXPECT_LE(held(queue, std::list<aligned, of<aligned>>(a)), most);
    EXPECT_LE(held(queue, std::deque<int, of<int>>(a)), most);
    const auto keyed = [](auto& c, int i) {
        c.emplace(i, i);
        c.erase(i - 10);
    };
    using entry = std::pair<const int, int>;
    EXPECT_LE(held(keyed, std::map<int, int, std::less<>, of<entry>>(a)), most);
    EXPECT_LE(held(keyed, std::unordered_map<int, int, std::hash<int>, std::equal_to<>, of<entry>>(a)), most);
    const auto set = [](auto& c, int i) {
        c.insert(i);
        c.erase(i - 10);
    };
    EXPECT_LE(held(set, std::set<int, std::less<>, of<int>>(a)), most);
    const auto stack = [](auto& c, int i) {
        c.push_front(i);
        if (i >= 10) c.erase_after(c.begin());
    };
    EXPECT_LE(held(stack, std::forward_list<int, of<int>>(a)), most);
}

TEST(ArenaBounds, StringsReuseBlocks) {
    for (const std::size_t longest : {std::size_t{63}, std::size_t{1'000}, std::size_t{100'000}}) {
        ebb::arena a;
        ebb::arena_resource r(a);
        std::mt19937 random(7);
        std::vector<std::pmr::string> live;
        for (int i = 0; i < 20; ++i) live.emplace_back(&r);
        for (int i = 0; i < 20'000; ++i) {
            live[random() % live.size()] = std::pmr::string(16 + random() % longest, 'x', &r);
        }
        EXPECT_LE(a.stats().retained_bytes, (64 << 10) + 60 * longest) << longest;
    }
}

// Large blocks of all sizes.
TEST(ArenaBounds, VectorsReuseBlocks) {
    ebb::arena a(64 << 10);
    const auto fill = [&](int n) {
        std::vector<int, of<int>> v(a), w(a);
        for (int k = 0; k < n; ++k) v.push_back(k), w.push_back(k);
    };
    fill(1'000'000);
    const std::size_t before = a.stats().retained_bytes;
    for (int i = 0; i < 20; ++i) fill(1'000'000);
    EXPECT_LE(a.stats().retained_bytes, 2 * before);
}

TEST(ArenaBounds, ListWithMarks) {
    ebb::arena a;
    std::list<int, of<int>> l(a);
    const auto use = [&](int i) {
        l.push_back(i);
        if (l.size() > 10) l.pop_front();
    };
    [[maybe_unused]] const ebb::arena_mark m = a.mark();
    for (int i = 0; i < 200'000; ++i) use(i);
    EXPECT_LE(a.stats().retained_bytes, 64u << 10) << "under a mark";
}

// A container reuses blocks after a reset if its allocator was kept.
TEST(ArenaBounds, AllocatorKeptOverReset) {
    for (const int how : {0, 1, 2}) {
        ebb::arena a(64 << 10);
        const of<int> kept(a);
        const ebb::arena_mark m = a.mark();
        const auto fill = [&] {
            const std::size_t before = a.used_bytes();
            for (int i = 0; i < 20; ++i) {
                std::vector<int, of<int>> v(kept);
                for (int k = 0; k < 1'000; ++k) v.push_back(k);
                std::list<int, of<int>> l(kept);
                for (int k = 0; k < 100; ++k) l.push_back(k);
            }
            return a.used_bytes() - before;
        };
        const std::size_t first = fill();
        if (how == 0) a.reset();
        if (how == 1) a.release();
        if (how == 2) a.rewind(m);
        EXPECT_EQ(fill(), first) << how;
    }
}

#endif

// A container that outlives its blocks does not free them.
TEST(ArenaBounds, BlocksOfEarlierCycle) {
    ebb::arena a;
    std::list<int, ebb::arena_allocator<int>> l(a);
    for (int i = 0; i < 10; ++i) l.push_back(i);
    ebb::arena_allocator<int> from(a);
    int* const old = from.allocate(4);
    a.reset();
    const std::span<std::uint64_t> words = a.make_span<std::uint64_t>(100);
    from.deallocate(old, 4);
    std::vector<int, ebb::arena_allocator<int>> v({1, 2, 3, 4}, a);
    v.front() = 17;
    for (const std::uint64_t w : words) EXPECT_EQ(w, 0u);
    // Not destroyed, because its nodes are in freed memory.
    new (&l) std::list<int, ebb::arena_allocator<int>>(a);
}

template <class Free>
double time_of_clear(const Free& free) {
    ebb::arena a(64, std::size_t{1} << 30);  // chunks of at most 4 KiB
    [[maybe_unused]] const ebb::arena_mark m = a.mark();
    ebb::arena_resource r(a);
    std::pmr::list<std::uint64_t> l(&r);
    for (std::uint64_t i = 0; i < 400'000; ++i) l.push_back(i);
    const double start = seconds();
    free(l);
    return seconds() - start;
}

TEST(ArenaBounds, FreeUnderMark) {
    // 3,000 chunks: it would take half a minute if each free searched them.
    EXPECT_LT(time_of_clear([](auto& l) { l.clear(); }), 5.0);
    EXPECT_LT(time_of_clear([](auto& l) {
                  std::vector<typename std::remove_reference_t<decltype(l)>::iterator> all;
                  for (auto i = l.begin(); i != l.end(); ++i) all.push_back(i);
                  std::shuffle(all.begin(), all.end(), std::mt19937(1));
                  for (const auto i : all) l.erase(i);
              }),
              10.0);
}

TEST(ArenaBounds, NestedMarks) {
    ebb::arena a(1'024, std::size_t{1} << 30);
    const double start = seconds();
    std::vector<ebb::arena_mark> marks;
    for (int i = 0; i < 40'000; ++i) {
        marks.push_back(a.mark());
        a.allocate(5'000);
    }
    while (!marks.empty()) {
        a.rewind(marks.back());
        marks.pop_back();
    }
    EXPECT_LT(seconds() - start, 5.0);
    EXPECT_EQ(a.used_bytes(), 0u);
}

TEST(ArenaBounds, ManySmallSpareChunks) {
    ebb::arena a(1'024, std::size_t{1} << 30);
    const ebb::arena_mark m = a.mark();
    for (int i = 0; i < 40'000; ++i) a.allocate(5'000);
    a.rewind(m);
    const double start = seconds();
    for (int i = 0; i < 10'000; ++i) a.allocate(10'000);
    EXPECT_LT(seconds() - start, 5.0);
}

// An allocation takes the smallest spare chunk that is large enough.
TEST(ArenaBounds, SmallestSpareChunkThatFits) {
    ebb::arena a(1'000, 1 << 20);
    for (int cycle = 0; cycle < 10; ++cycle) {
        for (const std::size_t n : {50'000u, 5'000u, 70'000u, 20'000u}) a.allocate(n);
        a.reset();
    }
    EXPECT_LE(a.stats().oversize, 4u);
}

std::vector<int> log_of;

struct frame {
    explicit frame(ebb::arena& a, int n, bool inner = false) : memory(a), number(n) {
        if (inner) a.make<frame>(a, n + 100);
        start = a.mark();
        if (inner) a.make<frame>(a, n + 200);
    }
    ~frame() { log_of.push_back(number); }
    ebb::arena& memory;
    ebb::arena_mark start;
    int number;
};
struct sometimes {
    explicit sometimes(ebb::arena* a, int n) : number(n) {
        if (a != nullptr) start = a->mark();
    }
    ~sometimes() { log_of.push_back(number); }
    ebb::arena_mark start;
    int number;
    int unused = 0;
};

// A mark taken in a constructor is newer than the object.
TEST(ArenaBounds, MarksInConstructors) {
    log_of.clear();
    {
        ebb::arena a(200);
        auto* const before = a.make<frame>(a, 1);
        auto* const f = a.make<frame>(a, 2, true);
        a.make<frame>(a, 3);
        a.rewind(f->start);
        EXPECT_EQ(log_of, (std::vector<int>{3, 202})) << "objects newer than the mark";
        a.make<frame>(a, 4);
        a.rewind(f->start);
        EXPECT_EQ(log_of, (std::vector<int>{3, 202, 4}));
        EXPECT_EQ(f->number, 2);
        log_of.clear();
        a.rewind(before->start);
        EXPECT_EQ(log_of, (std::vector<int>{2, 102}));
        log_of.clear();
    }
    EXPECT_EQ(log_of, (std::vector<int>{1}));
    // The same for an object in a run, which has no record of its own.
    log_of.clear();
    {
        ebb::arena a(300);
        std::vector<sometimes*> all;
        for (int i = 0; i < 40; ++i) all.push_back(a.make<sometimes>(i % 7 == 3 ? &a : nullptr, i));
        const std::size_t used = a.used_bytes();
        a.rewind(all[24]->start);
        EXPECT_EQ(log_of.size(), 15u);
        EXPECT_LT(a.used_bytes(), used);
        a.rewind(all[24]->start);
        EXPECT_EQ(all[24]->number, 24);
        a.make<sometimes>(nullptr, 99);
        a.rewind(all[10]->start);
        EXPECT_EQ(log_of.size(), 30u);
        log_of.clear();
    }
    EXPECT_EQ(log_of, (std::vector<int>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

}  // namespace arena_bounds_test
