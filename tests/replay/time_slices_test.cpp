// SPDX-License-Identifier: MIT
// Slices of time: bounded, nothing lost, and the same whoever makes them in whatever pieces.
#include "src/replay/tree/time_slices.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::replay {
namespace {

struct Count {
    uint64_t events = 0;
    uint64_t ticks = 0;

    Count& operator+=(const Count& other) {
        events += other.events;
        ticks += other.ticks;
        return *this;
    }
};
using Slices = TimeSlices<Count>;

std::vector<std::pair<uint64_t, uint64_t>> rows(const Slices& slices) {
    std::vector<std::pair<uint64_t, uint64_t>> rows;
    slices.for_each([&](uint64_t begin_ticks, const Count& row) {
        EXPECT_EQ(begin_ticks % slices.width(), 0U);
        if (row.events != 0) {
            rows.emplace_back(begin_ticks, row.events);
        }
    });
    return rows;
}

TEST(TimeSlices, BecomeWiderAsTimeGoesOnAndLoseNothing) {
    Slices slices;
    constexpr uint64_t kStart = 123'456'789'012;
    constexpr uint64_t kStep = 100'000;
    uint64_t ticks = kStart;
    for (uint64_t event = 1; event <= 1'000'000; ++event, ticks += kStep) {
        ++slices.at(ticks).events;
        ASSERT_LE(slices.size(), Slices::kMost);
    }
    EXPECT_GE(slices.size(), Slices::kMost / 2);
    uint64_t sum = 0;
    for (const auto& [begin, events] : rows(slices)) {
        sum += events;
        EXPECT_LE(events, slices.width() / kStep + 1);
    }
    EXPECT_EQ(sum, 1'000'000U);
}

TEST(TimeSlices, AnIntervalIsSpreadOverAllItTouches) {
    Slices slices;
    const uint64_t width = slices.width();
    uint64_t visits = 0;
    slices.spread_over(10 * width + 5, 13 * width + 1, [&](Count& row, uint64_t ticks) {
        row.ticks += ticks;
        ++visits;
    });
    slices.spread_over(7, 7, [&](Count&, uint64_t) { ++visits; });
    EXPECT_EQ(visits, 4U);
    EXPECT_EQ(slices.at(10 * width).ticks, width - 5);
    EXPECT_EQ(slices.at(11 * width).ticks, width);
    EXPECT_EQ(slices.at(13 * width).ticks, 1U);
    slices.spread_over(0, UINT64_MAX, [](Count& row, uint64_t ticks) { row.ticks += ticks; });
    uint64_t sum = 0;
    slices.for_each([&](uint64_t, const Count& row) { sum += row.ticks; });
    EXPECT_EQ(sum, 3 * width - 4 + UINT64_MAX) << "modulo 2^64";
    EXPECT_LE(slices.size(), Slices::kMost);
}

TEST(TimeSlices, PartsAddUpToTheWholeInAnyOrder) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 50; ++round) {
        Slices whole;
        std::vector<Slices> parts(3);
        for (int event = 0; event < 300; ++event) {
            const uint64_t ticks = random() >> (random() % 40);
            ++whole.at(ticks).events;
            ++parts[random() % parts.size()].at(ticks).events;
        }
        Slices sum;
        for (const Slices& part : parts) {
            sum.add(part);
        }
        ASSERT_EQ(rows(sum), rows(whole));
        ASSERT_LE(sum.size(), Slices::kMost);
    }
}

}  // namespace
}  // namespace umbra::replay
