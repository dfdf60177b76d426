// Replays every shared trace of a region. The Go arena replays the same traces.
#include <gtest/gtest.h>

#include <filesystem>

#include "region_trace.hpp"

namespace region_replay_test {

TEST(RegionReplay, EveryTrace) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(EBBPOOL_TRACES)) {
        if (entry.path().extension() != ".region") continue;
        ++files;
        region_trace::trace t;
        ASSERT_EQ(region_trace::read(entry.path().string(), t), "");
        EXPECT_EQ(region_trace::replay(t), "") << entry.path();
    }
    EXPECT_GE(files, 12u) << "four orders at three chunk sizes";
}

TEST(RegionReplay, DetectsWrongAnswers) {
    // The test fails if any kind of answer in a trace is wrong.
    const region_trace::trace right{100,
                                    1'000,
                                    {{"object", 5, 8},
                                     {"text", 3, 11},
                                     {"mark", 0, 11},
                                     {"object", 8, 19},
                                     {"rewind", 0, 11},
                                     {"foreign", 0, 11},
                                     {"limit", 10'000, 11},
                                     {"refuse", 20'000, 11},
                                     {"reset", 0, 0},
                                     {"stale", 0, 0},
                                     {"release", 0, 0}}};
    ASSERT_EQ(region_trace::replay(right), "");
    for (std::size_t i = 0; i < right.calls.size(); ++i) {
        region_trace::trace wrong = right;
        ++wrong.calls[i].used;
        EXPECT_NE(region_trace::replay(wrong), "");
    }
    region_trace::trace wrong = right;
    wrong.calls[4].kind = "stale";
    EXPECT_NE(region_trace::replay(wrong), "");
    wrong = right;
    wrong.calls[9].kind = "rewind";
    EXPECT_NE(region_trace::replay(wrong), "");
    wrong = right;
    wrong.calls[7].number = 100;
    EXPECT_NE(region_trace::replay(wrong), "");
    EXPECT_NE(region_trace::read("/no/such/file", wrong), "");
}

}  // namespace region_replay_test
