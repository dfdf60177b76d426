#pragma once

/// \file
/// Paired ratios and their spread.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "matrix.hpp"

namespace bench {

/// The median of the rounds, with the smallest and the largest beside it.
struct spread {
    double median = 0, min = 0, max = 0;
    bool known = false;
    std::vector<double> rounds{};  // in their order
};

inline spread spread_of(const std::vector<double>& rounds) {
    if (rounds.empty()) return {};
    std::vector<double> v = rounds;
    std::sort(v.begin(), v.end());
    const std::size_t half = v.size() / 2;
    const double median = v.size() % 2 == 1 ? v[half] : (v[half - 1] + v[half]) / 2;
    return {median, v.front(), v.back(), true, rounds};
}

/// `a[r] / b[r]` for every round: what was measured at the same time is
/// compared, so a machine that slows down for a while doesn't decide.
inline spread paired(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < std::min(a.size(), b.size()); ++r) ratios.push_back(a[r] / b[r]);
    return spread_of(ratios);
}

/// In each round the geometric mean, over the cells that `take` accepts, of the
/// paired ratio of subject `a` to subject `b`; then the spread of the rounds.
/// Unknown if a subject is missing, or was not measured in one of the cells.
inline spread paired_over(const measurements& m, int a, int b, const std::function<bool(const cell&)>& take) {
    if (a < 0 || b < 0) return {};
    std::vector<double> rounds(m.construct.front().size(), 0.0);
    std::size_t cells = 0;
    for (const cell& c : m.cells) {
        if (!take(c)) continue;
        if (c.ns[static_cast<std::size_t>(a)].empty() || c.ns[static_cast<std::size_t>(b)].empty()) return {};
        ++cells;
        for (std::size_t r = 0; r < rounds.size(); ++r)
            rounds[r] += std::log(c.ns[static_cast<std::size_t>(a)][r] / c.ns[static_cast<std::size_t>(b)][r]);
    }
    if (cells == 0) return {};
    for (double& x : rounds) x = std::exp(x / static_cast<double>(cells));
    return spread_of(rounds);
}

}  // namespace bench
