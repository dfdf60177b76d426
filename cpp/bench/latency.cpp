#include "latency.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "cycles.hpp"
#include "report.hpp"

namespace bench {
namespace {

/// The smallest value that is not exceeded by `percent` of all. `v` is sorted.
double percentile(const std::vector<std::uint32_t>& v, double percent) {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(v.size())));
    return v[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

latencies latencies_of(std::vector<std::uint32_t> batch_ticks, workload w) {
    latencies all{};
    if (batch_ticks.empty()) return all;
    std::sort(batch_ticks.begin(), batch_ticks.end());
    const double calls = static_cast<double>(steps_in_batch) * (keeps_full(w) ? 2 : 1);
    for (std::size_t i = 0; i < percentiles.size(); ++i)
        all[i] = percentile(batch_ticks, percentiles[i]) * nanoseconds_per_tick() / calls;
    return all;
}

bool write_latencies(const std::string& file, const std::vector<measurements>& all) {
    std::ofstream out(file);
    out << "compiler,workload,touched,size,count,subject,round,percentile,ns_per_call\n";
    for (const measurements& m : all)
        for (const cell& c : m.cells)
            for (std::size_t s = 0; s < c.percentiles.size(); ++s)
                for (std::size_t r = 0; r < c.percentiles[s].size(); ++r)
                    for (std::size_t i = 0; i < percentiles.size(); ++i)
                        out << compiler() << ",\"" << name(c.work) << "\"," << csv_name(m.touched) << ',' << c.size
                            << ',' << c.count << ',' << m.subjects[s].name << ',' << r << ',' << percentiles[i] << ','
                            << c.percentiles[s][r][i] << '\n';
    out.close();
    return !out.fail();
}

}  // namespace bench
