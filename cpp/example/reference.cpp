// The examples of the reference. Doxygen shows the code between two marks.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/handle_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/pool_allocator.hpp>
#include <ebbpool/pool_resource.hpp>
#include <ebbpool/sync_arena.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct order {
    int id;
    int quantity;
};

static void pools() {
    //! [fixed_pool]
    ebb::fixed_pool<order> orders(10'000);
    order* const raw = orders.allocate();  // nullptr if the pool is full
    *raw = {17, 300};
    orders.deallocate(raw);  // a second call would print a message and abort
    //! [fixed_pool]

    //! [construct]
    order* const o = ebb::construct(orders, 17, 300);  // nullptr if the pool is full
    ebb::destroy(orders, o);
    //! [construct]

    //! [pooled]
    if (auto owned = ebb::make(orders, 17, 300)) {
        owned->quantity -= 100;
        ebb::pooled<ebb::fixed_pool<order>> other = std::move(owned);
    }  // destroyed and freed
    //! [pooled]

    //! [live]
    static_cast<void>(ebb::construct(orders, 1, 10));
    static_cast<void>(ebb::construct(orders, 2, 20));
    int sum = 0;
    for (const order& each : ebb::live(orders)) sum += each.quantity;
    ebb::destroy_all(orders);
    //! [live]
    if (sum != 30 || !orders.empty()) std::abort();

    //! [pool_options]
    static std::array<std::byte, ebb::fixed_pool<order>::bytes_needed(100)> memory;
    ebb::fixed_pool<order> without_heap(100, {.storage = memory});
    ebb::fixed_pool<order> touched(1'000'000, {.huge_pages = true, .prefault = true});
    //! [pool_options]

    //! [memory_source]
    const ebb::memory_source source{[](std::size_t bytes, std::size_t alignment, void*) noexcept -> void* {
                                        void* const p = std::aligned_alloc(
                                            alignment, (bytes + alignment - 1) / alignment * alignment);
                                        if (p != nullptr) std::memset(p, 0, bytes);
                                        return p;
                                    },
                                    [](void* data, std::size_t, std::size_t, void*) noexcept { std::free(data); }};
    ebb::fixed_pool<order> elsewhere(100, {.source = &source});
    //! [memory_source]

    //! [handle_pool]
    ebb::handle_pool<order> named(1'000);
    const ebb::handle<order> h = named.create(17, 300);
    if (order* const found = named.get(h)) found->quantity -= 100;
    for (order& each : ebb::live(named)) each.quantity += 1;
    named.destroy(h);
    if (named.get(h) != nullptr) std::abort();  // stale, even when the slot has a new object
    //! [handle_pool]

    //! [sync_fixed_pool]
    ebb::sync_fixed_pool<order> shared(100'000);
    std::thread other([&shared] { shared.deallocate(shared.allocate()); });
    order* const mine = shared.allocate();
    other.join();
    shared.deallocate(mine);
    //! [sync_fixed_pool]

    //! [sync_options]
    ebb::sync_fixed_pool<order> with_large_batches(100'000, {.memory = {.prefault = true}, .batch = 64});
    //! [sync_options]

    //! [pool_resource]
    ebb::pool_resource<64> nodes(10'000);
    std::pmr::list<int> list({1, 2, 3}, &nodes);
    //! [pool_resource]

    //! [pool_allocator]
    using entry = std::pair<const int, double>;
    ebb::node_pool<entry> entries(10'000);
    std::map<int, double, std::less<>, ebb::pool_allocator<entry>> prices{ebb::pool_allocator<entry>(entries)};
    prices[17] = 1.5;
    //! [pool_allocator]
}

//! [policy]
struct count {
    static constexpr bool enabled = true;
    static inline int seen = 0;
    static void on_misuse(const ebb::misuse_info&) noexcept { ++seen; }
};
using counting_pool = ebb::fixed_pool<order, count>;
//! [policy]

static void misuse() {
    //! [report]
    const ebb::misuse_handler before = ebb::set_misuse_handler([](const ebb::misuse_info& info) noexcept {
        char text[512];
        ebb::describe(info, text, sizeof text);  // "ebbpool: deallocate: null: pointer ..."
        std::fputs(text, stderr);
        if (info.kind == ebb::misuse::double_free) std::abort();
    });
    ebb::fixed_pool<order, ebb::checks::report> pool(10);
    pool.deallocate(nullptr);  // calls the handler; the pool is unchanged
    ebb::set_misuse_handler(before);
    //! [report]

    counting_pool counted(10);
    counted.deallocate(nullptr);
    if (count::seen != 1) std::abort();

    //! [with_leaks]
    ebb::set_leak_handler([](const ebb::leak_info& info) noexcept {
        std::fprintf(stderr, "%zu of %zu slots are still allocated\n", info.live, info.capacity);
    });
    {
        ebb::fixed_pool<order, ebb::checks::with_leaks<ebb::checks::report>> leaky(10);
        static_cast<void>(leaky.allocate());
    }  // calls the handler
    //! [with_leaks]
}

static void regions() {
    //! [arena]
    ebb::arena a(64 << 10);
    for (int request = 0; request < 3; ++request) {
        auto* const name = a.make<std::string>("its destructor runs in reset()");
        const std::string_view text = a.copy(*name);
        const std::span<int> ids = a.make_span<int>(100);  // zero
        ids[0] = static_cast<int>(text.size());
        a.reset();  // frees everything; keeps the chunks
    }
    //! [arena]

    //! [arena_make]
    struct shipment {
        std::pmr::string to;
        std::pmr::vector<std::pmr::string> items;
    };
    // Both strings allocate from the arena.
    const auto* const sent = a.make<shipment>("a name that is too long for the small string");
    const auto* const maybe = a.make<std::optional<std::pmr::string>>("a text that is too long for the small string");
    if (!a.owns(sent->to.data()) || !a.owns((*maybe)->data())) std::abort();
    //! [arena_make]

    //! [arena_mark]
    const ebb::arena_mark m = a.mark();
    a.make_span<double>(1'000);
    a.rewind(m);  // frees the allocations since the mark
    //! [arena_mark]

    //! [arena_scope]
    for (int i = 0; i < 3; ++i) {
        ebb::arena_scope scope(a);
        a.make<std::string>("temporary");
    }  // runs its destructors and frees its memory
    //! [arena_scope]

    //! [arena_try]
    a.limit(1 << 20);
    if (a.try_allocate(2 << 20) == nullptr) std::puts("refused");
    if (int* const five = a.try_make<int>(5)) *five = 6;
    if (const std::string_view copy = a.try_copy("text"); copy.data() != nullptr) std::printf("%zu\n", copy.size());
    a.limit(0);
    //! [arena_try]

    //! [arena_on_end]
    std::FILE* const file = std::tmpfile();
    a.on_end([file] {
        if (file != nullptr) std::fclose(file);
    });
    std::string* const owned = a.adopt(std::make_unique<std::string>("on the heap"));  // deleted likewise
    //! [arena_on_end]

    //! [arena_owns]
    if (a.owns(owned) || !a.owns(a.copy(*owned).data())) std::abort();
    //! [arena_owns]

    //! [arena_copy]
    const std::span<int> three = a.copy({1, 2, 3});
    const std::span<std::string> all = a.copy(std::list<std::string>{"a", "b"});
    const std::span<std::size_t> squares = a.make_span_with<std::size_t>(10, [](std::size_t i) { return i * i; });
    if (three.size() != 3 || all[1] != "b" || squares[9] != 81) std::abort();
    //! [arena_copy]

    //! [arena_fork]
    ebb::arena& fork = a.fork();
    std::thread([&fork] { fork.make<std::string>("made by another thread"); }).join();
    //! [arena_fork]

    //! [sync_arena]
    ebb::sync_arena shared;
    const auto work = [&shared] {
        for (int i = 0; i < 1'000; ++i) shared.make<std::string>("from any thread, without a lock");
    };
    std::thread other(work);
    work();
    other.join();
    shared.reset();  // no other thread may use it meanwhile
    //! [sync_arena]

    //! [arena_reset]
    a.reset(256 << 10);  // keeps at most that much this time
    //! [arena_reset]

    //! [arena_allocator]
    std::vector<int, ebb::arena_allocator<int>> numbers{ebb::arena_allocator<int>(a)};
    numbers.assign(100, 1);
    //! [arena_allocator]

    //! [allocate_at_least]
    ebb::arena_allocator<int> of(a);
    const auto [first, count] = of.allocate_at_least(100);  // 128 of them
    of.deallocate(first, count);
    //! [allocate_at_least]

    //! [arena_resource]
    {
        ebb::arena_resource memory(a);
        std::pmr::vector<std::pmr::string> words(&memory);
        words.emplace_back("also in the arena");
    }  // destroyed before the end of the cycle
    //! [arena_resource]

    //! [default_resource]
    {
        ebb::arena_resource memory(a);
        const ebb::default_resource_scope scope(memory);
        const std::pmr::string name("in the arena, though its constructor does not name it");
    }  // restores the previous default
    //! [default_resource]

    //! [limit_error]
    a.limit(1 << 20);
    try {
        a.allocate(2 << 20);
    } catch (const ebb::limit_error& e) {
        std::printf("%zu of %zu bytes in use, %zu more needed\n", e.in_use(), e.limit(), e.asked());
    }
    //! [limit_error]

    //! [arena_stats]
    const ebb::arena_stats s = a.stats();
    std::printf("%zu bytes of %zu in %zu chunks\n", s.used_bytes, s.retained_bytes, s.chunks);
    //! [arena_stats]
}

int main() {
    pools();
    misuse();
    regions();
}
