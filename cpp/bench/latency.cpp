#include "latency.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "cycles.hpp"

namespace bench {
namespace {

/// The smallest value that is not exceeded by `percent` of all. `v` is sorted.
double percentile(const std::vector<std::uint32_t>& v, double percent) {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(v.size())));
    return v[std::max<std::size_t>(rank, 1) - 1];
}

/// A step of these is a free and an allocation.
bool steps_are_pairs(workload w) { return w == workload::rolling || w == workload::random_victims; }

void run_cell(std::ofstream& out, const std::vector<subject>& all, workload w, std::size_t size, const job& j,
              std::size_t round) {
    const double calls = static_cast<double>(steps_in_batch) * (steps_are_pairs(w) ? 2 : 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const subject& who = all[(i + round) % all.size()];
        std::vector<std::uint32_t> ticks_of_runs = who.play(w, size, j).batch_ticks;
        if (ticks_of_runs.empty()) continue;
        std::sort(ticks_of_runs.begin(), ticks_of_runs.end());
        for (const double p : percentiles) {
            out << '"' << name(w) << "\"," << size << ',' << j.count << ',' << who.name << ',' << round << ',' << p
                << ',' << percentile(ticks_of_runs, p) * nanoseconds_per_tick() / calls << '\n';
        }
    }
}

}  // namespace

bool write_latencies(const std::string& file, std::size_t rounds) {
    std::ofstream out(file);
    out << "workload,size,count,subject,round,percentile,ns_per_call\n";
    const std::vector<subject> all = subjects();
    for (std::size_t round = 0; round < rounds; ++round) {
        std::fprintf(stderr, "\rlatencies, round %zu of %zu", round + 1, rounds);
        for (const std::size_t count : all_counts) {
            const std::vector<std::uint32_t> shuffled = permutation(count);
            job j{count, 1, shuffled};
            j.latencies = true;
            for (const workload w : all_workloads)
                for (const std::size_t size : all_sizes) run_cell(out, all, w, size, j, round);
        }
    }
    std::fprintf(stderr, "\n");
    out.close();
    return !out.fail();
}

}  // namespace bench
