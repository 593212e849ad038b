// SPDX-License-Identifier: MIT
#include "src/replay/async/key_map.h"

#include <cstdint>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "src/replay/async/recent_map.h"

namespace umbra::replay {
namespace {

TEST(KeyMap, HasWhatTheStandardsMapHas) {
    std::mt19937 numbers(7);
    const auto random = [&] { return static_cast<uint32_t>(numbers()); };
    KeyMap<uint32_t> map;
    std::map<uint32_t, uint32_t> truth;
    uint32_t latest = 0;
    for (int step = 0; step < 200'000; ++step) {
        // Ids that follow one another, and hashes with the highest bit.
        const uint32_t key = random() % 2 == 0 ? ++latest : random() % 2'000 << 5 | 1U << 31;
        const uint32_t old = latest - random() % 3'000;
        switch (random() % 3) {
            case 0:
                map.erase(old);
                truth.erase(old);
                break;
            case 1:
                map.erase(key);
                truth.erase(key);
                break;
            default:
                map[key] = truth[key] = static_cast<uint32_t>(step);
        }
        const uint32_t* found = map.find(old);
        const auto expected = truth.find(old);
        ASSERT_EQ(found == nullptr, expected == truth.end());
        if (found != nullptr) {
            ASSERT_EQ(*found, expected->second);
        }
        ASSERT_EQ(map.size(), truth.size());
    }
    std::multiset<uint32_t> values;
    map.for_each([&](uint32_t value) { values.insert(value); });
    std::multiset<uint32_t> expected;
    for (const auto& [key, value] : truth) {
        expected.insert(value);
    }
    EXPECT_EQ(values, expected);
}

TEST(KeyMap, NothingIsInAnEmptyOneNorUnderKeyNull) {
    KeyMap<uint32_t> map;
    EXPECT_EQ(map.find(5), nullptr);
    map.erase(5);
    map[5] = 1;
    EXPECT_EQ(map.find(0), nullptr);
    map.erase(0);
    EXPECT_EQ(map.size(), 1U);
    map.clear();
    EXPECT_EQ(map.find(5), nullptr);
    EXPECT_EQ(map.size(), 0U);
}

TEST(RecentMap, ForgetsTheOldestHalfAtOnce) {
    RecentMap<uint32_t> map(8);
    for (uint32_t key = 1; key <= 8; ++key) {
        map[key] = key;
    }
    EXPECT_NE(map.find(1), nullptr);
    map[9] = 9;
    EXPECT_EQ(map.find(4), nullptr);
    for (uint32_t key = 5; key <= 9; ++key) {
        ASSERT_NE(map.find(key), nullptr);
        EXPECT_EQ(*map.find(key), key);
    }
    map.erase(6);
    EXPECT_EQ(map.find(6), nullptr);
}

}  // namespace
}  // namespace umbra::replay
