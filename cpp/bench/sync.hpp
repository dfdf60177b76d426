#pragma once

/// \file
/// Pools shared by two threads.

#include <cstddef>
#include <string>
#include <vector>

#include "progress.hpp"
#include "workloads.hpp"

namespace bench {

/// What two threads do with one pool of objects of 64 B.
///
/// - churn: each keeps 1,024 objects out and replaces the oldest.
/// - producer_consumer: one allocates, the other frees, through a ring of 1,024.
enum class sync_workload : std::uint8_t { churn, producer_consumer };

constexpr const char* name(sync_workload w) noexcept {
    return w == sync_workload::churn ? "2 threads, churn" : "2 threads, producer-consumer";
}

/// One workload on all subjects: nanoseconds per call, `[subject][round]`. Two
/// threads work at once: it is the time that passes, divided by all their calls.
struct sync_measurements {
    std::vector<std::string> subjects;
    sync_workload work{};
    std::vector<std::vector<double>> ns;
};

/// Runs one workload in rounds, `calls` calls each; each round is a step. Ends the program with an
/// error when the subjects' checksums differ.
sync_measurements run_sync(sync_workload w, std::size_t rounds, std::size_t calls, progress& steps);

}  // namespace bench
