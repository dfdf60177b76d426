/// \file
/// Misuses pools and regions on purpose: `misuse_matrix --help`.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "../bench/subjects/shared_malloc.hpp"
#include "document.hpp"

namespace {

using namespace misuse;

constexpr const char* usage =
    "usage: misuse_matrix               prints the matrix\n"
    "       misuse_matrix --check       exit code 1 unless Ebbpool caught 9 of 9, and 7 of 8 of a region\n"
    "       misuse_matrix --fuzz N      N random misuses against a model; exit code 1 if any went wrong\n"
    "       misuse_matrix --fresh FILE  exit code 1 unless the page is what --write would write,\n"
    "                                   the other allocators' columns left out\n"
    "       misuse_matrix --write FILE  writes the page, from a matrix and 10,000,000 random misuses\n";

constexpr std::uint64_t seed = 1;
constexpr std::size_t fuzz_for_the_page = 10'000'000;
constexpr int times = 20;  // as the page says

/// `--try SUBJECT KIND FD`: how the program calls itself.
[[noreturn]] void try_one(char** argv) {
    const auto all = subjects();
    const auto s = static_cast<std::size_t>(std::atoi(argv[0]));
    misuse_in_child(all.at(s), static_cast<kind>(std::atoi(argv[1])), std::atoi(argv[2]));
}

/// `--try-region SUBJECT KIND FD`: the same for regions.
[[noreturn]] void try_one_region(char** argv) {
    misuse_region_in_child(static_cast<std::size_t>(std::atoi(argv[0])), static_cast<region_kind>(std::atoi(argv[1])),
                           std::atoi(argv[2]));
}

bool went_well(const fuzz_result& r) { return r.unreported == 0 && r.corrupted == 0; }

int check() {
    int wrong = 0;
    for (const column& c : run_all(times, true)) {
        std::printf("%s: %zu of %zu caught\n", c.who.name.c_str(), c.caught(), all_kinds.size());
        for (std::size_t k = 0; k < all_kinds.size(); ++k) {
            if (c.results[k].what == outcome::caught) continue;
            std::printf("  %s: %s %s\n", name(all_kinds[k]), name(c.results[k].what), c.results[k].message.c_str());
            ++wrong;
        }
    }
    for (const region_column& c : run_regions(true)) {
        for (std::size_t k = 0; k < all_region_kinds.size(); ++k) {
            // A plain build can't see a write.
            if (all_region_kinds[k] == region_kind::dead_object || c.results[k].what == outcome::caught) continue;
            std::printf("%s, %s: %s %s\n", c.who.c_str(), name(all_region_kinds[k]), name(c.results[k].what),
                        c.results[k].message.c_str());
            ++wrong;
        }
    }
    return wrong == 0 ? 0 : 1;
}

int run_fuzz(std::size_t n) {
    const fuzz_result r = fuzz(n, seed);
    std::printf("%zu misuses among %zu right calls: %zu not reported as what they were, %zu corrupted\n", r.misuses,
                r.right_calls, r.unreported, r.corrupted);
    return went_well(r) ? 0 : 1;
}

int write_page(const char* file) {
    const fuzz_result r = fuzz(fuzz_for_the_page, seed);
    const auto columns = run_all(times);
    std::ofstream out(file);
    write_document(out, columns, run_regions(), r);
    out.close();
    if (out.fail()) {
        std::fprintf(stderr, "misuse_matrix: can't write %s\n", file);
        return 1;
    }
    return went_well(r) ? 0 : 1;
}

int check_page(const char* file) {
    std::ifstream page(file);
    if (!page) {
        std::fprintf(stderr, "misuse_matrix: can't read %s\n", file);
        return 1;
    }
    const std::string stale = find_stale(page, run_all(times, true), run_regions(true), fuzz(fuzz_for_the_page, seed));
    if (stale.empty()) return 0;
    std::fprintf(stderr, "%s is stale: %s\nWrite it anew: cmake --build build -t misuse_page\n", file, stale.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    bench::restart_with_room_for_jemalloc(argv);
    const std::string arg = argc > 1 ? argv[1] : "";
    if (argc == 5 && arg == "--try") try_one(argv + 2);
    if (argc == 5 && arg == "--try-region") try_one_region(argv + 2);
    if (argc == 1) {
        write_table(std::cout, run_all(times));
        write_region_table(std::cout, run_regions());
        return 0;
    }
    if (argc == 2 && arg == "--check") return check();
    if (argc == 3 && arg == "--write") return write_page(argv[2]);
    if (argc == 3 && arg == "--fresh") return check_page(argv[2]);
    if (argc == 3 && arg == "--fuzz") {
        std::size_t n = 0;
        const char* const end = argv[2] + std::strlen(argv[2]);
        const auto [at, error] = std::from_chars(argv[2], end, n);
        if (error == std::errc{} && at == end) return run_fuzz(n);
    }
    std::fputs(usage, arg == "--help" ? stdout : stderr);
    return arg == "--help" ? 0 : 64;
}
