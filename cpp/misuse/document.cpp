#include "document.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

namespace misuse {
namespace {

constexpr const char* compiler =
#if defined(__clang__)
    "clang " __clang_version__;
#else
    "gcc " __VERSION__;
#endif

/// "12345678" as "12,345,678".
std::string grouped(std::size_t n) {
    std::string s = std::to_string(n);
    for (std::size_t at = s.size(); at > 3;) s.insert(at -= 3, 1, ',');
    return s;
}

/// A message without its addresses, which differ from run to run.
std::string without_addresses(const std::string& s) {
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s.compare(i, 2, "0x") != 0) {
            out += s[i];
            continue;
        }
        out += "0x...";
        i += 2;
        while (i < s.size() && std::isxdigit(static_cast<unsigned char>(s[i]))) ++i;
        --i;
    }
    return out;
}

constexpr const char* introduction = R"(# Misuse

What happens when a program gives back a pointer that it should not: Ebbpool
beside what one would use instead. Written by `misuse_matrix --write`, from what
it ran; to change this page, change `cpp/misuse/` and run it again.

Each try is a process of its own, an optimized build with `NDEBUG`. Objects have
32 bytes; the pool has room for 16, of which about 8 are out. After the call the
process goes on as a program would that knows nothing: it checks that all live
objects hold what was written to them, allocates until the pool is full (4,096
objects where it can grow), checks that no two overlap and that none lies in
memory that isn't the pool's, frees them all, and destroys the pool. Each cell is
tried 20 times, since what an allocator makes of a foreign pointer depends on what
lies there; the worst outcome is the one given.

| outcome | meaning |
| --- | --- |
| caught | the call itself reported it, by a message or a handler |
| crashed | the call died of a signal and said nothing |
| silent | accepted, and nothing wrong was seen afterwards |
| CORRUPTED | accepted; later an address was handed out twice, or memory that isn't the pool's, or live data was damaged, or the process died in a call that was right |
| legal | the allocator's contract allows it |

)";

constexpr const char* after_table = R"(
Allocators for the whole program serve one heap, so a pointer from "another pool"
is as good as any, and `free(nullptr)` does nothing by contract. Ebbpool reports
null: where a pool's `allocate` answered `nullptr` because the pool was full, and
nobody looked, the free is where it shows.

)";

constexpr const char* about_regions = R"(
## Regions

The same for `ebb::arena` and other regions: eight objects of 32 bytes, the misuse,
then a program that goes on and looks at all that is live and, where there is one,
at the container. "-" is what a region does not offer. A size that overflows is
caught by an exception.

<!-- generated: the regions -->
)";

constexpr const char* conclusion = R"(
## What is not caught

- **A free after the slot was handed out again.** A stale pointer to a slot that
  has a new owner is, to the pool, the new owner's pointer. Nothing short of a
  generation number in the reference can tell them apart: use `ebb::handle<T>`
  where owners can't be known.
- **Use after free**, in a plain build. Under AddressSanitizer free slots are
  poisoned, and under Valgrind they are reported as freed. So it is with what a
  region has taken back, and with the 16 bytes that lie between two allocations
  there.
- **Anything with `checks::none`.** That is what it is for.
)";

}  // namespace

std::size_t column::caught() const {
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [](const result& r) { return r.what == outcome::caught; }));
}

std::vector<column> run_all(int times, bool ours_only) {
    std::vector<column> columns;
    const std::vector<subject> all = subjects();
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (ours_only && !all[n].ours) continue;
        column c{all[n], {}};
        for (const kind k : all_kinds) {
            result worst = try_misuse(all[n], n, k);
            for (int i = 1; i < times; ++i) {
                result again = try_misuse(all[n], n, k);
                if (again.what > worst.what) worst = std::move(again);
            }
            c.results.push_back(std::move(worst));
        }
        columns.push_back(std::move(c));
    }
    return columns;
}

