/// \file
/// The benchmark of pools and arenas beside a lower bound, common designs, and the allocators that a program
/// would use instead. Names are operation, size of an object, number of objects, and subject:
/// `matrix/rolling/16/8K/ebb trap`.
///
///     bench --benchmark_filter=matrix --benchmark_repetitions=7 --benchmark_enable_random_interleaving=true

#include "bench.hpp"
#include "subjects.hpp"

int main(int argc, char** argv) {
    bench::restart_with_room_for_jemalloc(argv);
    bench::add_pools();
    bench::add_sync();
    bench::add_regions();
    bench::add_containers();
    bench::add_documents();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 64;
    benchmark::RunSpecifiedBenchmarks();
}
