// AddressSanitizer detects accesses to slots that are free, never allocated, or of a destroyed pool. Without
// it, the annotations do nothing.
#include <gtest/gtest.h>

#include <vector>

// Programs define this for gcc, which says in another macro that AddressSanitizer is on.
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/pool_resource.hpp>
#include <ebbpool/sync_fixed_pool.hpp>

namespace annotate_test {

#if defined(__SANITIZE_ADDRESS__)
static_assert(EBB_ASAN);
#endif
#if EBB_ASAN

struct item {
    volatile std::uint64_t words[4];
};

template <class Pool>
void check() {
    Pool pool(1'000);
    item* const p = pool.allocate();
    item* const q = pool.allocate();
    p->words[0] = 1;
    p->words[3] = 1;
    EXPECT_FALSE(__asan_address_is_poisoned(p));
    EXPECT_TRUE(__asan_address_is_poisoned(q + 1)) << "never allocated";
    pool.deallocate(p);
    EXPECT_TRUE(__asan_region_is_poisoned(p, sizeof *p));
    for (std::size_t i = 0; i < sizeof *p; ++i) {
        EXPECT_TRUE(__asan_address_is_poisoned(reinterpret_cast<char*>(p) + i)) << "all of it";
    }
    EXPECT_EQ(__asan_region_is_poisoned(q, sizeof *q), nullptr) << "and not its neighbour";
    EXPECT_DEATH(p->words[0] = 2, "use-after-poison");
    EXPECT_DEATH(static_cast<void>(p->words[3]), "use-after-poison");
    EXPECT_EQ(pool.allocate(), p);
    p->words[3] = 3;
}

TEST(AsanDeathTest, UseAfterFreeOfASlot) { check<ebb::fixed_pool<item>>(); }
TEST(AsanDeathTest, WithoutChecks) { check<ebb::fixed_pool<item, ebb::checks::none>>(); }
TEST(AsanDeathTest, SyncPool) { check<ebb::sync_fixed_pool<item>>(); }

TEST(AsanDeathTest, HandlePool) {
    ebb::fixed_pool<item> pool(2);
    auto h = ebb::make(pool);
    item* const p = h.get();
    h.reset();
    EXPECT_DEATH(p->words[1] = 1, "use-after-poison");
}

TEST(Asan, StorageAfterThePool) {
    std::vector<std::byte> bytes(ebb::fixed_pool<item>::bytes_needed(100));
    {
        ebb::fixed_pool<item> pool(100, {.storage = bytes});
        static_cast<void>(pool.allocate());
    }
    EXPECT_EQ(__asan_region_is_poisoned(bytes.data(), bytes.size()), nullptr);
}

TEST(Asan, SmallObjects) {
    // Slots that share a unit of 8 bytes: no false positives, in any order.
    ebb::fixed_pool<short> pool(100);
    std::vector<short*> all;
    for (int i = 0; i < 100; ++i) all.push_back(pool.allocate());
    for (std::size_t i = 0; i < 100; i += 2) pool.deallocate(all[i]);
    for (std::size_t i = 1; i < 100; i += 2) *all[i] = 1;
    for (std::size_t i = 0; i < 50; ++i) *pool.allocate() = 2;
    for (std::size_t i = 1; i < 100; i += 2) EXPECT_EQ(*all[i], 1);
}

// Each invalid access is reported.
TEST(AsanDeathTest, Arena) {
    ebb::arena a(4096);
    auto* const p = a.make<item>();
    auto* const q = a.make<item>();
    EXPECT_DEATH(p->words[4] = 1, "use-after-poison") << "an overrun into the next record";
    EXPECT_DEATH(q->words[-1] = 1, "use-after-poison");
    char* const text = const_cast<char*>(a.copy("twelve chars").data());
    EXPECT_EQ(text[11], 's');
    EXPECT_DEATH(static_cast<void>(*static_cast<volatile char*>(text + 12)), "use-after-poison") << "to the byte";
    EXPECT_DEATH(static_cast<void>(*static_cast<volatile char*>(text - 1)), "use-after-poison");
    const auto bytes = a.make_span<unsigned char>(13);
    EXPECT_DEATH(static_cast<void>(*static_cast<volatile unsigned char*>(bytes.data() + 13)), "use-after-poison");
    const ebb::arena_mark m = a.mark();
    auto* const later = a.make<item>();
    later->words[0] = 1;
    a.rewind(m);
    EXPECT_DEATH(later->words[0] = 2, "use-after-poison") << "after rewind";
    q->words[3] = 1;
    a.reset();
    EXPECT_DEATH(p->words[0] = 1, "use-after-poison") << "after reset";
    EXPECT_DEATH(text[0] = 1, "use-after-poison");
    EXPECT_EQ(a.make<item>(), p);
    p->words[0] = 1;
}

// A chunk begins with a red zone: also after a reset, in the caller's storage, and for a large allocation.
TEST(AsanDeathTest, ArenaChunkStart) {
    alignas(64) static std::byte storage[4'096];
    ebb::arena a, stored(1, 0, {.storage = storage});
    for (int cycle = 0; cycle < 2; ++cycle) {
        for (ebb::arena* const from : {&a, &stored}) {
            volatile int* const p = from->make_span<int>(4).data();
            EXPECT_DEATH(p[-1] = 1, "use-after-poison");
            from->reset();
        }
        a.make<int>();
        volatile int* const large = a.make_span<int>(100'000).data();
        EXPECT_DEATH(large[-1] = 1, "use-after-poison");
        a.reset();
    }
}

TEST(AsanDeathTest, ArenaRedZones) {
    struct guarded {
        ~guarded() { words[0] = 0; }
        volatile std::uint64_t words[2];
    };
    ebb::arena a(4096);
    auto* const p = a.make<guarded>();
    a.make<guarded>();
    EXPECT_DEATH(p->words[2] = 1, "use-after-poison");
    EXPECT_DEATH(p->words[-1] = 1, "use-after-poison") << "between the object and its record";
    a.reset();
    EXPECT_DEATH(p->words[0] = 1, "use-after-poison");
}

TEST(AsanDeathTest, ArenaContainers) {
    ebb::arena a(4096);
    ebb::arena_resource r(a);
    std::pmr::vector<int> v({1, 2, 3}, &r);
    volatile int* const old = v.data();
    v.push_back(4);
    EXPECT_DEATH(static_cast<void>(*old), "use-after-poison") << "memory that the vector has freed";
    std::vector<int, ebb::arena_allocator<int>> w({1, 2, 3}, a);
    volatile int* const older = w.data();
    w.push_back(4);
    EXPECT_DEATH(static_cast<void>(*older), "use-after-poison");
}

TEST(Asan, ArenaUnmappedMemory) {
    std::vector<std::byte> bytes(ebb::arena::bytes_needed(1'000));
    {
        ebb::arena a(1, 0, {.storage = bytes});
        a.allocate(10);
        a.release();
        a.allocate(10);
    }
    EXPECT_EQ(__asan_region_is_poisoned(bytes.data(), bytes.size()), nullptr);
    // Mapped memory is no longer poisoned after munmap, because the system reuses the addresses.
    for (int i = 0; i < 10; ++i) {
        ebb::arena a(1 << 20);
        a.allocate(1);
        a.release();
        const std::vector<char> mapped(2 << 20, 'x');
        EXPECT_EQ(mapped[1 << 20], 'x');
    }
}

#else

TEST(Annotate, OffByDefault) {
#if !EBB_VALGRIND
    static_assert(!ebb::annotate::on);
#endif
    SUCCEED();
}

#endif

}  // namespace annotate_test
