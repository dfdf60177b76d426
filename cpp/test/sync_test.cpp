// sync_fixed_pool: with one thread, then with several. Each object is checked for a second owner.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <ebbpool/sync_fixed_pool.hpp>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "trace.hpp"

namespace sync_test {

struct item {
    std::uint64_t owner;
    std::uint64_t check;
};

constexpr int threads =
#if defined(__SANITIZE_THREAD__)
    3;
constexpr int rounds = 20'000;
#else
    4;
constexpr int rounds = 200'000;
#endif

TEST(Sync, OneThreadReachesAllSlots) {
    for (const std::size_t capacity : {0u, 1u, 2u, 63u, 64u, 65u, 1'000u, 4'095u, 4'096u, 10'000u}) {
        for (const std::size_t batch :
             {ebb::sync_options::automatic, std::size_t{0}, std::size_t{1}, std::size_t{64}}) {
            ebb::sync_fixed_pool<item> pool(capacity, {.batch = batch});
            for (int round = 0; round < 3; ++round) {
                std::set<item*> out;
                while (item* const p = pool.allocate()) {
                    ASSERT_TRUE(out.insert(p).second);
                    ASSERT_TRUE(pool.owns(p));
                    *p = {1, 1};
                }
                ASSERT_EQ(out.size(), capacity);
                ASSERT_TRUE(pool.full());
                ASSERT_EQ(pool.available(), 0u);
                for (item* const p : out) pool.deallocate(p);
                ASSERT_TRUE(pool.empty());
                ASSERT_EQ(pool.high_water(), capacity);
            }
        }
    }
}

TEST(Sync, LastInFirstOutForAThread) {
    ebb::sync_fixed_pool<item> pool(10'000);
    EXPECT_EQ(pool.batch(), 64u);
    item* const a = pool.allocate();
    item* const b = pool.allocate();
    EXPECT_EQ(b, a + 1) << "fresh slots come lowest first";
    pool.deallocate(a);
    pool.deallocate(b);
    EXPECT_EQ(pool.allocate(), b);
    EXPECT_EQ(pool.allocate(), a);
}

TEST(Sync, SeparateCacheLines) {
    // The first runs are whole and aligned: 64 state bytes, one cache line.
    ebb::sync_fixed_pool<item> pool(10'000);
    item* const first = pool.allocate();
    item* second = nullptr;
    std::thread([&] { second = pool.allocate(); }).join();
    EXPECT_EQ(second - first, 64);
}

TEST(Sync, EndedThreadsFlush) {
    ebb::sync_fixed_pool<item> pool(1'000, {.batch = 64});
    for (int i = 0; i < 100; ++i) {
        std::thread([&] {
            item* const p = pool.allocate();
            ASSERT_NE(p, nullptr);
            pool.deallocate(p);
        }).join();
    }
    EXPECT_TRUE(pool.empty());
    std::size_t n = 0;
    while (pool.allocate() != nullptr) ++n;
    EXPECT_EQ(n, 1'000u) << "no slot is cached";
}

TEST(Sync, ManyPoolsOneThread) {
    // More pools than the cache has places, created and destroyed repeatedly.
    for (int round = 0; round < 20; ++round) {
        std::vector<std::unique_ptr<ebb::sync_fixed_pool<item>>> pools;
        for (int i = 0; i < 20; ++i) pools.push_back(std::make_unique<ebb::sync_fixed_pool<item>>(500));
        for (int i = 0; i < 2'000; ++i) {
            auto& pool = *pools[static_cast<std::size_t>(i * 7 % 20)];
            item* const p = pool.allocate();
            ASSERT_NE(p, nullptr);
            if (i % 3 != 0) pool.deallocate(p);
        }
    }
}

TEST(Sync, PoolEndsBeforeThreads) {
    std::atomic<int> step{0};
    auto pool = std::make_unique<ebb::sync_fixed_pool<item>>(1'000);
    std::thread user([&] {
        pool->deallocate(pool->allocate());
        step = 1;
        while (step != 2) std::this_thread::yield();
    });
    while (step != 1) std::this_thread::yield();
    pool.reset();
    step = 2;
    user.join();
}

struct last_words {
    ebb::sync_fixed_pool<item>* pool = nullptr;
    item* object = nullptr;
    ~last_words() {
        if (pool != nullptr) pool->deallocate(object);
    }
};
thread_local last_words words;

TEST(Sync, UseInThreadLocalDestructors) {
    ebb::sync_fixed_pool<item> pool(1'000);
    std::thread([&] {
        words.pool = &pool;  // constructed before the magazines, destroyed after them
        words.object = pool.allocate();
    }).join();
    EXPECT_TRUE(pool.empty());
    std::size_t n = 0;
    while (pool.allocate() != nullptr) ++n;
    EXPECT_EQ(n, 1'000u) << "the last slot went to the depot, not to a deleted magazine";
}

void churn(ebb::sync_fixed_pool<item>& pool) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
            std::mt19937 random(static_cast<unsigned>(t));
            std::vector<item*> mine;
            const auto id = static_cast<std::uint64_t>(t) + 1;
            for (int i = 0; i < rounds; ++i) {
                if (random() % 2 == 0 && mine.size() < 200) {
                    if (item* const p = pool.allocate()) {
                        *p = {id, static_cast<std::uint64_t>(i)};
                        mine.push_back(p);
                    }
                } else if (!mine.empty()) {
                    std::swap(mine[random() % mine.size()], mine.back());
                    if (mine.back()->owner != id) ++wrong;
                    mine.back()->owner = 0;
                    pool.deallocate(mine.back());
                    mine.pop_back();
                }
            }
            for (item* const p : mine) pool.deallocate(p);
        });
    }
    for (auto& t : all) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(pool.empty());
    std::set<item*> out;
    while (item* const p = pool.allocate()) out.insert(p);
    EXPECT_EQ(out.size(), pool.capacity()) << "each slot once";
}

TEST(SyncThreads, Churn) {
    for (const std::size_t capacity : {100u, 5'000u}) {
        for (const std::size_t batch : {ebb::sync_options::automatic, std::size_t{0}, std::size_t{64}}) {
            ebb::sync_fixed_pool<item> pool(capacity, {.batch = batch});
            churn(pool);
        }
    }
}

TEST(SyncThreads, FreedByAnotherThread) {
    ebb::sync_fixed_pool<item> pool(4'096);
    std::mutex mutex;
    std::vector<item*> mailbox;
    std::atomic<bool> done{false};
    std::thread producer([&] {
        for (int i = 0; i < rounds; ++i) {
            item* p = nullptr;
            while ((p = pool.allocate()) == nullptr) std::this_thread::yield();
            *p = {7, ~std::uint64_t{7}};
            const std::lock_guard lock(mutex);
            mailbox.push_back(p);
        }
        done = true;
    });
    int seen = 0;
    for (bool last = false; !last;) {
        last = done;
        std::vector<item*> letters;
        {
            const std::lock_guard lock(mutex);
            letters.swap(mailbox);
        }
        for (item* const p : letters) {
            ASSERT_EQ(p->owner, ~p->check);
            *p = {};
            pool.deallocate(p);
            ++seen;
        }
    }
    producer.join();
    EXPECT_EQ(seen, rounds);
    EXPECT_TRUE(pool.empty());
}

TEST(SyncThreads, RacingDoubleFrees) {
    static std::atomic<int> reported;
    reported = 0;
    ebb::set_misuse_handler([](const ebb::misuse_info& info) noexcept {
        if (info.kind == ebb::misuse::double_free) ++reported;
    });
    ebb::sync_fixed_pool<item, ebb::checks::report> pool(4'096);
    std::atomic<item*> victim{nullptr};
    std::atomic<int> turn{0};
    constexpr int tries = rounds / 20;
    const auto freer = [&] {
        for (int i = 1; i <= tries; ++i) {
            while (turn.load(std::memory_order_acquire) < 3 * i - 2) std::this_thread::yield();
            pool.deallocate(victim.load(std::memory_order_relaxed));
            turn.fetch_add(1, std::memory_order_acq_rel);
        }
    };
    std::thread a(freer);
    std::thread b(freer);
    for (int i = 1; i <= tries; ++i) {
        victim = pool.allocate();
        ASSERT_NE(victim.load(), nullptr);
        turn.store(3 * i - 2, std::memory_order_release);
        while (turn.load(std::memory_order_acquire) < 3 * i) std::this_thread::yield();
    }
    a.join();
    b.join();
    std::set<item*> out;
    while (item* const p = pool.allocate()) ASSERT_TRUE(out.insert(p).second) << "allocated twice";
    EXPECT_EQ(out.size(), pool.capacity());
    // Not all of them: two copies that meet in the depot are merged.
    EXPECT_GT(reported, 0);
    EXPECT_LE(reported, tries);
    ebb::set_misuse_handler(nullptr);
}

TEST(Sync, TracesWithoutMagazines) {
    // The counts are exact after each call; the order of slots is unspecified.
    trace::trace t;
    ASSERT_EQ(trace::read(EBBPOOL_TRACES "/random-65.trace", t), "");
    ebb::sync_fixed_pool<item> pool(t.capacity, {.batch = 0});
    std::vector<item*> in(t.capacity, nullptr);
    for (const auto& c : t.calls) {
        if (c.kind == "alloc") {
            item* const p = pool.allocate();
            ASSERT_EQ(p == nullptr, c.slot < 0);
            if (p != nullptr) in[static_cast<std::size_t>(c.slot)] = p;
        } else {
            pool.deallocate(in[static_cast<std::size_t>(c.slot)]);
        }
        ASSERT_EQ(pool.used(), c.used);
    }
}

}  // namespace sync_test
