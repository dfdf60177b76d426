#include "more.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "matrix.hpp"
#include "subjects/checked_vectors.hpp"
#include "subjects/ebb.hpp"
#include "subjects/floor.hpp"
#include "subjects/pointer_stack.hpp"
#include "subjects/shared_malloc.hpp"

namespace bench {
namespace {

struct entry {
    const char* name;
    sample (*play)(workload, const job&);
};

/// Batches in a pool whose free objects lie in no order: a program that frees as it
/// likes has that after a while. Each batch leaves them as mixed as they were.
template <class Pool>
[[gnu::noinline]] sample play_aged(workload w, const job& j) {
    Pool pool(j.count);
    player<Pool> player(pool, j);
    player.template pass<false>(workload::shuffled_drain);
    sample s;
    s.seconds = timed<false>(player, w, j.passes, false);
    player.template pass<true>(w);
    s.checksum = player.checksum();
    return s;
}

template <std::size_t Size>
std::vector<entry> entries(bool aged) {
    std::vector<entry> all;
    const auto add = [&]<class Pool>(const Pool*) {
        if (Pool::available()) all.push_back({Pool::name, aged ? &play_aged<Pool> : &play<Pool>});
    };
    add(static_cast<floor_pool<Size>*>(nullptr));
    add(static_cast<ebb_trap<Size>*>(nullptr));
    add(static_cast<ebb_none<Size>*>(nullptr));
    add(static_cast<checked_vectors<Size>*>(nullptr));
    add(static_cast<pointer_stack<Size>*>(nullptr));
    add(static_cast<mimalloc<Size>*>(nullptr));
    return all;
}

struct plan {
    workload work;
    std::size_t count;
    bool aged;
};

template <std::size_t Size>
region_measurements run_cell(const plan& p, std::size_t rounds, std::size_t calls, progress& steps) {
    const auto all = entries<Size>(p.aged);
    region_measurements m;
    m.size = Size;
    m.name = std::to_string(Size) + " B x " + std::to_string(p.count) + ", " + name(p.work) +
             (p.aged ? ", after a shuffled drain" : "");
    m.ns.resize(all.size());
    for (const entry& e : all) m.subjects.emplace_back(e.name);
    const auto shuffled = permutation(p.count);
    const job j{p.count, std::max<std::size_t>(1, calls / (2 * p.count)), shuffled};
    for (std::size_t round = 0; round < rounds; ++round) {
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t s = (i + round) % all.size();
            const sample got = all[s].play(p.work, j);
            if (i == 0) expected = got.checksum;
            if (got.checksum != expected) {
                std::fprintf(stderr, "%s: the checksum of %s differs\n", m.name.c_str(), all[s].name);
                std::exit(1);
            }
            m.ns[s].push_back(got.seconds * 1e9 / (2.0 * static_cast<double>(j.count * j.passes)));
        }
        steps.step("more cells");
    }
    return m;
}

constexpr std::array size_works{workload::batch_same, workload::rolling, workload::random_victims,
                                workload::shuffled_drain};
constexpr std::array<std::size_t, 2> size_counts{1u << 10, 64u << 10};

/// In each round the geometric mean of the paired ratios over the cells that `take`
/// accepts; then the spread of the rounds.
template <class Take>
spread ratio(const std::vector<region_measurements>& cells, const char* a, const char* b, Take take) {
    std::vector<double> rounds;
    std::size_t taken = 0;
    for (const region_measurements& c : cells) {
        if (!take(c)) continue;
        const auto at = [&c](const std::string& subject) {
            for (std::size_t i = 0; i < c.subjects.size(); ++i)
                if (c.subjects[i] == subject) return &c.ns[i];
            return static_cast<const std::vector<double>*>(nullptr);
        };
        if (at(a) == nullptr || at(b) == nullptr) return {};
        ++taken;
        rounds.resize(at(a)->size(), 0.0);
        for (std::size_t r = 0; r < rounds.size(); ++r) rounds[r] += std::log((*at(a))[r] / (*at(b))[r]);
    }
    for (double& x : rounds) x = std::exp(x / static_cast<double>(taken));
    return spread_of(rounds);
}

bool any(const region_measurements&) { return true; }

}  // namespace

std::size_t more_steps(std::size_t rounds) noexcept {
    return rounds * (2 * size_works.size() * size_counts.size() + 3 * all_counts.size() + 2 * all_counts.size());
}

more_measurements run_more(std::size_t rounds, bool quick, progress& steps) {
    const std::size_t calls = quick ? 100'000 : 1'000'000;
    more_measurements m;
    for (const workload w : size_works) {
        for (const std::size_t n : size_counts) {
            m.sizes.push_back(run_cell<24>({w, n, false}, rounds, calls, steps));
            m.sizes.push_back(run_cell<48>({w, n, false}, rounds, calls, steps));
        }
    }
    for (const std::size_t n : all_counts) {
        m.aged.push_back(run_cell<16>({workload::batch_same, n, true}, rounds, calls, steps));
        m.aged.push_back(run_cell<48>({workload::batch_same, n, true}, rounds, calls, steps));
        m.aged.push_back(run_cell<256>({workload::batch_same, n, true}, rounds, calls, steps));
        m.known.push_back(run_cell<128>({workload::batch_same, n, false}, rounds, calls, steps));
        m.known.push_back(run_cell<256>({workload::batch_same, n, false}, rounds, calls, steps));
    }
    return m;
}

std::vector<claim> claims(const more_measurements& m) {
    std::vector<claim> all;
    const auto add = [&](const char* text, double target, const std::vector<region_measurements>& cells,
                         const char* other, auto take) {
        all.push_back({text, target, ratio(cells, "ebb trap", other, take), "x"});
    };
    add("trap, 24 B and 48 B, of the floor", 1.30, m.sizes, "floor", any);
    add("trap, 24 B and 48 B, of mimalloc", 0.45, m.sizes, "mimalloc", any);
    add("trap, batches after a shuffled drain, 1K and 8K, of the floor", 1.50, m.aged, "floor",
        [](const region_measurements& c) {
            return c.name.find("x 1024,") + 1 != 0 || c.name.find("x 8192,") + 1 != 0;
        });
    add("trap, batches after a shuffled drain, 64K and 256K, of the floor", 0.50, m.aged, "floor",
        [](const region_measurements& c) {
            return c.name.find("x 65536,") + 1 != 0 || c.name.find("x 262144,") + 1 != 0;
        });
    add("trap, filled and emptied, 128 B and 256 B, of checked vectors", 0.85, m.known, "checked vectors", any);
    claim worst{"trap, filled and emptied, the worst cell, of checked vectors", 1.05, {}, "x"};
    for (const region_measurements& cell : m.known) {
        const spread one = ratio({cell}, "ebb trap", "checked vectors", any);
        if (!worst.measured.known || one.median > worst.measured.median) worst.measured = one;
    }
    all.push_back(std::move(worst));
    return all;
}

}  // namespace bench
