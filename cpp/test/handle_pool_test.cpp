// Stale handles are always detected.
#include <gtest/gtest.h>

#include <ebbpool/handle_pool.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

// Simulates slots that were used two billion times.
struct ebb::detail::generations {
    /// Sets the generation, an even number, of a free slot.
    template <class Pool>
    static void set(Pool& pool, std::size_t index, std::uint32_t value) {
        pool.generation(index) = value;
    }
};

namespace handle_pool_test {

using ebb::detail::generations;

TEST(HandlePool, StaleAfterReuse) {
    ebb::handle_pool<std::string> pool(1);
    const auto a = pool.create("a");
    EXPECT_EQ(*pool.get(a), "a");
    EXPECT_TRUE(pool.destroy(a));
    EXPECT_EQ(pool.get(a), nullptr);
    const auto b = pool.create("b");
    EXPECT_EQ(a.index, b.index) << "the same slot";
    EXPECT_NE(a, b);
    EXPECT_EQ(pool.get(a), nullptr);
    EXPECT_FALSE(pool.destroy(a)) << "the double free that no check of a pointer can see";
    EXPECT_EQ(*pool.get(b), "b");
    EXPECT_EQ(pool.handle_of(pool.get(b)), b);
}

TEST(HandlePool, NullForgedAndForeign) {
    ebb::handle_pool<int> pool(2);
    EXPECT_FALSE(ebb::handle<int>{});
    EXPECT_EQ(pool.get({}), nullptr);
    EXPECT_FALSE(pool.destroy({}));
    EXPECT_EQ(pool.get({5, 1}), nullptr);
    EXPECT_EQ(pool.get({0, 1}), nullptr);
    EXPECT_EQ(pool.get({1, 0xffffffff}), nullptr);
    const auto a = pool.create(1);
    const auto b = pool.create(2);
    EXPECT_FALSE(pool.create(3));
    EXPECT_TRUE(pool.full());
    EXPECT_TRUE(a && b);
    int foreign = 0;
    EXPECT_FALSE(pool.handle_of(&foreign));
    EXPECT_FALSE(pool.handle_of(nullptr));
    const int* const p = pool.get(a);
    EXPECT_TRUE(pool.destroy(a));
    EXPECT_FALSE(pool.handle_of(p));
}

TEST(HandlePool, DestroysRemainingObjects) {
    static int alive;
    alive = 0;
    struct counted {
        explicit counted(bool fail) {
            if (fail) throw std::runtime_error("no");
            ++alive;
        }
        ~counted() { --alive; }
        counted(const counted&) = delete;
        counted& operator=(const counted&) = delete;
    };
    {
        ebb::handle_pool<counted> pool(10);
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(pool.create(false));
        EXPECT_THROW(static_cast<void>(pool.create(true)), std::runtime_error);
        EXPECT_EQ(pool.used(), 5u);
        EXPECT_EQ(alive, 5);
    }
    EXPECT_EQ(alive, 0);
}

TEST(HandlePool, Model) {
    ebb::handle_pool<int> pool(20);
    std::vector<std::pair<ebb::handle<int>, int>> live;
    std::vector<ebb::handle<int>> dead;
    std::unordered_set<ebb::handle<int>> all;
    std::mt19937 random(3);
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 2 == 0) {
            const auto h = pool.create(i);
            ASSERT_EQ(static_cast<bool>(h), live.size() < 20);
            if (h) {
                live.emplace_back(h, i);
                ASSERT_TRUE(all.insert(h).second) << "the same handle twice";
            }
        } else if (!live.empty()) {
            std::swap(live[random() % live.size()], live.back());
            ASSERT_EQ(*pool.get(live.back().first), live.back().second);
            ASSERT_TRUE(pool.destroy(live.back().first));
            dead.push_back(live.back().first);
            live.pop_back();
        }
        if (!dead.empty()) {
            const auto h = dead[random() % dead.size()];
            ASSERT_EQ(pool.get(h), nullptr);
            ASSERT_FALSE(pool.destroy(h));
        }
        ASSERT_EQ(pool.used(), live.size());
    }
}

