// construct, destroy, make and iteration.
#include <gtest/gtest.h>

#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace make_test {

struct tracked {
    static inline int alive = 0;
    std::string text;
    explicit tracked(std::string t) : text(std::move(t)) {
        if (text == "throw") throw std::runtime_error("from a constructor");
        ++alive;
    }
    ~tracked() { --alive; }
    tracked(const tracked&) = delete;
    tracked& operator=(const tracked&) = delete;
};

template <class Pool>
class Make : public testing::Test {
protected:
    void SetUp() override { tracked::alive = 0; }
    Pool of_three{3};
};
using pools = testing::Types<ebb::fixed_pool<tracked>, ebb::fixed_pool<tracked, ebb::checks::none>,
                             ebb::sync_fixed_pool<tracked>>;
TYPED_TEST_SUITE(Make, pools);

TYPED_TEST(Make, ThrowingConstructor) {
    auto& pool = this->of_three;
    for (int i = 0; i < 10; ++i) {
        EXPECT_THROW(static_cast<void>(ebb::make(pool, "throw")), std::runtime_error);
        EXPECT_THROW(static_cast<void>(ebb::construct(pool, "throw")), std::runtime_error);
        EXPECT_TRUE(pool.empty());
    }
    auto a = ebb::make(pool, "a");
    EXPECT_THROW(static_cast<void>(ebb::make(pool, "throw")), std::runtime_error);
    EXPECT_EQ(pool.used(), 1u);
    EXPECT_EQ(tracked::alive, 1);
}

TYPED_TEST(Make, FullPool) {
    auto& pool = this->of_three;
    std::vector<ebb::pooled<TypeParam>> all;
    for (int i = 0; i < 3; ++i) all.push_back(ebb::make(pool, std::to_string(i)));
    EXPECT_TRUE(pool.full());
    EXPECT_FALSE(ebb::make(pool, "throw")) << "no constructor runs without a slot";
    EXPECT_EQ(all[2]->text, "2");
    all.erase(all.begin() + 1);
    EXPECT_EQ(tracked::alive, 2);
    EXPECT_EQ(pool.used(), 2u);
    all.clear();
    EXPECT_TRUE(pool.empty());
    EXPECT_EQ(tracked::alive, 0);
}

TYPED_TEST(Make, HandlesMoveAndRelease) {
    auto& pool = this->of_three;
    auto a = ebb::make(pool, "a");
    auto b = ebb::make(pool, "b");
    tracked* const at = b.get();
    a = std::move(b);
    EXPECT_EQ(a.get(), at);
    EXPECT_TRUE(b == nullptr);
    EXPECT_EQ(tracked::alive, 1);
    auto& self = a;
    a = std::move(self);
    EXPECT_EQ(a.get(), at);
    swap(a, b);
    EXPECT_EQ((*b).text, "b");
    tracked* const p = b.release();
    EXPECT_FALSE(b);
    EXPECT_EQ(pool.used(), 1u);
    ebb::destroy(pool, p);
    EXPECT_TRUE(pool.empty());
    ebb::pooled<TypeParam> none;
    none.reset();
    none = nullptr;
    EXPECT_FALSE(none);
}

TEST(Iterate, VisitsLiveObjects) {
    ebb::fixed_pool<int> pool(1'000);
    EXPECT_EQ(ebb::live(pool).begin(), ebb::live(pool).end());
    std::vector<int*> all;
    for (int i = 0; i < 500; ++i) all.push_back(ebb::construct(pool, i));
    for (std::size_t i = 0; i < all.size(); i += 3) ebb::destroy(pool, all[i]);
    int expected = 0;
    for (const int i : ebb::live(pool)) {
        if (expected % 3 == 0) ++expected;
        EXPECT_EQ(i, expected++);
    }
    EXPECT_EQ(expected, 500) << "499 is the last";
}

TEST(Iterate, FreeDuringIteration) {
    ebb::fixed_pool<int> pool(100);
    for (int i = 0; i < 100; ++i) static_cast<void>(ebb::construct(pool, i));
    for (int& i : ebb::live(pool)) {
        if (i % 2 == 0) ebb::destroy(pool, &i);
    }
    EXPECT_EQ(pool.used(), 50u);
    EXPECT_EQ(ebb::destroy_all(pool), 50u);
    EXPECT_TRUE(pool.empty());
}

}  // namespace make_test
