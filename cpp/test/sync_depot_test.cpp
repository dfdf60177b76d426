// sync_fixed_pool: exchange of slots between magazines and the depot, and cleanup after threads and pools have
// ended. Each test says what would otherwise go wrong unnoticed.
#include <gtest/gtest.h>

#include <atomic>
#include <ebbpool/sync_fixed_pool.hpp>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "failing_new.hpp"

namespace sync_depot_test {

using item = std::uint64_t;
using pool_type = ebb::sync_fixed_pool<item>;

// A thread that keeps its magazine while other threads are checked.
class staying {
public:
    explicit staying(const std::function<void()>& first)
        : thread_([this, first] {
              first();
              step_ = 1;
              while (step_ != 2) std::this_thread::yield();
          }) {
        while (step_ != 1) std::this_thread::yield();
    }
    ~staying() {
        step_ = 2;
        thread_.join();
    }

private:
    std::atomic<int> step_{0};
    std::thread thread_;
};

std::size_t drain(pool_type& pool) {
    std::size_t n = 0;
    while (pool.allocate() != nullptr) ++n;
    return n;
}

void take_and_give(pool_type& pool, std::size_t n) {
    std::vector<item*> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(pool.allocate());
    for (item* const p : out) pool.deallocate(p);
}

TEST(SyncDepot, MagazineLimit) {
    // Otherwise, a magazine that grows or refills too much starves other threads.
    pool_type pool(1'000, {.batch = 4});
    staying other([&] { take_and_give(pool, 100); });
    EXPECT_GE(drain(pool), 1'000u - 8);
}

TEST(SyncDepot, RefillIsABatch) {
    pool_type pool(64, {.batch = 8});
    std::thread([&] { take_and_give(pool, 64); }).join();
    staying other([&] { (void)!pool.allocate(); });
    EXPECT_EQ(drain(pool), 64u - 8) << "one is allocated, seven are cached by the other thread";
}

TEST(SyncDepot, FlushIsABatch) {
    // One slot at a time would take the lock in every call.
    pool_type pool(24, {.batch = 8});
    std::vector<item*> out;
    while (item* const p = pool.allocate()) out.push_back(p);
    for (int i = 0; i < 17; ++i) {
        pool.deallocate(out.back());
        out.pop_back();
    }
    std::size_t within_reach = 0;
    std::thread([&] {
        while (pool.allocate() != nullptr) ++within_reach;
    }).join();
    EXPECT_EQ(within_reach, 8u);
}

TEST(SyncDepot, LowestOfARunFirst) {
    pool_type pool(10'000);
    item* const first = pool.allocate();
    pool.deallocate(first);
    std::thread([&] { take_and_give(pool, 64); }).join();  // flushes the second run to the depot
    item* again = nullptr;
    std::thread([&] { again = pool.allocate(); }).join();
    EXPECT_EQ(again - first, 64);
}

TEST(SyncDepot, FirstSlotsEndWithALine) {
    // A thread without a magazine has taken one slot. The next refill of fresh slots must end with the run.
    // Otherwise, two threads share its cache line.
    pool_type pool(10'000);
    failing_new::fail_at(1);
    item* const first = pool.allocate();
    failing_new::fail_at(0);
    staying other([&] { (void)!pool.allocate(); });
    EXPECT_EQ(pool.allocate() - first, 64);
}

TEST(SyncDepot, AutomaticBatch) {
    for (const auto& [capacity, batch] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, 0}, {63, 0}, {64, 1}, {127, 1}, {128, 2}, {4'095, 32}, {4'096, 64}, {1'000'000, 64}}) {
        EXPECT_EQ(pool_type(capacity).batch(), batch) << capacity;
    }
    EXPECT_EQ(pool_type(1'000, {.batch = 100}).batch(), 64u);
    EXPECT_EQ(pool_type(1'000, {.batch = 33}).batch(), 32u);
}

TEST(SyncDepot, EndedThreadsFlush) {
    pool_type pool(1'000);
    const auto use = [&] { std::thread([&] { take_and_give(pool, 1); }).join(); };
    use();
    const long before = failing_new::outstanding();
    for (int i = 0; i < 100; ++i) use();
    EXPECT_LE(failing_new::outstanding(), before);
}

TEST(SyncDepot, ForgetsDestroyedPools) {
    const auto use = [] {
        pool_type pool(1'000);
        take_and_give(pool, 1);
    };
    use();
    const long before = failing_new::outstanding();
    for (int i = 0; i < 1'000; ++i) use();
    EXPECT_LE(failing_new::outstanding(), before + 8) << "the last pool's depot and magazine, and no more";
}

TEST(SyncDepot, ThreadEndsAfterPool) {
    // The caller can reuse the pool's memory after the last thread has ended.
    std::vector<std::byte> memory(pool_type::bytes_needed(1'000));
    std::unique_ptr<pool_type> pool =
        std::make_unique<pool_type>(1'000, ebb::sync_options{.memory = {.storage = memory}});
    {
        staying other([&] { take_and_give(*pool, 100); });
        pool.reset();
        std::fill(memory.begin(), memory.end(), std::byte{0x5a});
    }
    for (const std::byte b : memory) ASSERT_EQ(b, std::byte{0x5a});
}

TEST(SyncDepot, UsedDuringFlush) {
    // Slots that are being flushed must not count twice.
    pool_type pool(4'096);
    constexpr std::size_t held = 40;
    std::atomic<bool> done{false};
    std::atomic<bool> watched{false};
    std::thread other([&] {
        std::vector<item*> keep;
        for (std::size_t i = 0; i < held; ++i) keep.push_back(pool.allocate());
        for (int i = 0; i < 2'000; ++i) take_and_give(pool, 300);
        done = true;
        while (!watched) std::this_thread::yield();
        for (item* const p : keep) pool.deallocate(p);
    });
    std::size_t least = pool.capacity();
    while (pool.used() < held) std::this_thread::yield();
    while (!done) least = std::min(least, pool.used());
    watched = true;
    other.join();
    EXPECT_GE(least + 1, held);
}

TEST(SyncDepot, MorePoolsThanCachePlaces) {
    std::vector<std::unique_ptr<pool_type>> pools;
    for (int i = 0; i < 130; ++i) pools.push_back(std::make_unique<pool_type>(500));
    std::vector<std::set<item*>> out(pools.size());
    for (int round = 0; round < 50; ++round) {
        for (std::size_t i = 0; i < pools.size(); ++i) {
            item* const p = pools[i]->allocate();
            ASSERT_TRUE(pools[i]->owns(p)) << "of another pool";
            ASSERT_TRUE(out[i].insert(p).second);
        }
    }
    for (std::size_t i = 0; i < pools.size(); ++i) {
        for (item* const p : out[i]) pools[i]->deallocate(p);
        EXPECT_TRUE(pools[i]->empty());
    }
}

// The slot that a thread freed last is not in the magazine's array.

TEST(SyncDepot, HotSlotCountsForLimit) {
    // Otherwise, a thread caches one slot too many: with a batch of 1, that is 50 % more.
    for (const std::size_t batch : {1u, 2u, 8u, 64u}) {
        pool_type pool(400, {.batch = batch});
        staying other([&] { take_and_give(pool, 300); });
        EXPECT_GE(drain(pool), 400 - 2 * batch) << batch;
    }
}

TEST(SyncDepot, UsedCountsHotSlots) {
    pool_type pool(1'000);
    staying one([&] { pool.deallocate(pool.allocate()); });
    staying two([&] { take_and_give(pool, 2); });
    EXPECT_EQ(pool.used(), 0u);
    pool.deallocate(pool.allocate());
    EXPECT_EQ(pool.used(), 0u);
    item* const p = pool.allocate();
    EXPECT_EQ(pool.used(), 1u);
    pool.deallocate(p);
}

TEST(SyncDepot, EndedThreadsFlushHotSlot) {
    pool_type pool(64, {.batch = 64});
    std::thread([&] {
        std::vector<item*> all;
        while (item* const p = pool.allocate()) all.push_back(p);
        pool.deallocate(all.back());  // the only one in the magazine, and hot
    }).join();
    EXPECT_EQ(pool.available(), 1u);
    EXPECT_NE(pool.allocate(), nullptr);
    EXPECT_EQ(pool.allocate(), nullptr);
}

TEST(SyncDepot, EvictedHotSlotIsKept) {
    // A thread alternates between 65 pools: two have the same place in its cache and evict each other.
    std::vector<std::unique_ptr<pool_type>> pools;
    for (int i = 0; i < 65; ++i) pools.push_back(std::make_unique<pool_type>(64, ebb::sync_options{.batch = 32}));
    for (int round = 0; round < 3; ++round) {
        for (auto& pool : pools) {
            std::vector<item*> all;
            while (item* const p = pool->allocate()) all.push_back(p);
            ASSERT_EQ(all.size(), 64u);
            for (item* const p : all) pool->deallocate(p);
            ASSERT_EQ(pool->used(), 0u);
        }
        for (auto& pool : pools) ASSERT_EQ(pool->used(), 0u) << "after the others were used";
    }
    // The hot slot is allocated before the others, also after a push.
    item* const p = pools[0]->allocate();
    pools[0]->deallocate(p);
    pools[64]->deallocate(pools[64]->allocate());
    EXPECT_EQ(pools[0]->allocate(), p);
    pools[0]->deallocate(p);
}

TEST(SyncDepot, EvictedHotSlotOfFullMagazine) {
    // The largest number that a thread can cache: 2 * 64 slots, one of them hot.
    pool_type first(1'000, {.batch = 64});
    std::vector<std::unique_ptr<pool_type>> others;
    for (int i = 0; i < 64; ++i) others.push_back(std::make_unique<pool_type>(64));
    take_and_give(first, 400);
    for (int i = 0; i < 128; ++i) take_and_give(first, static_cast<std::size_t>(i));
    for (auto& other : others) take_and_give(*other, 1);
    EXPECT_EQ(first.used(), 0u);
    take_and_give(first, 1'000);
    EXPECT_EQ(first.used(), 0u);
    EXPECT_EQ(drain(first), 1'000u);
}

TEST(SyncDepot, DestroyedPoolWithHotSlot) {
    // A pool with the same place, 64 pools later, takes the front.
    for (int i = 0; i < 200; ++i) {
        pool_type pool(64, {.batch = 8});
        take_and_give(pool, 10);
        EXPECT_EQ(pool.used(), 0u);
        EXPECT_EQ(drain(pool), 64u) << i;
    }
}

TEST(SyncDepot, UsedDuringEviction) {
    // A hot slot that moves into the array must count once: used() reads both under one lock.
    std::vector<std::unique_ptr<pool_type>> pools;
    for (int i = 0; i < 65; ++i) pools.push_back(std::make_unique<pool_type>(256, ebb::sync_options{.batch = 16}));
    std::atomic<bool> done{false};
    std::thread other([&] {
        item* const keep = pools[0]->allocate();
        for (int i = 0; i < 3'000; ++i) {
            pools[0]->deallocate(pools[0]->allocate());
            pools[64]->deallocate(pools[64]->allocate());
        }
        pools[0]->deallocate(keep);
        done = true;
    });
    std::size_t most = 0;
    while (!done) most = std::max(most, pools[0]->used());
    other.join();
    EXPECT_LE(most, 2u) << "one in the cache, and one in a call";
    EXPECT_EQ(pools[0]->used(), 0u);
}

TEST(SyncDepot, DoubleFreeOfHotSlot) {
    static ebb::misuse_info last;
    static int reports;
    reports = 0;
    ebb::set_misuse_handler([](const ebb::misuse_info& info) noexcept {
        last = info;
        ++reports;
    });
    ebb::sync_fixed_pool<item, ebb::checks::report> pool(1'000);
    item* const p = pool.allocate();
    item* const before = p - 1;
    pool.deallocate(p);
    pool.deallocate(p);
    EXPECT_EQ(reports, 1);
    EXPECT_EQ(last.kind, ebb::misuse::double_free);
    std::thread([&] { pool.deallocate(p); }).join();
    EXPECT_EQ(reports, 2);
    EXPECT_EQ(last.slot, 0u);
    pool.deallocate(before);  // at the state of the name that no slot has
    EXPECT_EQ(reports, 3);
    EXPECT_EQ(last.kind, ebb::misuse::foreign);
    EXPECT_FALSE(pool.owns(before));
    EXPECT_EQ(pool.used(), 0u);
    EXPECT_EQ(pool.allocate(), p);
    EXPECT_EQ(pool.used(), 1u);
    ebb::set_misuse_handler(nullptr);
}

TEST(SyncDepot, SmallObjectsOfTwoThreads) {
    // Four bytes: two slots share a shadow byte of AddressSanitizer.
    ebb::sync_fixed_pool<std::uint32_t> pool(64, {.batch = 1});
    const auto use = [&] {
        for (int i = 0; i < 20'000; ++i) {
            std::uint32_t* const p = pool.allocate();
            if (p == nullptr) continue;
            *p = 1;
            pool.deallocate(p);
        }
    };
    std::thread other(use);
    use();
    other.join();
    EXPECT_TRUE(pool.empty());
}

}  // namespace sync_depot_test
