#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <memory_resource>
#include <thread>
#include <vector>

#include "bench.hpp"
#include "subjects.hpp"

namespace bench {
namespace {

constexpr std::size_t object_size = 64;
constexpr std::size_t window = 1024;     // objects that a thread, or the ring, holds
constexpr std::size_t capacity = 16384;  // much larger, as a program would choose it

/// The synchronized pool resource of the standard library.
template <std::size_t Size>
class pmr_sync_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "std::pmr synchronized";
    static bool available() { return true; }

    explicit pmr_sync_pool(std::size_t) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(resource_.allocate(Size, alignof(value_type))); }
    void deallocate(value_type* p) noexcept { resource_.deallocate(p, Size, alignof(value_type)); }

private:
    std::pmr::synchronized_pool_resource resource_;
};

/// Allocates an object, and retries while other threads cache the free ones.
template <class Pool>
auto* take(Pool& pool) {
    auto* p = pool.allocate();
    while (p == nullptr) {
        std::this_thread::yield();
        p = pool.allocate();
    }
    opaque(p);
    return p;
}

template <class Pool>
std::uint64_t churn(Pool& pool, std::size_t calls, std::uint64_t stamp) {
    std::vector<typename Pool::value_type*> out(window);
    std::uint64_t sum = 0;
    for (auto& p : out) p = take(pool), p->first = ++stamp;
    for (std::size_t n = 0, i = 0; n < calls / 2; ++n, i = (i + 1) % window) {
        sum += out[i]->first;
        pool.deallocate(out[i]);
        out[i] = take(pool);
        out[i]->first = ++stamp;
    }
    for (auto* p : out) sum += p->first, pool.deallocate(p);
    return sum;
}

/// A ring for one producer and one consumer. It publishes positions once in 32 objects, so that it costs little
/// beside the pool.
template <class T>
class ring {
public:
    static constexpr std::size_t run = 32;

    void push(T* p) {
        while (head_ - seen_tail_ == window) {
            publish();
            seen_tail_ = tail_.value.load(std::memory_order_acquire);
            if (head_ - seen_tail_ == window) std::this_thread::yield();
        }
        slots_[head_++ % window] = p;
        if (head_ % run == 0) publish();
    }
    void publish() { published_.value.store(head_, std::memory_order_release); }

    T* pop() {
        while (position_ == seen_head_) {
            tail_.value.store(position_, std::memory_order_release);
            seen_head_ = published_.value.load(std::memory_order_acquire);
            if (position_ == seen_head_) std::this_thread::yield();
        }
        T* const p = slots_[position_++ % window];
        if (position_ % run == 0) tail_.value.store(position_, std::memory_order_release);
        return p;
    }

private:
    struct alignas(128) line {
        std::atomic<std::size_t> value{0};
    };
    std::array<T*, window> slots_{};
    line published_, tail_;
    alignas(128) std::size_t head_ = 0;  // of the producer
    std::size_t seen_tail_ = 0;
    alignas(128) std::size_t position_ = 0;  // of the consumer
    std::size_t seen_head_ = 0;
};

constexpr std::size_t calls = 200'000;  // of an iteration, by both threads

/// Reports an error if a sum differs from the sum of all values written.
void check(benchmark::State& state, std::uint64_t sum, std::uint64_t expected) {
    if (sum != expected) state.SkipWithError("an object was handed out twice");
}

/// The sum of the values that a thread of `churn` writes.
std::uint64_t stamps(std::uint64_t from) {
    const std::uint64_t n = window + calls / 4;
    return n * from + n * (n + 1) / 2;
}

template <class Pool>
void run_churn(benchmark::State& state) {
    Pool pool(capacity);
    for ([[maybe_unused]] auto _ : state) {
        std::barrier start(2);
        std::array<std::uint64_t, 2> sums{};
        const auto body = [&](std::size_t me) {
            start.arrive_and_wait();
            sums[me] = churn(pool, calls / 2, me << 40);
        };
        {
            const std::jthread other(body, 1);
            body(0);
        }
        check(state, sums[0] + sums[1], stamps(0) + stamps(std::uint64_t{1} << 40));
    }
    count_calls(state, calls);
}

template <class Pool>
void run_hand_over(benchmark::State& state) {
    using object_type = typename Pool::value_type;
    Pool pool(capacity);
    const std::size_t n = calls / 2;
    for ([[maybe_unused]] auto _ : state) {
        ring<object_type> items;
        std::uint64_t sum = 0;
        {
            const std::jthread producer([&] {
                for (std::size_t i = 0; i < n; ++i) {
                    object_type* p = take(pool);
                    p->first = i;
                    items.push(p);
                }
                items.publish();
            });
            for (std::size_t i = 0; i < n; ++i) {
                object_type* p = items.pop();
                sum += p->first;
                pool.deallocate(p);
            }
        }
        check(state, sum, std::uint64_t{n} * (n - 1) / 2);
    }
    count_calls(state, calls);
}

