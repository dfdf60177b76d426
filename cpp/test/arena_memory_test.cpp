// The memory of an arena: chunks, limits, the caller's storage, options, and impossible sizes.
#include <gtest/gtest.h>

#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <limits>
#include <string>
#include <tuple>

#include "arena_model.hpp"
#include "failing_new.hpp"

namespace arena_memory_test {

std::vector<int> log_of;

TEST(ArenaMemory, MaxRetained) {
    arena_model::memory m;
    ebb::arena a(1'000, 8'000, {.source = &m.source});
    EXPECT_EQ(m.takes, 0u) << "nothing before the first object";
    a.reset();
    a.release();
    for (int i = 0; i < 10'000; ++i) a.allocate(100);
    EXPECT_GT(m.held, 1'000'000u);
    EXPECT_LT(m.takes, 40u) << "chunks grow";
    a.reset();
    EXPECT_LE(m.held, 8'000u);
    EXPECT_GE(m.held, 4'000u);
    const std::size_t takes = m.takes;
    for (int cycle = 0; cycle < 10; ++cycle) {
        for (int i = 0; i < 20; ++i) a.allocate(100);
        a.reset();
    }
    EXPECT_EQ(m.takes, takes) << "allocations that fit the kept chunks take no memory";
    a.release();
    EXPECT_EQ(m.held, 0u);
    EXPECT_EQ(a.stats().chunks, 0u);
    a.allocate(1);
    EXPECT_EQ(a.stats().retained_bytes, m.held);
    EXPECT_LT(m.held, 1'200u) << "as if new";
}

TEST(ArenaMemory, KeepsFirstChunk) {
    arena_model::memory m;
    ebb::arena a(10'000, 1, {.source = &m.source});
    for (int cycle = 0; cycle < 10; ++cycle) {
        a.allocate(50'000);  // much too large to be kept
        for (int i = 0; i < 50; ++i) a.allocate(100);
        a.reset();
        EXPECT_GE(m.held, 10'000u);
        EXPECT_LT(m.held, 10'000u + 2 * ebb::detail::chunk_header);
    }
    // After a reset, an arena with only an oversize chunk keeps nothing.
    ebb::arena b(100, 1'000, {.source = &m.source});
    const std::size_t before = m.held;
    b.allocate(50'000);
    b.reset();
    EXPECT_EQ(m.held, before);
    b.allocate(8);
    EXPECT_LT(m.held, before + 400) << "and does not count as growth";
}

TEST(ArenaMemory, ReusesSpareChunks) {
    arena_model::memory m;
    ebb::arena a(1'000, 1'000'000, {.source = &m.source});
    a.limit(1'000'000);
    for (int cycle = 0; cycle < 3; ++cycle) {
        a.allocate(50'000);
        a.allocate(50'000);
        EXPECT_EQ(m.takes, 2u) << "no larger than needed";
        a.reset();
    }
    for (int i = 0; i < 3; ++i) a.allocate(60'000);
    EXPECT_EQ(a.stats().chunks, 5u) << "no chunk is freed below the limit";
}

TEST(ArenaMemory, MaxRetainedIsExact) {
    // Two chunks, the first of chunk_size; or one larger chunk, with a gap before the page, so that the cycle
    // does not end by the fast path.
    const auto retained = [](std::size_t chunk_size, std::size_t each, int n, std::size_t most, bool ended) {
        ebb::arena a(chunk_size, most);
        for (int i = 0; i < n; ++i) a.allocate(each, n == 1 ? 4096 : 8);
        if (ended) a.reset();
        return a.stats().retained_bytes;
    };
    for (const auto& [chunk_size, each, n] : {std::tuple{1'000u, 900u, 2}, std::tuple{100u, 50'000u, 1}}) {
        const std::size_t all = retained(chunk_size, each, n, 1, false);
        EXPECT_EQ(retained(chunk_size, each, n, all, true), all);
        EXPECT_LT(retained(chunk_size, each, n, all - 1, true), all);
    }
}

TEST(ArenaMemory, FillsChunks) {
    if (ebb::annotate::on) GTEST_SKIP() << "there allocations are further apart";
    ebb::arena a(64);
    a.copy(std::string(61, 'x'));
    a.copy("123");
    EXPECT_EQ(a.stats().chunks, 1u);
    a.reset();
    a.copy("12345678");
    a.allocate(48, 8);
    a.make<std::uint64_t>();
    EXPECT_EQ(a.stats().chunks, 1u);
    a.reset();
    a.make_span<std::uint64_t>(8);
    EXPECT_EQ(a.stats().chunks, 1u);
}

TEST(ArenaMemory, LargeAllocations) {
    arena_model::memory m;
    ebb::arena a(4'000, 0, {.source = &m.source});
    auto* const first = static_cast<std::byte*>(a.allocate(8, 8));
    a.allocate(100'000);
    auto* const second = static_cast<std::byte*>(a.allocate(8, 8));
    EXPECT_EQ(second - first, static_cast<std::ptrdiff_t>(8 + ebb::annotate::red_zone)) << "in the same chunk";
    EXPECT_EQ(a.stats().chunks, 2u);
    EXPECT_EQ(a.stats().oversize, 1u);
    if (ebb::annotate::on) return;
    ebb::arena b(4'000);
    b.allocate(4'000, 8);
    EXPECT_EQ(b.stats().oversize, 0u) << "as much as fits in a chunk";
}

TEST(ArenaMemory, Aligns) {
    struct alignas(4096) page {
        char bytes[4096];
    };
    struct alignas(64) line {
        ~line() { log_of.push_back(static_cast<int>(reinterpret_cast<std::uintptr_t>(this) % 64)); }
        char bytes[64];
    };
    for (const std::size_t chunk : {1u, 100u, 100'000u}) {
        log_of.clear();
        ebb::arena a(chunk);
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.make<page>()) % 4096, 0u);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.make<line>()) % 64, 0u);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.make_span<line>(3).data()) % 64, 0u);
            a.copy("x");
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.make<long double>()) % alignof(long double), 0u);
            for (std::size_t align = 1; align <= 1u << 16; align *= 2) {
                EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.allocate(3, align)) % align, 0u);
            }
        }
        a.reset();
        EXPECT_EQ(log_of, std::vector<int>(20, 0));
    }
}

TEST(ArenaMemory, ImpossibleSizes) {
    volatile std::size_t hidden = std::numeric_limits<std::size_t>::max();  // a compiler that knows the value warns
    const std::size_t most = hidden;
    EXPECT_THROW(ebb::arena(0), std::length_error);
    EXPECT_THROW(ebb::arena{most}, std::length_error);
    ebb::arena a(100);
    ebb::arena_resource r(a);
    for (int used = 0; used < 2; ++used) {
        for (std::size_t less = 0; less < 20; ++less)
            EXPECT_THROW(static_cast<void>(a.allocate(most - less)), std::bad_alloc);
        EXPECT_THROW(static_cast<void>(a.allocate(most / 2)), std::bad_alloc);
        EXPECT_THROW(static_cast<void>(a.allocate(most / 2, 4096)), std::bad_alloc);
        EXPECT_THROW(static_cast<void>(a.allocate(8, most / 2 + 1)), std::bad_alloc);
        EXPECT_THROW(a.make_span<int>(most / 2), std::bad_alloc);
        EXPECT_THROW(a.make_span_uninit<int>(most / 4 + 1), std::bad_alloc);
        EXPECT_THROW(a.make_span<std::string>(most / sizeof(std::string)), std::bad_alloc);
        EXPECT_THROW(a.copy({"x", most}), std::bad_alloc);
        EXPECT_THROW(static_cast<void>(a.allocate(8, 0)), std::length_error);
        EXPECT_THROW(static_cast<void>(a.allocate(8, 3)), std::length_error);
        EXPECT_THROW(static_cast<void>(a.allocate(8, 24)), std::length_error);
        for (const std::size_t align : {0u, 3u, 24u})
            EXPECT_THROW(static_cast<void>(r.allocate(8, align)), std::length_error);
        EXPECT_EQ(a.used_bytes(), used == 0 ? 0u : 8u);
        if (used == 0) a.make<int>();
    }
    a.limit(1'000);
    EXPECT_THROW(static_cast<void>(a.allocate(most)), ebb::limit_error);
    try {
        static_cast<void>(a.allocate(8, most / 2 + 1));
        ADD_FAILURE() << "an alignment of half the address space";
    } catch (const ebb::limit_error& e) {
        EXPECT_EQ(e.asked(), most / 2 + 1);
    }
    void* const p = a.allocate(0);
    EXPECT_NE(p, nullptr);
    EXPECT_NE(a.allocate(0), p);
}

TEST(ArenaMemory, Limit) {
    arena_model::memory m;
    ebb::arena a(1'000, 0, {.source = &m.source});
    a.limit(5'000);
    std::size_t n = 0;
    try {
        for (;; ++n) a.allocate(40, 8);
    } catch (const ebb::limit_error& e) {
        EXPECT_EQ(e.limit(), 5'000u);
        EXPECT_EQ(e.in_use(), m.held);
        EXPECT_GE(e.asked(), 40u);
        EXPECT_STRNE(e.what(), "");
    }
    EXPECT_LE(m.held, 5'000u);
    EXPECT_GT(m.held, 4'500u) << "nearly all of it can be allocated";
    if (!ebb::annotate::on) {
        EXPECT_EQ(a.used_bytes(), 40 * n);
    }
    EXPECT_THROW(a.copy(std::string(5'000, 'x')), std::bad_alloc) << "limit_error is a bad_alloc";
    a.reset();
    // Spare chunks are freed for an allocation that needs nearly the whole limit.
    EXPECT_NE(a.allocate(4'500), nullptr);
    a.release();
    a.limit(0);
    EXPECT_NE(a.allocate(100'000), nullptr);
    // A limit below the chunk size.
    ebb::arena b(1'000'000, 0, {.source = &m.source});
    b.limit(10'000);
    b.allocate(10);
    EXPECT_LE(b.stats().retained_bytes, 10'000u);
    // Chunks grow to at most a quarter of the rest of the limit.
    const std::size_t takes = m.takes;
    ebb::arena d(1'000, 0, {.source = &m.source});
    d.limit(200'000);
    d.allocate(800, 8);
    EXPECT_LT(d.stats().retained_bytes, 1'300u);
    while (d.used_bytes() < 145'000) d.allocate(800, 8);
    EXPECT_LT(d.stats().retained_bytes, 180'000u);
    EXPECT_LT(m.takes - takes, 20u);
    // Limits that are not multiples of a unit.
    for (std::size_t limit = 1; limit < 600; ++limit) {
        ebb::arena c(64, 0, {.source = &m.source});
        c.limit(limit);
        try {
            for (int i = 0; i < 100; ++i) c.copy("12345");
        } catch (const ebb::limit_error&) {
        }
        EXPECT_LE(c.stats().retained_bytes, limit);
    }
}

TEST(ArenaMemory, Storage) {
    std::vector<std::byte> bytes(ebb::arena::bytes_needed(1'000));
    const int before = failing_new::calls();
    {
        ebb::arena a(64, 0, {.storage = bytes});
        for (int cycle = 0; cycle < 5; ++cycle) {
            std::size_t got = 0;
            try {
                for (;; got += 8) {
                    auto* const p = static_cast<std::byte*>(a.allocate(8, 8));
                    EXPECT_TRUE(p >= bytes.data() && p + 8 <= bytes.data() + bytes.size());
                }
            } catch (const std::bad_alloc&) {
            }
            EXPECT_GE(got, ebb::annotate::on ? 300u : 1'000u);
            cycle % 2 == 0 ? a.reset() : a.release();
        }
    }
    EXPECT_EQ(failing_new::calls(), before) << "no heap at all";
    for (std::size_t n = 1; n < ebb::arena::bytes_needed(1) - 70; ++n) {
        EXPECT_THROW(ebb::arena(64, 0, {.storage = std::span(bytes).first(n)}), std::length_error);
    }
    // The storage is kept by a release before its first use.
    {
        ebb::arena unused(64, 0, {.storage = bytes});
        unused.release();
        EXPECT_NE(unused.allocate(8, 8), nullptr);
    }
    // Storage at any address.
    for (std::size_t skip = 0; skip < 64; ++skip) {
        const auto part = std::span(bytes).subspan(skip, ebb::arena::bytes_needed(8 + ebb::annotate::red_zone));
        ebb::arena any(64, 0, {.storage = part});
        auto* const p = static_cast<std::byte*>(any.allocate(8, 8));
        EXPECT_TRUE(p >= part.data() && p + 8 <= part.data() + part.size());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 8, 0u);
    }
    // With a source, further chunks follow.
    arena_model::memory m;
    std::vector<std::byte> more(bytes.size());
    ebb::arena b(64, 0, {.storage = more, .source = &m.source});
    b.allocate(100);
    EXPECT_EQ(m.takes, 0u);
    b.allocate(100'000);
    EXPECT_EQ(m.takes, 1u);
    b.reset();
    b.allocate(100);
    EXPECT_EQ(m.takes, 1u);
    // The storage is kept when a limit frees the spare chunks, and behind older chunks.
    ebb::arena c(64, 0, {.storage = bytes, .source = &m.source});
    c.limit(bytes.size() + 5'000);
    EXPECT_THROW(static_cast<void>(c.allocate(6'000)), ebb::limit_error);
    for (int cycle = 0; cycle < 3; ++cycle) {
        const std::size_t takes = m.takes;
        c.allocate(4'000);
        auto* const p = static_cast<std::byte*>(c.allocate(8, 8));
        EXPECT_TRUE(p >= bytes.data() && p < bytes.data() + bytes.size());
        EXPECT_EQ(m.takes, takes + 1);
        c.release();
    }
}

TEST(ArenaMemory, HugePagesAndPrefault) {
    ebb::arena a(std::size_t{4} << 20, 0, {.huge_pages = true, .prefault = true});
    std::memset(a.allocate(5'000'000), 1, 5'000'000);
    a.make<int>();
    EXPECT_EQ(a.stats().retained_bytes % (std::size_t{2} << 20), 0u) << "whole huge pages";
    ebb::arena plain(std::size_t{3} << 20);
    plain.make<int>();
    EXPECT_EQ(plain.stats().retained_bytes, (std::size_t{3} << 20) + ebb::detail::chunk_header) << "no option";
    ebb::arena b(std::size_t{4} << 20, 0, {.huge_pages = true});
    b.limit((std::size_t{4} << 20) + 5'000);
    b.make<int>();
    EXPECT_LE(b.stats().retained_bytes, (std::size_t{4} << 20) + 5'000);
}

TEST(ArenaMemory, Stats) {
    ebb::arena a(1'000);
    const ebb::arena_stats none = a.stats();
    EXPECT_EQ(none.used_bytes + none.retained_bytes + none.high_water + none.chunks + none.resets + none.oversize, 0u);
    a.allocate(100, 8);
    a.reset();
    a.allocate(1, 8);
    const ebb::arena_stats s = a.stats();
    EXPECT_EQ(s.used_bytes, 8u);
    EXPECT_EQ(s.high_water, 104u);
    EXPECT_EQ(s.resets, 1u);
    EXPECT_EQ(s.chunks, 1u);
    EXPECT_EQ(s.retained_bytes, 1'000u + ebb::detail::chunk_header);
}

// high_water includes the bytes used at the end of a cycle, even if stats was not called.
TEST(ArenaMemory, HighWater) {
    for (const int end : {0, 1, 2}) {
        ebb::arena a(100);
        const ebb::arena_mark m = a.mark();
        for (int i = 0; i < 5; ++i) a.allocate(80, 8);
        if (end == 0) a.rewind(m);
        if (end == 1) a.reset();
        if (end == 2) a.release();
        EXPECT_EQ(a.stats().used_bytes, 0u);
        EXPECT_EQ(a.stats().high_water, 400u) << end;
    }
}

}  // namespace arena_memory_test
