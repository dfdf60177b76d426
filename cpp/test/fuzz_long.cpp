// Runs the fuzzers' bodies on random bytes: build/fuzz_long OPERATIONS SEED. Half of the operations are calls
// of a pool, half of an arena. A failure is printed with the seed of its round; build/fuzz_long 1 SEED replays
// that round.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "arena_model.hpp"
#include "trace.hpp"

int main(int argc, char** argv) {
    if (argc != 3) return std::fputs("usage: fuzz_long OPERATIONS SEED\n", stderr), 2;
    const std::uint64_t wanted = std::strtoull(argv[1], nullptr, 10), first = std::strtoull(argv[2], nullptr, 10);
    const std::uint64_t& arenas = arena_model::player::steps;
    std::uint64_t pools = 0;
    std::uint64_t seed = first;
    for (; pools + arenas < wanted; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(8 + random() % 400));
        const auto fill = [&] {
            for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random() >> 56);
        };
        fill();
        std::string error = trace::replay_bytes(bytes.data(), bytes.size());
        pools += bytes.size() - 2;  // each further byte is a call; for arenas, a call takes several
        while (error.empty() && arenas < pools) fill(), error = arena_model::replay_bytes(bytes.data(), bytes.size());
        if (!error.empty()) return std::printf("seed %" PRIu64 ": %s\n", seed, error.c_str()), 1;
    }
    std::printf("seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " operations of pools, %" PRIu64 " of arenas, no error\n",
                first, seed - 1, pools, arenas);
}
