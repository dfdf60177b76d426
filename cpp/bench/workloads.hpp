#pragma once

/// \file
/// What is done with a pool, the same for every subject.
///
/// Each workload brings the pool to its working state, then runs passes. The program
/// writes the first word of every object that it is handed, a different one each time.
/// After the clock was stopped `verify` reads the words of a full pool, so that an object
/// handed out twice, or written by the pool while it was out, shows.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cycles.hpp"
#include "object.hpp"

namespace bench {

/// Names a workload.
enum class workload : std::uint8_t { batch_same, batch_reverse, rolling, random_victims, shuffled_drain };
inline constexpr std::array all_workloads{workload::batch_same, workload::batch_reverse, workload::rolling,
                                          workload::random_victims, workload::shuffled_drain};

constexpr const char* name(workload w) noexcept {
    constexpr const char* names[] = {"batch-same", "batch-reverse", "rolling", "random", "drain"};
    return names[static_cast<std::size_t>(w)];
}

/// Those that keep the pool full: a step frees an object and allocates one, and
/// is two calls. A step of the others is one call.
constexpr bool keeps_full(workload w) noexcept { return w == workload::rolling || w == workload::random_victims; }

/// So many steps are timed at once: fewer, and the counter would be most of it.
inline constexpr std::size_t steps_in_batch = 32;

/// A random permutation of 0 to n-1, always the same for the same n.
std::vector<std::uint32_t> permutation(std::size_t n);

/// A pool, the objects that are out, and what was seen of them.
template <class Pool>
class player {
public:
    using object_type = typename Pool::value_type;

    player(Pool& pool, std::size_t count)
        : pool_(pool), count_(count), out_(count), random_(count), shuffled_(permutation(count)) {}

    void fill() {
        each_index([](std::size_t i) { return i; }, [](auto& at, std::size_t i) { at.allocate(i); });
    }
    void empty() {
        each_index([](std::size_t i) { return i; }, [](auto& at, std::size_t i) { at.deallocate(i); });
    }
    /// One pass of a workload.
    void pass(workload w) {
        const std::size_t n = count_;
        const auto in_order = [](std::size_t i) { return i; };
        const auto deallocate = [](auto& at, std::size_t i) { at.deallocate(i); };
        const auto replace = [](auto& at, std::size_t i) {
            at.deallocate(i);
            at.allocate(i);
        };
        switch (w) {
            case workload::batch_same:
                fill();
                each_index(in_order, deallocate);
                break;
            case workload::batch_reverse:
                fill();
                each_index([n](std::size_t i) { return n - 1 - i; }, deallocate);
                break;
            case workload::shuffled_drain:
                fill();
                each_index([shuffled = shuffled_.data()](std::size_t i) { return shuffled[i]; }, deallocate);
                break;
            case workload::rolling:  // every object once, the oldest first
                each_index(in_order, replace);
                break;
            case workload::random_victims:  // as many as there are, some twice
                each_index([random = random_, n](std::size_t) mutable { return random.below(n); }, replace);
                random_ = random_numbers(stamp_);
                break;
        }
    }

    /// Whether all objects of a full pool hold what was written into them. Leaves the
    /// pool empty.
    bool verify(bool is_full) {
        if (is_full) empty();
        const std::uint64_t before = stamp_;
        fill();
        bool good = true;
        for (std::size_t i = 0; i < count_; ++i) good = good && out_[i]->first == before + i + 1;
        empty();
        return good;
    }

    /// From now on each run of steps is timed, into `out` if it isn't null.
    void time_steps(std::vector<std::uint32_t>* out) { batch_ticks_ = out; }

private:
    /// What a loop needs, in variables of its own, which the compiler can keep
    /// in registers: the harness should cost little beside what it measures.
    /// What the pool needs is in memory at every call, as it is in a program,
    /// where calls are seldom in one loop: else the lower bound alone could keep its
    /// head in a register, since it has nothing else.
    struct loop {
        Pool& pool;
        object_type** out;
        std::uint64_t stamp;

        [[gnu::always_inline]] void allocate(std::size_t i) {
            object_type* p = pool.allocate();
            keep(pool);
            opaque(p);
            p->first = ++stamp;
            out[i] = p;
        }
        [[gnu::always_inline]] void deallocate(std::size_t i) {
            pool.deallocate(out[i]);
            keep(pool);
        }
    };

    template <class Index, class Body>
    [[gnu::noinline]] void each_index(Index index, Body body) {
        loop at{pool_, out_.data(), stamp_};
        const std::size_t n = count_;
        if (batch_ticks_ == nullptr) {
            for (std::size_t i = 0; i < n; ++i) body(at, index(i));
        } else {
            std::size_t i = 0;
            while (i + steps_in_batch <= n) {
                const std::uint64_t start = ticks();
                for (const std::size_t end = i + steps_in_batch; i < end; ++i) body(at, index(i));
                batch_ticks_->push_back(static_cast<std::uint32_t>(ticks() - start));
            }
            while (i < n) body(at, index(i)), ++i;
        }
        stamp_ = at.stamp;
    }

    Pool& pool_;
    std::size_t count_;
    std::vector<object_type*> out_;
    random_numbers random_;
    std::vector<std::uint32_t> shuffled_;
    std::uint64_t stamp_ = 0;
    std::vector<std::uint32_t>* batch_ticks_ = nullptr;
};

}  // namespace bench
