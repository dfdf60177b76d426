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
/// the checksum is of one more pass, after the clock was stopped.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

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
};

/// How much a run does. One pass is `count` allocations and as many frees.
struct job {
    std::size_t count = 0;
    std::size_t passes = 0;
    std::span<const std::uint32_t> shuffled;  ///< a permutation of 0 to count-1
    touch touched = touch::write;
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
        for (std::size_t i = 0; i < n; ++i) body(at, index(i));
        stamp_ = at.stamp;
        sum_ = at.sum;
    }

    Pool& pool_;
    const job& job_;
    std::vector<object_type*> out_;
    random_numbers random_;
    std::uint64_t stamp_ = 0;
    std::uint64_t sum_ = 0;
};

/// Times `passes` passes, after one to warm up.
template <bool Read, class Pool>
double timed(player<Pool>& player, workload w, std::size_t passes) {
    player.template pass<Read>(w);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < passes; ++i) player.template pass<Read>(w);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs workload `w` on a new pool. The pool is full at its peak.
template <class Pool>
[[gnu::noinline]] sample play(workload w, const job& j) {
    Pool pool(j.count);
    player<Pool> player(pool, j);
    const bool keeps_full = w == workload::rolling || w == workload::random_victims;
    sample s;
    if (keeps_full) player.fill();
    s.seconds = j.touched == touch::write ? timed<false>(player, w, j.passes) : timed<true>(player, w, j.passes);
    player.template pass<true>(w);
    if (keeps_full) player.empty();
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
