#pragma once

/// \file
/// How long single calls take: percentiles beside the mean.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads.hpp"

namespace bench {

struct measurements;

/// The percentiles that are kept; 100 is the longest.
inline constexpr std::array percentiles{50.0, 90.0, 99.0, 99.9, 100.0};

/// Nanoseconds per call at each of `percentiles`.
using latencies = std::array<double, percentiles.size()>;

/// Those of batches of `steps_in_batch` steps, given in ticks. A single slow
/// call among 32 shows as a 32nd of what it took: what is seen is how even the
/// calls are, not the longest one.
latencies latencies_of(std::vector<std::uint32_t> batch_ticks, workload w);

/// A line for each percentile of each cell, subject and round. False when the
/// file can't be written.
bool write_latencies(const std::string& file, const std::vector<measurements>& all);

}  // namespace bench
