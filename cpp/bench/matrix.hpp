#pragma once

/// \file
/// All workloads on all subjects, in rounds.

#include <array>
#include <cstddef>
#include <vector>

#include "latency.hpp"
#include "progress.hpp"
#include "subjects.hpp"

namespace bench {

inline constexpr std::array<std::size_t, 2> all_sizes{16, 256};
inline constexpr std::array<std::size_t, 4> all_counts{1u << 10, 8u << 10, 64u << 10, 256u << 10};

/// One workload at one size and count: the unit that ratios are made of.
struct cell {
    workload work{};
    std::size_t size = 0;
    std::size_t count = 0;
    std::size_t passes = 0;  ///< of one run; the same for all subjects but those of `fewer_passes`
    /// Nanoseconds per call, `[subject][round]`; no rounds where the subject
    /// does not take this count.
    std::vector<std::vector<double>> ns;
    /// The same of batches of calls, where latencies were asked for.
    std::vector<std::vector<latencies>> percentiles;
};

/// Bytes of objects in the largest pool of a quick run. Larger ones are mostly
/// page faults, which take most of the time of a longer run.
inline constexpr std::size_t most_in_quick_runs = 16u << 20;

/// How much is run.
struct effort {
    std::size_t rounds = 7;
    /// Calls for each subject in each cell, over all rounds; 0: as many as the
    /// floor does in `floor_seconds` a run.
    std::size_t calls = 0;
    double floor_seconds = 0.003;
    touch touched = touch::write;
    bool latencies = false;  ///< time batches of calls too
    /// Leaves out what is freed in reverse, pools of more than
    /// `most_in_quick_runs`, and latencies but those of full pools of 8K and 64K;
    /// checks less.
    bool quick = false;
};

/// Everything that was measured on one thread.
struct measurements {
    touch touched{};
    std::vector<subject> subjects;
    std::vector<cell> cells;
    /// Seconds to make a pool of 256K objects of 256 B, `[subject][round]`.
    std::vector<std::vector<double>> construct;
};

/// The steps of a run's progress: one for each cell in each round.
std::size_t matrix_steps(const effort& e);

/// Runs the matrix. In each round every cell is run on every subject, one right
/// after the other; who begins moves on by one each round. Ends the program
/// with an error when two subjects' checksums differ.
measurements run_matrix(const effort& e, progress& steps);

/// A random permutation of 0 to n-1, always the same for the same n.
std::vector<std::uint32_t> permutation(std::size_t n);

}  // namespace bench
