// Constructors: what they refuse, every allocation of theirs failed in turn,
// and the options of the memory.
#include <gtest/gtest.h>

#include <chrono>
#include <ebbpool/arena_pool.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/handle_pool.hpp>
#include <ebbpool/pool_resource.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "failing_new.hpp"
#include "trace.hpp"

namespace construction_test {

// arena_pool and sync_arena_pool are aliases, not other types.
static_assert(std::is_same_v<ebb::arena_pool<int>, ebb::fixed_pool<int>>);
static_assert(std::is_same_v<ebb::arena_pool<int, ebb::checks::none>, ebb::fixed_pool<int, ebb::checks::none>>);
static_assert(std::is_same_v<ebb::sync_arena_pool<int>, ebb::sync_fixed_pool<int>>);

struct item {
    std::uint64_t words[32];
};

// A source that counts calls, and fails at a given one.
struct source {
    int fail_at = 0;
    int calls = 0;
    int out = 0;
    void* data = nullptr;  // the last block
    std::size_t bytes = 0, alignment = 0;
    ebb::memory_source hooks{take, give, this};

    static void* take(std::size_t bytes, std::size_t alignment, void* context) noexcept {
        auto& self = *static_cast<source*>(context);
        if (++self.calls == self.fail_at) return nullptr;
        void* const p = std::aligned_alloc(alignment, ebb::detail::round_up(bytes, alignment));
        std::memset(p, 0, bytes);
        ++self.out;
        self.data = p;
        self.bytes = bytes;
        self.alignment = alignment;
        return p;
    }
    static void give(void* data, std::size_t bytes, std::size_t alignment, void* context) noexcept {
        auto& self = *static_cast<source*>(context);
        --self.out;
        if (data == self.data) {
            EXPECT_EQ(bytes, self.bytes);
            EXPECT_EQ(alignment, self.alignment);
        }
        std::free(data);
    }
};

TEST(Construction, ImpossibleSizes) {
    EXPECT_THROW((ebb::fixed_pool<char>{std::size_t{0xffffffff}}), std::length_error);
    EXPECT_THROW((ebb::fixed_pool<char>{std::numeric_limits<std::size_t>::max()}), std::length_error);
    EXPECT_THROW((ebb::sync_fixed_pool<char>{std::size_t{0xffffffff}}), std::length_error);
    EXPECT_THROW((ebb::handle_pool<char>{std::size_t{0xffffffff}}), std::length_error);
    EXPECT_THROW((ebb::pool_resource<64>{std::size_t{0xffffffff}}), std::length_error);
    EXPECT_EQ(ebb::fixed_pool<char>::max_capacity, 0xfffffffeu);

    // A size that overflows with an allowed capacity: 2^32 - 2 slots of 4 GiB (64 KiB on 32-bit systems).
    struct giant {
        char bytes[std::size_t{1} << (sizeof(std::size_t) * 4)];
    };
    EXPECT_THROW((ebb::fixed_pool<giant>{ebb::fixed_pool<giant>::max_capacity}), std::length_error);
    EXPECT_THROW((ebb::sync_fixed_pool<giant>{ebb::fixed_pool<giant>::max_capacity}), std::length_error);
}

#if EBB_HAS_MMAP && !EBB_ASAN && !defined(__SANITIZE_THREAD__)
TEST(Construction, BadAlloc) {
    // 2^58 bytes: no overflow, but more than any address space. On 32-bit systems, several pools of 1.6 GB.
    struct giant {
        char bytes[std::size_t{1} << (sizeof(std::size_t) * 4)];
    };
    constexpr std::size_t capacity = sizeof(std::size_t) > 4 ? std::size_t{1} << 26 : 25'000;
    EXPECT_THROW(
        {
            std::vector<std::unique_ptr<ebb::fixed_pool<giant>>> pools;
            while (pools.size() < 4) pools.push_back(std::make_unique<ebb::fixed_pool<giant>>(capacity));
        },
        std::bad_alloc);
}

TEST(Construction, DoesNotTouchMappedMemory) {
    // A pool of 64 MiB. The bound in the benchmarks is 50 us. Ten times as much allows for a busy machine, and
    // is less than touching all pages takes.
    auto best = std::chrono::nanoseconds::max();
    for (int i = 0; i < 20; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const ebb::fixed_pool<item> pool(256 * 1024);
        best = std::min(best, std::chrono::nanoseconds(std::chrono::steady_clock::now() - start));
        EXPECT_TRUE(pool.empty());
    }
    EXPECT_LT(best.count(), 500'000);
}

TEST(Construction, TheLargestCapacity) {
    if (sizeof(std::size_t) == 4) GTEST_SKIP() << "its tables alone exceed a 32-bit address space";
    ebb::fixed_pool<char> pool(ebb::fixed_pool<char>::max_capacity);
    char* const a = pool.allocate();
    char* const b = pool.allocate();
    pool.deallocate(a);
    EXPECT_EQ(pool.allocate(), a);
    EXPECT_EQ(b - a, 1);
    EXPECT_EQ(pool.used(), 2u);
    EXPECT_EQ(pool.high_water(), 2u);
}
#endif

// Each allocation fails in turn: make throws bad_alloc, and nothing leaks.
template <class Make>
int fail_each(Make make) {
    for (int n = 1;; ++n) {
        const long before = failing_new::outstanding();
        failing_new::fail_at(n);
        bool threw = false;
        try {
            make();
        } catch (const std::bad_alloc&) {
            threw = true;
        }
        const bool enough = failing_new::calls() < n;
        failing_new::fail_at(0);
        EXPECT_EQ(failing_new::outstanding(), before) << "after failing allocation " << n;
        EXPECT_EQ(threw, !enough);
        if (enough || n > 100) return n - 1;
    }
}

TEST(Construction, EveryAllocationFailedInTurn) {
    EXPECT_EQ(fail_each([] { ebb::fixed_pool<item> pool(3); }), 1);
    EXPECT_EQ(fail_each([] { ebb::fixed_pool<item> pool(0); }), 1);
    EXPECT_EQ(fail_each([] { ebb::handle_pool<item> pool(3); }), 2);
    EXPECT_EQ(fail_each([] { ebb::pool_resource<64> pool(3); }), 1);
    EXPECT_EQ(fail_each([] { ebb::sync_fixed_pool<item> pool(3); }), 2);
    EXPECT_EQ(fail_each([] { ebb::sync_fixed_pool<item> pool(30'000); }), EBB_HAS_MMAP ? 1 : 2);
}

TEST(Construction, EverySourceFailedInTurn) {
    // Large blocks, which are mapped.
    for (int n = 1; n <= 3; ++n) {
        source from{.fail_at = n};
        const ebb::pool_options options{.source = &from.hooks};
        const auto make = [&] {
            ebb::fixed_pool<item> pool(100'000, options);
            ebb::handle_pool<item> handles(100'000, options);
        };
        EXPECT_THROW(make(), std::bad_alloc);
        EXPECT_EQ(from.calls, n);
        EXPECT_EQ(from.out, 0);
    }
    source from;
    {
        const ebb::pool_options options{.source = &from.hooks};
        ebb::fixed_pool<item> pool(100'000, options);
        ebb::sync_fixed_pool<item> shared(100'000, {.memory = options});
        EXPECT_EQ(from.out, 2);
    }
    EXPECT_EQ(from.out, 0);
}

TEST(Construction, NoMemoryForMagazine) {
    ebb::sync_fixed_pool<item> pool(10'000);
    for (int n = 1; n <= 2; ++n) {
        failing_new::fail_at(n);
        item* const p = pool.allocate();  // noexcept: continues without a magazine
        failing_new::fail_at(0);
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(pool.used(), 1u);
        pool.deallocate(p);
        EXPECT_EQ(pool.used(), 0u);
    }
}

#if EBB_HAS_MMAP && defined(__linux__)
TEST(Construction, PrefaultTouchesEveryPage) {
    // Of memory that begins anywhere in a page, the last page included.
    constexpr std::size_t page = 4'096;
    const auto resident = [](std::byte* first, std::byte* last) {
        std::size_t n = 0;
        for (auto* at = first; at < last; at += page) {
            unsigned char is = 0;
            n += ::mincore(at, 1, &is) == 0 && (is & 1) != 0;
        }
        return n;
    };
    for (const std::size_t offset : {std::size_t{64}, std::size_t{2'048}, page - 64}) {
        for (const std::size_t capacity : {100u, 1'000u, 1'003u}) {
            static std::byte* at;
            const std::size_t bytes = ebb::fixed_pool<item>::bytes_needed(capacity) + 2 * page;
            auto* const mapped = static_cast<std::byte*>(
                ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
            ASSERT_NE(mapped, MAP_FAILED);
            at = mapped + offset;
            static std::size_t taken;
            const ebb::memory_source hooks{[](std::size_t n, std::size_t, void*) noexcept -> void* {
                                               taken = n;
                                               return at;
                                           },
                                           [](void*, std::size_t, std::size_t, void*) noexcept {}};
            {
                const ebb::fixed_pool<item> pool(capacity, {.prefault = true, .source = &hooks});
                const std::size_t pages = (offset + taken + page - 1) / page;
                EXPECT_EQ(resident(mapped, at + taken), pages) << capacity << " at " << offset;
            }
            ::munmap(mapped, bytes);
        }
    }
}
#endif

TEST(Construction, AlignmentAboveAPage) {
    struct alignas(65'536) wide {
        unsigned char bytes[65'536];
    };
    for (const std::size_t capacity : {1u, 3u, 10u}) {
        ebb::fixed_pool<wide> pool(capacity);
        while (wide* const p = pool.allocate()) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignof(wide), 0u);
        }
        EXPECT_TRUE(pool.full());
    }
}

class Options : public testing::TestWithParam<std::pair<bool, bool>> {};

TEST_P(Options, Memory) {
    const ebb::pool_options options{.huge_pages = GetParam().first, .prefault = GetParam().second};
    for (const std::size_t capacity : {0u, 1u, 100u, 1'000u, 20'000u}) {
        ebb::fixed_pool<item> pool(capacity, options);
        std::vector<item*> out;
        while (item* const p = pool.allocate()) {
            EXPECT_EQ(pool.index_of(p), out.size());
            p->words[0] = out.size();
            p->words[31] = out.size();
            out.push_back(p);
        }
        ASSERT_EQ(out.size(), capacity);
        for (std::size_t i = 0; i < out.size(); ++i) {
            EXPECT_EQ(out[i]->words[0] + out[i]->words[31], 2 * i);
            pool.deallocate(out[i]);
        }
        EXPECT_TRUE(pool.empty());
    }
}
INSTANTIATE_TEST_SUITE_P(All, Options,
                         testing::Values(std::pair{false, false}, std::pair{true, false}, std::pair{false, true},
                                         std::pair{true, true}));

TEST(Storage, Storage) {
    using pool_type = ebb::fixed_pool<trace::object<48, 16>>;
    constexpr std::size_t capacity = 50;
    constexpr std::size_t guard = 64;
    const std::size_t needed = pool_type::bytes_needed(capacity);
    std::mt19937 random(1);
    for (std::size_t shift = 0; shift < 70; ++shift) {
        // Memory that is not zero, at every misalignment, with canaries at both ends.
        std::vector<std::byte> bytes(needed + 2 * guard + shift, std::byte{0xa5});
        const std::span<std::byte> storage(bytes.data() + guard + shift, needed);
        failing_new::fail_at(0);
        {
            pool_type pool(capacity, {.storage = storage});
            EXPECT_EQ(failing_new::calls(), 0) << "no heap at all";
            std::vector<trace::object<48, 16>*> out;
            out.reserve(capacity);
            for (int i = 0; i < 1'000; ++i) {
                if (random() % 2 == 0) {
                    if (auto* const p = pool.allocate()) {
                        std::memset(p, 0xff, sizeof *p);
                        out.push_back(p);
                    }
                } else if (!out.empty()) {
                    std::swap(out[random() % out.size()], out.back());
                    pool.deallocate(out.back());
                    out.pop_back();
                }
            }
            EXPECT_EQ(pool.used(), out.size());
        }
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const bool outside = i < guard + shift || i >= guard + shift + needed;
            ASSERT_TRUE(!outside || bytes[i] == std::byte{0xa5}) << i;
        }
    }
}

TEST(Storage, TooSmall) {
    using pool_type = ebb::fixed_pool<item>;
    std::vector<std::byte> bytes(pool_type::bytes_needed(10));
    EXPECT_NO_THROW(pool_type(10, {.storage = bytes}));
    EXPECT_THROW(pool_type(11, {.storage = bytes}), std::length_error);
    EXPECT_THROW(pool_type(10, {.storage = std::span(bytes).first(100)}), std::length_error);

    std::vector<std::byte> more(ebb::handle_pool<item>::bytes_needed(10));
    EXPECT_NO_THROW(ebb::handle_pool<item>(10, {.storage = more}));
    EXPECT_THROW((ebb::handle_pool<item>{10, {.storage = std::span(more).first(more.size() - 1)}}), std::length_error);

    std::vector<std::byte> shared(ebb::sync_fixed_pool<item>::bytes_needed(10));
    EXPECT_NO_THROW(ebb::sync_fixed_pool<item>(10, {.memory = {.storage = shared}}));
}

TEST(Storage, Traces) {
    std::vector<std::byte> bytes(1 << 20, std::byte{0x5a});
    trace::trace t;
    ASSERT_EQ(trace::read(EBBPOOL_TRACES "/misuse-1000.trace", t), "");
    EXPECT_EQ((trace::replay<trace::object<24, 8>>(t, {.storage = bytes})), "");
}

}  // namespace construction_test
