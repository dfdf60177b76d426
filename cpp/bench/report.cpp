#include "report.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace bench {
namespace {

constexpr int label_width = 42;
constexpr int column_width = 11;

std::string first_line_with(const char* file, const std::string& key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.rfind(key, 0) == 0) return line;
    return "";
}

std::string cell_label(const cell& c) {
    char text[96];
    std::snprintf(text, sizeof text, "%s, %zu B x %zuK", name(c.work), c.size, c.count >> 10);
    return text;
}

template <class Names>
void print_head(const char* label, const Names& names) {
    std::printf("%-*s", label_width, label);
    for (const std::string& n : names) std::printf(" %*.*s", column_width, column_width, n.c_str());
    std::printf("\n");
}

std::vector<std::string> names_of(const measurements& m) {
    std::vector<std::string> names;
    for (const subject& s : m.subjects) names.push_back(s.name);
    return names;
}

void print_value(const spread& x) {
    if (x.known)
        std::printf(" %*.2f", column_width, x.median);
    else
        std::printf(" %*s", column_width, "-");
}

void print_ratio_line(const measurements& m, const char* label, const std::function<bool(const cell&)>& take) {
    std::printf("%-*s", label_width, label);
    for (std::size_t s = 0; s < m.subjects.size(); ++s) print_value(paired_over(m, static_cast<int>(s), 0, take));
    std::printf("\n");
}

}  // namespace

std::string compiler() {
#if defined(__clang__)
    return "clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__);
#else
    return "gcc " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__);
#endif
}

void print_environment(bool quick) {
    const std::string model = first_line_with("/proc/cpuinfo", "model name");
    std::printf("processor   %s, %u threads\n", model.empty() ? "unknown" : model.substr(model.find(':') + 2).c_str(),
                std::thread::hardware_concurrency());
    std::printf("compiler    %s\n", compiler().c_str());
    std::printf("huge pages  %s\n", first_line_with("/sys/kernel/mm/transparent_hugepage/enabled", "").c_str());
    double load = 0;
    if (::getloadavg(&load, 1) == 1 && load > 0.5)
        std::printf("WARNING     the machine is busy (load %.1f): these are numbers of its other work too\n", load);
    for (const std::string& s : missing_subjects()) std::printf("not here    %s\n", s.c_str());
    for (const std::string& s : left_out()) std::printf("left out    %s\n", s.c_str());
    if (quick) {
        std::printf("left out    %s: in longer runs only\n", name(workload::batch_reverse));
        std::printf("left out    pools of more than %zu MB, 256K objects of 256 B: in longer runs only\n",
                    most_in_quick_runs >> 20);
    }
    std::printf("\n");
    std::fflush(stdout);
}

void print_matrix(const measurements& m) {
    std::printf("%s\n", name(m.touched));
    print_head("nanoseconds per call, median", names_of(m));
    for (const cell& c : m.cells) {
        std::printf("%-*s", label_width, cell_label(c).c_str());
        for (const auto& rounds : c.ns) print_value(spread_of(rounds));
        std::printf("\n");
    }
    std::printf("%-*s", label_width, "constructor, 256 B x 256K, us");
    for (const auto& rounds : m.construct) std::printf(" %*.1f", column_width, spread_of(rounds).median * 1e6);
    std::printf("\n\n");

    print_head("times the floor, geometric mean", names_of(m));
    for (const workload w : all_workloads)
        for (const std::size_t size : all_sizes) {
            char label[96];
            std::snprintf(label, sizeof label, "%s, %zu B", name(w), size);
            print_ratio_line(m, label, [&](const cell& c) { return c.work == w && c.size == size; });
        }
    print_ratio_line(m, "all of the matrix", [](const cell&) { return true; });
    std::printf("\n");
}

void print_sync(const sync_measurements& m) {
    std::printf("%s, 64 B, nanoseconds per call\n", name(m.work));
    for (std::size_t s = 0; s < m.subjects.size(); ++s) {
        const spread x = spread_of(m.ns[s]);
        std::printf("  %-24s %8.2f  (%.2f-%.2f)\n", m.subjects[s].c_str(), x.median, x.min, x.max);
    }
    std::printf("\n");
}

