#pragma once

/// \file
/// One misuse, carried out in a process of its own.

#include <functional>
#include <string>
#include <utility>

#include "subjects.hpp"

namespace misuse {

struct result {
    outcome what = outcome::silent;
    std::string message;  ///< the first line that the allocator printed
};

/// Misuses subject number `subject_index` in a process started anew, uses it
/// on there, and says what came of it. A new process and not a mere fork: what
/// an allocator makes of a foreign pointer depends on where memory happens to
/// lie, and a fork inherits that. Takes 5 seconds at most: a list with a loop
/// may never end.
result try_misuse(const subject& s, std::size_t subject_index, kind k);

/// The same for anything that the program can be told to try by a flag, a subject's
/// number and a kind's.
result try_in_process(const char* flag, std::size_t subject_index, int k);

/// Ends such a process by what `f` answers: whether all was well afterwards, and
/// whether a handler was called.
[[noreturn]] void finish_in_child(const std::function<std::pair<bool, bool>()>& f);

/// What that process does; `accepted` is a file descriptor on which it says
/// that the misuse returned.
[[noreturn]] void misuse_in_child(const subject& s, kind k, int accepted);

}  // namespace misuse
