// SPDX-License-Identifier: MIT
#include "src/collector/checkpoint_times.h"

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr CheckpointTimes::Clock::time_point kBegin{seconds(1000)};

TEST(CheckpointTimes, AreTheUsualTimeApartWhereWritingIsCheap) {
    CheckpointTimes times(std::nullopt, kBegin);
    EXPECT_FALSE(times.due(kBegin + milliseconds(9'999)));
    EXPECT_TRUE(times.due(kBegin + seconds(10)));
    times.done(kBegin + seconds(11));
    times.cost()->took(milliseconds(150));
    EXPECT_FALSE(times.due(kBegin + seconds(20)));
    EXPECT_TRUE(times.due(kBegin + seconds(21)));
}

TEST(CheckpointTimes, TakeAFiftiethOfTheTimeAtMost) {
    CheckpointTimes times(std::nullopt, kBegin);
    times.done(kBegin);
    times.cost()->took(milliseconds(1'500));
    EXPECT_FALSE(times.due(kBegin + milliseconds(74'999)));
    EXPECT_TRUE(times.due(kBegin + seconds(75)));
    times.done(kBegin + seconds(75));
    times.cost()->took(milliseconds(100));
    EXPECT_TRUE(times.due(kBegin + seconds(85))) << "the latest counts";
}

TEST(CheckpointTimes, AreAsFarApartAsAskedForWhateverTheyTake) {
    CheckpointTimes times(milliseconds(300), kBegin);
    times.cost()->took(seconds(2));
    EXPECT_FALSE(times.due(kBegin + milliseconds(299)));
    EXPECT_TRUE(times.due(kBegin + milliseconds(300)));
}

}  // namespace
}  // namespace umbra::collector
