#pragma once

/// \file
/// What the matrix leaves out: other sizes, pools that have been in use for a while, and
/// a pool such as programs have before they use this one.

#include <vector>

#include "claims.hpp"
#include "progress.hpp"
#include "regions.hpp"

namespace bench {

/// A group of cells over which a claim takes the geometric mean. Each cell has
/// nanoseconds per call, `[subject][round]`; its name says what is done.
struct more_measurements {
    std::vector<region_measurements> sizes;  ///< 24 and 48 B: batches, rolling, random victims, drains; 1K and 64K
    std::vector<region_measurements> aged;   ///< batches in a pool that was drained in random order before
    std::vector<region_measurements> known;  ///< filled and emptied, 128 and 256 B, as pools of vectors are
};

more_measurements run_more(std::size_t rounds, bool quick, progress& steps);

/// The steps of run_more.
std::size_t more_steps(std::size_t rounds) noexcept;

std::vector<claim> claims(const more_measurements& m);

}  // namespace bench
