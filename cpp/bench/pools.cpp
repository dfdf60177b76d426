#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>

#include "bench.hpp"
#include "subjects.hpp"
#include "workloads.hpp"

namespace bench {
namespace {

constexpr std::array<std::size_t, 4> all_counts{1u << 10, 8u << 10, 64u << 10, 256u << 10};

std::string kilo(std::size_t count) { return std::to_string(count >> 10) + "K"; }

/// The number of passes that bench_callgrind.sh requests; 0 for timing.
std::int64_t fixed_passes() {
    const char* const text = std::getenv("BENCH_PASSES");
    return text == nullptr ? 0 : std::atoll(text);
}

/// A pass is `count` allocations and as many frees. If `aged`, the free objects are in random order at the
/// start, as in a program that has run for a while.
template <class Pool>
void run_pool(benchmark::State& state, workload w, std::size_t count, bool aged) {
    Pool pool(count);
    player<Pool> player(pool, count);
    if (aged) player.pass(workload::shuffled_drain);
    if (keeps_full(w)) player.fill();
    if (fixed_passes() == 0) player.pass(w);  // to warm up
    for ([[maybe_unused]] auto _ : state) player.pass(w);
    count_calls(state, 2 * count);
    if (!player.verify(keeps_full(w))) state.SkipWithError("an object was handed out twice, or written by the pool");
}

/// Percentiles of the time of `steps_in_batch` calls.
template <class Pool>
void run_latency(benchmark::State& state, workload w, std::size_t count) {
    Pool pool(count);
    player<Pool> player(pool, count);
    if (keeps_full(w)) player.fill();
    player.pass(w);
    std::vector<std::uint32_t> ticks;
    for ([[maybe_unused]] auto _ : state) {
        player.time_steps(&ticks);
        for (std::size_t done = 0; done < (1u << 18); done += count) player.pass(w);
        player.time_steps(nullptr);
    }
    std::sort(ticks.begin(), ticks.end());
    const double calls = static_cast<double>(steps_in_batch) * (keeps_full(w) ? 2 : 1);
    for (const char* q : {"50", "90", "99", "99.9", "99.99"}) {
        const auto rank = static_cast<std::size_t>(std::ceil(std::atof(q) / 100 * static_cast<double>(ticks.size())));
        state.counters[std::string("p") + q + "-ns"] =
            ticks[std::max<std::size_t>(rank, 1) - 1] * nanoseconds_per_tick() / calls;
    }
}

/// Times the constructor of a pool, not its destructor.
template <class Pool>
void run_construct(benchmark::State& state, std::size_t count) {
    for ([[maybe_unused]] auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        Pool pool(count);
        keep(pool);
        state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    count_calls(state, 1);
}

std::string join(std::initializer_list<std::string> parts) {
    std::string all;
    for (const std::string& p : parts) all += (all.empty() ? "" : "/") + p;
    return all;
}

template <class Pool>
void add(const char* kind, workload w, std::size_t count, bool aged = false) {
    if (!Pool::available()) return;
    const std::string size = std::to_string(sizeof(typename Pool::value_type));
    const std::string name = aged ? join({kind, size, kilo(count), Pool::name})
                                  : join({kind, bench::name(w), size, kilo(count), Pool::name});
    auto* const b = benchmark::RegisterBenchmark(name.c_str(), &run_pool<Pool>, w, count, aged);
    if (fixed_passes() != 0) b->Iterations(fixed_passes());
}

/// Adds the rows of a subject in the matrix, for capacities up to `most`.
template <template <std::size_t> class Pool>
void add_matrix(std::size_t most = all_counts.back()) {
    for (const workload w : all_workloads)
        for (const std::size_t count : all_counts) {
            if (count > most) continue;
            add<Pool<16>>("matrix", w, count);
            add<Pool<256>>("matrix", w, count);
        }
    if (!Pool<256>::available() || most < all_counts.back()) return;
    benchmark::RegisterBenchmark(join({"latency/random/256/64K", Pool<256>::name}).c_str(), &run_latency<Pool<256>>,
                                 workload::random_victims, std::size_t{64} << 10)
        ->Iterations(1);
    benchmark::RegisterBenchmark(join({"construct/256/256K", Pool<256>::name}).c_str(), &run_construct<Pool<256>>,
                                 all_counts.back())
        ->UseManualTime();
}

/// Adds sizes that are not powers of 2, pools with free objects in random order, and large objects.
template <template <std::size_t> class Pool>
void add_more() {
    for (const workload w :
         {workload::batch_same, workload::rolling, workload::random_victims, workload::shuffled_drain})
        for (const std::size_t count : {all_counts[0], all_counts[2]}) {
            add<Pool<24>>("sizes", w, count);
            add<Pool<48>>("sizes", w, count);
        }
    for (const std::size_t count : all_counts) {
        add<Pool<16>>("aged", workload::batch_same, count, true);
        add<Pool<48>>("aged", workload::batch_same, count, true);
        add<Pool<256>>("aged", workload::batch_same, count, true);
        add<Pool<128>>("known", workload::batch_same, count);
        add<Pool<256>>("known", workload::batch_same, count);
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

void add_pools() {
    add_matrix<lower_bound_pool>();
    add_matrix<ebb_trap>();
    add_matrix<ebb_report>();
    add_matrix<ebb_none>();
    add_matrix<checked_vectors>();
    add_matrix<glibc_malloc>();
    add_matrix<mimalloc>();
    add_matrix<jemalloc>();
    add_matrix<tcmalloc>();
    add_matrix<tbb>();
    add_matrix<pmr_pool>();
#if BENCH_HAVE_BOOST
    add_matrix<boost_pool>();
    add_matrix<boost_object_pool>(1024);  // frees are O(n)
#endif
#if BENCH_HAVE_FOONATHAN
    add_matrix<foonathan_pool>();
#endif
    add_more<lower_bound_pool>();
    add_more<ebb_trap>();
    add_more<ebb_none>();
    add_more<checked_vectors>();
    add_more<pointer_stack>();
    add_more<mimalloc>();
}

}  // namespace bench
