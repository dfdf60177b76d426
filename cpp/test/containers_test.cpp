// Standard containers on pools: std::pmr and the allocator.
#include <gtest/gtest.h>

#include <deque>
#include <ebbpool/pool_allocator.hpp>
#include <ebbpool/pool_resource.hpp>
#include <functional>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>

#include "failing_new.hpp"
#include "trace.hpp"

namespace containers_test {

TEST(PoolResource, ListAndMap) {
    ebb::pool_resource<64> nodes(1'000);
    {
        std::pmr::list<int> list(&nodes);
        std::pmr::map<int, int> map(&nodes);
        for (int i = 0; i < 500; ++i) {
            list.push_front(i);
            map[i * 7 % 500] = i;
        }
        EXPECT_TRUE(nodes.pool().full());
        EXPECT_THROW(list.push_back(1), std::bad_alloc);
        EXPECT_EQ(list.size(), 500u);
        for (int i = 0; i < 500; i += 2) map.erase(i);
        EXPECT_EQ(nodes.pool().used(), 750u);
    }
    EXPECT_TRUE(nodes.pool().empty());
}

TEST(PoolResource, Upstream) {
    ebb::pool_resource<64> nodes(1'000, std::pmr::new_delete_resource());
    {
        std::pmr::unordered_map<int, std::pmr::string> map(&nodes);
        for (int i = 0; i < 2'000; ++i) map.emplace(i, std::string(100, 'x'));
        EXPECT_TRUE(nodes.pool().full()) << "and the other nodes came from upstream";
        EXPECT_EQ(map.at(1'999), std::pmr::string(100, 'x'));
    }
    EXPECT_TRUE(nodes.pool().empty());
    EXPECT_THROW(static_cast<void>(ebb::pool_resource<64>(1).allocate(65)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(ebb::pool_resource<64>(1).allocate(8, 128)), std::bad_alloc);
}

TEST(PoolResource, DefaultsEqualityAndMisuse) {
    ebb::pool_resource a(10);
    ebb::pool_resource b(10);
    EXPECT_TRUE(a.is_equal(a));
    EXPECT_FALSE(a.is_equal(b));
    EXPECT_EQ(a.upstream_resource(), std::pmr::null_memory_resource());

    ebb::pool_resource<64, 16, trace::record> checked(10);
    void* const p = checked.allocate(64);
    trace::record::count = 0;
    checked.deallocate(static_cast<char*>(p) + 16, 64);
    EXPECT_EQ(trace::record::last.kind, ebb::misuse::interior);
    int foreign = 0;
    checked.deallocate(&foreign, sizeof foreign);
    EXPECT_EQ(trace::record::last.kind, ebb::misuse::foreign);
    checked.deallocate(p, 64);
    checked.deallocate(p, 100);
    EXPECT_EQ(trace::record::last.kind, ebb::misuse::double_free);
    EXPECT_EQ(trace::record::count, 3);
}

template <class Value>
using allocator = ebb::pool_allocator<Value>;

// Fills a container with n values, and checks that its nodes came from the pool and are freed.
template <class Value, class Container, class Insert>
void check_nodes(Insert insert, bool arrays = false) {
    ebb::node_pool<Value> nodes(300);
    {
        Container c{allocator<Value>(nodes)};
        failing_new::fail_at(0);
        for (int i = 0; i < 300; ++i) insert(c, i);
        EXPECT_EQ(c.size(), 300u);
        EXPECT_GE(nodes.used(), 300u);
        if (!arrays) {
            EXPECT_EQ(failing_new::calls(), 0);
        }
        const std::size_t before = nodes.used();
        EXPECT_THROW(insert(c, 300), std::bad_alloc);
        EXPECT_EQ(nodes.used(), before);
        Container moved(std::move(c));
        EXPECT_EQ(moved.size(), 300u);
        moved.erase(moved.begin());
        c = std::move(moved);
        EXPECT_EQ(c.size(), 299u);
        insert(c, 301);
    }
    EXPECT_TRUE(nodes.empty());
}

TEST(PoolResource, ForeignPointerOfAnySize) {
    // Without an upstream, all blocks are the pool's.
    static int foreign;
    foreign = 0;
    ebb::set_misuse_handler(
        [](const ebb::misuse_info& info) noexcept { foreign += info.kind == ebb::misuse::foreign; });
    ebb::pool_resource<64, 8, ebb::checks::report> pool(4);
    std::uint64_t on_stack = 0;
    pool.deallocate(&on_stack, 8, 8);
    pool.deallocate(&on_stack, 200, 8);
    EXPECT_EQ(foreign, 2);
    ebb::set_misuse_handler(nullptr);
}

TEST(PoolAllocator, List) {
    check_nodes<int, std::list<int, allocator<int>>>([](auto& c, int i) { c.push_back(i); });
}

TEST(PoolAllocator, Set) {
    using set = std::set<char, std::less<>, allocator<char>>;
    ebb::node_pool<char> nodes(100);
    set s{allocator<char>(nodes)};
    for (char c = 0; c < 100; ++c) s.insert(c);
    EXPECT_TRUE(nodes.full());
}

TEST(PoolAllocator, Map) {
    using value = std::pair<const int, std::uint64_t>;
    check_nodes<value, std::map<int, std::uint64_t, std::less<>, allocator<value>>>(
        [](auto& c, int i) { c.emplace(i * 7 % 1009, 0xffffffffffffffff); });
}

TEST(PoolAllocator, UnorderedMap) {
    using value = std::pair<const int, std::uint64_t>;
    check_nodes<value, std::unordered_map<int, std::uint64_t, std::hash<int>, std::equal_to<>, allocator<value>>>(
        [](auto& c, int i) { c.emplace(i, 0xffffffffffffffff); }, true);
}

TEST(PoolAllocator, UnorderedMapWithStoredHashesAndAlignment) {
    struct alignas(64) wide {
        unsigned char bytes[64];
    };
    using value = std::pair<const std::string, wide>;
    static_assert(alignof(value) == 64);
    ebb::node_pool<value> nodes(50);
    std::unordered_map<std::string, wide, std::hash<std::string>, std::equal_to<>, allocator<value>> map{
        allocator<value>(nodes)};
    for (int i = 0; i < 49; ++i) {
        const auto at = map.emplace(std::to_string(i), wide{}).first;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&at->second) % 64, 0u);
    }
    EXPECT_GE(nodes.used(), 49u);
}

TEST(PoolAllocator, CopySwapAndOtherPools) {
    using list = std::list<int, allocator<int>>;
    ebb::node_pool<int> one(100);
    ebb::node_pool<int> two(100);
    list a({1, 2, 3}, allocator<int>(one));
    list b({4, 5}, allocator<int>(two));
    EXPECT_NE(a.get_allocator(), b.get_allocator());
    swap(a, b);
    EXPECT_EQ(a, (list({4, 5}, allocator<int>(two))));
    EXPECT_EQ(&a.get_allocator().pool(), &two);
    b = a;
    EXPECT_EQ(&b.get_allocator().pool(), &one) << "copying into a container keeps its pool";
    EXPECT_EQ(one.used(), 2u);
    a = list({7}, allocator<int>(one));
    EXPECT_EQ(one.used(), 3u);
    EXPECT_EQ(two.used(), 0u);
}

TEST(PoolAllocator, ArraysFromHeap) {
    ebb::node_pool<int> nodes(2);
    std::deque<int, allocator<int>> deque{allocator<int>(nodes)};
    for (int i = 0; i < 10'000; ++i) deque.push_back(i);
    EXPECT_EQ(deque[9'999], 9'999);
    EXPECT_TRUE(nodes.empty());
}

}  // namespace containers_test
