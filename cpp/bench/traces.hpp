#pragma once

/// \file
/// The shared traces, replayed by the program that measures.

#include <string>

namespace bench {

/// Replays every trace of a directory on pools of the two sizes that are
/// measured, by the body that the tests and the fuzzer use, and says how long
/// a call took with all answers compared. So what is measured, at its level of
/// optimization, is known to be right. Ends the program with an error when an
/// answer is wrong; says so when there are no traces.
void replay_traces(const std::string& directory);

}  // namespace bench
