#pragma once

/// \file
/// What is misused.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinds.hpp"

namespace misuse {

/// The object of all pools here: 32 bytes, so that its middle is an address
/// that an object could have.
struct item {
    std::uint64_t words[4];
};

/// A pool of items with its type erased.
class pool {
public:
    pool() = default;
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;
    virtual ~pool() = default;
    virtual void* allocate() = 0;  ///< nullptr when full
    virtual void deallocate(void* p) = 0;
    /// Whether the last deallocate was reported to a handler, for pools that
    /// report and go on.
    virtual bool reported() const { return false; }
};

struct subject {
    std::string name;
    std::string version;
    bool ours = false;   ///< all nine must be caught
    bool fixed = false;  ///< never hands out more than its capacity
    bool sized = false;  ///< asked for a capacity: its memory has an end, even if more can follow
    std::function<std::unique_ptr<pool>(std::size_t capacity)> make;
    std::function<bool(kind)> legal = [](kind) { return false; };
};

/// All that this machine has, ours first.
std::vector<subject> subjects();

/// Those that it doesn't have, by name.
std::vector<std::string> missing_subjects();

}  // namespace misuse
