#pragma once

/// \file
/// What Ebbpool claims about its speed, each beside what was measured.

#include <string>
#include <vector>

#include "statistics.hpp"
#include "sync.hpp"

namespace bench {

/// A statement of the form "at most `target`".
struct claim {
    std::string text;
    double target = 0;
    spread measured;
    const char* unit = "";

    bool missed() const { return measured.known && measured.median > target; }
};

/// All of them. Those whose subjects are missing have `measured.known` false.
std::vector<claim> claims(const measurements& m, const std::vector<sync_measurements>& sync);

}  // namespace bench
