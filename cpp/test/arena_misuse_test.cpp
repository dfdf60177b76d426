// Every misuse of an arena, under every policy, and that it changes nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <list>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace arena_misuse_test {

using reporting = ebb::basic_arena<ebb::checks::report>;
using reporting_resource = ebb::basic_arena_resource<ebb::checks::report>;

ebb::misuse_info last{};
int reports = 0;
void handler(const ebb::misuse_info& info) noexcept {
    last = info;
    ++reports;
}

// Expects one report from f, of that kind and arena.
template <class F>
void expect(ebb::misuse kind, const void* arena, const F& f) {
    ebb::set_misuse_handler(handler);
    reports = 0;
    f();
    EXPECT_EQ(reports, 1) << name(kind);
    EXPECT_EQ(last.kind, kind) << name(last.kind);
    EXPECT_EQ(last.pool, arena);
    EXPECT_EQ(last.slot, ebb::misuse_info::no_slot);
    ebb::set_misuse_handler(nullptr);
}

TEST(ArenaMisuse, StaleMarks) {
    reporting a(1'000);
    ebb::arena_mark outer = a.mark();
    a.allocate(8);
    const ebb::arena_mark inner = a.mark();
    a.allocate(8);
    a.rewind(outer);
    a.allocate(24, 8);
    const auto stale = [&](const ebb::arena_mark& m) {
        const std::size_t used = a.used_bytes();
        expect(ebb::misuse::stale_mark, &a, [&] { a.rewind(m); });
        EXPECT_EQ(last.pointer, &m);
        EXPECT_EQ(a.used_bytes(), used) << "misuse has no effect";
    };
    stale(inner);
    a.reset();
    stale(outer);
    outer = a.mark();
    a.release();
    stale(outer);
    outer = a.mark();
    a.rewind(outer);
    EXPECT_EQ(a.used_bytes(), 0u);
}

TEST(ArenaMisuse, ForeignMarks) {
    reporting a(1'000), b(1'000);
    const ebb::arena_mark of_b = b.mark();
    a.allocate(8);
    expect(ebb::misuse::foreign_mark, &a, [&] { a.rewind(of_b); });
    EXPECT_EQ(a.used_bytes(), 8u);
    // A mark of an earlier arena at the same address.
    std::optional<reporting> c(std::in_place, 1'000u);
    ebb::arena_mark old = c->mark();
    c.emplace(1'000u);
    static_cast<void>(c->mark());
    c->allocate(8);
    expect(ebb::misuse::foreign_mark, &*c, [&] { c->rewind(old); });
    EXPECT_EQ(c->used_bytes(), 8u);
    // An arena without marks has no number yet.
    reporting d(1'000);
    expect(ebb::misuse::foreign_mark, &d, [&] { d.rewind(of_b); });
    expect(ebb::misuse::moved_mark, &d, [&] { d.rewind({}); });
}

TEST(ArenaMisuse, MovedMarks) {
    reporting a(1'000);
    ebb::arena_mark m = a.mark();
    a.allocate(8);
    ebb::arena_mark to = std::move(m);
    expect(ebb::misuse::moved_mark, &a, [&] { a.rewind(m); });  // NOLINT: on purpose
    ebb::arena_mark assigned;
    expect(ebb::misuse::moved_mark, &a, [&] { a.rewind(assigned); });
    assigned = std::move(to);
    expect(ebb::misuse::moved_mark, &a, [&] { a.rewind(to); });  // NOLINT
    EXPECT_EQ(a.used_bytes(), 8u);
    a.rewind(assigned);
    EXPECT_EQ(a.used_bytes(), 0u);
}

struct meddler {
    enum class what { reset, release, rewind };
    meddler(reporting& arena, what to_do) : a(arena), does(to_do), m(arena.mark()) {}
    ~meddler() {
        switch (does) {
            case what::reset: a.reset(); break;
            case what::release: a.release(); break;
            case what::rewind: a.rewind(m); break;
        }
    }
    reporting& a;
    what does;
    ebb::arena_mark m;
};

TEST(ArenaMisuse, InDestructor) {
    using what = meddler::what;
    for (const what w : {what::reset, what::release, what::rewind}) {
        std::optional<reporting> a(std::in_place, 1'000u);
        a->make<std::string>("the first, whose destructor must run once, and which is longer than itself");
        const ebb::arena_mark m = a->mark();
        a->make<meddler>(*a, w);
        expect(ebb::misuse::reentrant, &*a, [&] { a->rewind(m); });
        a->make<meddler>(*a, w);
        expect(ebb::misuse::reentrant, &*a, [&] { a->reset(); });
        a->make<meddler>(*a, w);
        expect(ebb::misuse::reentrant, &*a, [&] { a->release(); });
        a->make<meddler>(*a, w);
        expect(ebb::misuse::reentrant, &*a, [&] { a.reset(); });
    }
}

// Its constructor ends the cycle.
template <bool Trivial>
struct ender {
    using what = meddler::what;
    explicit ender(reporting& a, what to_do, const ebb::arena_mark& m) {
        switch (to_do) {
            case what::reset: a.reset(); break;
            case what::release: a.release(); break;
            case what::rewind: a.rewind(m); break;
        }
        value = 7;
    }
    ~ender() requires Trivial = default;
    ~ender() { value = 0; }
    int value;
};
struct throwing_ender {
    throwing_ender(reporting& a, bool fail) {
        a.reset();
        if (fail) throw 1;
    }
    ~throwing_ender() {}
};
struct nested_ender {
    explicit nested_ender(reporting& a) {
        a.make<std::string>("an object of the constructor's own, longer than what lies in itself");
        a.reset();  // still in a constructor
    }
    ~nested_ender() {}
};

// Without the busy bit, the constructor's record would be written into a cycle that has ended, and a null
// pointer dereferenced.
TEST(ArenaMisuse, InConstructor) {
    using what = meddler::what;
    for (const what w : {what::reset, what::release, what::rewind}) {
        for (const bool first : {true, false}) {
            reporting a(1'000);
            const ebb::arena_mark m = a.mark();
            if (!first) a.make<ender<false>>(a, w, m);
            reports = 0;
            const std::size_t cycles = a.stats().resets;
            expect(ebb::misuse::reentrant, &a, [&] { EXPECT_EQ(a.make<ender<false>>(a, w, m)->value, 7); });
            expect(ebb::misuse::reentrant, &a, [&] { EXPECT_EQ(a.make<ender<true>>(a, w, m)->value, 7); });
            EXPECT_EQ(a.stats().resets, cycles) << "misuse has no effect";
            a.reset();
            EXPECT_EQ(a.stats().resets, cycles + 1) << "no longer busy";
        }
    }
    reporting a(1'000);
    // The first object of a cycle, which would end by the fast path.
    expect(ebb::misuse::reentrant, &a,
           [&] { EXPECT_EQ((a.make<ender<true>>(a, what::reset, ebb::arena_mark())->value), 7); });
    expect(ebb::misuse::reentrant, &a, [&] { EXPECT_THROW(a.make<throwing_ender>(a, true), int); });
    expect(ebb::misuse::reentrant, &a, [&] { a.make<throwing_ender>(a, false); });
    expect(ebb::misuse::reentrant, &a, [&] { a.make<nested_ender>(a); });
    const std::size_t cycles = a.stats().resets;
    a.reset();
    EXPECT_EQ(a.stats().resets, cycles + 1);
}

struct outer {
    template <class F>
    outer(reporting& a, const F& f) {
        f(a);
    }
    std::uint64_t word = 0;
};
struct nest {
    nest(reporting& a, int depth) : inner(depth == 0 ? nullptr : a.make<nest>(a, depth - 1)) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % alignof(nest), 0u);
        a.reset();
    }
    nest* inner;
};

// Allocations of a constructor have the usual addresses. The busy bit is in the address of the next object.
TEST(ArenaMisuse, AllocationInConstructor) {
    const auto work = [](std::vector<std::uintptr_t>& all, reporting& a) {
        reporting_resource r(a);
        const auto add = [&](const void* p) {
            all.push_back(reinterpret_cast<std::uintptr_t>(p));
            EXPECT_EQ(all.back() % 8, 0u);
        };
        for (int i = 0; i < 3; ++i) {
            add(a.make<std::uint64_t>());
            add(a.make<std::string>("one"));
            add(a.make<std::string>("of a run"));
            add(a.allocate(5, 1));
            add(a.allocate(40, 64));
            all.push_back(reinterpret_cast<std::uintptr_t>(a.copy("text").data()));
            add(a.make_span<std::string>(2).data());
            add(a.make_span<char>(3).data());
            add(a.make<std::pmr::string>("longer than what lies in a string itself")->data());
            void* const p = a.allocate(24);
            a.give_back(p, 24);
            EXPECT_THROW((a.make<outer>(a, [](reporting& b) { b.make<int>(), throw 1; })), int);
            add(a.allocate(24));
            EXPECT_THROW((a.make<outer>(a, [](reporting&) { throw 1; })), int);
            static_cast<void>(a.mark());
            static_cast<void>(a.mark());  // takes no memory
            add(a.make<int>());
            void* const q = r.allocate(100, 8);
            r.deallocate(q, 100, 8);
            add(r.allocate(100, 8));
            add(r.allocate(8, 8));
            all.push_back(a.used_bytes());
            add(a.allocate(3'000, 8));
        }
        r.abandon();
    };
    const auto from = [](std::vector<std::uintptr_t> all, const void* first) {
        for (auto& p : all) p -= p < 100'000 ? 0 : reinterpret_cast<std::uintptr_t>(first);
        return all;
    };
    alignas(64) static std::byte storage[60'000];
    std::vector<std::uintptr_t> inside, outside;
    std::size_t used = 0;
    {
        reporting a(10'000, 0, {.storage = storage});
        const outer* const o = a.make<outer>(a, [](reporting&) {});
        work(outside, a);
        outside = from(std::move(outside), o);
        used = a.used_bytes();
    }
    reporting a(10'000, 0, {.storage = storage});
    // With many chunks.
    reporting b(1'000), c(1'000);
    std::vector<std::uintptr_t> any;
    b.make<outer>(b, [](reporting&) {});
    work(any, b);
    c.make<outer>(c, [&](reporting& own) { work(any, own); });
    EXPECT_EQ(b.used_bytes(), c.used_bytes());
    EXPECT_EQ(b.stats().retained_bytes, c.stats().retained_bytes);
    // A mark with a chunk of its own.
    reporting d(1);
    d.make<outer>(d, [](reporting& own) { static_cast<void>(own.mark()); });
    EXPECT_EQ(d.used_bytes(), sizeof(outer));
    ebb::arena_mark m;
    const outer* const o = a.make<outer>(a, [&](reporting& own) {
        work(inside, own);
        m = own.mark();
    });
    EXPECT_EQ(from(std::move(inside), o), outside);
    EXPECT_EQ(a.used_bytes(), used);
    ebb::set_misuse_handler(handler);
    reports = 0;
    a.make<int>();
    a.rewind(m);
    EXPECT_EQ(a.used_bytes(), used);
    const nest* n = a.make<nest>(a, 20);
    EXPECT_EQ(reports, 21) << "busy in each";
    for (int i = 0; i < 20; ++i) n = n->inner;
    EXPECT_EQ(n->inner, nullptr);
    const std::size_t cycles = a.stats().resets;
    a.reset();
    EXPECT_EQ(reports, 21);
    EXPECT_EQ(a.stats().resets, cycles + 1);
    ebb::set_misuse_handler(nullptr);
}

// Allocations of further chunks keep the busy bit.
TEST(ArenaMisuse, ChunksInConstructor) {
    reporting a(100);
    std::vector<const int*> all;
    const auto fill = [&](reporting& b) {
        for (int i = 0; i < 200; ++i) all.push_back(b.make<int>(i));
        b.reset();
    };
    expect(ebb::misuse::reentrant, &a, [&] { a.make<outer>(a, fill); });
    EXPECT_EQ(a.used_bytes(), sizeof(outer) + all.size() * 8);
    for (int i = 0; i < 200; ++i) a.make<int>(7);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(*all[static_cast<std::size_t>(i)], i);
    a.reset();
    EXPECT_EQ(a.stats().resets, 1u);
}

// Makes another object in its constructor and fills the arena, so that there is no memory for a record.
struct alignas(8) last_one {
    last_one(reporting& arena, bool is_last) : a(arena), ends(is_last) {
        if (!is_last) return;
        a.make<last_one>(a, false);
        a.limit(1);
        EXPECT_THROW(while (true) a.allocate(8, 8), ebb::limit_error);
    }
    ~last_one() {
        if (ends) a.reset();
    }
    reporting& a;
    bool ends;
};

// Without the busy bit, the cycle would end before the memory is freed.
TEST(ArenaMisuse, InDestructorWithoutRecord) {
    if (EBB_ASAN || EBB_VALGRIND) return;  // runs can't grow
    reporting a(1'000);
    a.make<last_one>(a, false);
    expect(ebb::misuse::reentrant, &a, [&] { EXPECT_THROW(a.make<last_one>(a, true), ebb::limit_error); });
    EXPECT_EQ(a.stats().resets, 0u) << "misuse has no effect";
    a.reset();
    EXPECT_EQ(a.stats().resets, 1u) << "no longer busy";
    EXPECT_EQ(a.used_bytes(), 0u);
}

// A constructor can use the last bytes.
TEST(ArenaMisuse, FullArenaInConstructor) {
    if (EBB_ASAN || EBB_VALGRIND) return;  // red zones need memory
    if (sizeof(void*) != 8) return;        // records are smaller
    constexpr std::integral_constant<std::size_t, 128> in_128;
    constexpr std::integral_constant<std::size_t, 136> in_136;
    const auto fills = [](auto bytes, const auto& fill) {
        alignas(64) std::byte storage[reporting::bytes_needed(bytes) - 63];  // bytes_needed adds 63 for the alignment
        reporting a(1'000, 0, {.storage = storage});
        a.make<outer>(a, [&](reporting& b) {
            while (b.used_bytes() < 96) b.make<std::uint64_t>();
            EXPECT_NO_THROW(fill(b));
            EXPECT_THROW(b.make<std::uint64_t>(), std::bad_alloc);
            EXPECT_THROW(b.allocate(1, 1), std::bad_alloc);
            EXPECT_THROW(b.copy("x"), std::bad_alloc);
            EXPECT_THROW(b.make_span<char>(1), std::bad_alloc);
        });
    };
    fills(in_128, [](reporting& b) { b.make<outer>(b, [](reporting& c) { c.make<std::array<std::uint64_t, 3>>(); }); });
    fills(in_128, [](reporting& b) { b.allocate(32, 1); });
    fills(in_128, [](reporting& b) { b.make_span<std::uint64_t>(4); });
    fills(in_128, [](reporting& b) { b.copy("thirty-two bytes of text, all of"); });
    struct destroyed {
        ~destroyed() { word = 1; }
        std::uint64_t word = 0;
    };
    fills(in_128, [](reporting& b) { b.make<destroyed>(); });  // a record of 24 bytes, and 8
    fills(in_136, [](reporting& b) { b.make<destroyed>(), b.make<destroyed>(); });
}

// If resources of one arena were equal, containers would pass buffers between them, and the next cycle of a
// correct program would be reported as stranded.
TEST(ArenaMisuse, ResourcesAreNotEqual) {
    reporting a(1'000);
    reporting_resource r(a), s(a);
    ebb::set_misuse_handler(handler);
    reports = 0;
    EXPECT_FALSE(r == s);
    EXPECT_TRUE(r == r);
    for (int i = 0; i < 3; ++i) {
        {
            std::pmr::vector<int> from({1, 2, 3}, &r);
            std::pmr::vector<int> to(&s);
            to = std::move(from);
            EXPECT_EQ(to.size(), 3u);
            std::pmr::list<int> there(&r), here(&s);
            there.assign({1, 2});
            here = std::move(there);
        }
        EXPECT_EQ(r.blocks(), 0u);
        EXPECT_EQ(s.blocks(), 0u);
        i % 2 == 0 ? a.reset() : a.release();
    }
    EXPECT_EQ(reports, 0);
    ebb::set_misuse_handler(nullptr);
}

// Without the count, the container's bytes would be allocated again without a report.
TEST(ArenaMisuse, RewindUnderContainer) {
    reporting a(1'000);
    reporting_resource r(a);
    void* const before = r.allocate(16);
    const ebb::arena_mark m = a.mark();
    void* p = r.allocate(64);
    r.deallocate(before, 16);  // freeing an older block does not change the count since the mark
    const std::size_t used = a.used_bytes();
    expect(ebb::misuse::stranded, &a, [&] { a.rewind(m); });
    EXPECT_EQ(last.pointer, &m);
    EXPECT_EQ(a.used_bytes(), used) << "misuse has no effect";
    r.deallocate(p, 64);
    reports = 0;
    ebb::set_misuse_handler(handler);
    a.rewind(m);
    // Blocks in another chunk, in a chunk of their own, and after a second mark.
    void* const older = r.allocate(8);
    const ebb::arena_mark inner = a.mark();
    void* const large = r.allocate(50'000);
    void* const next = r.allocate(900);
    a.allocate(900);
    void* const last_block = r.allocate(8);
    r.deallocate(next, 900);
    r.deallocate(large, 50'000);
    EXPECT_EQ(reports, 0);
    a.rewind(inner);
    EXPECT_EQ(reports, 1) << "the last block";
    r.deallocate(last_block, 8);
    a.rewind(inner);
    EXPECT_EQ(reports, 1);
    a.rewind(m);
    EXPECT_EQ(reports, 2) << "the older block";
    r.deallocate(older, 8);
    a.rewind(m);
    // Blocks that are abandoned, and blocks of a container that the rewind destroys.
    p = r.allocate(8);
    r.abandon();
    a.rewind(m);
    r.deallocate(p, 8);
    a.make<std::pmr::list<int>>(&r)->assign({1, 2, 3});
    a.rewind(m);
    EXPECT_EQ(r.blocks(), 0u);
    EXPECT_EQ(reports, 2);
    // An abandoned block that was rewound does not hide a later block.
    p = r.allocate(8);
    a.rewind(m);
    EXPECT_EQ(reports, 3);
    r.deallocate(p, 8);
    a.rewind(m);
    // Each cycle has its own count.
    static_cast<void>(r.allocate(8));
    r.abandon();
    a.reset();
    const ebb::arena_mark now = a.mark();
    p = r.allocate(8);
    a.rewind(now);
    EXPECT_EQ(reports, 4);
    r.deallocate(p, 8);
    a.rewind(now);
    EXPECT_EQ(reports, 4);
    ebb::set_misuse_handler(nullptr);
}

TEST(ArenaMisuse, ResourceAfterCycle) {
    reporting a(1'000);
    reporting_resource r(a);
    // The blocks of a container that outlives the cycle.
    void* p = r.allocate(100);
    a.reset();
    expect(ebb::misuse::stranded, &a, [&] { p = r.allocate(10); });
    EXPECT_EQ(last.pointer, &r);
    EXPECT_EQ(r.blocks(), 1u);
    a.reset();
    expect(ebb::misuse::stranded, &a, [&] { p = r.allocate(10, 1); });  // by the fast path
    EXPECT_EQ(r.blocks(), 1u);
    a.reset();
    expect(ebb::misuse::stranded, &a, [&] { r.deallocate(p, 10); });
    EXPECT_EQ(r.blocks(), 0u);

    // After a release, the arena reports the next allocation.
    p = r.allocate(100);
    a.release();
    expect(ebb::misuse::stranded, &a, [&] { a.make<int>(); });
    reports = 0;
    ebb::set_misuse_handler(handler);
    a.make<int>();
    a.allocate(100'000);  // another chunk, where it looked before
    EXPECT_EQ(reports, 0) << "once";
    r.abandon();
    r.deallocate(p, 100);
    EXPECT_EQ(reports, 0) << "abandoned";

    // Correct use: the blocks are freed or abandoned, or the resource is destroyed.
    p = r.allocate(100);
    r.deallocate(p, 100);
    a.release();
    a.make<int>();
    static_cast<void>(r.allocate(100));
    r.abandon();
    a.release();
    a.make<int>();
    {
        reporting_resource other(a);
        static_cast<void>(other.allocate(100));
    }
    a.release();
    a.make<int>();
    static_cast<void>(r.allocate(100));
    EXPECT_EQ(reports, 0);
    r.abandon();
    {
        // A container that the arena destroys.
        auto* const own = a.make<reporting_resource>(a);
        auto* const list = a.make<std::pmr::list<std::pmr::string>>(own);
        list->emplace_back("a string that is long enough to lie outside of itself");
        a.release();
        a.make<int>();
    }
    EXPECT_EQ(reports, 0);
    ebb::set_misuse_handler(nullptr);
}

// Abandoning blocks of an earlier cycle does not hide blocks of this one.
TEST(ArenaMisuse, AbandonAfterCycle) {
    reporting a;
    reporting_resource r(a);
    static_cast<void>(r.allocate(8));
    a.reset();
    reporting_resource other(a);
    static_cast<void>(other.allocate(8));
    r.abandon();
    expect(ebb::misuse::stranded, &a, [&] { const reporting b = std::move(a); });
    other.abandon();
}

TEST(ArenaMisuse, WithoutChecks) {
    ebb::basic_arena<ebb::checks::none> a(1'000);
    const ebb::arena_mark m = a.mark();
    a.make<std::string>("a string that is long enough to lie outside of itself");
    a.rewind(m);
    ebb::basic_arena_resource<ebb::checks::none> r(a);
    static_cast<void>(r.allocate(10));
    a.release();
    static_cast<void>(r.allocate(10));
    r.abandon();
}

#if GTEST_HAS_DEATH_TEST
TEST(ArenaMisuseDeathTest, Trapped) {
    ebb::arena a(1'000);
    ebb::arena b(1'000);
    ebb::arena_mark m = a.mark();
    EXPECT_DEATH(b.rewind(m), "ebbpool: rewind: foreign_mark: argument 0x.*, arena 0x");
    EXPECT_DEATH(a.rewind({}), "ebbpool: rewind: moved_mark: argument 0x.*, arena 0x");
    a.reset();
    EXPECT_DEATH(a.rewind(m), "ebbpool: rewind: stale_mark: argument 0x.*, arena 0x");
    ebb::arena_resource r(a);
    static_cast<void>(r.allocate(8));
    a.release();
    EXPECT_DEATH(a.make<int>(), "ebbpool: arena: stranded: argument .*, arena 0x");
    EXPECT_DEATH(r.deallocate(&m, 8), "ebbpool: arena: stranded: argument .*, arena 0x");
    r.abandon();
}
#endif

}  // namespace arena_misuse_test
