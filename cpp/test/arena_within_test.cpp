// Objects that take an allocator, nested to any depth, allocate only from the arena.
#include <gtest/gtest.h>

#include <deque>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <future>
#include <map>
#include <memory_resource>
#include <optional>
#include <stack>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "failing_new.hpp"

namespace arena_within_test {

constexpr const char* text = "a text that is longer than what a string keeps in itself";

// A default resource that counts allocations from elsewhere.
class counting : public std::pmr::memory_resource {
public:
    int calls = 0;

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override {
        ++calls;
        return std::pmr::new_delete_resource()->allocate(bytes, align);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t align) override {
        std::pmr::new_delete_resource()->deallocate(p, bytes, align);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

// Types with the allocator as the last argument, or first after a tag.
struct last {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    last(int n, const allocator_type& a) : name(text, a), number(n) {}
    std::pmr::string name;
    int number;
};
struct leading {
    using allocator_type = ebb::arena_allocator<std::byte>;
    leading(std::allocator_arg_t, const allocator_type& a, int n) : numbers(static_cast<std::size_t>(n), n, a) {}
    std::vector<int, ebb::arena_allocator<int>> numbers;
};
// A type that takes an allocator, but not with these arguments, so it gets none.
struct seldom {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    explicit seldom(int n) : number(n) {}
    int number;
};

TEST(ArenaWithin, AllMemoryInArena) {
    counting others;  // outlives a, whose objects use it
    ebb::arena a;
    a.make<int>();
    const ebb::default_resource_scope scope(others);
    for (int cycle = 0; cycle < 3; ++cycle) {
        const int news = failing_new::calls();
        EXPECT_EQ(*a.make<std::pmr::string>(text), text);
        auto* const words = a.make<std::pmr::vector<std::pmr::string>>();
        for (int i = 0; i < 10; ++i) words->emplace_back(text);
        auto* const deep = a.make<std::pmr::map<int, std::pmr::vector<std::pmr::string>>>();
        (*deep)[3].emplace_back(text);
        const auto* const pair = a.make<std::pair<std::pmr::string, int>>(text, 3);
        EXPECT_EQ(pair->first, text);
        EXPECT_EQ(pair->second, 3);
        const auto* const nested = a.make<std::pair<int, std::pair<std::pmr::string, std::pmr::string>>>(
            3, std::pair<const char*, const char*>(text, text));
        EXPECT_EQ(nested->second.second, text);
        EXPECT_EQ(std::get<1>(*a.make<std::tuple<int, std::pmr::string>>(3, text)), text);
        a.make<std::stack<int, std::pmr::deque<int>>>()->push(3);
        EXPECT_EQ(a.make<last>(7)->name, text);
        EXPECT_EQ(a.make<last>(7)->number, 7);
        EXPECT_EQ(a.make<leading>(9)->numbers.back(), 9);
        EXPECT_EQ(a.make<seldom>(5)->number, 5);
        a.make<std::vector<int, ebb::arena_allocator<int>>>()->resize(100);
        a.make<std::pmr::string>(*a.make<std::pmr::string>(text));
        EXPECT_EQ(a.make_span<std::pmr::string>(3, std::pmr::string(text, &others)).back(), text);
        a.make_span<std::pmr::string>(3)[2] = text;
        EXPECT_EQ(a.copy(std::span(*words))[9], text);
        // A container outside of the arena.
        std::pmr::vector<int> here{ebb::arena_allocator<int>(a)};
        here.resize(100);
        EXPECT_EQ(others.calls, 1) << "the value that was copied";
        others.calls = 0;
        if (cycle > 0) {
            EXPECT_EQ(failing_new::calls(), news + 1) << "the same";
        }
        here.clear();
        here.shrink_to_fit();
        a.reset();
    }
    // Objects constructed with an allocator keep it.
    a.make<std::pmr::string>(text, &others);
    EXPECT_EQ(others.calls, 1);
    a.make<std::pmr::vector<int>>(&others)->resize(3);
    EXPECT_EQ(others.calls, 2);
}

// A future shares the state of its promise and may outlive the arena.
TEST(ArenaWithin, NotSharedState) {
    std::future<int> result;
    {
        ebb::arena a;
        auto* const promise = a.make<std::promise<int>>();
        result = promise->get_future();
        promise->set_value(7);
    }
    EXPECT_EQ(result.get(), 7);
}

struct throws {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    throws(const char* s, const allocator_type& a) : name(s, a) { throw 7; }
    ~throws() { ADD_FAILURE() << "never constructed"; }
    std::pmr::string name;
};

TEST(ArenaWithin, ThrowingConstructor) {
    ebb::arena a;
    const ebb::arena_mark m = a.mark();
    a.make<std::pmr::string>(text);
    const std::size_t used = a.used_bytes();
    EXPECT_THROW(a.make<throws>(text), int);
    EXPECT_LE(a.used_bytes(), used + 64) << "the text, if it is not the newest";
    a.rewind(m);
    EXPECT_EQ(a.used_bytes(), 0u);
    EXPECT_EQ(*a.make<std::pmr::string>(text), text) << "by a new resource: the rewind freed the first";
}

using reporting = ebb::basic_arena<ebb::checks::report>;
int reports = 0;
ebb::misuse last_kind;

// Without the count, new memory of an older object would be allocated again.
TEST(ArenaWithin, RewindUnderOlderObject) {
    ebb::set_misuse_handler([](const ebb::misuse_info& info) noexcept {
        ++reports;
        last_kind = info.kind;
    });
    reports = 0;
    reporting a(1'000);
    auto* const list = a.make<std::pmr::vector<int>>();
    list->resize(100);
    const ebb::arena_mark m = a.mark();
    a.rewind(m);
    EXPECT_EQ(reports, 0);
    list->resize(1'000);
    a.make<std::pmr::string>(text);
    a.rewind(m);
    EXPECT_EQ(reports, 1);
    EXPECT_EQ(last_kind, ebb::misuse::stranded);
    static_cast<void>(a.mark());
    a.rewind(m);
    EXPECT_EQ(reports, 2) << "also if it is older than another mark";
    (*list)[999] = 7;
    list->clear();
    list->shrink_to_fit();
    a.make<std::pmr::string>(text);
    a.rewind(m);
    EXPECT_EQ(reports, 2);
    list->resize(10);
    a.reset();
    a.make<std::pmr::string>(text);
    a.release();
    a.make<std::pmr::string>(text);
    EXPECT_EQ(reports, 2) << "the cycle of the blocks ended";
    ebb::set_misuse_handler(nullptr);
}

// If a mark kept a count, or a free changed the count of another mark, rewind would always fail.
TEST(ArenaWithin, CountsOfMarks) {
    ebb::arena a;
    const ebb::arena_mark outer = a.mark();
    auto* const v = a.make<std::pmr::vector<int>>();
    EXPECT_EQ(a.used_bytes(), sizeof *v) << "the resource is not the user's";
    v->resize(100);
    const ebb::arena_mark inner = a.mark();
    a.rewind(inner);  // aborts if the block counts as newer than the mark
    v->clear();
    v->shrink_to_fit();
    a.rewind(outer);  // aborts if the arena counts an allocated block
    EXPECT_EQ(a.used_bytes(), 0u);
}

TEST(ArenaWithin, DefaultResourceScope) {
    ebb::arena a;
    ebb::arena_resource r(a);
    std::pmr::memory_resource* const before = std::pmr::get_default_resource();
    {
        const ebb::default_resource_scope scope(r);
        const std::pmr::string s(text);
        EXPECT_EQ(r.blocks(), 1u);
        const counting inner;
        {
            counting others;
            const ebb::default_resource_scope nested(others);
            EXPECT_EQ(std::pmr::get_default_resource(), &others);
        }
        EXPECT_EQ(std::pmr::get_default_resource(), &r);
    }
    EXPECT_EQ(std::pmr::get_default_resource(), before);
    EXPECT_EQ(r.blocks(), 0u);
}

}  // namespace arena_within_test
