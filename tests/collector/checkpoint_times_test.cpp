// SPDX-License-Identifier: MIT
#include "src/collector/checkpoint_times.h"

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr CheckpointTimes::Clock::time_point kBegin{seconds(1000)};
constexpr size_t kFew = 1'000;  // functions

TEST(CheckpointTimes, AreTheUsualTimeApartWhereWritingIsCheap) {
    CheckpointTimes times(std::nullopt, kBegin);
    EXPECT_FALSE(times.due(kBegin + milliseconds(9'999), kFew));
    EXPECT_TRUE(times.due(kBegin + seconds(10), kFew));
    times.done(kBegin + seconds(11));
    times.cost()->took(milliseconds(150));
    EXPECT_FALSE(times.due(kBegin + seconds(20), kFew));
    EXPECT_TRUE(times.due(kBegin + seconds(21), kFew));
}

TEST(CheckpointTimes, TakeAFiftiethOfTheTimeAtMost) {
    CheckpointTimes times(std::nullopt, kBegin);
    times.done(kBegin);
    times.cost()->took(milliseconds(1'500));
    EXPECT_FALSE(times.due(kBegin + milliseconds(74'999), kFew));
    EXPECT_TRUE(times.due(kBegin + seconds(75), kFew));
    times.done(kBegin + seconds(75));
    times.cost()->took(milliseconds(100));
    EXPECT_TRUE(times.due(kBegin + seconds(85), kFew)) << "the latest counts";
}

TEST(CheckpointTimes, TheFirstGoesByTheFunctions) {
    CheckpointTimes times(std::nullopt, kBegin);
    EXPECT_FALSE(times.due(kBegin + milliseconds(39'999), 20'000));
    EXPECT_TRUE(times.due(kBegin + seconds(40), 20'000));
    EXPECT_FALSE(times.due(kBegin + seconds(40), 30'000)) << "there are more by now";
    times.done(kBegin + seconds(40));
    times.cost()->took(milliseconds(300));
    EXPECT_TRUE(times.due(kBegin + seconds(55), 30'000)) << "what one took is known";
}

TEST(CheckpointTimes, AreAsFarApartAsAskedForWhateverTheyTake) {
    CheckpointTimes times(milliseconds(300), kBegin);
    times.cost()->took(seconds(2));
    EXPECT_FALSE(times.due(kBegin + milliseconds(299), kFew));
    EXPECT_TRUE(times.due(kBegin + milliseconds(300), kFew));
}

}  // namespace
}  // namespace umbra::collector
