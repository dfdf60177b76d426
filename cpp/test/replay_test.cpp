// Replays every shared trace with objects of many sizes and alignments, and traces made from random bytes.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>

#include "trace.hpp"

namespace replay_test {

std::vector<std::string> trace_files() {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(EBBPOOL_TRACES)) {
        if (entry.path().extension() == ".trace") files.insert(entry.path().string());
    }
    return {files.begin(), files.end()};
}

template <class T>
class Replay : public testing::Test {};

using objects = testing::Types<trace::object<1, 1>, trace::object<2, 2>, trace::object<3, 1>, trace::object<8, 8>,
                               trace::object<16, 8>, trace::object<24, 8>, trace::object<63, 1>, trace::object<64, 64>,
                               trace::object<100, 4>, trace::object<256, 8>, trace::object<4096, 4096>>;
TYPED_TEST_SUITE(Replay, objects);

TYPED_TEST(Replay, EveryTrace) {
    const auto files = trace_files();
    EXPECT_GE(files.size(), 28u) << "four orders at seven capacities";
    for (const auto& file : files) {
        trace::trace t;
        ASSERT_EQ(trace::read(file, t), "");
        EXPECT_EQ(trace::replay<TypeParam>(t), "") << file;
    }
}

TEST(ReplayReader, RejectsUnknownInput) {
    trace::trace t;
    EXPECT_NE(trace::read("/no/such/file", t), "");
}

TEST(ReplayReader, DetectsWrongAnswers) {
    // The test fails if any kind of answer in a trace is wrong.
    using object = trace::object<16, 8>;
    const trace::trace right{2, {{"alloc", 0, 1}, {"free", 0, 0}, {"double", 0, 0}, {"never", 1, 0}}};
    ASSERT_EQ(trace::replay<object>(right), "");
    for (std::size_t i = 0; i < right.calls.size(); ++i) {
        trace::trace wrong = right;
        ++wrong.calls[i].used;
        EXPECT_NE(trace::replay<object>(wrong), "");
    }
    trace::trace wrong = right;
    wrong.calls[0].slot = 1;
    EXPECT_NE(trace::replay<object>(wrong), "");
    wrong = right;
    wrong.calls[2].kind = "never";
    EXPECT_NE(trace::replay<object>(wrong), "");
}

TEST(Fuzz, RandomBytes) {
    std::mt19937 random(20240);  // the same bytes every time
    for (int round = 0; round < 2'000; ++round) {
        std::vector<std::uint8_t> bytes(2 + random() % 400);
        for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
        ASSERT_EQ(trace::replay_bytes(bytes.data(), bytes.size()), "") << "round " << round;
    }
}

}  // namespace replay_test
