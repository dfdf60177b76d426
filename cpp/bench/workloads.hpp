#pragma once

/// \file
/// What is done with a pool, the same for every subject.
///
/// Each workload brings the pool to its working state, then is timed over
/// `passes` passes. The program writes the first word of every object that it
/// is handed, a different one each time. Its checksum is the sum of the words
/// that it finds there when it gives objects back, so that an object handed out
/// twice, or written by the pool while it was out, shows.
///
/// Whether a program looks at an object again just before the free decides who
/// pays for fetching it, so both are measured (`touch`). Where it doesn't look,
/// the checksum is of one more pass, after the clock was stopped (in a quick run
/// of the one before it), or of the objects that are out in the end.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "cycles.hpp"
#include "object.hpp"

namespace bench {

/// Names a workload; the order is that of the table.
enum class workload : std::uint8_t { batch_same, batch_reverse, rolling, random_victims, shuffled_drain };
inline constexpr std::array all_workloads{workload::batch_same, workload::batch_reverse, workload::rolling,
                                          workload::random_victims, workload::shuffled_drain};

constexpr const char* name(workload w) noexcept {
    switch (w) {
        case workload::batch_same: return "batch, freed in the same order";
        case workload::batch_reverse: return "batch, freed in reverse";
        case workload::rolling: return "rolling";
        case workload::random_victims: return "random victims";
        case workload::shuffled_drain: return "shuffled drain";
    }
    return "?";
}

/// Those that keep the pool full: a step frees an object and allocates one, and
/// is two calls. A step of the others is one call.
constexpr bool keeps_full(workload w) noexcept { return w == workload::rolling || w == workload::random_victims; }

/// What the program does with an object, besides holding it.
enum class touch : std::uint8_t {
    write,          ///< writes the first word when it is handed the object
    write_and_read  ///< and reads it just before it gives the object back
};

constexpr const char* name(touch t) noexcept {
    return t == touch::write ? "first word written" : "first word written, and read before the free";
}

/// What one timed run gave.
struct sample {
    double seconds = 0;
    std::uint64_t checksum = 0;
    /// Ticks of each run of `steps_in_batch` steps of some more passes, if asked
    /// for.
    std::vector<std::uint32_t> batch_ticks{};
};

/// So many steps are timed at once: fewer, and the counter would be most of it.
inline constexpr std::size_t steps_in_batch = 32;

/// So many at least, for percentiles that are more than the longest of a few.
inline constexpr std::size_t steps_for_latencies = 1u << 17;

/// The passes that those take.
constexpr std::size_t latency_passes(std::size_t count) noexcept { return (steps_for_latencies + count - 1) / count; }

/// How much a run does. One pass is `count` allocations and as many frees.
struct job {
    std::size_t count = 0;
    std::size_t passes = 0;
    std::span<const std::uint32_t> shuffled;  ///< a permutation of 0 to count-1
    touch touched = touch::write;
    bool latencies = false;  ///< time the steps of some more passes apart
    bool quick = false;      ///< the pass that warms up is the one that is checked
};

/// A pool, the objects that are out, and what was seen of them.
template <class Pool>
class player {
public:
    using object_type = typename Pool::value_type;

    player(Pool& pool, const job& j) : pool_(pool), job_(j), out_(j.count), random_(j.count) {}

    void fill() {
        each_index([](std::size_t i) { return i; }, [](auto& at, std::size_t i) { at.allocate(i); });
    }
    /// One pass of a workload. `Read`: objects are read before they are freed.
    template <bool Read>
    void pass(workload w) {
        const std::size_t n = job_.count;
        const auto in_order = [](std::size_t i) { return i; };
        const auto deallocate = [](auto& at, std::size_t i) { at.template deallocate<Read>(i); };
        const auto replace = [](auto& at, std::size_t i) {
            at.template deallocate<Read>(i);
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
                each_index([shuffled = job_.shuffled.data()](std::size_t i) { return shuffled[i]; }, deallocate);
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
    void empty() {
        each_index([](std::size_t i) { return i; }, [](auto& at, std::size_t i) { at.template deallocate<true>(i); });
    }
    std::uint64_t checksum() const noexcept { return sum_; }

    /// From now on each run of steps is timed, into `out`.
    void time_steps(std::vector<std::uint32_t>& out) {
        batch_ticks_ = &out;
        out.reserve(2 * std::max(job_.count, steps_for_latencies) / steps_in_batch + 2);
    }
    /// What empties the pool in the end is no part of a workload that keeps it
    /// full: it is the first to write what the pool notes of free objects.
    void stop_timing_steps() { batch_ticks_ = nullptr; }

private:
    /// What a loop needs, in variables of its own, which the compiler can keep
    /// in registers: the harness should cost little beside what it measures.
    /// What the pool needs is in memory at every call, as it is in a program,
    /// where calls are seldom in one loop: else the floor alone could keep its
    /// head in a register, since it has nothing else.
    struct loop {
        Pool& pool;
        object_type** out;
        std::uint64_t stamp, sum;

        [[gnu::always_inline]] void allocate(std::size_t i) {
            object_type* p = pool.allocate();
            keep(pool);
            opaque(p);
            p->first = ++stamp;
            out[i] = p;
        }
        template <bool Read>
        [[gnu::always_inline]] void deallocate(std::size_t i) {
            object_type* const p = out[i];
            if constexpr (Read) sum += p->first;
            pool.deallocate(p);
            keep(pool);
        }
    };

    template <class Index, class Body>
    [[gnu::noinline]] void each_index(Index index, Body body) {
        loop at{pool_, out_.data(), stamp_, sum_};
        const std::size_t n = job_.count;
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
        sum_ = at.sum;
    }

    Pool& pool_;
    const job& job_;
    std::vector<object_type*> out_;
    random_numbers random_;
    std::uint64_t stamp_ = 0;
    std::uint64_t sum_ = 0;
    std::vector<std::uint32_t>* batch_ticks_ = nullptr;
};

/// Times `passes` passes, after one to warm up.
template <bool Read, class Pool>
double timed(player<Pool>& player, workload w, std::size_t passes, bool quick) {
    quick ? player.template pass<true>(w) : player.template pass<Read>(w);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < passes; ++i) player.template pass<Read>(w);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs workload `w` on a new pool. The pool is full at its peak.
template <class Pool>
[[gnu::noinline]] sample play(workload w, const job& j) {
    Pool pool(j.count);
    player<Pool> player(pool, j);
    sample s;
    if (keeps_full(w)) player.fill();
    s.seconds = j.touched == touch::write ? timed<false>(player, w, j.passes, j.quick)
                                          : timed<true>(player, w, j.passes, j.quick);
    if (!keeps_full(w) && !j.quick) player.template pass<true>(w);
    if (j.latencies) {
        player.time_steps(s.batch_ticks);
        for (std::size_t i = 0; i < latency_passes(j.count); ++i) {
            j.touched == touch::write ? player.template pass<false>(w) : player.template pass<true>(w);
        }
        player.stop_timing_steps();
    }
    if (keeps_full(w)) player.empty();
    s.checksum = player.checksum();
    return s;
}

/// Seconds to make a pool of `count`; taking it down again is not timed.
template <class Pool>
[[gnu::noinline]] double construct(std::size_t count) {
    const auto start = std::chrono::steady_clock::now();
    Pool pool(count);
    keep(pool);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace bench
