#pragma once

/// \file
/// What the files of the benchmark share: how a benchmark is named and registered with
/// google/benchmark, which interleaves the rounds and prints them.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>

namespace bench {

/// Sets what each benchmark reports: nanoseconds of a call, of so many in all.
inline void count_calls(benchmark::State& state, std::size_t calls_of_an_iteration) {
    const double calls = static_cast<double>(calls_of_an_iteration) * static_cast<double>(state.iterations());
    state.counters["ns/op"] =
        benchmark::Counter(calls * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// The kinds of benchmarks, each in a file of its own.
void add_pools();
void add_sync();
void add_regions();
void add_containers();
void add_documents();

}  // namespace bench
