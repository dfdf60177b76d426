// Compares the arena with its model on random bytes, with each chunk refused in turn.
#include <gtest/gtest.h>

#include <random>

#include "arena_model.hpp"

namespace arena_fuzz_test {

TEST(ArenaFuzz, RandomBytes) {
    std::mt19937 random(20261);  // the same bytes every time
    for (int round = 0; round < 3'000; ++round) {
        std::vector<std::uint8_t> bytes(5 + random() % 500);
        for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
        ASSERT_EQ(arena_model::replay_bytes(bytes.data(), bytes.size()), "") << "round " << round;
    }
}

TEST(ArenaFuzz, EveryChunkRefusedInTurn) {
    std::mt19937 random(20262);
    for (int round = 0; round < 60; ++round) {
        std::vector<std::uint8_t> bytes(5 + random() % 500);
        for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
        for (std::uint8_t n = 0; n < 16; ++n) {
            bytes[0] = n;
            ASSERT_EQ(arena_model::replay_bytes(bytes.data(), bytes.size()), "")
                << "round " << round << ", chunk " << n;
        }
    }
}

// A block freed between two marks makes them different marks, so a rewind to the first makes the second stale.
TEST(ArenaFuzz, BlockFreedBetweenMarks) {
    for (const std::uint8_t words : {std::uint8_t{0}, std::uint8_t{7}}) {
        const std::uint8_t bytes[] = {0, 255, 255, 0, 0x90, words, 0x0b, 0xc0, 0, 0x0b, 0x0c, 1, 0x04, 0x0c, 0};
        EXPECT_EQ(arena_model::replay_bytes(bytes, sizeof bytes), "") << int{words};
    }
}

}  // namespace arena_fuzz_test
