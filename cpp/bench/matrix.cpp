#include "matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>

namespace bench {
namespace {

double calls_of(const job& j) { return 2.0 * static_cast<double>(j.count) * static_cast<double>(j.passes); }

/// Whole batches in the passes that are timed for latencies, and no others.
std::size_t batches_of(const cell& c) {
    const std::size_t in_a_pass = c.count / steps_in_batch * (keeps_full(c.work) ? 1 : 2);
    return latency_passes(c.count) * in_a_pass;
}

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

bool times_batches(const cell& c, const effort& e) {
    if (!e.latencies || !e.quick) return e.latencies;
    return keeps_full(c.work) && (c.count == 8u << 10 || c.count == 64u << 10);
}

void run_cell(cell& c, const std::vector<subject>& all, const job& j, std::size_t round) {
    std::vector<std::uint64_t> checksums(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t s = (i + round) % all.size();
        if (!all[s].takes(c.count)) continue;
        job mine = j;
        mine.passes = all[s].passes(j.passes);
        const sample got = all[s].play(c.work, c.size, mine);
        if (j.latencies && got.batch_ticks.size() != batches_of(c)) {
            std::fprintf(stderr, "%s, %zu B x %zu: %s timed %zu batches of calls instead of %zu\n", name(c.work),
                         c.size, c.count, all[s].name.c_str(), got.batch_ticks.size(), batches_of(c));
            std::exit(1);
        }
        if (j.latencies) c.percentiles[s].push_back(latencies_of(got.batch_ticks, c.work));
        c.ns[s].push_back(got.seconds * 1e9 / calls_of(mine));
        checksums[s] = got.checksum;
    }
    for (std::size_t s = 1; s < all.size(); ++s) {
        if (!all[s].takes(c.count)) continue;
        job same = j;
        same.passes = all[s].passes(j.passes);
        const bool other = same.passes != j.passes;
        const std::uint64_t expected = other ? all[0].play(c.work, c.size, same).checksum : checksums[0];
        if (checksums[s] != expected) checksum_differs(c, all[0], all[s]);
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

bool leaves_out(const effort& e, workload w, std::size_t size, std::size_t count) {
    return e.quick && (w == workload::batch_reverse || size * count > most_in_quick_runs);
}

std::size_t matrix_steps(const effort& e) {
    std::size_t cells = 0;
    for (const workload w : all_workloads)
        for (const std::size_t size : all_sizes)
            for (const std::size_t count : all_counts)
                if (!leaves_out(e, w, size, count)) ++cells;
    return e.rounds * cells;
}

measurements run_matrix(const effort& e, progress& steps) {
    measurements m;
    m.touched = e.touched;
    m.subjects = subjects();
    m.construct.resize(m.subjects.size());
    std::map<std::size_t, std::vector<std::uint32_t>> shuffled;
    for (const std::size_t n : all_counts) shuffled[n] = permutation(n);

    for (const workload w : all_workloads) {
        for (const std::size_t size : all_sizes)
            for (const std::size_t count : all_counts) {
                if (leaves_out(e, w, size, count)) continue;
                cell c{w, size, count, 0, {}, {}};
                c.ns.resize(m.subjects.size());
                c.percentiles.resize(m.subjects.size());
                c.passes = choose_passes(c, m.subjects.front(), job{count, 0, shuffled[count], e.touched}, e);
                m.cells.push_back(std::move(c));
            }
    }

    for (std::size_t round = 0; round < e.rounds; ++round) {
        for (cell& c : m.cells) {
            run_cell(c, m.subjects, job{c.count, c.passes, shuffled[c.count], e.touched, times_batches(c, e), e.quick},
                     round);
            steps.step(name(c.work));
        }
        for (std::size_t i = 0; i < m.subjects.size(); ++i) {
            const std::size_t s = (i + round) % m.subjects.size();
            m.construct[s].push_back(m.subjects[s].construct256(256u << 10));
        }
    }
    return m;
}

}  // namespace bench
