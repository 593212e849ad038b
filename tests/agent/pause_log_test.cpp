// SPDX-License-Identifier: MIT
// The pause ring: what a reader finds while suspensions come and go.
#include "src/agent/pause_log.h"

#include <cstddef>
#include <memory>
#include <new>
#include <thread>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

using hotpath::kPauseEntries;
using hotpath::PauseEntry;

/// The front of a segment, up to the thread blocks.
class Front {
  public:
    Front() : memory_(new (std::align_val_t{4096}) std::byte[hotpath::kThreadsOffset]{}) {}
    ~Front() { operator delete[](memory_, std::align_val_t{4096}); }
    Front(const Front&) = delete;
    Front& operator=(const Front&) = delete;

    hotpath::SegmentHeader& header() { return *reinterpret_cast<hotpath::SegmentHeader*>(memory_); }
    PauseEntry& entry(uint64_t number) {
        return reinterpret_cast<PauseEntry*>(memory_ +
                                             hotpath::kPausesOffset)[number & (kPauseEntries - 1)];
    }

  private:
    std::byte* memory_;
};

TEST(Suspension, IsPublishedWithItsSteps) {
    Front front;
    PauseLog log(front.header());
    Suspension suspension;
    suspension.begin(1);
    suspension.all_stopped();
    suspension.collection(0b011);
    suspension.collection(0b100);
    ASSERT_TRUE(suspension.end(log));
    ASSERT_EQ(front.header().pauses.load(), 1U);
    const PauseEntry& entry = front.entry(1);
    EXPECT_EQ(entry.number.load(), 1U);
    EXPECT_EQ(entry.reason, 1U);
    EXPECT_EQ(entry.generations, 0b111U);
    EXPECT_EQ(entry.collections, 2U);
    EXPECT_LE(entry.suspend_ticks, entry.suspended_ticks);
    EXPECT_LE(entry.suspended_ticks, entry.resume_ticks);
    EXPECT_NE(entry.os_tid, 0U);
}

TEST(Suspension, WithoutABeginningOrAbortedIsNone) {
    Front front;
    PauseLog log(front.header());
    Suspension suspension;
    EXPECT_FALSE(suspension.end(log));
    suspension.begin(1);
    suspension.abort();
    EXPECT_FALSE(suspension.end(log));
    suspension.collection(1);  // a background collection: no thread stands still
    EXPECT_EQ(front.header().pauses.load(), 0U);
}

TEST(Suspension, ForgetsTheLastOne) {
    Front front;
    PauseLog log(front.header());
    Suspension suspension;
    suspension.begin(1);
    suspension.collection(0b100);
    ASSERT_TRUE(suspension.end(log));
    suspension.begin(8);
    ASSERT_TRUE(suspension.end(log));
    EXPECT_EQ(front.entry(2).generations, 0U);
    EXPECT_EQ(front.entry(2).collections, 0U);
    EXPECT_EQ(front.entry(2).reason, 8U);
}

TEST(PauseLog, OverwritesTheOldest) {
    Front front;
    PauseLog log(front.header());
    PauseEntry pause{};
    for (uint64_t number = 1; number <= kPauseEntries + 3; ++number) {
        pause.suspend_ticks = number;
        log.publish(pause);
    }
    EXPECT_EQ(front.header().pauses.load(), kPauseEntries + 3);
    EXPECT_EQ(front.entry(3).number.load(), kPauseEntries + 3);
    EXPECT_EQ(front.entry(3).suspend_ticks, kPauseEntries + 3);
    EXPECT_EQ(front.entry(4).number.load(), 4U);
}

TEST(PauseLog, TakesTwoRuntimesAtOnce) {
    Front front;
    PauseLog log(front.header());
    const auto publish = [&] {
        for (int i = 0; i < 1000; ++i) {
            log.publish({});
        }
    };
    std::jthread other(publish);
    publish();
    other.join();
    EXPECT_EQ(front.header().pauses.load(), 2000U);
    for (uint64_t number = 1; number <= 2000; ++number) {
        EXPECT_EQ(front.entry(number).number.load(), number);
    }
}

}  // namespace
}  // namespace umbra::agent
