// The libFuzzer entry: build/fuzz/fuzz_trace -max_total_time=60
#include <cstdio>
#include <cstdlib>

#include "trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string error = trace::replay_bytes(data, size);
    if (!error.empty()) {
        std::fprintf(stderr, "%s\n", error.c_str());
        std::abort();
    }
    return 0;
}
