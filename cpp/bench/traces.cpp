#include "traces.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "../test/trace.hpp"

namespace bench {
namespace {

template <class T>
void replay_or_exit(const trace::trace& t, const std::string& file) {
    const std::string error = trace::replay<T>(t);
    if (error.empty()) return;
    std::fprintf(stderr, "bench: %s, objects of %zu bytes: %s\n", file.c_str(), sizeof(T), error.c_str());
    std::exit(1);
}

}  // namespace

void replay_traces(const std::string& directory) {
    std::size_t files = 0, calls = 0;
    std::chrono::duration<double> took{};
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(directory, none)) {
        if (entry.path().extension() != ".trace") continue;
        trace::trace t;
        if (const std::string error = trace::read(entry.path().string(), t); !error.empty()) {
            std::fprintf(stderr, "bench: %s\n", error.c_str());
            std::exit(1);
        }
        const auto start = std::chrono::steady_clock::now();
        replay_or_exit<trace::object<16, 8>>(t, entry.path().string());
        replay_or_exit<trace::object<256, 8>>(t, entry.path().string());
        took += std::chrono::steady_clock::now() - start;
        ++files;
        calls += 2 * t.calls.size();
    }
    if (files == 0) {
        std::printf("traces      none in %s: nothing was replayed\n\n", directory.c_str());
        return;
    }
    std::printf("traces      %zu replayed, %zu calls, %.0f ns a call with every answer compared\n\n", files, calls,
                took.count() * 1e9 / static_cast<double>(calls));
}

}  // namespace bench
