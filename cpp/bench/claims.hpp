#pragma once

/// \file
/// What Ebbpool claims about its speed, each beside what was measured.

#include <string>
#include <vector>

#include "regions.hpp"
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

/// Those about one thread. Where a subject is missing, `measured.known` is false.
std::vector<claim> claims(const measurements& m);

/// Those about regions, of lives and documents.
std::vector<claim> claims(const std::vector<region_measurements>& all);

/// The one about a workload of threads.
claim claim_of(const sync_measurements& s);

}  // namespace bench
