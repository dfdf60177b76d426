/// \file
/// Ebbpool's benchmark: a fixed pool beside the floor, the usual design and the
/// allocators one would use instead. `bench --help` says how to run it.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "latency.hpp"
#include "more.hpp"
#include "report.hpp"
#include "subjects/shared_malloc.hpp"
#include "traces.hpp"
#include "trees.hpp"

namespace {

using namespace bench;

constexpr const char* usage =
    "usage: bench [--quick | --full] [--only matrix | --only more | --only sync | --only trees |\n"
    "             --only regions]\n"
    "             [--read] [--rounds N] [--csv FILE] [--latencies FILE] [--claims FILE]\n"
    "             [--traces DIRECTORY] [--check]\n"
    "       bench --count SUBJECT WORKLOAD SIZE COUNT CALLS\n"
    "  --quick   about 45 seconds: fewer calls, nothing freed in reverse, no claims,\n"
    "            latencies of full pools of 8K and 64K\n"
    "  --full    100,000,000 calls for each subject and cell, over all rounds\n"
    "            (without either: one to two minutes)\n"
    "  --only    one thread's pools, what their matrix leaves out, those for threads,\n"
    "            binary trees (to depth 16; quick to 14, full to 20), or ebb::arena\n"
    "  --read    the matrix once more, with objects read before they are freed\n"
    "  --rounds  at least 7, the default\n"
    "  --csv     keeps every single run\n"
    "  --claims  keeps the rounds of every claim, for the table of the README\n"
    "  --traces  the directory of the shared traces, which are replayed first\n"
    "  --check   exit code 2 when a claim was missed\n"
    "  --latencies\n"
    "            keeps percentiles too, of 32 calls at a time\n"
    "  --count   one subject, one workload (batch, reverse, rolling, random, drain),\n"
    "            nothing else: to be run under a profiler\n";

struct options {
    effort work;
    std::size_t sync_calls = 4'000'000;
    std::string csv;
    std::string claims;
    std::string latencies;
    std::string traces = EBBPOOL_TRACES;
    bool matrix = true;
    bool more = true;
    bool sync = true;
    bool trees = true;
    bool regions = true;
    unsigned tree_depth = 16;
    bool read_too = false;
    bool check = false;
};

std::optional<std::size_t> number(const char* text) {
    std::size_t n = 0;
    const char* end = text + std::strlen(text);
    const auto [at, error] = std::from_chars(text, end, n);
    if (error != std::errc{} || at != end) return std::nullopt;
    return n;
}

int bad(const char* what) {
    std::fprintf(stderr, "bench: %s\n%s", what, usage);
    return 64;
}

/// One run of one subject, its first pass the warm-up.
int count_one(char** argv) {
    static constexpr const char* names[] = {"batch", "reverse", "rolling", "random", "drain"};
    const auto all = subjects();
    const int s = find_subject(all, argv[0]);
    const auto size = number(argv[2]), count = number(argv[3]), calls = number(argv[4]);
    if (s < 0) return bad("no such subject");
    if (!size || (*size != 16 && *size != 256)) return bad("SIZE is 16 or 256");
    if (!count || *count == 0 || !calls || *calls < 2 * *count) return bad("CALLS is at least twice COUNT");
    for (const workload w : all_workloads) {
        if (std::strcmp(argv[1], names[static_cast<std::size_t>(w)]) != 0) continue;
        const auto shuffled = permutation(*count);
        const std::size_t passes = *calls / (2 * *count);
        const sample got = all[static_cast<std::size_t>(s)].play(w, *size, {*count, passes, shuffled, touch::write});
        const double timed_calls = 2.0 * static_cast<double>(*count) * static_cast<double>(passes);
        std::printf("checksum %llu, %.2f ns per call\n", static_cast<unsigned long long>(got.checksum),
                    got.seconds * 1e9 / timed_calls);
        return 0;
    }
    return bad("no such workload");
}

int run(const options& o) {
    print_environment(o.work.quick);
    replay_traces(o.traces);
    const std::size_t matrix_runs = o.matrix ? (o.read_too ? 2 : 1) : 0;
    progress steps(matrix_runs * matrix_steps(o.work) + (o.sync ? 2 * o.work.rounds : 0) +
                   (o.more ? more_steps(o.work.rounds) : 0) + (o.trees ? o.work.rounds : 0) +
                   (o.regions ? region_steps(o.work.rounds) : 0));
    std::vector<measurements> matrices;
    std::vector<sync_measurements> sync;
    std::vector<tree_measurements> trees;
    std::vector<region_measurements> regions;
    std::vector<claim> all;
    if (o.matrix) {
        matrices.push_back(run_matrix(o.work, steps));
        all = claims(matrices.front());
    }
    if (o.matrix && o.read_too) {
        effort again = o.work;
        again.touched = touch::write_and_read;
        matrices.push_back(run_matrix(again, steps));
    }
    more_measurements more;
    if (o.more) {
        more = run_more(o.work.rounds, o.work.quick, steps);
        for (claim& c : claims(more)) all.push_back(std::move(c));
    }
    if (o.sync) {
        for (const sync_workload w : {sync_workload::churn, sync_workload::producer_consumer}) {
            sync.push_back(run_sync(w, o.work.rounds, o.sync_calls, steps));
            all.push_back(claim_of(sync.back()));
        }
    }
    if (o.trees) trees.push_back(run_trees(o.tree_depth, o.work.rounds, steps));
    if (o.regions) {
        regions = run_regions(o.work.rounds, o.work.quick, steps);
        for (claim& c : claims(regions)) all.push_back(std::move(c));
    }

    if (!o.latencies.empty() && !write_latencies(o.latencies, matrices)) {
        std::fprintf(stderr, "bench: can't write %s\n", o.latencies.c_str());
        return 1;
    }

    for (const measurements& m : matrices) print_matrix(m);
    for (const auto* cells : {&more.sizes, &more.aged, &more.known})
        for (const region_measurements& m : *cells) print_region(m);
    for (const sync_measurements& s : sync) print_sync(s);
    for (const tree_measurements& t : trees) print_trees(t);
    for (const region_measurements& m : regions) print_region(m);
    const int missed = o.work.quick ? 0 : print_claims(all);
    if (!o.csv.empty() && !write_csv(o.csv, matrices, sync, trees, regions)) {
        std::fprintf(stderr, "bench: can't write %s\n", o.csv.c_str());
        return 1;
    }
    if (!o.claims.empty() && !write_claims(o.claims, all)) {
        std::fprintf(stderr, "bench: can't write %s\n", o.claims.c_str());
        return 1;
    }
    return o.check && missed != 0 ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    restart_with_room_for_jemalloc(argv);
    options o;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        const bool has_next = i + 1 < argc;
        if (arg == "--help" || arg == "-h") {
            std::fputs(usage, stdout);
            return 0;
        }
        if (arg == "--quick") {
            o.work.calls = 0;
            o.work.floor_seconds = 0.0004;
            o.sync_calls = 400'000;
            o.tree_depth = 14;
            o.work.quick = true;
        } else if (arg == "--full") {
            o.work.calls = 100'000'000;
            o.sync_calls = 100'000'000 / 7;
            o.tree_depth = 20;
            o.work.quick = false;
        } else if (arg == "--rounds" && has_next) {
            const auto n = number(argv[++i]);
            if (!n || *n < 7) return bad("fewer than 7 rounds say little");
            o.work.rounds = *n;
        } else if (arg == "--csv" && has_next) {
            o.csv = argv[++i];
        } else if (arg == "--latencies" && has_next) {
            o.latencies = argv[++i];
        } else if (arg == "--traces" && has_next) {
            o.traces = argv[++i];
        } else if (arg == "--claims" && has_next) {
            o.claims = argv[++i];
        } else if (arg == "--only" && has_next) {
            const std::string what = argv[++i];
            if (what != "matrix" && what != "more" && what != "sync" && what != "trees" && what != "regions")
                return bad("--only matrix, more, sync, trees or regions");
            o.matrix = what == "matrix";
            o.more = what == "more";
            o.sync = what == "sync";
            o.trees = what == "trees";
            o.regions = what == "regions";
        } else if (arg == "--read") {
            o.read_too = true;
        } else if (arg == "--check") {
            o.check = true;
        } else if (arg == "--count" && i + 5 < argc) {
            return count_one(argv + i + 1);
        } else {
            return bad(("what is " + arg + "?").c_str());
        }
    }
    if (!o.latencies.empty()) {
        if (!o.matrix) return bad("--latencies are of the matrix, which --only leaves out");
        o.work.latencies = true;
    }
    if (o.work.quick && (o.check || !o.claims.empty()))
        return bad("--quick leaves out some of what the claims are made of");
    return run(o);
}
