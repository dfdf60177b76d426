// Blocks that containers have freed are reused; other memory is not.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace arena_blocks_test {

using allocator = ebb::arena_allocator<std::uint64_t, ebb::checks::report>;

// Random blocks and marks, compared with a list of allocated blocks. A container older than a rewind or an end
// of a cycle also frees its blocks, which must have no effect.
class blocks {
public:
    explicit blocks(std::uint32_t seed) : random_(seed) {}

    void run(int steps) {
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
            step(static_cast<std::uint32_t>(random_() % 100));
            if (i % 16 == 0) check();
        }
        check();
    }

private:
    struct block {
        allocator of;
        std::uint64_t* at;
        std::size_t n;
        std::uint64_t fill;
    };

    void step(std::uint32_t op) {
        if (op < 45) return take(1 + random_() % (random_() % 8 == 0 ? 3'000 : 40));
        if (op < 75) return give();
        if (op < 80) return give_stale();
        if (op < 84) return static_cast<void>(a_.make_span<std::uint64_t>(1 + random_() % 30));
        if (op < 90) return marks_.emplace_back(a_.mark(), live_.size()), static_cast<void>(order_.push_back(serial_));
        if (op < 96) return rewind();
        if (op < 98) return move();
        if (random_() % 4 == 0) end();
    }
    void take(std::size_t n) {
        allocator of(a_);
        std::uint64_t* const p = of.allocate(n);
        const std::uint64_t fill = ++serial_;
        for (std::size_t i = 0; i < n; ++i) p[i] = fill;
        live_.push_back({of, p, n, fill});
    }
    void give() {
        if (live_.empty()) return;
        const std::size_t i = random_() % 3 == 0 ? live_.size() - 1 : random_() % live_.size();
        const std::size_t used = a_.used_bytes();
        live_[i].of.deallocate(live_[i].at, live_[i].n);
        EXPECT_LE(a_.used_bytes(), used);
        EXPECT_GE(a_.used_bytes() + ebb::detail::block_shape(8 * live_[i].n).size, used);
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    void give_stale() {
        if (stale_.empty()) return;
        const std::size_t used = a_.used_bytes();
        stale_.back().of.deallocate(stale_.back().at, stale_.back().n);
        EXPECT_EQ(a_.used_bytes(), used) << "a block older than the mark";
        stale_.pop_back();
    }
    // Removes the blocks allocated since the newest mark.
    void rewind() {
        if (marks_.empty()) return;
        a_.rewind(marks_.back().first);
        const std::uint64_t before = order_.back();
        for (std::size_t i = 0; i < live_.size();) {
            if (live_[i].fill <= before) {
                ++i;
                continue;
            }
            stale_.push_back(live_[i]);
            live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        if (random_() % 2 == 0) {
            marks_.pop_back();
            order_.pop_back();
        }
    }
    // The containers must be destroyed before the move, because their allocators still refer to the old object.
    void move() {
        stale_.insert(stale_.end(), live_.begin(), live_.end());
        live_.clear();
        ebb::basic_arena<ebb::checks::report> other = std::move(a_);
        give_stale();
        other.reset();
        a_ = std::move(other);
        marks_.clear();
        order_.clear();
    }
    void end() {
        random_() % 4 == 0 ? a_.release() : a_.reset();
        stale_.insert(stale_.end(), live_.begin(), live_.end());
        live_.clear();
        marks_.clear();
        order_.clear();
    }
    void check() const {
        for (const block& b : live_) {
            for (std::size_t i = 0; i < b.n; ++i) ASSERT_EQ(b.at[i], b.fill) << "it has another owner";
        }
    }

    ebb::basic_arena<ebb::checks::report> a_{2'000};
    std::mt19937 random_;
    std::vector<block> live_, stale_;
    std::vector<std::pair<ebb::arena_mark, std::size_t>> marks_;
    std::vector<std::uint64_t> order_;  // the newest block at each mark
    std::uint64_t serial_ = 0;
};

// Without the allocator's time, or with free lists that survive a rewind, two containers would get the same
// block.
TEST(ArenaBlocks, HaveOneOwner) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        blocks(seed).run(20'000);
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

// A mark taken after a block was freed differs from the mark before.
TEST(ArenaBlocks, CountsOfMarks) {
    ebb::arena a;
    ebb::arena_allocator<char> of(a);
    char* const p = of.allocate(1'000);
    a.allocate(8);
    const ebb::arena_mark before = a.mark();
    of.deallocate(p, 1'000);
    const std::size_t used = a.used_bytes();
    const ebb::arena_mark after = a.mark();
    a.allocate(100);
    a.rewind(after);
    EXPECT_EQ(a.used_bytes(), used);
    a.rewind(before);
}

// Free blocks of an earlier cycle are not part of a mark.
TEST(ArenaBlocks, EarlierCycle) {
    ebb::arena a;
    {
        ebb::arena_resource r(a);
        EXPECT_NE(r.allocate(8), nullptr);
        r.abandon();
    }
    a.reset();
    static_cast<void>(a.mark());
    {
        ebb::arena_resource r(a);
        r.deallocate(r.allocate(8), 8);
    }
    const ebb::arena b = std::move(a);  // aborts if the arena counts an allocated block
    EXPECT_LE(b.used_bytes(), 8u);      // under AddressSanitizer, memory is not reused
}

// Freed blocks older than a mark are not reused after it. Otherwise, such a block would be counted as older
// when it is freed again, and rewind would always fail.
TEST(ArenaBlocks, OlderThanAMark) {
    const auto reuse = [](std::size_t chunk_size, std::size_t bytes, bool returns_first) {
        ebb::arena a(chunk_size);
        ebb::arena_resource r(a);
        void* const older = r.allocate(bytes, 8);
        void* const newest = chunk_size == 1 ? nullptr : r.allocate(bytes, 8);
        if (returns_first) r.deallocate(older, bytes, 8);
        const ebb::arena_mark m = a.mark();
        if (!returns_first) r.deallocate(older, bytes, 8);
        void* const p = r.allocate(bytes, 8);
        EXPECT_NE(p, older);
        r.deallocate(p, bytes, 8);
        a.rewind(m);  // aborts if the arena counts an allocated block
        if (newest != nullptr) r.deallocate(newest, bytes, 8);
    };
    reuse(4'096, 64, false);
    reuse(4'096, 64, true);
    reuse(1, 8, false);  // the mark has a chunk of its own
}

// Free blocks are aligned to 8 bytes only.
TEST(ArenaBlocks, LargeAlignment) {
    ebb::arena a;
    ebb::arena_resource r(a);
    void* const first = r.allocate(8, 8);
    void* const p = r.allocate(256, 8);
    void* const newest = r.allocate(8, 8);
    r.deallocate(p, 256, 8);
    void* const q = r.allocate(200, 64);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(q) % 64, 0u);
    r.deallocate(q, 200, 64);
    r.deallocate(newest, 8, 8);
    r.deallocate(first, 8, 8);
}

#if !EBB_ASAN && !EBB_VALGRIND  // they don't reuse memory

TEST(ArenaBlocks, FreeNewestBlock) {
    ebb::arena a;
    void* const p = a.allocate(100, 8);
    a.give_back(p, 100);
    EXPECT_EQ(a.used_bytes(), 0u);
    EXPECT_EQ(a.allocate(10), p);
    void* const older = a.allocate(100, 8);
    a.allocate(8, 8);
    a.give_back(older, 100);
    EXPECT_EQ(a.used_bytes(), 16u + 104 + 8) << "to the end of the cycle";
}

template <class Grow>
std::size_t most(const Grow& grow) {
    ebb::arena a(1 << 10);
    for (int i = 0; i < 200; ++i) grow(a);
    return a.stats().retained_bytes;
}

// It would be 2,055 KiB without free lists, and half of that if only the newest block were reused.
TEST(ArenaBlocks, VectorsReuseBlocks) {
    const auto fill = [](auto&& v) {
        for (int k = 0; k < 1'000; ++k) v.push_back(k);
    };
    EXPECT_LE(most([&](ebb::arena& a) { fill(std::vector<int, ebb::arena_allocator<int>>(a)); }), 32u << 10);
    // One more chunk holds the arena's own resource.
    EXPECT_LE(most([&](ebb::arena& a) { fill(std::pmr::vector<int>(ebb::arena_allocator<int>(a))); }), 48u << 10);
    EXPECT_LE(most([&](ebb::arena& a) {
                  ebb::arena_resource r(a);
                  fill(std::pmr::vector<int>(&r));
              }),
              32u << 10);
}

// Blocks above 2 GiB have no free list. The source returns less memory than the arena asks for, because nothing
// touches the rest.
TEST(ArenaBlocks, LargestAreNotReused) {
    if (sizeof(void*) < 8) GTEST_SKIP() << "no such blocks";
    struct memory {
        alignas(64) std::byte chunks[3][4'096];
        int taken = 0;
    } m;
    const auto take = [](std::size_t, std::size_t, void* from) noexcept -> void* {
        return static_cast<memory*>(from)->chunks[static_cast<memory*>(from)->taken++];
    };
    const ebb::memory_source source{take, [](void*, std::size_t, std::size_t, void*) noexcept {}, &m};
    ebb::arena a(1'000, 0, {.source = &source});
    ebb::arena_allocator<std::byte> of(a);
    constexpr std::size_t size = (std::size_t{1} << 31) + 1;
    std::byte* const first = of.allocate(size);
    std::byte* const small = of.allocate(8);
    const std::size_t used = a.used_bytes();
    of.deallocate(first, size);
    EXPECT_EQ(a.used_bytes(), used);
    EXPECT_EQ(of.allocate(size) - first, m.chunks[2] - m.chunks[0]);
    of.deallocate(small, 8);
    EXPECT_EQ(of.allocate(8), small);
}

#endif

// Text may end in the middle of a unit. Blocks of a resource before it are whole units.
TEST(ArenaBlocks, ResourceBlocksBeforeText) {
    ebb::arena a(1'000);
    ebb::arena_resource r(a);
    const std::string_view text = a.copy("x");
    while (a.stats().chunks == 1) std::memset(r.allocate(8, 8), 0, 8);
    EXPECT_EQ(text, "x");
    r.abandon();
}

}  // namespace arena_blocks_test
