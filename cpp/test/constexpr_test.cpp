// Scenarios that run while the program is compiled: if one is wrong, this
// file does not compile. The compiler also finds leaks and stray accesses.
#include <gtest/gtest.h>

#include <array>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <type_traits>

namespace constexpr_test {

using pool_type = ebb::fixed_pool<int>;
static_assert(!std::is_copy_constructible_v<pool_type> && !std::is_copy_assignable_v<pool_type>);
static_assert(!std::is_move_constructible_v<pool_type> && !std::is_move_assignable_v<pool_type>);
static_assert(!std::is_convertible_v<std::size_t, pool_type>, "the constructor is explicit");
static_assert(!std::is_default_constructible_v<pool_type>);
static_assert(noexcept(std::declval<pool_type&>().allocate()));
static_assert(noexcept(std::declval<pool_type&>().deallocate(nullptr)));

constexpr bool empty_and_full_at_none() {
    ebb::fixed_pool<int> pool(0);
    return pool.empty() && pool.full() && pool.capacity() == 0 && pool.allocate() == nullptr && !pool.owns(nullptr);
}
static_assert(empty_and_full_at_none());

// Both ways a pool is built: with a hot slot (64 bytes and more) and without.
template <class T>
constexpr bool order_of_slots() {
    ebb::fixed_pool<T> pool(4);
    std::array<T*, 4> p{};
    for (auto& slot : p) slot = pool.allocate();
    for (std::size_t i = 0; i < 4; ++i) {
        if (pool.index_of(p[i]) != i || !pool.owns(p[i])) return false;
    }
    if (pool.allocate() != nullptr || !pool.full()) return false;
    pool.deallocate(p[1]);
    pool.deallocate(p[3]);
    pool.deallocate(p[0]);
    if (pool.used() != 1 || pool.available() != 3 || pool.high_water() != 4) return false;
    const bool right = pool.allocate() == p[0] && pool.allocate() == p[3] && pool.allocate() == p[1];
    return right && pool.full();
}
static_assert(order_of_slots<int>());
static_assert(order_of_slots<std::array<int, 16>>());
static_assert(order_of_slots<std::array<int, 64>>());

constexpr bool fresh_only_when_others_are_out() {
    ebb::fixed_pool<int> pool(3);
    int* const a = pool.allocate();
    pool.deallocate(a);
    if (pool.allocate() != a) return false;
    return pool.index_of(pool.allocate()) == 1;
}
static_assert(fresh_only_when_others_are_out());

// A policy whose handler is constexpr can be asked while compiling; what it is
// told has to be kept in the pool's reach, so this one counts nothing.
struct ignore {
    static constexpr bool enabled = true;
    static constexpr void on_misuse(const ebb::misuse_info&) noexcept {}
};

constexpr bool misuse_changes_nothing() {
    ebb::fixed_pool<int, ignore> pool(3);
    int on_stack = 0;
    int* const a = pool.allocate();
    int* const b = pool.allocate();
    pool.deallocate(b);
    pool.deallocate(nullptr);
    pool.deallocate(&on_stack);
    pool.deallocate(a + 3);         // one past the end
    pool.deallocate(pool.slot(2));  // never out
    pool.deallocate(b);             // twice
    if (pool.used() != 1 || !pool.is_live(a) || pool.is_live(b)) return false;
    return pool.allocate() == b && pool.index_of(pool.allocate()) == 2 && pool.full();
}
static_assert(misuse_changes_nothing());

struct counted {
    int* alive;
    constexpr explicit counted(int* a) : alive(a) { ++*alive; }
    constexpr ~counted() { --*alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
};

constexpr bool handles_destroy() {
    int alive = 0;
    ebb::fixed_pool<counted> pool(2);
    {
        auto a = ebb::make(pool, &alive);
        auto b = ebb::make(pool, &alive);
        auto c = ebb::make(pool, &alive);
        if (!a || !b || c || alive != 2) return false;
        a = std::move(b);
        if (b || alive != 1) return false;
        a.reset();
        if (alive != 0 || !pool.empty()) return false;
        b = ebb::make(pool, &alive);
    }
    return alive == 0 && pool.empty();
}
static_assert(handles_destroy());

constexpr bool iteration() {
    ebb::fixed_pool<int> pool(10);
    std::array<int*, 6> p{};
    int value = 0;
    for (auto& slot : p) slot = ebb::construct(pool, value++);
    ebb::destroy(pool, p[0]);
    ebb::destroy(pool, p[3]);
    int sum = 0;
    for (const int& i : ebb::live(pool)) sum = 10 * sum + i;
    return sum == 1245 && ebb::destroy_all(pool) == 4 && pool.empty();
}
static_assert(iteration());

constexpr bool without_checks() {
    ebb::fixed_pool<int, ebb::checks::none> pool(3);
    int* const a = pool.allocate();
    int* const b = pool.allocate();
    pool.deallocate(a);
    pool.deallocate(b);
    return pool.high_water() == 2 && pool.allocate() == b && pool.used() == 1;
}
static_assert(without_checks());

TEST(Constexpr, Scenarios) { SUCCEED(); }

}  // namespace constexpr_test
