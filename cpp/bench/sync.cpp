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
constexpr std::size_t capacity = 16384;  // far more, as one would choose it

/// The standard library's pool resource for threads.
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

/// An object, however long it takes: what another thread has cached may be
/// missing for a moment.
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

/// A ring for one producer and one consumer. Positions are published in runs of
/// 32, so that the ring costs little beside the pool.
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
    alignas(128) std::size_t head_ = 0;  // the producer's
    std::size_t seen_tail_ = 0;
    alignas(128) std::size_t position_ = 0;  // the consumer's
    std::size_t seen_head_ = 0;
};

constexpr std::size_t calls = 200'000;  // of an iteration, by both threads

/// Reports where a sum is not that of all that was written.
void check(benchmark::State& state, std::uint64_t sum, std::uint64_t expected) {
    if (sum != expected) state.SkipWithError("an object was handed out twice");
}

/// What a thread of `churn` writes in all.
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

template <template <std::size_t> class Pool>
void add() {
    using pool = Pool<object_size>;
    if (!pool::available()) return;
    const std::string name = pool::name;
    benchmark::RegisterBenchmark(("sync/churn/" + name).c_str(), &run_churn<pool>)->UseRealTime();
    benchmark::RegisterBenchmark(("sync/hand-over/" + name).c_str(), &run_hand_over<pool>)->UseRealTime();
}

}  // namespace

void add_sync() {
    add<ebb_sync>();
    add<ebb_mutex>();
    add<glibc_malloc>();
    add<mimalloc>();
    add<jemalloc>();
    add<tcmalloc>();
    add<pmr_sync_pool>();
}

}  // namespace bench
