// Shared traces of regions: a reader, and a function that replays them on an arena.
#ifndef EBBPOOL_TEST_REGION_TRACE_HPP
#define EBBPOOL_TEST_REGION_TRACE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "arena_model.hpp"

namespace region_trace {

struct call {
    std::string kind;
    std::size_t number = 0;  // for kinds that have one
    std::size_t used = 0;
};

struct trace {
    std::size_t chunk_size = 0;
    std::size_t max_retained = 0;
    std::vector<call> calls;
};

/// Reads a trace file. Returns the error, or an empty string.
inline std::string read(const std::string& path, trace& t) {
    std::ifstream file(path);
    if (!file) return path + ": can't be read";
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        call c;
        words >> c.kind;
        if (t.chunk_size == 0) {
            words >> t.chunk_size >> t.max_retained;
            if (c.kind != "region" || !words || t.chunk_size == 0) return path + ": no chunk size: " + line;
            continue;
        }
        if (c.kind != "foreign" && c.kind != "reset" && c.kind != "release") words >> c.number;
        words >> c.used;
        if (!words || !(words >> std::ws).eof()) return path + ": not understood: " + line;
        t.calls.push_back(c);
    }
    return t.chunk_size == 0 ? path + ": empty" : "";
}

/// Replays a trace on a new arena. Checks used bytes, contents of allocations, refusals and misuse. Returns the
/// error, or an empty string.
inline std::string replay(const trace& t) {
    using arena = ebb::basic_arena<arena_model::record>;
    struct piece {
        unsigned char* at;
        std::size_t bytes;
        unsigned char fill;
    };
    struct place {
        ebb::arena_mark mark;
        std::size_t pieces;
    };
    arena a(t.chunk_size, t.max_retained);
    arena other(64);
    const ebb::arena_mark foreign = other.mark();
    std::vector<place> marks;
    std::vector<piece> pieces;
    unsigned char fill = 0;
    for (std::size_t i = 0; i < t.calls.size(); ++i) {
        const call& c = t.calls[i];
        const auto wrong = [&](const std::string& what) {
            return "call " + std::to_string(i) + ", " + c.kind + " " + std::to_string(c.number) + ": " + what;
        };
        arena_model::record::count = 0;
        std::size_t misuses = 0;
        ebb::misuse kind{};
        if (c.kind == "object") {
            unsigned char* const p = a.make_span<unsigned char>(c.number).data();
            if (reinterpret_cast<std::uintptr_t>(p) % 8 != 0) return wrong("misaligned");
            if (std::any_of(p, p + c.number, [](unsigned char b) { return b != 0; })) return wrong("not zero");
            std::memset(p, ++fill, c.number);
            pieces.push_back({p, c.number, fill});
        } else if (c.kind == "text") {
            const std::string text(c.number, static_cast<char>(++fill));
            auto* const p = reinterpret_cast<unsigned char*>(const_cast<char*>(a.copy(text).data()));
            pieces.push_back({p, c.number, fill});
        } else if (c.kind == "limit") {
            a.limit(c.number);
        } else if (c.kind == "refuse") {
            try {
                a.make_span<unsigned char>(c.number);
                return wrong("was not refused");
            } catch (const ebb::limit_error&) {
            }
        } else if (c.kind == "mark") {
            if (c.number != marks.size()) return wrong("marks are not numbered in order");
            marks.push_back({a.mark(), pieces.size()});
        } else if (c.kind == "rewind") {
            a.rewind(marks.at(c.number).mark);
            pieces.resize(marks.at(c.number).pieces);
        } else if (c.kind == "stale" || c.kind == "foreign") {
            misuses = 1;
            kind = c.kind == "stale" ? ebb::misuse::stale_mark : ebb::misuse::foreign_mark;
            a.rewind(c.kind == "stale" ? marks.at(c.number).mark : foreign);
        } else if (c.kind == "reset" || c.kind == "release") {
            c.kind == "reset" ? a.reset() : a.release();
            pieces.clear();
        } else {
            return wrong("no such call");
        }
        if (arena_model::record::count != static_cast<int>(misuses)) return wrong("misuse was reported wrongly");
        if (misuses != 0 && arena_model::record::last.kind != kind) return wrong("misuse of a wrong kind");
        arena_model::record::count = 0;
        for (const piece& p : pieces) {
            const auto is_wrong = [&p](unsigned char b) { return b != p.fill; };
            if (std::any_of(p.at, p.at + p.bytes, is_wrong)) return wrong("something was overwritten");
        }
        if (a.used_bytes() != c.used) return wrong("used_bytes() is " + std::to_string(a.used_bytes()));
    }
    return "";
}

}  // namespace region_trace

#endif  // EBBPOOL_TEST_REGION_TRACE_HPP
