#include "sync.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <thread>

#include "subjects/ebb_sync.hpp"
#include "subjects/glibc.hpp"
#include "subjects/shared_malloc.hpp"

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

template <class Pool>
sample play_churn(std::size_t calls) {
    Pool pool(capacity);
    std::atomic<int> ready{0};
    std::array<std::uint64_t, 2> sums{};
    const auto body = [&](std::size_t me) {
        ++ready;
        while (ready.load() < 2) {
        }
        sums[me] = churn(pool, calls / 2, me << 40);
    };
    const auto start = std::chrono::steady_clock::now();
    {
        const std::jthread other(body, 1);
        body(0);
    }
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), sums[0] + sums[1]};
}

template <class Pool>
sample play_producer_consumer(std::size_t calls) {
    using object_type = typename Pool::value_type;
    Pool pool(capacity);
    ring<object_type> items;
    const std::size_t n = calls / 2;
    std::uint64_t sum = 0;
    const auto start = std::chrono::steady_clock::now();
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
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), sum};
}

struct sync_subject {
    const char* name;
    sample (*churn)(std::size_t);
    sample (*producer_consumer)(std::size_t);
};

template <template <std::size_t> class Pool>
void add(std::vector<sync_subject>& all) {
    using pool = Pool<object_size>;
    if (pool::available()) all.push_back({pool::name, &play_churn<pool>, &play_producer_consumer<pool>});
}

}  // namespace

sync_measurements run_sync(sync_workload w, std::size_t rounds, std::size_t calls, progress& steps) {
    std::vector<sync_subject> all;
    add<ebb_sync>(all);
    add<ebb_mutex>(all);
    add<glibc_malloc>(all);
    add<mimalloc>(all);
    add<jemalloc>(all);
    add<tcmalloc>(all);
    add<pmr_sync_pool>(all);

    sync_measurements m;
    m.work = w;
    m.ns.resize(all.size());
    for (const sync_subject& s : all) m.subjects.emplace_back(s.name);
    for (std::size_t round = 0; round < rounds; ++round) {
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t s = (i + round) % all.size();
            const sample got = w == sync_workload::churn ? all[s].churn(calls) : all[s].producer_consumer(calls);
            if (i == 0) expected = got.checksum;
            if (got.checksum != expected) {
                std::fprintf(stderr, "%s: the checksum of %s differs\n", name(w), all[s].name);
                std::exit(1);
            }
            m.ns[s].push_back(got.seconds * 1e9 / static_cast<double>(calls));
        }
        steps.step(name(w));
    }
    return m;
}

}  // namespace bench