void print_trees(const tree_measurements& m) {
    std::printf("%s, nanoseconds for each node\n", m.name().c_str());
    for (std::size_t s = 0; s < m.subjects.size(); ++s) {
        const spread x = spread_of(m.ns[s]);
        std::printf("  %-32s %8.2f  (%.2f-%.2f)\n", m.subjects[s].c_str(), x.median, x.min, x.max);
    }
    std::printf("\n");
}

void print_region(const region_measurements& m) {
    std::printf("%s: nanoseconds for each, median (min-max), of the first\n", m.name.c_str());
    for (std::size_t s = 0; s < m.subjects.size(); ++s) {
        const spread x = spread_of(m.ns[s]);
        std::printf("  %-32s %8.2f  (%.2f-%.2f)  %.2f\n", m.subjects[s].c_str(), x.median, x.min, x.max,
                    paired(m.ns[s], m.ns[0]).median);
    }
    std::printf("\n");
}

int print_claims(const std::vector<claim>& all) {
    int missed = 0;
    std::printf("%-52s %8s  %s\n", "claim", "at most", "measured: median (min-max)");
    for (const claim& c : all) {
        std::printf("%-52s %6.2f %-2s ", c.text.c_str(), c.target, c.unit);
        if (!c.measured.known) {
            std::printf("not measured: a subject is missing\n");
            continue;
        }
        std::printf("%8.3f (%.3f-%.3f)  %s\n", c.measured.median, c.measured.min, c.measured.max,
                    c.missed() ? "MISSED" : "ok");
        missed += c.missed() ? 1 : 0;
    }
    return missed;
}

bool write_csv(const std::string& file, const std::vector<measurements>& all,
               const std::vector<sync_measurements>& sync, const std::vector<tree_measurements>& trees,
               const std::vector<region_measurements>& regions) {
    std::ofstream out(file);
    out << "compiler,workload,touched,size,count,subject,round,ns_per_call\n";
    for (const measurements& m : all) {
        const char* const touched = csv_name(m.touched);
        for (const cell& c : m.cells)
            for (std::size_t s = 0; s < m.subjects.size(); ++s)
                for (std::size_t r = 0; r < c.ns[s].size(); ++r)
                    out << compiler() << ",\"" << name(c.work) << "\"," << touched << ',' << c.size << ',' << c.count
                        << ',' << m.subjects[s].name << ',' << r << ',' << c.ns[s][r] << '\n';
        for (std::size_t s = 0; s < m.subjects.size(); ++s)
            for (std::size_t r = 0; r < m.construct[s].size(); ++r)
                out << compiler() << ",constructor,,256,262144," << m.subjects[s].name << ',' << r << ','
                    << m.construct[s][r] * 1e9 << '\n';
    }
    for (const sync_measurements& x : sync)
        for (std::size_t s = 0; s < x.subjects.size(); ++s)
            for (std::size_t r = 0; r < x.ns[s].size(); ++r)
                out << compiler() << ",\"" << name(x.work) << "\",write+read,64,0," << x.subjects[s] << ',' << r << ','
                    << x.ns[s][r] << '\n';
    for (const tree_measurements& x : trees)
        for (std::size_t s = 0; s < x.subjects.size(); ++s)
            for (std::size_t r = 0; r < x.ns[s].size(); ++r)
                out << compiler() << ',' << x.name() << ",,16,0,\"" << x.subjects[s] << "\"," << r << ',' << x.ns[s][r]
                    << '\n';
    for (const region_measurements& x : regions)
        for (std::size_t s = 0; s < x.subjects.size(); ++s)
            for (std::size_t r = 0; r < x.ns[s].size(); ++r)
                out << compiler() << ",\"arena, " << x.name << "\",," << x.size << ",0,\"" << x.subjects[s] << "\","
                    << r << ',' << x.ns[s][r] << '\n';
    out.close();
    return !out.fail();
}

bool write_claims(const std::string& file, const std::vector<claim>& all) {
    std::ofstream out(file);
    out << "claim,compiler,at most,unit,round,value\n";
    for (const claim& c : all)
        for (std::size_t r = 0; r < c.measured.rounds.size(); ++r)
            out << '"' << c.text << "\"," << compiler() << ',' << c.target << ',' << c.unit << ',' << r + 1 << ','
                << c.measured.rounds[r] << '\n';
    out.close();
    return !out.fail();
}

}  // namespace bench
