#pragma once

/// \file
/// The ways to misuse a region that are tried, and what comes of them.

#include <array>
#include <string>
#include <vector>

#include "scenario.hpp"

namespace misuse {

enum class region_kind : std::uint8_t {
    stale_mark,
    foreign_mark,
    moved_mark,
    reset_inside,
    after_reset,
    after_release,
    overflow,
    dead_object
};
inline constexpr std::array all_region_kinds{
    region_kind::stale_mark,  region_kind::foreign_mark,  region_kind::moved_mark, region_kind::reset_inside,
    region_kind::after_reset, region_kind::after_release, region_kind::overflow,   region_kind::dead_object};

constexpr const char* name(region_kind k) noexcept {
    switch (k) {
        case region_kind::stale_mark: return "stale mark";
        case region_kind::foreign_mark: return "another's mark";
        case region_kind::moved_mark: return "mark moved from";
        case region_kind::reset_inside: return "reset inside";
        case region_kind::after_reset: return "container after reset";
        case region_kind::after_release: return "container after release";
        case region_kind::overflow: return "size that overflows";
        case region_kind::dead_object: return "dead object";
    }
    return "?";
}

constexpr const char* explain(region_kind k) noexcept {
    switch (k) {
        case region_kind::stale_mark: return "a rewind to a mark from before a reset, with new objects in place";
        case region_kind::foreign_mark: return "a rewind to a mark of another region";
        case region_kind::moved_mark: return "a rewind to a mark that was moved from";
        case region_kind::reset_inside: return "a reset from a destructor that a reset runs";
        case region_kind::after_reset: return "a container that was filled before a reset grows after it";
        case region_kind::after_release: return "the region is used again after a release that a container outlives";
        case region_kind::overflow: return "an array whose size in bytes does not fit in a word";
        case region_kind::dead_object: return "a write to an object of before a reset";
    }
    return "?";
}

/// A region and its outcome for each of `all_region_kinds`.
struct region_column {
    std::string who, version;
    std::vector<result> results;
    std::vector<bool> offered;  // whether there is such a call at all
};

/// Tries every kind on every region, or on ours alone, each in a process of its own.
std::vector<region_column> run_regions(bool ours_only = false);

/// The table alone, as Markdown.
void write_region_table(std::ostream& out, const std::vector<region_column>& columns);

/// What the process of one try does.
[[noreturn]] void misuse_region_in_child(std::size_t subject, region_kind k, int accepted);

}  // namespace misuse
