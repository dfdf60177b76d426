#pragma once

/// \file
/// Random misuse against a model.

#include <cstddef>
#include <cstdint>

namespace misuse {

struct fuzz_result {
    std::size_t misuses = 0;      ///< tried
    std::size_t unreported = 0;   ///< not reported, or as another kind
    std::size_t corrupted = 0;    ///< after which the pool differed from the model
    std::size_t right_calls = 0;  ///< between them
};

/// Tries at least `misuses` misuses, among right calls, on pools of several
/// sizes of object and capacities up to 200.
fuzz_result fuzz(std::size_t misuses, std::uint64_t seed);

}  // namespace misuse
