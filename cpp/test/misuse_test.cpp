// Every kind of misuse under every policy: messages and kinds. The misuse traces and misuse_fuzz_test check
// that the state is unchanged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <string>

namespace misuse_test {

struct item {
    std::uint64_t first;
    std::uint64_t rest[5];
};

ebb::misuse_info last{};
int reports = 0;
void handler(const ebb::misuse_info& info) noexcept {
    last = info;
    ++reports;
}
std::size_t leaked = 0;
void leak_handler(const ebb::leak_info& info) noexcept { leaked = info.live; }

template <class T>
T* at(T* p, std::ptrdiff_t bytes) {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(p) + bytes);
}

// An invalid free, for any kind of pool.
template <class Pool>
struct misuses {
    using T = typename Pool::value_type;
    Pool pool{100};
    Pool other{100};
    T* live = pool.allocate();
    T* freed = nullptr;
    T* of_other = other.allocate();
    T on_stack{};
    std::unique_ptr<T> on_heap = std::make_unique<T>();

    misuses() {
        freed = pool.allocate();
        pool.deallocate(freed);
    }

    T* pointer(const std::string& kind) {
        if (kind == "null") return nullptr;
        if (kind == "foreign: stack") return &on_stack;
        if (kind == "foreign: heap") return on_heap.get();
        if (kind == "foreign: another pool") return of_other;
        if (kind == "foreign: one past the end") return at(live, 100 * sizeof(T));
        if (kind == "foreign: one before the beginning") return at(live, -static_cast<std::ptrdiff_t>(sizeof(T)));
        if (kind == "interior") return at(live, 8);
        if (kind == "misaligned") return at(live, 1);
        if (kind == "double_free") return freed;
        return at(live, 50 * sizeof(T));  // never_allocated
    }
};

const char* const kinds[] = {"null",
                             "foreign: stack",
                             "foreign: heap",
                             "foreign: another pool",
                             "foreign: one past the end",
                             "foreign: one before the beginning",
                             "interior",
                             "misaligned",
                             "double_free",
                             "never_allocated"};

std::string kind_of(const std::string& name) { return name.substr(0, name.find(':')); }

template <class Pool>
void check_reports() {
    ebb::set_misuse_handler(handler);
    for (const std::string kind : kinds) {
        misuses<Pool> m;
        auto* const p = m.pointer(kind);
        reports = 0;
        m.pool.deallocate(p);
        EXPECT_EQ(reports, 1) << kind;
        EXPECT_EQ(name(last.kind), kind_of(kind)) << kind;
        EXPECT_EQ(last.pool, &m.pool);
        EXPECT_EQ(last.pointer, p);
        EXPECT_EQ(last.first, m.live);
        EXPECT_EQ(last.slot_size, sizeof(item));
        EXPECT_EQ(last.capacity, 100u);
        EXPECT_EQ(m.pool.used(), 1u) << kind;
        EXPECT_FALSE(m.pool.verify(p));
        EXPECT_EQ(reports, 2) << kind;
        EXPECT_TRUE(m.pool.verify(m.live));
        EXPECT_EQ(reports, 2) << kind;
        EXPECT_EQ(m.pool.allocate(), m.freed) << kind;
        m.pool.deallocate(m.live);
        EXPECT_EQ(reports, 2) << kind;
    }
    EXPECT_EQ(ebb::set_misuse_handler(nullptr), &handler);
}

TEST(Misuse, Reported) { check_reports<ebb::fixed_pool<item, ebb::checks::report>>(); }
TEST(Misuse, ReportedBySyncPool) { check_reports<ebb::sync_fixed_pool<item, ebb::checks::report>>(); }

TEST(Misuse, TheDefaultHandlerPrints) {
    ebb::fixed_pool<item, ebb::checks::report> pool(1);
    testing::internal::CaptureStderr();
    pool.deallocate(nullptr);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("deallocate: null: pointer "), std::string::npos) << text;
}

TEST(Misuse, Messages) {
    for (int k = 0; k < 11; ++k) {
        ebb::misuse_info info{static_cast<ebb::misuse>(k),
                              &last,
                              &reports,
                              &leaked,
                              0xfffffffd,
                              static_cast<std::size_t>(0xffffffffffff),
                              0xfffffffe};
        char text[512];
        describe(info, text, sizeof text);
        EXPECT_EQ(text[std::char_traits<char>::length(text) - 1], '\n') << "cut: " << text;
        EXPECT_NE(std::string(text).find(name(info.kind)), std::string::npos);
        char little[20];
        volatile std::size_t size = sizeof little;  // a compiler that knows the size warns about the truncation
        describe(info, little, size);
        EXPECT_EQ(std::char_traits<char>::length(little), sizeof little - 1);
    }
}

