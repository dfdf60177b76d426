// The contract of the arena. Random tests are in arena_fuzz_test.
#include <gtest/gtest.h>

#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <string>

#include "arena_model.hpp"
#include "failing_new.hpp"

namespace arena_test {

std::vector<int> log_of;

template <int Extra>
struct noisy {
    explicit noisy(int n) : number(n) {}
    ~noisy() { log_of.push_back(number); }
    int number;
    int extra[Extra] = {};
};

TEST(Arena, MakesValues) {
    struct point {
        int x, y;
    };
    ebb::arena a(256);
    EXPECT_EQ(*a.make<int>(), 0);
    EXPECT_EQ(*a.make<int>(7), 7);
    const point* const p = a.make<point>(3, 4);
    EXPECT_EQ(p->x + p->y, 7);
    EXPECT_EQ(a.make<point>()->y, 0) << "value-initialized, also in reused memory";
    std::memset(a.allocate(100), 0xff, 100);
    a.reset();
    EXPECT_EQ(a.make<point>()->x, 0);
    EXPECT_EQ(*a.make<std::string>("of the heap, since it is longer than a few bytes"),
              "of the heap, since it is longer than a few bytes");
    const std::unique_ptr<int>& u = *a.make<std::unique_ptr<int>>(std::make_unique<int>(5));
    EXPECT_EQ(*u, 5);
}

TEST(Arena, SpansAndText) {
    ebb::arena a(64);
    const std::span<int> s = a.make_span<int>(100);
    EXPECT_EQ(s.size(), 100u);
    for (const int x : s) EXPECT_EQ(x, 0);
    EXPECT_TRUE(a.make_span<int>(0).empty());
    EXPECT_TRUE(a.make_span<std::string>(0).empty());
    EXPECT_TRUE(a.make_span_uninit<int>(0).empty());
    EXPECT_TRUE(a.copy("").empty());
    EXPECT_EQ(a.make_span_uninit<double>(1'000).size(), 1'000u);
    std::string original = "some text";
    const std::string_view copy = a.copy(original);
    original[0] = 'X';
    EXPECT_EQ(copy, "some text");
    EXPECT_EQ(a.used_bytes(), 400u + 8'000 + 9);
    EXPECT_EQ(a.make_span<std::string>(3)[2], "");
}

TEST(Arena, DestructorsRunInReverse) {
    log_of.clear();
    {
        ebb::arena a(128);
        for (int i = 0; i < 10; ++i) a.make<noisy<1>>(i);   // no padding between objects
        for (int i = 10; i < 20; ++i) a.make<noisy<2>>(i);  // padding between objects
        for (int i = 20; i < 30; i += 2) {
            a.make<noisy<1>>(i);
            a.copy("text lies elsewhere");
            a.make<noisy<4>>(i + 1);
        }
        EXPECT_TRUE(log_of.empty());
    }
    ASSERT_EQ(log_of.size(), 30u);
    for (int i = 0; i < 30; ++i) EXPECT_EQ(log_of[static_cast<std::size_t>(i)], 29 - i);
}

TEST(Arena, OneRecordForRun) {
    if (ebb::annotate::on) GTEST_SKIP() << "red zones are between objects";
    // A record of 24 bytes (16 on 32-bit systems) and 100 objects of 8 bytes fit in the chunk.
    arena_model::memory m;
    ebb::basic_arena<> a(800 + (sizeof(void*) == 8 ? 24 : 16), 0, {.source = &m.source});
    for (int i = 0; i < 100; ++i) {
        a.make<noisy<1>>(i);
        a.copy("");
    }
    EXPECT_EQ(m.takes, 1u);
    EXPECT_EQ(a.used_bytes(), 800u);
    a.make<noisy<1>>(100);
    EXPECT_EQ(m.takes, 2u);
}

// A constructor that makes other objects: each is destroyed once, in the reverse order of their completion.
struct tree {
    tree(ebb::arena& a, int n, int depth) : number(n) {
        if (depth > 0) {
            left = a.make<tree>(a, 2 * n, depth - 1);
            right = a.make<tree>(a, 2 * n + 1, depth - 1);
        }
    }
    ~tree() { log_of.push_back(number); }
    int number;
    tree *left = nullptr, *right = nullptr;
};

std::vector<int> completed(int n, int depth) {
    std::vector<int> order;
    if (depth > 0) {
        order = completed(2 * n, depth - 1);
        const auto right = completed(2 * n + 1, depth - 1);
        order.insert(order.end(), right.begin(), right.end());
    }
    order.push_back(n);
    return order;
}

TEST(Arena, ConstructorsThatMakeObjects) {
    for (const std::size_t chunk : {64u, 1'000u, 100'000u}) {
        ebb::arena a(chunk);
        log_of.clear();
        a.make<tree>(a, 1'000'000, 0);  // the root extends a run
        a.make<tree>(a, 1, 5);
        EXPECT_TRUE(log_of.empty());
        EXPECT_EQ(a.used_bytes(), 64 * ((sizeof(tree) + 7) / 8 * 8));
        a.reset();
        std::vector<int> want = completed(1, 5);
        want.insert(want.begin(), 1'000'000);
        EXPECT_EQ(log_of, std::vector<int>(want.rbegin(), want.rend()));
    }
}

// A constructor that makes a run of other objects. The run ends when its record is no longer the newest.
struct owner {
    owner(ebb::arena& a, int n) : number(n) {
        for (int i = 1; i < 4 && n > 0; ++i) a.make<noisy<1>>(n - i);
    }
    ~owner() { log_of.push_back(number); }
    int number;
    int pad = 0;
};

TEST(Arena, RunInConstructor) {
    log_of.clear();
    ebb::arena a(4096);
    a.make<owner>(a, 0);
    a.make<owner>(a, 9);
    a.make<noisy<1>>(10);
    a.reset();
    EXPECT_EQ(log_of, (std::vector<int>{10, 9, 6, 7, 8, 0}));
}

// If there is no memory for the record of a constructed object, it is destroyed.
struct glutton {
    glutton(ebb::arena& a, bool all) : number(all ? 2 : 0) {
        if (!all) return;
        a.make<noisy<1>>(1);
        try {
            for (;;) a.allocate(8, 8);
        } catch (const std::bad_alloc&) {
        }
        used = a.used_bytes();
    }
    ~glutton() { log_of.push_back(number); }
    static inline std::size_t used = 0;
    int number;
    int pad = 0;
};

TEST(Arena, NoMemoryForRecord) {
    if (ebb::annotate::on) GTEST_SKIP() << "each object has its record before it";
    alignas(64) std::byte bytes[1'000];
    ebb::arena a(64, 0, {.storage = bytes});
    a.make<glutton>(a, false);
    log_of.clear();
    EXPECT_THROW(a.make<glutton>(a, true), std::bad_alloc);
    EXPECT_EQ(log_of, std::vector<int>{2});
    EXPECT_EQ(a.used_bytes(), glutton::used - sizeof(glutton));
    a.reset();
    EXPECT_EQ(log_of, (std::vector<int>{2, 1, 0}));
}

// A destructor may allocate; its objects are destroyed as well.
struct phoenix {
    phoenix(ebb::arena* from, int n) : a(from), left(n) {}
    ~phoenix() {
        log_of.push_back(left);
        if (left > 0) a->make<phoenix>(a, left - 1);
    }
    ebb::arena* a;
    int left;
};

TEST(Arena, DestructorsThatMakeObjects) {
    log_of.clear();
    {
        ebb::arena a(100);
        a.make<phoenix>(&a, 3);
        a.reset();
        EXPECT_EQ(log_of, (std::vector<int>{3, 2, 1, 0}));
        a.make<phoenix>(&a, 1);
    }
    EXPECT_EQ(log_of, (std::vector<int>{3, 2, 1, 0, 1, 0}));
}

struct thrower {
    explicit thrower(int n) : number(n) {
        if (n < 0) throw n;
    }
    thrower() : thrower(--left) {}
    ~thrower() { log_of.push_back(number); }
    static inline int left = 0;
    int number;
    int pad = 0;
};

struct plain_thrower {
    explicit plain_thrower(int n) : number(n) {
        if (n < 0) throw n;
    }
    plain_thrower() : plain_thrower(--thrower::left) {}
    int number;
};

TEST(Arena, ThrowingConstructor) {
    ebb::arena a(4096);
    EXPECT_THROW(a.make<thrower>(-1), int) << "the first object of its type";
    EXPECT_EQ(a.used_bytes(), 0u);
    a.make<thrower>(1);
    EXPECT_THROW(a.make<thrower>(-1), int) << "an object that extends a run";
    EXPECT_THROW(a.make<plain_thrower>(-1), int);
    EXPECT_EQ(a.used_bytes(), 8u);
    void* const next = a.allocate(8, 8);
    log_of.clear();
    thrower::left = 3;
    EXPECT_THROW(a.make_span<thrower>(10), int);
    EXPECT_EQ(log_of, (std::vector<int>{0, 1, 2})) << "its own objects are destroyed, newest first";
    thrower::left = 3;
    EXPECT_THROW(a.make_span<plain_thrower>(10), int);
    EXPECT_EQ(a.used_bytes(), 16u);
    if (!ebb::annotate::on) {
        EXPECT_EQ(a.allocate(8, 8), static_cast<std::byte*>(next) + 8) << "the memory is free again";
    }
    log_of.clear();
    a.reset();
    EXPECT_EQ(log_of, std::vector<int>{1});
}

// Constructors that don't throw, but may, keep their memory.
TEST(Arena, ConstructorThatMayThrow) {
    ebb::arena a(4096);
    const plain_thrower* const first = a.make<plain_thrower>(1);
    const plain_thrower* const second = a.make<plain_thrower>(2);
    thrower::left = 10;
    const auto row = a.make_span<plain_thrower>(2);
    a.make<plain_thrower>(3);
    EXPECT_EQ(first->number, 1);
    EXPECT_EQ(second->number, 2);
    EXPECT_EQ(row[0].number, 9);
    EXPECT_EQ(row[1].number, 8);
    EXPECT_EQ(a.used_bytes(), 32u);
}

// A constructor allocates and throws: its allocations are kept, and the object's memory is not reused in this
// cycle and not counted.
template <class Base>
struct taker : Base {
    taker(ebb::arena& a, int n) : Base(1) {
        a.allocate(16, 8);
        if (n < 0) throw n;
    }
};

TEST(Arena, ConstructorThatAllocatesAndThrows) {
    ebb::arena a(4096);
    EXPECT_THROW(a.make<taker<plain_thrower>>(a, -1), int);
    EXPECT_EQ(a.used_bytes(), 16u);
    EXPECT_THROW(a.make<taker<thrower>>(a, -1), int);
    EXPECT_EQ(a.used_bytes(), 32u);
    a.reset();
    EXPECT_EQ(a.used_bytes(), 0u);
}

TEST(Arena, MarksNest) {
    ebb::arena a(100);
    a.make<noisy<1>>(1);
    const ebb::arena_mark outer = a.mark();
    const std::size_t before = a.used_bytes();
    for (int round = 0; round < 3; ++round) {
        a.make<noisy<1>>(2);
        a.copy("some text that is longer than what is left of the first chunk, so that there is another one");
        const ebb::arena_mark inner = a.mark();
        a.make<noisy<1>>(3);
        static_cast<void>(a.mark());
        log_of.clear();
        a.rewind(inner);
        EXPECT_EQ(log_of, std::vector<int>{3});
        a.rewind(inner);
        a.make<noisy<1>>(4);
        log_of.clear();
        a.rewind(outer);
        EXPECT_EQ(log_of, (std::vector<int>{4, 2}));
        EXPECT_EQ(a.used_bytes(), before);
    }
    log_of.clear();
    a.reset();
    EXPECT_EQ(log_of, std::vector<int>{1});
}

TEST(Arena, MarkAndRewindDoNotLeak) {
    arena_model::memory m;
    ebb::arena a(4096, 0, {.source = &m.source});
    for (int i = 0; i < 100'000; ++i) {
        const ebb::arena_mark here = a.mark();
        a.allocate(100);
        a.rewind(here);
    }
    EXPECT_EQ(m.takes, 1u);
    EXPECT_EQ(a.used_bytes(), 0u);
}

// A mark taken in a constructor is older than the end of the construction. The object is destroyed once.
struct marker {
    marker(ebb::arena& a, ebb::arena_mark* m) { *m = a.mark(); }
    ~marker() { log_of.push_back(1); }
    void* pad = nullptr;
};
TEST(Arena, MarkInConstructor) {
    for (const bool follows : {false, true}) {
        ebb::arena a(4096);
        ebb::arena_mark m;
        if (follows) a.make<marker>(a, &m);
        a.make<marker>(a, &m);
        const ebb::arena_mark after = a.mark();
        log_of.clear();
        a.rewind(after);
        EXPECT_TRUE(log_of.empty()) << "made before the mark";
        a.rewind(m);
        a.reset();
        EXPECT_EQ(log_of.size(), follows ? 2u : 1u);
    }
}

// operator new fails at each call in turn: nothing leaks.
TEST(Arena, EveryAllocationFailsInTurn) {
    const auto work = [](ebb::arena& a) {
        for (int i = 0; i < 20; ++i) {
            a.make<std::string>("a string that is long enough to be on the heap, not in itself");
            a.make_span<std::string>(3)[1] = "another that is long enough to be on the heap, not in itself";
            a.copy("some text");
            const ebb::arena_mark m = a.mark();
            a.make<tree>(a, 1, 3);
            a.rewind(m);
            ebb::arena_resource r(a);
            std::pmr::vector<std::pmr::string> v(&r);
            v.emplace_back("text that is long enough to be outside of the string");
        }
    };
    log_of.reserve(100'000);  // what destructors note must not fail
    const long before = failing_new::outstanding();
    for (int n = 1;; ++n) {
        log_of.clear();
        bool done = false;
        {
            ebb::arena a(200);
            failing_new::fail_at(n);
            try {
                work(a);
                done = true;
            } catch (const std::bad_alloc&) {
            }
            failing_new::fail_at(0);
            a.reset();
            work(a);
        }
        ASSERT_EQ(failing_new::outstanding(), before) << n;
        if (done) break;
        ASSERT_LT(n, 10'000);
    }
}

}  // namespace arena_test
