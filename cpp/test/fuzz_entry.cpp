// The libFuzzer entry: build/fuzz/fuzz_trace -max_total_time=60. The first byte selects a pool or an arena; the
// rest are calls.
#include <cstdio>
#include <cstdlib>

#include "arena_model.hpp"
#include "trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string error =
        data[0] % 2 == 0 ? trace::replay_bytes(data + 1, size - 1) : arena_model::replay_bytes(data + 1, size - 1);
    if (!error.empty()) {
        std::fprintf(stderr, "%s\n", error.c_str());
        std::abort();
    }
    return 0;
}
