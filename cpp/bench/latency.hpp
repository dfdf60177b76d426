#pragma once

/// \file
/// How long single calls take: percentiles beside the mean.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "matrix.hpp"

namespace bench {

/// The percentiles that are kept; 100 is the longest.
inline constexpr std::array percentiles{50.0, 90.0, 99.0, 99.9, 100.0};

/// Runs every cell of the matrix once a round with `steps_in_batch` calls timed
/// at a time, and writes a line for each percentile of each cell, subject and
/// round, in nanoseconds per call. A single slow call among 32 shows as a 32nd
/// of what it took: what is seen is how even the calls are, not the longest
/// one. False when the file can't be written.
bool write_latencies(const std::string& file, std::size_t rounds);

}  // namespace bench
