#include "claims.hpp"

namespace bench {
namespace {

bool is_batch(const cell& c) { return c.work == workload::batch_same || c.work == workload::batch_reverse; }
bool everything(const cell&) { return true; }

/// 256K objects of 256 B: 64 MB, more than the last-level cache of most machines.
bool is_large(const cell& c, workload w) {
    return c.work == w && c.size == all_sizes.back() && c.count == all_counts.back();
}

int find(const std::vector<std::string>& names, const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i);
    return -1;
}

}  // namespace

std::vector<claim> claims(const measurements& m) {
    const auto at = [&](const char* name) { return find_subject(m.subjects, name); };
    const int trap = at("ebb trap"), none = at("ebb none"), floor = at("floor");
    std::vector<claim> all;
    const auto add = [&](const char* text, double target, int a, int b, const std::function<bool(const cell&)>& take) {
        all.push_back({text, target, paired_over(m, a, b, take), "x"});
    };

    add("trap, batch 16 B, of the floor", 1.15, trap, floor, [](const cell& c) { return is_batch(c) && c.size == 16; });
    add("trap, batch 256 B, of the floor", 0.30, trap, floor,
        [](const cell& c) { return is_batch(c) && c.size == 256; });
    add("trap, rolling 16 B, of the floor", 1.40, trap, floor,
        [](const cell& c) { return c.work == workload::rolling && c.size == 16; });
    add("trap, rolling 256 B, of the floor", 1.15, trap, floor,
        [](const cell& c) { return c.work == workload::rolling && c.size == 256; });
    add("trap, all of the matrix, of the floor", 0.95, trap, floor, everything);
    add("trap, all of the matrix, of checked vectors", 0.75, trap, at("checked vectors"), everything);
    add("trap, all of the matrix, of glibc malloc", 0.21, trap, at("glibc malloc"), everything);
    add("trap, all of the matrix, of mimalloc", 0.45, trap, at("mimalloc"), everything);
    add("trap, random victims 256K x 256 B, of the floor", 0.50, trap, floor,
        [](const cell& c) { return is_large(c, workload::random_victims); });
    add("trap, shuffled drain 256K x 256 B, of the floor", 0.20, trap, floor,
        [](const cell& c) { return is_large(c, workload::shuffled_drain); });
    add("none, all of the matrix, of the floor", 0.85, none, floor, everything);

    std::vector<double> microseconds;
    for (const double s : m.construct[static_cast<std::size_t>(trap)]) microseconds.push_back(s * 1e6);
    all.push_back({"trap, constructor, 256K x 256 B", 50, spread_of(microseconds), "us"});

    return all;
}

std::vector<claim> claims(const std::vector<region_measurements>& all) {
    std::vector<claim> made;
    const auto add = [&](const char* life, const char* other, double target) {
        for (const region_measurements& m : all) {
            if (m.name != life) continue;
            claim c{"arena, " + m.name + ", of " + other, target, {}, "x"};
            const int ours = find(m.subjects, "ebb::arena"), theirs = find(m.subjects, other);
            if (ours >= 0 && theirs >= 0)
                c.measured = paired(m.ns[static_cast<std::size_t>(ours)], m.ns[static_cast<std::size_t>(theirs)]);
            made.push_back(std::move(c));
        }
    };
    add("32 B, lives of 20", "raw bump", 2.0);
    add("64 B, lives of 20", "raw bump", 2.0);
    add("32 B, lives of 1,000", "raw bump", 1.25);
    add("64 B, lives of 1,000", "raw bump", 1.25);
    add("32 B, lives of 16,000", "raw bump", 1.25);
    add("64 B, lives of 16,000", "raw bump", 1.25);
    add("64 B with a destructor, lives of 1,000", "raw bump", 2.8);
    add("64 B with a destructor, lives of 1,000", "protobuf Arena", 0.55);
    add("32 B, lives of 1,000", "std::pmr monotonic, one buffer", 0.75);
    add("documents", "glibc malloc", 0.25);
    add("documents", "mimalloc", 0.40);
    return made;
}

claim claim_of(const sync_measurements& s) {
    const int ours = find(s.subjects, "ebb sync"), theirs = find(s.subjects, "mimalloc");
    claim c{std::string("ebb sync, ") + name(s.work) + ", of mimalloc",
            s.work == sync_workload::churn ? 0.70 : 0.40,
            {},
            "x"};
    if (ours >= 0 && theirs >= 0)
        c.measured = paired(s.ns[static_cast<std::size_t>(ours)], s.ns[static_cast<std::size_t>(theirs)]);
    return c;
}

}  // namespace bench
