#pragma once

/// \file
/// Binary trees that are built, walked and dropped.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "progress.hpp"

namespace bench {

/// The work of the public benchmark "binary trees", on one thread: a tree of
/// depth + 1, one of `depth` that stays to the end, and meanwhile, for the depths
/// 4, 6 and so on up to `depth`, as many trees as have about 16 << depth nodes,
/// one after the other. Each is built from its root down, counted and dropped. The
/// lab has the same in Go, as its workload "trees".
struct tree_measurements {
    unsigned depth = 0;
    std::vector<std::string> subjects;
    /// Nanoseconds for each node, `[subject][round]`.
    std::vector<std::vector<double>> ns;

    std::string name() const { return "binary trees to depth " + std::to_string(depth); }
};

/// The least depth of the many trees.
inline constexpr unsigned least_tree_depth = 4;

/// The nodes of all trees together.
constexpr std::uint64_t tree_nodes(unsigned depth) noexcept {
    const auto nodes_of = [](unsigned d) { return (std::uint64_t{2} << d) - 1; };
    std::uint64_t sum = nodes_of(depth + 1) + nodes_of(depth);
    for (unsigned d = least_tree_depth; d <= depth; d += 2)
        sum += (std::uint64_t{1} << (depth - d + least_tree_depth)) * nodes_of(d);
    return sum;
}

/// Runs all subjects in rounds; each round is a step. Ends the program with an
/// error when a subject has not counted every node.
tree_measurements run_trees(unsigned depth, std::size_t rounds, progress& steps);

}  // namespace bench
