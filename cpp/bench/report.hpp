#pragma once

/// \file
/// What the benchmark prints and keeps.

#include <string>
#include <vector>

#include "claims.hpp"
#include "trees.hpp"

namespace bench {

/// The compiler's name and version, as in "gcc 12.2".
std::string compiler();

/// How a CSV file names it.
constexpr const char* csv_name(touch t) noexcept { return t == touch::write ? "write" : "write+read"; }

/// The machine, the compiler, what makes them noisy, and what is not measured.
void print_environment(bool quick);

/// A line per cell and size, a column per subject: the median of the rounds in
/// nanoseconds per call, then ratios to the floor over groups of cells.
void print_matrix(const measurements& m);

void print_sync(const sync_measurements& m);
void print_trees(const tree_measurements& m);
void print_region(const region_measurements& m);

/// Returns how many claims were missed.
int print_claims(const std::vector<claim>& all);

/// Every single run, a line each, for those who want other statistics.
/// Returns false when the file can't be written.
bool write_csv(const std::string& file, const std::vector<measurements>& all,
               const std::vector<sync_measurements>& sync, const std::vector<tree_measurements>& trees,
               const std::vector<region_measurements>& regions);

/// The claims, a line for each round of each: what the README's table is made
/// of. Returns false when the file can't be written.
bool write_claims(const std::string& file, const std::vector<claim>& all);

}  // namespace bench