/// Like larson, a server: each thread replaces random objects of its own, and then continues with the objects
/// of the other thread. Half of the objects that it frees were allocated by the other thread.
template <class Pool>
void run_larson(benchmark::State& state) {
    Pool pool(capacity);
    std::array<std::vector<typename Pool::value_type*>, 2> all;
    std::uint64_t expected = 0, stamp = 0;
    for (auto& objects : all) {
        objects.resize(window);
        for (auto& p : objects) p = take(pool), p->first = ++stamp, expected += stamp;
    }
    for ([[maybe_unused]] auto _ : state) {
        std::barrier swapped(2);
        std::array<std::uint64_t, 2> sums{};  // written minus read
        const auto body = [&](std::size_t me) {
            random_numbers random(me + 1);
            std::uint64_t sum = 0, own = me << 40;
            for (std::size_t round = 0; round < 16; ++round) {
                auto& objects = all[(me + round) % 2];
                for (std::size_t i = 0; i < calls / 64; ++i) {
                    auto*& p = objects[random.below(window)];
                    sum -= p->first;
                    pool.deallocate(p);
                    p = take(pool);
                    sum += p->first = ++own;
                }
                swapped.arrive_and_wait();
            }
            sums[me] = sum;
        };
        {
            const std::jthread other(body, 1);
            body(0);
        }
        expected += sums[0] + sums[1];
    }
    std::uint64_t sum = 0;
    for (auto& objects : all)
        for (auto* p : objects) sum += p->first, pool.deallocate(p);
    check(state, sum, expected);
    count_calls(state, calls);
}

/// Like mstress: each thread allocates runs of random length, frees some of its objects, oldest first, and
/// exchanges some with the other thread through a shared array.
template <class Pool>
void run_mstress(benchmark::State& state) {
    using object_type = typename Pool::value_type;
    Pool pool(capacity);
    for ([[maybe_unused]] auto _ : state) {
        std::array<std::atomic<object_type*>, 64> places{};
        std::array<std::uint64_t, 2> sums{};
        const auto body = [&](std::size_t me) {
            random_numbers random(me + 1);
            std::vector<object_type*> own;
            std::uint64_t sum = 0, stamp = me << 40;
            const auto give = [&](object_type* p) {
                if (p != nullptr) sum -= p->first, pool.deallocate(p);
            };
            for (std::size_t left = calls / 4; left != 0;) {
                for (std::size_t n = std::min<std::size_t>(left, 1 + random.below(64)); n != 0; --n, --left) {
                    own.push_back(take(pool));
                    sum += own.back()->first = ++stamp;
                    if (left % 4 != 0) continue;
                    give(places[random.below(places.size())].exchange(own.back()));
                    own.pop_back();
                }
                const std::size_t keeps = random.below(std::min(own.size(), window) + 1);
                for (std::size_t i = keeps; i < own.size(); ++i) give(own[i]);
                own.resize(keeps);
            }
            for (auto* p : own) give(p);
            sums[me] = sum;
        };
        {
            const std::jthread other(body, 1);
            body(0);
        }
        for (auto& place : places)
            if (object_type* const p = place; p != nullptr) sums[0] -= p->first, pool.deallocate(p);
        check(state, sums[0] + sums[1], 0);
    }
    count_calls(state, calls);
}

template <template <std::size_t> class Pool>
void add() {
    using pool = Pool<object_size>;
    if (!pool::available()) return;
    const std::string name = pool::name;
    benchmark::RegisterBenchmark(("sync/churn/" + name).c_str(), &run_churn<pool>)->UseRealTime();
    benchmark::RegisterBenchmark(("sync/hand-over/" + name).c_str(), &run_hand_over<pool>)->UseRealTime();
    // By the CPU time of both threads.
    benchmark::RegisterBenchmark(("sync/larson/" + name).c_str(), &run_larson<pool>)->MeasureProcessCPUTime();
    benchmark::RegisterBenchmark(("sync/mstress/" + name).c_str(), &run_mstress<pool>)->MeasureProcessCPUTime();
}

}  // namespace

void add_sync() {
    add<ebb_sync>();
    add<ebb_mutex>();
    add<glibc_malloc>();
    add<mimalloc>();
    add<jemalloc>();
    add<tcmalloc>();
    add<tbb>();
    add<pmr_sync_pool>();
}

}  // namespace bench
