// Scopes, calls that return null, on_end and adopt, spans of ranges, forks, and holders of allocator-aware
// types.
#include <gtest/gtest.h>

#include <any>
#include <array>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <forward_list>
#include <functional>
#include <list>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "arena_model.hpp"
#include "failing_new.hpp"

namespace arena_calls_test {

std::vector<int> log_of;
struct noisy {
    explicit noisy(int n) : number(n) {}
    ~noisy() { log_of.push_back(number); }
    int number;
};

TEST(ArenaScope, Nests) {
    for (const std::size_t chunk : {1u, 200u, 100'000u}) {
        log_of.clear();
        ebb::arena a(chunk);
        a.make<noisy>(0);
        const std::size_t used = a.used_bytes();
        for (int i = 0; i < 3; ++i) {
            log_of.clear();
            ebb::arena_scope outer(a);
            a.make<noisy>(1);
            try {
                ebb::arena_scope inner(outer.arena());
                for (int k = 2; k < 30; ++k) a.make<noisy>(k);
                throw std::runtime_error("");
            } catch (const std::runtime_error&) {
            }
            EXPECT_EQ(log_of.size(), 28u);
            EXPECT_EQ(log_of.front(), 29);
            log_of.clear();
            a.make<noisy>(30);
        }
        EXPECT_EQ(log_of, (std::vector<int>{30, 1}));
        EXPECT_EQ(a.used_bytes(), used);
        log_of.clear();
        a.reset();
        EXPECT_EQ(log_of, (std::vector<int>{0}));
    }
}

// Scopes, and containers used in them, don't leak memory.
TEST(ArenaScope, DoesNotLeak) {
    ebb::arena a;
    std::list<int, ebb::arena_allocator<int>> l(a);
    for (int i = 0; i < 10; ++i) l.push_back(i);
    for (int i = 0; i < 100'000; ++i) {
        {
            ebb::arena_scope scope(a);
            a.make<std::string>("temporary");
            std::vector<int, ebb::arena_allocator<int>> v({1, 2, 3}, a);
        }
        if (ebb::annotate::on) continue;  // they don't reuse memory
        l.push_back(i);
        l.pop_front();
    }
    EXPECT_LE(a.stats().retained_bytes, 64u << 10);
    EXPECT_EQ(l.size(), 10u);
}

// A container that outlives the scope of its blocks does not free them.
TEST(ArenaScope, Containers) {
    ebb::arena a;
    ebb::arena_allocator<std::uint64_t> before(a), inside(a);
    std::uint64_t* const first = before.allocate(4);
    std::uint64_t* dead = nullptr;
    {
        ebb::arena_scope scope(a);
        dead = inside.allocate(4);
    }
    const std::span<std::uint64_t> words = a.make_span<std::uint64_t>(64);
    const auto is_in_words = [&](const std::uint64_t* p) { return p >= words.data() && p < words.data() + 64; };
    EXPECT_TRUE(ebb::annotate::on || is_in_words(dead));
    a.make<int>();
    inside.deallocate(dead, 4);
    before.deallocate(first, 4);
    std::uint64_t* const again = before.allocate(4);
    EXPECT_FALSE(is_in_words(again) || is_in_words(before.allocate(4))) << "still allocated";
    EXPECT_TRUE(ebb::annotate::on || again == first) << "older than the scope";
}

struct scratch {
    template <class Arena>
    static std::size_t words(Arena& a) {
        const ebb::arena_scope<typename Arena::checks_type> scope(a);
        for (int i = 0; i < 50; ++i) a.template make<std::string>("a text that is too long for the small string");
        return a.template make_span<int>(50).size();
    }
};
template <class Arena>
struct user_of_scratch {
    user_of_scratch(Arena& arena, bool fail) : a(arena), n(scratch::words(a)) {
        if (fail) throw 17;
        n += scratch::words(a);
    }
    ~user_of_scratch() { log_of.push_back(static_cast<int>(scratch::words(a) + n)); }
    Arena& a;
    std::size_t n;
};

// Constructors and destructors that the arena runs may call functions that use scopes.
TEST(ArenaScope, InConstructorsAndDestructors) {
    using arena = ebb::basic_arena<arena_model::record>;
    using user = user_of_scratch<arena>;
    arena_model::record::count = 0;
    for (const std::size_t chunk : {1u, 200u, 100'000u}) {
        arena a(chunk);
        for (int cycle = 0; cycle < 3; ++cycle) {
            log_of.clear();
            for (int i = 0; i < 4; ++i) {
                a.make<user>(a, false);
                EXPECT_THROW(a.make<user>(a, true), int);
                a.make<noisy>(i);
            }
            a.make_span_with<user>(3, [&a](std::size_t) { return user(a, false); });
            EXPECT_EQ(a.used_bytes(), 7 * sizeof(user) + 4 * sizeof(std::uint64_t));
            {
                const ebb::arena_scope<arena_model::record> scope(a);
                a.make<user>(a, false);
            }
            EXPECT_EQ(log_of, std::vector<int>{150});
            cycle == 1 ? a.release() : a.reset();
            EXPECT_EQ(log_of, (std::vector<int>{150, 150, 150, 150, 3, 150, 2, 150, 1, 150, 0, 150}));
        }
    }
    EXPECT_EQ(arena_model::record::count, 0);
}

// A scope that is a member of an object must not free the object.
TEST(ArenaScope, OutlivesConstructor) {
    using arena = ebb::basic_arena<arena_model::record>;
    struct holder {
        explicit holder(arena& a) : scope(a) {}
        ebb::arena_scope<arena_model::record> scope;
    };
    arena_model::record::count = 0;
    arena a;
    a.make<noisy>(1);
    a.make<holder>(a);
    a.reset();
    EXPECT_EQ(std::exchange(arena_model::record::count, 0), 1);
    EXPECT_EQ(arena_model::record::last.kind, ebb::misuse::reentrant);
}

TEST(ArenaScope, Misuse) {
    using arena = ebb::basic_arena<arena_model::record>;
    arena_model::record::count = 0;
    arena a;
    {
        ebb::arena_scope scope(a);
        a.reset();
    }
    EXPECT_EQ(arena_model::record::count, 1);
    EXPECT_EQ(arena_model::record::last.kind, ebb::misuse::stale_mark);
    const ebb::arena_mark older = a.mark();
    {
        ebb::arena_scope scope(a);
        a.rewind(older);
    }
    EXPECT_EQ(arena_model::record::count, 2);
    arena b;
    {
        ebb::arena_scope scope(a);
        b = std::move(a);
    }
    EXPECT_EQ(arena_model::record::count, 3);
    EXPECT_EQ(arena_model::record::last.kind, ebb::misuse::foreign_mark);
    // The end of a scope makes marks in it stale, but not older marks.
    const ebb::arena_mark m = b.mark();
    ebb::arena_mark in;
    {
        ebb::arena_scope scope(b);
        b.make<int>();
        in = b.mark();
    }
    b.rewind(m);
    EXPECT_EQ(arena_model::record::count, 3);
    b.rewind(in);
    EXPECT_EQ(arena_model::record::count, 4);
    EXPECT_EQ(arena_model::record::last.kind, ebb::misuse::stale_mark);
    arena_model::record::count = 0;
}

TEST(ArenaTry, NullIfRefused) {
    ebb::arena a(1'000);
    a.limit(8'000);
    EXPECT_EQ(a.try_allocate(100'000), nullptr);
    EXPECT_EQ(a.try_allocate(~std::size_t{0}), nullptr);
    EXPECT_EQ(a.try_allocate(8, 3), nullptr);
    EXPECT_EQ(a.try_allocate(8, 0), nullptr);
    EXPECT_NE(a.try_allocate(0), nullptr);
    int n = 0;
    while (a.try_make<noisy>(1) != nullptr) ++n;
    EXPECT_GT(n, 50);
    while (a.try_make<std::uint64_t>(1u) != nullptr) ++n;
    while (!a.try_copy("text").empty()) ++n;
    EXPECT_LE(a.stats().retained_bytes, 8'000u);
    EXPECT_THROW(a.copy(std::string(5'000, 'x')), ebb::limit_error) << "as before";
    const std::vector<noisy> all(1'000, noisy(2));
    EXPECT_EQ(a.try_copy(std::span(all)).data(), nullptr);
    const std::array<std::uint64_t, 3> three{1, 2, 3};
    EXPECT_EQ(a.try_copy(std::span(three)).data(), nullptr);
    log_of.clear();
    a.reset();
    EXPECT_GT(log_of.size(), 50u);
    EXPECT_EQ(a.try_copy(std::span(three))[2], 3u);
    EXPECT_EQ(a.try_copy("text"), "text");
}

TEST(ArenaTry, NullWithoutMemory) {
    ebb::arena a(100);
    for (const std::size_t align : {1u, 8u, 64u, 4'096u}) {
        failing_new::fail_at(1);
        EXPECT_EQ(a.try_allocate(5'000, align), nullptr);
        failing_new::fail_at(0);
        void* const p = a.try_allocate(5'000, align);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
    }
    // Each chunk is refused in turn: nothing leaks and nothing throws.
    for (std::size_t fail = 1; fail < 12; ++fail) {
        arena_model::memory m;
        m.fail_at = fail;
        log_of.clear();
        std::size_t made = 0;
        {
            ebb::arena b(64, 0, {.source = &m.source});
            for (int i = 0; i < 300; ++i) {
                made += b.try_make<noisy>(i) != nullptr;
                static_cast<void>(b.try_copy("some text"));
                static_cast<void>(b.try_allocate(40, 32));
            }
        }
        EXPECT_GE(made, 299u);
        EXPECT_EQ(log_of.size(), made);
        EXPECT_EQ(m.held, 0u);
    }
}

// Refuses the arena's own resource, which the first such object needs.
TEST(ArenaTry, ObjectsWithAllocators) {
    std::vector<std::byte> bytes(ebb::arena::bytes_needed(400));
    for (std::size_t less = 0; less < 390; ++less) {
        ebb::arena a(1'000, 0, {.storage = std::span(bytes).first(bytes.size() - less)});
        int n = 0;
        EXPECT_NO_THROW(while (a.try_make<std::pmr::string>("short") != nullptr)++ n);
        EXPECT_NO_THROW(while (a.try_make<std::optional<std::pmr::string>>("short") != nullptr)++ n);
        const std::array<std::pmr::string, 2> two{"a", "b"};
        EXPECT_NO_THROW(while (!a.try_copy(std::span(two)).empty())++ n);
        EXPECT_TRUE(less > 250 || n > 0) << less;
    }
}

TEST(ArenaTry, PassesOnExceptions) {
    struct thrower {
        explicit thrower(bool fail) {
            if (fail) throw 17;
        }
        ~thrower() { log_of.push_back(1); }
    };
    log_of.clear();
    ebb::arena a;
    EXPECT_THROW(static_cast<void>(a.try_make<thrower>(true)), int);
    EXPECT_NE(a.try_make<thrower>(false), nullptr);
    a.reset();
    EXPECT_EQ(log_of.size(), 1u);
}

void log_seven() { log_of.push_back(7); }

TEST(ArenaOnEnd, RunsNewestFirst) {
    for (const int how : {0, 1, 2, 3}) {
        log_of.clear();
        std::optional<ebb::arena> a(std::in_place);
        a->on_end([] { log_of.push_back(1); });
        const ebb::arena_mark m = a->mark();
        a->make<noisy>(2);
        a->on_end([p = std::make_unique<int>(3)] { log_of.push_back(*p); });
        noisy* const owned = a->adopt(std::make_unique<noisy>(4));
        EXPECT_EQ(owned->number, 4);
        EXPECT_EQ(a->adopt(std::unique_ptr<noisy>()), nullptr);
        EXPECT_EQ(a->adopt(std::make_unique<int[]>(3))[2], 0);
        EXPECT_TRUE(log_of.empty());
        if (how == 0) a->reset();
        if (how == 1) a->release();
        if (how == 2) a.reset();
        if (how == 3) a->rewind(m);
        EXPECT_EQ(log_of, how == 3 ? (std::vector<int>{4, 3, 2}) : (std::vector<int>{4, 3, 2, 1}));
    }
    // Lvalues are copied, and functions are called.
    {
        log_of.clear();
        ebb::arena a;
        const auto constant = [] { log_of.push_back(5); };
        auto f = [n = 6]() mutable { log_of.push_back(n++); };
        a.on_end(constant);
        a.on_end(f);
        a.on_end(f);
        a.on_end(log_seven);
    }
    EXPECT_EQ(log_of, (std::vector<int>{7, 6, 6, 5}));
    // If there is no memory for the record, the owner keeps the object.
    ebb::arena a(100);
    a.limit(500);
    auto p = std::make_unique<int>(1);
    const auto fill = [&] {
        for (;;) a.adopt(std::move(p)), p = std::make_unique<int>(1);
    };
    EXPECT_THROW(fill(), ebb::limit_error);
    EXPECT_NE(p, nullptr);
}

TEST(ArenaOwns, AllocatedMemory) {
    const ebb::arena none;
    EXPECT_FALSE(none.owns(nullptr));
    ebb::arena a(200);
    EXPECT_FALSE(a.owns(&a));
    std::vector<const void*> all;
    for (int i = 0; i < 100; ++i) {
        all.push_back(a.make<int>(i));
        all.push_back(a.copy("text").data());
        all.push_back(a.allocate(1'000));
    }
    for (const void* const p : all) EXPECT_TRUE(a.owns(p));
    const int outside = 0;
    const auto on_heap = std::make_unique<int>(0);
    EXPECT_FALSE(a.owns(&outside) || a.owns(on_heap.get()) || a.owns(nullptr));
    const ebb::arena_mark m = a.mark();
    const void* const later = a.allocate(8);
    const void* const chunk = a.allocate(50'000);
    a.rewind(m);
    EXPECT_FALSE(a.owns(later) || a.owns(chunk));
    // The same after a chunk is full.
    const void* const behind = static_cast<const std::byte*>(later) + 8;
    const bool fits = a.owns(a.allocate(100'000)) && a.owns(a.copy(std::string(100'000, 'x')).data());
    EXPECT_TRUE(fits);
    EXPECT_FALSE(a.owns(later) || a.owns(behind));
    a.reset();
    for (const void* const p : all) EXPECT_FALSE(a.owns(p));
}

TEST(ArenaSpans, ListsAndRanges) {
    ebb::arena a;
    const auto three = a.copy({1, 2, 3});
    static_assert(std::is_same_v<decltype(three), const std::span<int>>);
    EXPECT_EQ(three[2], 3);
    const auto words = a.make_span(std::list<std::string>{"a", "a word that is too long for the small string"});
    EXPECT_EQ(words[1].size(), 44u);
    EXPECT_EQ(a.make_span(std::set<int>{3, 1, 2})[0], 1);
    EXPECT_EQ(a.make_span({std::string("x")})[0], "x");
    EXPECT_EQ(a.copy(std::forward_list<int>{1, 2, 3, 4}).size(), 4u) << "which has no size()";
    EXPECT_EQ(a.copy(std::vector<int>()).size(), 0u);
    EXPECT_EQ(a.copy(std::string("text")), std::string_view("text")) << "text is text";
    const std::vector<bool> bits{true, false, true};
    const std::span<bool> bools = a.copy(bits);
    EXPECT_TRUE(bools[0] && !bools[1] && bools[2]) << "not references into the vector";
    EXPECT_TRUE(a.copy(std::array<int, 2>{7, 8})[1] == 8);
    // Elements that take an allocator get the arena's.
    const auto texts = a.make_span(std::vector<std::pmr::string>{"a word that is too long for the small string"});
    EXPECT_TRUE(a.owns(texts[0].data()));
}

TEST(ArenaFork, EndsWithItsParent) {
    log_of.clear();
    ebb::arena a;
    ebb::arena& f = a.fork();
    ebb::arena& g = f.fork();
    std::thread one([&] { f.make<noisy>(1), f.copy("text"); });
    std::thread two([&] {
        for (int i = 0; i < 1'000; ++i) g.make<noisy>(2);
    });
    for (int i = 0; i < 1'000; ++i) a.make<int>(i);
    one.join();
    two.join();
    EXPECT_TRUE(log_of.empty());
    a.reset();
    EXPECT_EQ(log_of.size(), 1'001u);
    ebb::arena& h = a.fork();
    h.allocate(8);
    const ebb::arena b = std::move(a);
    EXPECT_GT(h.used_bytes(), 0u) << "moves along";
}

TEST(ArenaFork, HasALimit) {
    std::vector<std::byte> bytes(ebb::arena::bytes_needed(4'000));
    ebb::arena a(1'000, 0, {.storage = bytes});
    EXPECT_NE(a.fork().allocate(100), nullptr) << "not of the storage";
    ebb::arena b(1'000);
    b.limit(10'000);
    b.allocate(6'000);
    EXPECT_EQ(b.fork().try_allocate(6'000), nullptr);
    EXPECT_NE(b.fork().try_allocate(1'000), nullptr);
}

TEST(ArenaReset, KeepsArgument) {
    ebb::arena a(1'000, 1'000'000);
    const auto fill = [&] {
        for (int i = 0; i < 1'000; ++i) a.allocate(100);
    };
    fill();
    a.reset(5'000);
    EXPECT_LE(a.stats().retained_bytes, 5'000u);
    EXPECT_GT(a.stats().retained_bytes, 1'000u);
    fill();
    a.reset();
    EXPECT_GT(a.stats().retained_bytes, 50'000u);
    a.allocate(1);
    a.reset(0);
    EXPECT_LE(a.stats().chunks, 1u);
}

// Spare chunks of scopes, rewinds and calls that returned null, which no allocation uses.
TEST(ArenaReset, FreesSpareChunks) {
    for (const int how : {0, 1, 2, 3}) {
        ebb::arena a(1'000, 5'000);
        a.allocate(8);
        if (how == 0) {
            const ebb::arena_scope scope(a);
            a.allocate(100'000);
        } else if (how == 1) {
            const ebb::arena_mark m = a.mark();
            a.allocate(100'000);
            a.rewind(m);
        } else if (how == 2) {
            a.allocate(50'000);
            a.reset(100'000);
            a.allocate(8);
        } else {
            struct refuses {
                refuses() { throw 17; }
                std::byte rest[100'000];
            };
            EXPECT_THROW(static_cast<void>(a.try_make<refuses>()), int);
        }
        a.reset();
        a.allocate(8);
        a.reset();
        EXPECT_LE(a.stats().retained_bytes, 5'000u) << how;
    }
}

TEST(ArenaAllocator, AllocatesAtLeast) {
    ebb::arena a;
    ebb::arena_allocator<int> of(a);
    for (std::size_t n = 1; n < 2'000; n += 7) {
        const auto got = of.allocate_at_least(n);
        ASSERT_GE(got.count, n);
        for (std::size_t i = 0; i < got.count; ++i) got.ptr[i] = 17;
        a.make<int>();
        of.deallocate(got.ptr, n);
        // Any size between the two gives the same block.
        int* const again = of.allocate(got.count);
        EXPECT_TRUE(ebb::annotate::on || again == got.ptr) << n;
        of.deallocate(again, got.count);
    }
}

TEST(ArenaHolders, PassOnAllocator) {
    using text = std::pmr::string;
    constexpr const char* longer = "a word that is too long for the small string";
    ebb::arena a;
    const auto in_arena = [&](const text& t) { return t == longer && a.owns(t.data()); };
    EXPECT_TRUE(in_arena(**a.make<std::optional<text>>(longer)));
    EXPECT_TRUE(in_arena(**a.make<std::optional<text>>(std::in_place, longer, 44u)));
    EXPECT_TRUE(in_arena(**a.make<std::optional<text>>(std::optional<text>(longer))));
    EXPECT_FALSE(a.make<std::optional<text>>()->has_value());
    EXPECT_FALSE(a.make<std::optional<text>>(std::nullopt)->has_value());
    EXPECT_FALSE(a.make<std::optional<text>>(std::optional<text>())->has_value());
    auto& texts = *a.make<std::array<text, 3>>(longer, text(longer));
    texts[2] = longer;
    for (const text& t : texts) EXPECT_TRUE(in_arena(t));
    using either = std::variant<text, int, std::pmr::vector<text>>;
    EXPECT_TRUE(in_arena(std::get<0>(*a.make<either>(std::in_place_type<text>, longer))));
    EXPECT_TRUE(in_arena(std::get<0>(*a.make<either>(std::in_place_index<0>, longer))));
    std::get<0>(*a.make<either>()).assign(longer);
    auto& list = std::get<2>(*a.make<either>(std::in_place_index<2>));
    list.emplace_back(longer);
    EXPECT_TRUE(in_arena(list[0]));
    EXPECT_EQ(std::get<1>(*a.make<either>(5)), 5);
    EXPECT_TRUE(in_arena(std::get<0>(*a.make<either>(longer)))) << "the alternative that std::variant chooses";
    EXPECT_TRUE(in_arena(std::get<2>(*a.make<either>(std::pmr::vector<text>{longer}))[0]));
    either elsewhere(longer);
    EXPECT_TRUE(in_arena(std::get<0>(*a.make<either>(elsewhere))));
    EXPECT_TRUE(in_arena(std::get<0>(*a.make<either>(std::move(elsewhere)))));
    using same = std::variant<text, text>;
    EXPECT_TRUE(in_arena(std::get<1>(*a.make<same>(same(std::in_place_index<1>, longer)))));
}

struct order {
    std::pmr::string name;
    std::pmr::vector<std::pmr::string> items;
    int number = 5;
    double price = 1.5;
};
struct with_array {
    std::pmr::string name;
    int numbers[3];
};
struct with_reference {
    std::pmr::string name;
    int& number;
};
struct owner {
    std::unique_ptr<int> owned;
    std::pmr::string name;
};
struct takes_all {
    template <class T>
    takes_all(T&&) : is_int(std::is_same_v<std::remove_cvref_t<T>, int>) {}
    takes_all(const takes_all&) = default;
    bool is_int;
};
struct with_any {
    std::pmr::string name;
    std::any any;
    takes_all all;
    std::function<int()> f;
};

TEST(ArenaHolders, MembersOfAggregates) {
    using text = std::pmr::string;
    constexpr const char* longer = "a word that is too long for the small string";
    ebb::arena a;
    const auto in_arena = [&](const text& t) { return t == longer && a.owns(t.data()); };
    const order& name_only = *a.make<order>(longer);
    EXPECT_TRUE(in_arena(name_only.name));
    EXPECT_EQ(name_only.number, 5);
    EXPECT_EQ(name_only.price, 1.5);
    const order& all = *a.make<order>(text(longer), std::pmr::vector<text>{longer}, 7, 2);
    EXPECT_TRUE(in_arena(all.name) && in_arena(all.items[0]));
    EXPECT_EQ(all.number, 7);
    EXPECT_EQ(all.price, 2.0);
    EXPECT_EQ(a.make<order>(all)->items[0], longer) << "a copy";
    EXPECT_EQ(a.make<order>()->number, 5);
    const with_array& row = *a.make<with_array>(longer, 1, 2, 3);
    EXPECT_TRUE(in_arena(row.name));
    EXPECT_EQ(row.numbers[2], 3);
    const with_any& any = *a.make<with_any>(longer, std::any(5), 6, [] { return 7; });
    EXPECT_EQ(std::any_cast<int>(any.any), 5);
    EXPECT_TRUE(any.all.is_int);
    EXPECT_EQ(any.f(), 7);
    EXPECT_EQ(any.name, longer);
    int n = 0;
    EXPECT_EQ(&a.make<with_reference>(longer, n)->number, &n);
    const owner& o = *a.make<owner>(std::make_unique<int>(4), longer);
    EXPECT_TRUE(in_arena(o.name));
    EXPECT_EQ(*o.owned, 4);
}

// Each chunk is refused in turn: an aggregate is either complete or not constructed.
TEST(ArenaHolders, RefusedMemory) {
    constexpr const char* longer = "a word that is too long for the small string";
    for (std::size_t fail = 1; fail < 40; ++fail) {
        arena_model::memory m;
        m.fail_at = fail;
        int made = 0, refused = 0;
        {
            ebb::arena a(64, 0, {.source = &m.source});
            for (int i = 0; i < 40; ++i) {
                try {
                    made += a.make<order>(longer, std::pmr::vector<std::pmr::string>{longer})->items[0] == longer;
                } catch (const std::bad_alloc&) {
                    ++refused;
                }
            }
        }
        EXPECT_EQ(made + refused, 40);
        EXPECT_LE(refused, 1);
        EXPECT_EQ(m.held, 0u);
    }
}

}  // namespace arena_calls_test
