#pragma once

/// \file
/// The workloads, the same for every subject.
///
/// Each workload brings the pool to its steady state and then runs passes. It writes a different value to the
/// first word of each allocated object. After timing, `verify` reads the words of a full pool, to detect
/// objects that were allocated twice or overwritten by the pool.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cycles.hpp"
#include "object.hpp"

namespace bench {

/// Returns the name of a workload.
enum class workload : std::uint8_t { batch_same, batch_reverse, rolling, random_victims, shuffled_drain };
inline constexpr std::array all_workloads{workload::batch_same, workload::batch_reverse, workload::rolling,
                                          workload::random_victims, workload::shuffled_drain};

constexpr const char* name(workload w) noexcept {
    constexpr const char* names[] = {"batch-same", "batch-reverse", "rolling", "random", "drain"};
    return names[static_cast<std::size_t>(w)];
}

/// Whether the workload keeps the pool full: then a step is two calls, a free and an allocation. Otherwise a
/// step is one call.
constexpr bool keeps_full(workload w) noexcept { return w == workload::rolling || w == workload::random_victims; }

/// The number of steps timed together. With fewer, reading the clock would dominate.
inline constexpr std::size_t steps_in_batch = 32;

/// Returns a random permutation of 0 to n-1, the same for each n in every run.
std::vector<std::uint32_t> permutation(std::size_t n);

/// A pool with its allocated objects and the timing of its steps.
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
    /// Runs one pass of a workload.
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
            case workload::rolling:  // every object once, oldest first
                each_index(in_order, replace);
                break;
            case workload::random_victims:  // as many frees as objects, so some are replaced twice
                each_index([random = random_, n](std::size_t) mutable { return random.below(n); }, replace);
                random_ = random_numbers(stamp_);
                break;
        }
    }

    /// Reports whether all objects of a full pool have the values written to them, and empties the pool.
    bool verify(bool is_full) {
        if (is_full) empty();
        const std::uint64_t before = stamp_;
        fill();
        bool good = true;
        for (std::size_t i = 0; i < count_; ++i) good = good && out_[i]->first == before + i + 1;
        empty();
        return good;
    }

    /// Times each batch of steps from now on and appends to `out`; null stops it.
    void time_steps(std::vector<std::uint32_t>* out) { batch_ticks_ = out; }

private:
    /// The state of the measuring loop, in local variables that the compiler can keep in registers, so that the
    /// harness costs little. The pool's own state is in memory at each call, as in programs whose calls are not
    /// all in one loop. Otherwise, only the lower bound, whose state is one pointer, would be kept in a
    /// register.
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
