#pragma once

/// \file
/// Regions: objects that are made one after the other and dropped together.

#include <cstddef>
#include <string>
#include <vector>

#include "progress.hpp"

namespace bench {

/// One kind of life with every subject: nanoseconds of the processor's time for
/// each object (for the documents: for each node), `[subject][round]`. The floor, where there is one,
/// is a pointer that is bumped through a buffer that is large enough: no bound,
/// no alignment, no destructor.
struct region_measurements {
    std::string name;
    std::size_t size = 0;  // bytes of an object
    std::vector<std::string> subjects;
    std::vector<std::vector<double>> ns;
};

/// Objects of 32 and 64 bytes, whose constructor writes two words, in lives of
/// 20, 1,000 and 16,000; the same of 64 bytes with a destructor; and documents
/// of about 1,000 nodes with keys and text, built, walked and dropped. All
/// subjects in rounds; each kind and round is a step. Ends the program with an
/// error when a subject's checksum is not what it must be.
std::vector<region_measurements> run_regions(std::size_t rounds, bool quick, progress& steps);

/// The steps of run_regions.
std::size_t region_steps(std::size_t rounds) noexcept;

}  // namespace bench
