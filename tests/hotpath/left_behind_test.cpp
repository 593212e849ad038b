// SPDX-License-Identifier: MIT
// Threads that stand still while they write a control record: the end of a recording waits for them
// once, not without end, and leaves their cursors to them.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/recorder.h"
#include "hotpath/slot.h"
#include "hotpath/thread_registration.h"
#include "tests/hotpath/segments.h"

namespace umbra::hotpath {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr uint32_t kStanding = 3;
constexpr auto kWait = nanoseconds(kDetachWaitNs);

/// A value that goes up, and is waited for.
class Step {
  public:
    void up() { ++value_; }
    void await(uint32_t value) const {
        while (value_ < value) {
            std::this_thread::sleep_for(milliseconds(1));
        }
    }

  private:
    std::atomic<uint32_t> value_{0};
};

/// With the kernel's barrier, and without.
class LeftBehind : public testing::TestWithParam<bool> {
  protected:
    /// Threads that record, then stand still inside a ControlWriter until `go_on_`.
    void SetUp() override {
        ASSERT_TRUE(start_recording({.header = &header_}));
        find_process_barrier();
        if (!GetParam()) {
            g_threads_order.store(1);
        } else if (g_threads_order.load() != 0) {
            GTEST_SKIP() << "this kernel has no membarrier";
        }
        for (uint32_t i = 0; i < kStanding; ++i) {
            threads_.emplace_back([this] { live(); });
        }
        inside_.await(kStanding);
    }
    void TearDown() override {
        go_on_.up();
        next_capture_.up();
        for (std::thread& thread : threads_) {
            thread.join();
        }
        end_recording();
        EXPECT_EQ(threads_left_behind(), 0U);
    }

    void live() {
        record_control(ControlType::kFilterEnter, 1);
        {
            const ControlWriter writer;
            wrong_ += writer.may_write() ? 0 : 1;
            inside_.up();
            go_on_.await(1);
            wrong_ += umbra_cursor.block != nullptr ? 0 : 1;  // nobody took it away meanwhile
        }
        outside_.up();
        next_capture_.await(1);
        wrong_ += umbra_cursor.block == nullptr && umbra_cursor.next == nullptr ? 0 : 1;
        record_control(ControlType::kFilterEnter, 2);
    }

    [[nodiscard]] uint32_t slots_in(SlotState state) const {
        uint32_t count = 0;
        for (uint32_t slot = 0; slot < header_.threads_seen.load(); ++slot) {
            count += slot_state(segments_.block(slot)) == state ? 1U : 0U;
        }
        return count;
    }

    Segments segments_;
    SegmentHeader& header_ = segments_.fresh();
    Step inside_;
    Step go_on_;
    Step outside_;
    Step next_capture_;
    std::atomic<int> wrong_{0};
    std::vector<std::thread> threads_;
};

TEST_P(LeftBehind, TheEndOfARecordingWaitsOnceForAll) {
    const auto begin = steady_clock::now();
    EXPECT_EQ(end_recording(), kStanding);
    EXPECT_GE(steady_clock::now() - begin, kWait - milliseconds(10));  // the clocks differ
    EXPECT_LT(steady_clock::now() - begin, 2 * kWait);
    EXPECT_EQ(threads_left_behind(), kStanding);
    EXPECT_EQ(slots_in(SlotState::kLive), kStanding);

    const auto again = steady_clock::now();
    EXPECT_EQ(end_recording(), kStanding);
    EXPECT_LT(steady_clock::now() - again, kWait) << "they have had their time";
}

TEST_P(LeftBehind, ThreadsResetTheirCursorsAndComeBack) {
    EXPECT_EQ(end_recording(), kStanding);
    go_on_.up();
    outside_.await(kStanding);
    EXPECT_EQ(threads_left_behind(), 0U);

    segments_.fresh();
    ASSERT_TRUE(start_recording({.header = &header_}));
    next_capture_.up();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
    EXPECT_EQ(wrong_, 0) << "a cursor was taken too early, or not at all";
    EXPECT_EQ(end_recording(), 0U);
    EXPECT_GE(header_.threads_seen.load(), 1U) << "the threads did not come back";
    EXPECT_EQ(slots_in(SlotState::kEnded), header_.threads_seen.load());
}

TEST_P(LeftBehind, WhoComesOutInTimeIsDetachedAsEver) {
    std::thread soon([this] {
        std::this_thread::sleep_for(kWait / 10);
        go_on_.up();
    });
    EXPECT_EQ(end_recording(), 0U);
    soon.join();
    EXPECT_EQ(slots_in(SlotState::kEnded), kStanding);
}

INSTANTIATE_TEST_SUITE_P(Barrier, LeftBehind, testing::Bool());

}  // namespace
}  // namespace umbra::hotpath