void write_table(std::ostream& out, const std::vector<column>& columns) {
    out << "| given back |";
    for (const column& c : columns) out << ' ' << c.who.name << " |";
    out << "\n| --- |";
    for (std::size_t i = 0; i < columns.size(); ++i) out << " --- |";
    out << '\n';
    for (std::size_t k = 0; k < all_kinds.size(); ++k) {
        out << "| " << name(all_kinds[k]) << " |";
        for (const column& c : columns) out << ' ' << name(c.results[k].what) << " |";
        out << '\n';
    }
    out << "| **caught** |";
    for (const column& c : columns) out << " **" << c.caught() << " of " << all_kinds.size() << "** |";
    out << '\n';
}

void write_document(std::ostream& out, const std::vector<column>& columns, const std::vector<region_column>& regions,
                    const fuzz_result& fuzzed) {
    out << introduction << "<!-- generated: the matrix -->\n";
    write_table(out, columns);
    out << "<!-- end of what is generated -->\n\nCompiled by " << compiler << '.';
    bool first = true;
    for (const column& c : columns) {
        if (c.who.version.empty()) continue;
        out << (first ? " Versions: " : ", ") << c.who.name << ' ' << c.who.version;
        first = false;
    }
    for (const region_column& c : regions) {
        if (!c.version.empty()) out << ", " << c.who << ' ' << c.version;
    }
    out << (first ? "" : ".");
    const auto missing = missing_subjects();
    if (!missing.empty()) {
        out << " Not on the machine that wrote this page:";
        for (std::size_t i = 0; i < missing.size(); ++i) out << (i == 0 ? " " : ", ") << missing[i];
        out << '.';
    }
    out << '\n' << after_table;

    out << "What was given back:\n\n";
    for (const kind k : all_kinds) out << "- **" << name(k) << "**: " << explain(k) << '\n';

    out << "\n## What Ebbpool says\n\nIn the order of the table, addresses left out:\n\n```\n";
    for (const result& r : columns.front().results) out << without_addresses(r.message) << '\n';
    out << "```\n\n## Random misuse\n\n<!-- generated: the fuzzer -->\n"
        << grouped(fuzzed.misuses) << " random misuses among " << grouped(fuzzed.right_calls)
        << " right calls, on\npools of four object sizes and capacities from 1 to 200, each call compared with a\n"
           "plain model: "
        << grouped(fuzzed.unreported) << " were not reported as what they were, " << grouped(fuzzed.corrupted)
        << " corrupted a pool.\n<!-- end of what is generated -->\n";
    out << about_regions;
    write_region_table(out, regions);
    out << "<!-- end of what is generated -->\n\nWhat was done:\n\n";
    for (const region_kind k : all_region_kinds) out << "- **" << name(k) << "**: " << explain(k) << '\n';
    out << "\nWhat Ebbpool says, in the order of the table:\n\n```\n";
    for (const result& r : regions.front().results) {
        if (!r.message.empty()) out << without_addresses(r.message) << '\n';
    }
    out << "```\n" << conclusion;
}

std::string find_stale(std::istream& page, const std::vector<column>& ours, const std::vector<region_column>& regions,
                       const fuzz_result& fuzzed) {
    std::stringstream now;
    write_document(now, ours, regions, fuzzed);
    std::string kept, made;
    for (std::size_t n = 1; std::getline(now, made); ++n) {
        if (!std::getline(page, kept)) return "line " + std::to_string(n) + " is missing: " + made;
        if (made.starts_with("Compiled by ") && kept.starts_with("Compiled by ")) continue;
        // Of a row of the matrix the page has more cells, those of the peers.
        const bool in_matrix = made.starts_with("| ") && kept.size() > made.size();
        if ((in_matrix ? kept.substr(0, made.size()) : kept) != made) {
            return "line " + std::to_string(n) + " is\n  " + kept + "\nbut should be\n  " + made;
        }
    }
    return std::getline(page, kept) ? "there is more than should be: " + kept : "";
}

}  // namespace misuse
