// The arena beside its model, on random bytes, with every chunk refused in turn.
#include <gtest/gtest.h>

#include <random>

#include "arena_model.hpp"

namespace {

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

}  // namespace