TEST(HandlePool, GenerationsDoNotWrap) {
    ebb::handle_pool<int> pool(2);
    const auto a = pool.create(1);
    pool.destroy(a);
    generations::set(pool, a.index, 0xfffffffc);
    const auto last = pool.create(2);
    EXPECT_EQ(last.index, a.index);
    EXPECT_EQ(last.generation, 0xfffffffd);
    EXPECT_TRUE(pool.destroy(last));
    EXPECT_EQ(pool.retired(), 1u);
    EXPECT_TRUE(pool.empty());
    EXPECT_EQ(pool.get(last), nullptr);
    EXPECT_EQ(pool.get({last.index, 0xffffffff}), nullptr);
    const auto b = pool.create(3);
    EXPECT_NE(b.index, a.index);
    EXPECT_TRUE(pool.full()) << "the retired slot is not available";
    EXPECT_FALSE(pool.create(4));
}

struct counted {
    int* destroyed;
    ~counted() { ++*destroyed; }
};

TEST(HandlePool, RetiredSlotIsNoLeak) {
    // with_leaks would abort.
    int destroyed = 0;
    {
        ebb::handle_pool<counted, ebb::checks::with_leaks<>> pool(4);
        const auto a = pool.create(&destroyed);
        pool.destroy(a);
        generations::set(pool, a.index, 0xfffffffc);
        pool.destroy(pool.create(&destroyed));
        EXPECT_EQ(pool.retired(), 1u);
        // A slot that retires while the pool is destroyed.
        const auto b = pool.create(&destroyed);
        pool.destroy(b);
        generations::set(pool, b.index, 0xfffffffc);
        (void)pool.create(&destroyed);
        EXPECT_EQ(destroyed, 3);
    }
    EXPECT_EQ(destroyed, 4);
}

// Its destructor creates another object in a free slot, down to slot 0.
struct begetter {
    ebb::handle_pool<begetter>* pool;
    int* alive;
    int children;
    begetter(ebb::handle_pool<begetter>* home, int* count, int more) : pool(home), alive(count), children(more) {
        ++*alive;
    }
    begetter(const begetter&) = delete;
    begetter& operator=(const begetter&) = delete;
    ~begetter() {
        --*alive;
        if (children > 0) (void)pool->create(pool, alive, children - 1);
    }
};

// Without a second pass, the last child, in a slot below its parent's, would not be destroyed.
TEST(HandlePool, DestructorsCreateObjects) {
    int alive = 0;
    {
        ebb::handle_pool<begetter> pool(8);
        const auto low = pool.create(&pool, &alive, 0);
        const auto low2 = pool.create(&pool, &alive, 0);
        (void)pool.create(&pool, &alive, 5);
        pool.destroy(low);
        pool.destroy(low2);
        EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
}

TEST(HandlePool, Iteration) {
    ebb::handle_pool<std::string> pool(8);
    EXPECT_EQ(live(pool).begin(), live(pool).end());
    std::vector<ebb::handle<std::string>> all;
    for (const char* const text : {"a", "b", "c", "d"}) all.push_back(pool.create(text));
    pool.destroy(all[1]);
    generations::set(pool, 1, 0xfffffffc);
    pool.destroy(pool.create("the last of its slot"));
    ASSERT_EQ(pool.retired(), 1u);
    std::string seen;
    for (std::string& text : ebb::live(pool)) {
        seen += text;
        if (text == "c") pool.destroy(pool.handle_of(&text));  // its own object
    }
    EXPECT_EQ(seen, "acd") << "neither free nor retired slots";
    EXPECT_EQ(pool.used(), 2u);
    EXPECT_EQ(pool.high_water(), 4u);
    // The pool does not detect it without checks; the generations do.
    ebb::handle_pool<int, ebb::checks::none> unchecked(4);
    const auto one = unchecked.create(1);
    (void)unchecked.create(2);
    unchecked.destroy(one);
    int sum = 0;
    for (const int i : ebb::live(unchecked)) sum += i;
    EXPECT_EQ(sum, 2);
}

TEST(HandlePool, Storage) {
    std::vector<std::byte> bytes(ebb::handle_pool<std::uint64_t>::bytes_needed(100), std::byte{0xff});
    ebb::handle_pool<std::uint64_t> pool(100, {.storage = bytes});
    std::vector<ebb::handle<std::uint64_t>> all;
    for (std::uint64_t i = 0; i < 100; ++i) all.push_back(pool.create(~i));
    EXPECT_TRUE(pool.full());
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(*pool.get(all[i]), ~std::uint64_t{i});
}

}  // namespace handle_pool_test
