#pragma once

/// \file
/// docs/generated/misuse.md, from what was run.

#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "regions.hpp"
#include "scenario.hpp"

namespace misuse {

/// A subject and its outcome for each of `all_kinds`.
struct column {
    subject who;
    std::vector<result> results;

    std::size_t caught() const;
};

/// Tries every kind on every subject, or on ours alone, `times` times each; the
/// worst outcome counts.
std::vector<column> run_all(int times, bool ours_only = false);

/// The table alone, as Markdown.
void write_table(std::ostream& out, const std::vector<column>& columns);

/// The whole page.
void write_document(std::ostream& out, const std::vector<column>& columns, const std::vector<region_column>& regions,
                    const fuzz_result& fuzzed);

/// What on a page is not what would be written now, the peers' columns and
/// versions left out, which differ from machine to machine; empty when nothing.
std::string find_stale(std::istream& page, const std::vector<column>& ours, const std::vector<region_column>& regions,
                       const fuzz_result& fuzzed);

}  // namespace misuse
