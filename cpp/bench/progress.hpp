#pragma once

/// \file
/// How far a run is.

#include <cstddef>
#include <cstdio>

namespace bench {

/// One line on stderr, written over and over: "12 of 280 steps: rolling". The
/// lab reads it for its own bar.
class progress {
public:
    explicit progress(std::size_t steps) : steps_(steps) {}

    /// To be called after each step; `what` was done in it.
    void step(const char* what) {
        ++done_;
        std::fprintf(stderr, "\r%zu of %zu steps: %-36s", done_, steps_, what);
        if (done_ == steps_) std::fprintf(stderr, "\n");
    }

private:
    std::size_t steps_;
    std::size_t done_ = 0;
};

}  // namespace bench
