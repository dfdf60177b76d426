// ebb::sync_arena.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <ebbpool/sync_arena.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "failing_new.hpp"

namespace sync_arena_test {

std::atomic<int> alive{0};
struct counted {
    explicit counted(int n) : number(n) { ++alive; }
    ~counted() { --alive; }
    int number;
};

void in_thread(const auto& f) { std::thread(f).join(); }

TEST(SyncArena, ConcurrentAllocation) {
    ebb::sync_arena a(4'096);
    for (int cycle = 0; cycle < 3; ++cycle) {
        std::vector<std::thread> threads;
        std::vector<std::vector<counted*>> made(4);
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&a, &mine = made[static_cast<std::size_t>(t)], t] {
                for (int i = 0; i < 2'000; ++i) {
                    mine.push_back(a.make<counted>(t * 10'000 + i));
                    if (a.copy("text") != "text" || a.make_span<int>(3)[2] != 0) std::abort();
                    *static_cast<int*>(a.allocate(40, 32)) = 17;
                }
            });
        }
        for (std::thread& t : threads) t.join();
        EXPECT_EQ(alive, 8'000);
        for (int t = 0; t < 4; ++t) {
            for (int i = 0; i < 2'000; ++i) {
                counted* const p = made[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)];
                ASSERT_EQ(p->number, t * 10'000 + i);
                if (i % 100 == 0) {
                    EXPECT_TRUE(a.owns(p));
                }
            }
        }
        EXPECT_GE(a.used_bytes(), 8'000u * sizeof(counted));
        cycle == 1 ? a.release() : a.reset();
        EXPECT_EQ(alive, 0);
        EXPECT_EQ(a.used_bytes(), 0u);
    }
}

TEST(SyncArena, NewThreadsReuseParts) {
    ebb::sync_arena a(1'000);
    ebb::arena* first = nullptr;
    in_thread([&] { first = &a.local(), a.make<counted>(1); });
    for (int i = 0; i < 10; ++i) {
        in_thread([&] {
            EXPECT_EQ(&a.local(), first);
            EXPECT_EQ(&a.local(), first);
            a.make<counted>(2);
        });
    }
    EXPECT_EQ(&a.local(), first) << "this thread is the next one";
    EXPECT_EQ(alive, 11) << "objects of ended threads are alive";
    a.reset();
    EXPECT_EQ(alive, 0);
}

// More arenas than a thread's cache has entries, some at the addresses of earlier ones.
TEST(SyncArena, ManyArenas) {
    std::vector<std::unique_ptr<ebb::sync_arena>> all;
    for (int i = 0; i < 200; ++i) all.push_back(std::make_unique<ebb::sync_arena>(100));
    for (int round = 0; round < 3; ++round) {
        for (auto& a : all) a->make<counted>(round);
    }
    EXPECT_EQ(alive, 600);
    for (const auto& a : all) EXPECT_EQ(a->used_bytes(), 3 * sizeof(std::uint64_t));
    for (int i = 0; i < 200; ++i) {
        all.erase(all.begin() + i % 100);
        all.push_back(std::make_unique<ebb::sync_arena>(100));
        EXPECT_EQ(all.back()->used_bytes(), 0u);
        all.back()->make<int>();
    }
    all.clear();
    EXPECT_EQ(alive, 0);
}

struct user {
    explicit user(ebb::sync_arena& arena) : a(arena) { ++alive; }
    ~user() {
        --alive;
        if (a.copy("text") != "text" || *a.make<int>(17) != 17 || a.used_bytes() == 0) std::abort();
    }
    ebb::sync_arena& a;
};

// From a thread with or without a part, while any part is destroyed.
TEST(SyncArena, DestructorsMayUseIt) {
    for (const bool has_part : {false, true}) {
        ebb::sync_arena a(1'000);
        for (int cycle = 0; cycle < 3; ++cycle) {
            if (has_part) a.make<user>(a);
            std::thread([&a] { a.make<user>(a); }).join();
            std::thread([&a] { a.make<user>(a); }).join();
            cycle == 1 ? a.release() : a.reset();
            EXPECT_EQ(alive, 0);
        }
        std::thread([&a] { a.make<user>(a); }).join();
    }
    EXPECT_EQ(alive, 0);
}

// Allocations of a thread's first call fail: its state, its part, and a chunk.
TEST(SyncArena, EveryAllocationRefusedInTurn) {
    int refused = 0;
    for (int fail = 1; fail < 12; ++fail) {
        ebb::sync_arena a(1'000);
        in_thread([&] {
            failing_new::fail_at(fail);
            int made = 0;
            for (int i = 0; i < 3; ++i) {
                try {
                    a.make<counted>(i);
                    ++made;
                } catch (const std::bad_alloc&) {
                    ++refused;
                }
            }
            failing_new::fail_at(0);
            EXPECT_GE(made, 2);
            EXPECT_EQ(alive, made);
            EXPECT_NE(a.local().try_make<counted>(4), nullptr);
        });
        a.reset();
        EXPECT_EQ(alive, 0);
    }
    EXPECT_GE(refused, 3);
}

// A thread may end after an arena, or an arena after a thread.
TEST(SyncArena, EndsBeforeItsThreads) {
    std::thread t([] {
        for (int i = 0; i < 100; ++i) ebb::sync_arena(100).make<counted>(i);
    });
    t.join();
    EXPECT_EQ(alive, 0);
}

}  // namespace sync_arena_test
