#pragma once

/// \file
/// The list of subjects. Each lives in a file of its own in `subjects/`.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "workloads.hpp"

namespace bench {

/// A subject with its types erased: the benchmark's loops see only this, the
/// code within `play` is compiled for the subject.
struct subject {
    std::string name;
    sample (*play16)(workload, const job&) = nullptr;
    sample (*play256)(workload, const job&) = nullptr;
    double (*construct256)(std::size_t) = nullptr;
    /// Capacities above this are not measured; 0: all are. Of so many passes of
    /// the others one is run: for those whose calls take so much longer.
    std::size_t most = 0;
    std::size_t fewer_passes = 1;

    bool takes(std::size_t count) const { return most == 0 || count <= most; }
    std::size_t passes(std::size_t of_others) const { return std::max<std::size_t>(1, of_others / fewer_passes); }
    sample play(workload w, std::size_t size, const job& j) const { return size == 16 ? play16(w, j) : play256(w, j); }
};

/// Those that this machine has; the first is the floor.
std::vector<subject> subjects();

/// Those that were looked for in vain, and what would bring them.
std::vector<std::string> missing_subjects();

/// What is left out on purpose, and why.
std::vector<std::string> left_out();

/// Positions in `subjects()`; -1 if it isn't there.
int find_subject(const std::vector<subject>& all, const std::string& name);

}  // namespace bench
