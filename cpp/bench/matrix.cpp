#include "matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>

namespace bench {
namespace {

double calls_of(const cell& c) { return 2.0 * static_cast<double>(c.count) * static_cast<double>(c.passes); }

[[noreturn]] void checksum_differs(const cell& c, const subject& a, const subject& b) {
    std::fprintf(stderr, "%s, %zu B x %zu: the checksums of %s and %s differ\n", name(c.work), c.size, c.count,
                 a.name.c_str(), b.name.c_str());
    std::exit(1);
}

/// The number of passes of one run.
std::size_t choose_passes(const cell& c, const subject& floor, const job& j, const effort& e) {
    if (e.calls != 0) {
        const std::size_t per_round = e.calls / e.rounds;
        return std::max<std::size_t>(1, (per_round + 2 * c.count - 1) / (2 * c.count));
    }
    job probe = j;
    probe.passes = std::max<std::size_t>(1, (1u << 17) / c.count);
    const double a_pass = floor.play(c.work, c.size, probe).seconds / static_cast<double>(probe.passes);
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(e.floor_seconds / a_pass)));
}

void run_cell(cell& c, const std::vector<subject>& all, const job& j, std::size_t round) {
    sample first;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t s = (i + round) % all.size();
        const sample got = all[s].play(c.work, c.size, j);
        c.ns[s].push_back(got.seconds * 1e9 / calls_of(c));
        if (i == 0) first = got;
        if (got.checksum != first.checksum) checksum_differs(c, all[round % all.size()], all[s]);
    }
}

}  // namespace

std::vector<std::uint32_t> permutation(std::size_t n) {
    std::vector<std::uint32_t> p(n);
    std::iota(p.begin(), p.end(), 0u);
    random_numbers random(n);
    for (std::size_t i = n; i > 1; --i) std::swap(p[i - 1], p[random.below(i)]);
    return p;
}

measurements run_matrix(const effort& e) {
    measurements m;
    m.touched = e.touched;
    m.subjects = subjects();
    m.construct.resize(m.subjects.size());
    std::map<std::size_t, std::vector<std::uint32_t>> shuffled;
    for (const std::size_t n : all_counts) shuffled[n] = permutation(n);

    for (const workload w : all_workloads)
        for (const std::size_t size : all_sizes)
            for (const std::size_t count : all_counts) {
                cell c{w, size, count, 0, {}};
                c.ns.resize(m.subjects.size());
                c.passes = choose_passes(c, m.subjects.front(), job{count, 0, shuffled[count], e.touched}, e);
                m.cells.push_back(std::move(c));
            }

    for (std::size_t round = 0; round < e.rounds; ++round) {
        std::fprintf(stderr, "\rround %zu of %zu", round + 1, e.rounds);
        for (cell& c : m.cells) run_cell(c, m.subjects, job{c.count, c.passes, shuffled[c.count], e.touched}, round);
        for (std::size_t i = 0; i < m.subjects.size(); ++i) {
            const std::size_t s = (i + round) % m.subjects.size();
            m.construct[s].push_back(m.subjects[s].construct256(256u << 10));
        }
    }
    std::fprintf(stderr, "\n");
    return m;
}

}  // namespace bench
