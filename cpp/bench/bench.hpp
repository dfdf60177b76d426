#pragma once

/// \file
/// Shared by the files of the benchmark: names and registration. google/benchmark interleaves the rounds and
/// prints them.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>

namespace bench {

/// Reports the time per call in nanoseconds, for the given number of calls in an iteration.
inline void count_calls(benchmark::State& state, std::size_t calls_of_an_iteration) {
    const double calls = static_cast<double>(calls_of_an_iteration) * static_cast<double>(state.iterations());
    state.counters["ns/op"] =
        benchmark::Counter(calls * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// One function for each kind of benchmark.
void add_pools();
void add_sync();
void add_regions();
void add_containers();
void add_documents();

}  // namespace bench
