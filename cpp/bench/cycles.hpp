#pragma once

/// \file
/// A clock for a few dozen calls: the processor's time stamp counter, if there is one.

#include <chrono>
#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

namespace bench {

/// Returns ticks of an arbitrary start. It takes about 8 ns and does not serialize loads and stores, so use it
/// for batches of calls.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t t;
    asm volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Returns the nanoseconds per tick, measured once over 20 ms.
inline double nanoseconds_per_tick() {
    static const double measured = [] {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        const std::uint64_t first = ticks();
        while (clock::now() - start < std::chrono::milliseconds(20)) {
        }
        const std::uint64_t passed = ticks() - first;
        return std::chrono::duration<double, std::nano>(clock::now() - start).count() / static_cast<double>(passed);
    }();
    return measured;
}

}  // namespace bench
