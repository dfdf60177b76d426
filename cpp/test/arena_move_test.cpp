// Moving an arena: addresses of chunks and objects stay the same.
#include <gtest/gtest.h>

#include <array>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <list>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

namespace arena_move_test {

static_assert(std::is_nothrow_move_constructible_v<ebb::arena> && std::is_nothrow_move_assignable_v<ebb::arena>);
static_assert(std::is_default_constructible_v<ebb::arena> && !std::is_copy_constructible_v<ebb::arena>);

constexpr const char* text = "a text that is longer than what a string keeps in itself";

struct counted {
    explicit counted(int& n) : alive(n) { ++alive; }
    counted(const counted&) = delete;
    ~counted() { --alive; }
    int& alive;
};

TEST(ArenaMove, MovesContents) {
    int alive = 0;
    ebb::arena a;
    a.make<counted>(alive);
    auto* const words = a.make<std::pmr::vector<std::pmr::string>>();
    words->emplace_back(text);
    const ebb::arena_mark m = a.mark();
    a.make<counted>(alive);
    const std::string_view copied = a.copy("text");
    a.allocate(100'000);
    const ebb::arena_stats before = a.stats();

    ebb::arena b = std::move(a);
    EXPECT_EQ(b.stats().used_bytes, before.used_bytes);
    EXPECT_EQ(b.stats().retained_bytes, before.retained_bytes);
    EXPECT_EQ(copied, "text");
    EXPECT_EQ(a.used_bytes(), 0u);  // NOLINT: it is as new
    EXPECT_EQ(a.stats().retained_bytes, 0u);
    EXPECT_EQ(alive, 2);
    a.make<counted>(alive);
    b.rewind(m);
    EXPECT_EQ(alive, 2);
    words->emplace_back(text);  // allocates from the moved arena
    EXPECT_EQ(a.used_bytes(), (sizeof(counted) + 7) / 8 * 8);

    // Move to an arena that has objects.
    ebb::arena c;
    int others = 0;
    c.make<counted>(others);
    c = std::move(b);
    EXPECT_EQ(others, 0) << "its own cycle ended";
    words->resize(10);
    ebb::arena& same = c;
    c = std::move(same);
    EXPECT_EQ(words->front(), text);
    std::swap(a, c);
    words->emplace_back(text);
    a.reset();
    EXPECT_EQ(alive, 1);
    c.reset();
    EXPECT_EQ(alive, 0);

    std::vector<ebb::arena> many;
    for (int i = 0; i < 20; ++i) many.emplace_back().make<counted>(alive);
    EXPECT_EQ(alive, 20);
    many.clear();
    EXPECT_EQ(alive, 0);
}

TEST(ArenaMove, ParametersAndLimit) {
    ebb::arena a(64, 128);
    a.limit(10'000);
    ebb::arena b = std::move(a);
    EXPECT_THROW(a.allocate(20'000), ebb::limit_error);  // NOLINT
    EXPECT_THROW(b.allocate(20'000), ebb::limit_error);
}

TEST(ArenaMove, Storage) {
    alignas(64) static std::array<std::byte, ebb::arena::bytes_needed(1'000)> memory;
    ebb::arena a(100, 0, {.storage = memory});
    a.make<int>(7);
    ebb::arena b = std::move(a);
    EXPECT_NO_THROW(b.allocate(500));
    EXPECT_THROW(a.allocate(8), std::bad_alloc);  // otherwise, both would write there
    a = std::move(b);
    EXPECT_NO_THROW(a.allocate(300));
}

using reporting = ebb::basic_arena<ebb::checks::report>;
int reports = 0;
ebb::misuse last_kind;
void count_reports() {
    ebb::set_misuse_handler([](const ebb::misuse_info& info) noexcept {
        ++reports;
        last_kind = info.kind;
    });
    reports = 0;
}

struct mover {
    explicit mover(reporting& a) : stays(std::move(a)) {}
    ~mover() {}
    reporting stays;
};
struct assigner {
    assigner(reporting& from, reporting& to) { to = std::move(from); }
    ~assigner() {}
};

// Without the checks, the constructor's record and the count of blocks would refer to memory of another arena.
TEST(ArenaMove, NotInConstructorOrUnderBlocks) {
    count_reports();
    reporting a;
    reporting& stays = a.make<mover>(a)->stays;
    EXPECT_EQ(stays.used_bytes(), 0u);
    EXPECT_EQ(reports, 1);
    EXPECT_EQ(last_kind, ebb::misuse::reentrant);
    stays.make<int>(7);
    stays.reset();
    EXPECT_EQ(reports, 1) << "the new arena is not busy";
    EXPECT_EQ(stays.used_bytes(), 0u);
    reporting other;
    other.make<int>(7);
    a.make<assigner>(a, other);
    EXPECT_EQ(reports, 2);
    EXPECT_EQ(other.used_bytes(), 8u) << "misuse has no effect";
    a.make<assigner>(other, a);
    EXPECT_EQ(reports, 3);
    EXPECT_EQ(other.used_bytes(), 8u) << "misuse has no effect";
    EXPECT_GT(a.used_bytes(), 0u);

    ebb::basic_arena_resource<ebb::checks::report> r(a);
    void* p = r.allocate(8);
    const reporting b = std::move(a);
    EXPECT_EQ(reports, 4);
    EXPECT_EQ(last_kind, ebb::misuse::stranded);
    EXPECT_EQ(b.used_bytes(), 0u);
    r.deallocate(p, 8);
    const reporting c = std::move(a);  // NOLINT
    EXPECT_EQ(reports, 4);
    EXPECT_GT(c.used_bytes(), 0u);

    p = r.allocate(8);
    a.release();
    reporting d = std::move(a);
    a.allocate(8);
    EXPECT_EQ(reports, 4) << "blocks at a release count in the other arena";
    d.allocate(8);
    EXPECT_EQ(reports, 5);
    EXPECT_EQ(last_kind, ebb::misuse::stranded);
    ebb::set_misuse_handler(nullptr);
}

// The number of the cycle moves along. Without a change of it, containers of a cycle that a move ended would
// free their blocks in the next cycle.
TEST(ArenaMove, EndsCycle) {
    count_reports();
    reporting a;
    ebb::basic_arena_resource<ebb::checks::report> r(a);
    void* p = r.allocate(100);
    a.reset();
    const reporting to = std::move(a);
    EXPECT_EQ(reports, 0) << "the cycle of the block had ended";
    r.deallocate(p, 100);
    EXPECT_EQ(reports, 1);
    reporting into;
    ebb::basic_arena_resource<ebb::checks::report> s(into);
    p = s.allocate(100);
    into = reporting();
    s.deallocate(p, 100);
    EXPECT_EQ(reports, 2);
    EXPECT_EQ(last_kind, ebb::misuse::stranded);
    ebb::set_misuse_handler(nullptr);

    ebb::arena b;
    std::vector<int, ebb::arena_allocator<int>> v(100, b);
    b = ebb::arena();
    v.clear();
    v.shrink_to_fit();
    EXPECT_EQ(b.used_bytes(), 0u) << "no other chunk";
}

}  // namespace arena_move_test
