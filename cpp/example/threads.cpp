// One thread makes messages and another consumes them, so objects are freed by a thread that did not allocate
// them.
#include <atomic>
#include <cstdio>
#include <ebbpool/make.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <thread>

namespace {

struct message {
    int value;
    message* next;
};

}  // namespace

int main() {
    constexpr int count = 100'000;
    ebb::sync_fixed_pool<message> pool(4'096);
    std::atomic<message*> mailbox{nullptr};

    std::thread producer([&] {
        for (int i = 1; i <= count; ++i) {
            message* m = nullptr;
            while ((m = ebb::construct(pool, i, nullptr)) == nullptr) std::this_thread::yield();
            m->next = mailbox.load(std::memory_order_relaxed);
            while (!mailbox.compare_exchange_weak(m->next, m, std::memory_order_release, std::memory_order_relaxed)) {
            }
        }
    });

    long long sum = 0;
    for (int seen = 0; seen < count;) {
        message* m = mailbox.exchange(nullptr, std::memory_order_acquire);
        if (m == nullptr) std::this_thread::yield();
        while (m != nullptr) {
            message* const next = m->next;
            sum += m->value;
            ++seen;
            ebb::destroy(pool, m);
            m = next;
        }
    }
    producer.join();
    std::printf("sum %lld, %zu objects out\n", sum, pool.used());
    return sum == static_cast<long long>(count) * (count + 1) / 2 && pool.empty() ? 0 : 1;
}
