// Standard containers in an arena.
#include <gtest/gtest.h>

#include <deque>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "failing_new.hpp"

namespace arena_containers_test {

template <class T>
using in_arena = ebb::arena_allocator<T>;

TEST(ArenaContainers, Allocator) {
    ebb::arena a(4096);
    a.make<int>();
    for (int cycle = 0; cycle < 3; ++cycle) {
        {
            std::vector<int, in_arena<int>> v(a);
            std::list<int, in_arena<int>> l(a);
            std::map<int, int, std::less<>, in_arena<std::pair<const int, int>>> m(a);
            std::unordered_map<int, int, std::hash<int>, std::equal_to<>, in_arena<std::pair<const int, int>>> u(a);
            std::deque<int, in_arena<int>> d(a);
            std::basic_string<char, std::char_traits<char>, in_arena<char>> s(a);
            for (int i = 0; i < 1'000; ++i) {
                v.push_back(i);
                l.push_front(i);
                m[i * 7 % 1'000] = i;
                u[i] = i;
                d.push_back(i);
                s += "text";
            }
            int sum = 0;
            for (const int i : v) sum += i;
            for (const int i : l) sum += i;
            for (const auto& [k, x] : m) sum += x;
            for (const auto& [k, x] : u) sum += x;
            for (const int i : d) sum += i;
            EXPECT_EQ(sum, 5 * 499'500);
            EXPECT_EQ(s.size(), 4'000u);
            auto moved = std::move(v);
            EXPECT_EQ(moved.size(), 1'000u);
            std::vector<int, in_arena<int>> swapped(a);
            swap(moved, swapped);
            EXPECT_EQ(swapped.size(), 1'000u);
        }
        a.reset();
    }
    ebb::arena b(64);
    EXPECT_TRUE(in_arena<int>(a) == in_arena<char>(a));
    EXPECT_FALSE(in_arena<int>(a) == in_arena<int>(b));
    EXPECT_THROW(static_cast<void>(in_arena<int>(a).allocate(std::numeric_limits<std::size_t>::max() / 2)),
                 std::bad_alloc);
}

TEST(ArenaContainers, Resource) {
    ebb::arena a(4096);
    ebb::arena_resource r(a);
    ebb::arena b(64);
    ebb::arena_resource other(b);
    EXPECT_FALSE(r.is_equal(other));
    EXPECT_FALSE(r.is_equal(*std::pmr::new_delete_resource()));
    EXPECT_EQ(&r.arena(), &a);
    for (int cycle = 0; cycle < 3; ++cycle) {
        const int news = failing_new::calls();
        {
            std::pmr::vector<std::pmr::string> v(&r);
            for (int i = 0; i < 20; ++i) v.emplace_back("a string that is long enough to lie outside of itself");
            std::pmr::unordered_map<int, std::pmr::string> u(&r);
            for (int i = 0; i < 20; ++i) u[i] = "another one that is long enough to lie outside of itself";
            EXPECT_GT(r.blocks(), 40u);
            EXPECT_EQ(v[7], "a string that is long enough to lie outside of itself");
            if (cycle > 0) {
                EXPECT_EQ(failing_new::calls(), news) << "no heap allocation in a warm arena";
            }
        }
        EXPECT_EQ(r.blocks(), 0u);
        a.reset();
    }
    void* const p = r.allocate(100, 256);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
    r.deallocate(p, 100, 256);
}

}  // namespace arena_containers_test