TEST(Misuse, MessagesHaveTheValues) {
    const auto text = [](const auto& info) {
        char line[512];
        describe(info, line, sizeof line);
        return std::string(line);
    };
    const auto address = [](const void* p) {
        char digits[32];
        static_cast<void>(std::snprintf(digits, sizeof digits, "%p", p));
        return std::string(digits);
    };
    const std::string a = address(&last), b = address(&reports), c = address(&leaked);
    const std::size_t none = ebb::misuse_info::no_slot;
    EXPECT_EQ(text(ebb::misuse_info{ebb::misuse::double_free, &last, &reports, &leaked, 7, 48, 100}),
              "ebbpool: deallocate: double_free: pointer " + b + ", slot 7, pool " + a +
                  " of 100 slots of 48 bytes at " + c + "\n");
    EXPECT_EQ(text(ebb::misuse_info{ebb::misuse::foreign, &last, &reports, &leaked, none, 48, 100}),
              "ebbpool: deallocate: foreign: pointer " + b + ", no slot, pool " + a + " of 100 slots of 48 bytes at " +
                  c + "\n");
    EXPECT_EQ(text(ebb::misuse_info{ebb::misuse::moved_mark, &last, &reports, nullptr, none, 0, 0}),
              "ebbpool: rewind: moved_mark: argument " + b + ", arena " + a + "\n");
    EXPECT_EQ(text(ebb::misuse_info{ebb::misuse::reentrant, &last, &reports, nullptr, none, 0, 0}),
              "ebbpool: arena: reentrant: argument " + b + ", arena " + a + "\n");
    EXPECT_EQ(text(ebb::leak_info{&last, 2, 100}), "ebbpool: destructor: leak: 2 of 100 slots, pool " + a + "\n");
}

TEST(Misuse, HandlesDestroyOnce) {
    static int destroyed;
    struct noisy {
        ~noisy() { ++destroyed; }
    };
    destroyed = 0;
    reports = 0;
    ebb::set_misuse_handler(handler);
    ebb::fixed_pool<noisy, ebb::checks::report> pool(2);
    noisy* const p = construct(pool);
    destroy(pool, p);
    destroy(pool, p);
    destroy(pool, static_cast<noisy*>(nullptr));
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(reports, 2);
    ebb::set_misuse_handler(nullptr);
}

TEST(Misuse, NoneTakesNoMemory) {
    EXPECT_LT((ebb::fixed_pool<item, ebb::checks::none>::bytes_needed(1'000)),
              (ebb::fixed_pool<item, ebb::checks::trap>::bytes_needed(1'000)));
    ebb::fixed_pool<item, ebb::checks::none> pool(3);
    item* const a = pool.allocate();
    item* const b = pool.allocate();
    pool.deallocate(a);
    EXPECT_EQ(pool.high_water(), 2u);
    EXPECT_EQ(pool.allocate(), a);
    pool.deallocate(b);
    EXPECT_EQ(pool.used(), 1u);
}

TEST(Leaks, Counted) {
    ebb::set_leak_handler(leak_handler);
    leaked = 0;
    {
        ebb::fixed_pool<item, ebb::checks::with_leaks<ebb::checks::report>> pool(5);
        static_cast<void>(pool.allocate());
        item* const p = pool.allocate();
        static_cast<void>(pool.allocate());
        pool.deallocate(p);
    }
    EXPECT_EQ(leaked, 2u);
    leaked = 0;
    {
        ebb::fixed_pool<item, ebb::checks::with_leaks<ebb::checks::report>> pool(5);
        pool.deallocate(pool.allocate());
    }
    EXPECT_EQ(leaked, 0u);
    ebb::set_leak_handler(nullptr);
    testing::internal::CaptureStderr();
    {
        ebb::fixed_pool<item, ebb::checks::with_leaks<ebb::checks::none>> pool(5);
        static_cast<void>(pool.allocate());
        ebb::sync_fixed_pool<item, ebb::checks::with_leaks<ebb::checks::none>> shared(500);
        static_cast<void>(shared.allocate());
    }
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("1 of 5 slots"), std::string::npos) << text;
    EXPECT_NE(text.find("1 of 500 slots"), std::string::npos) << text;
}

#if GTEST_HAS_DEATH_TEST
template <class Pool>
void check_traps() {
    for (const std::string kind : kinds) {
        misuses<Pool> m;
        EXPECT_DEATH(m.pool.deallocate(m.pointer(kind)),
                     "ebbpool: deallocate: " + kind_of(kind) + ": .*pool 0x.* of 48 bytes")
            << kind;
    }
}

TEST(MisuseDeathTest, Trapped) { check_traps<ebb::fixed_pool<item>>(); }
TEST(MisuseDeathTest, TrappedBySyncPool) { check_traps<ebb::sync_fixed_pool<item>>(); }

TEST(MisuseDeathTest, Leaks) {
    using strict_pool = ebb::fixed_pool<item, ebb::checks::with_leaks<>>;
    EXPECT_DEATH(
        {
            strict_pool pool(5);
            static_cast<void>(pool.allocate());
        },
        "ebbpool: destructor: leak: 1 of 5 slots");
}
#endif

}  // namespace misuse_test
