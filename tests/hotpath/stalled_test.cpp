// SPDX-License-Identifier: MIT
// A collector that stands still: threads wait for it once, not each for itself. And none at all,
// for what is not meant for it.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/recorder.h"
#include "hotpath/ring.h"
#include "tests/hotpath/segments.h"

namespace umbra::hotpath {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What recorder.cpp waits, whole seconds of which the first may be short. Who is let go earlier
// takes less than that, however busy the machine.
constexpr auto kTimeout = milliseconds(5000);
constexpr auto kShortest = milliseconds(4000);
constexpr uint32_t kMoreThanARing = kRingBytes / kRecordBytes + 1000;

/// Fills its ring and goes on; answers how long that took.
milliseconds overfill() {
    const auto begin = steady_clock::now();
    for (uint32_t number = 0; number < kMoreThanARing; ++number) {
        record_control(ControlType::kFilterEnter, number);
    }
    return duration_cast<milliseconds>(steady_clock::now() - begin);
}

milliseconds overfill_in_a_new_thread() {
    milliseconds took{};
    std::thread([&] { took = overfill(); }).join();
    return took;
}

/// The recording of one test, with nobody to drain it.
class Stalled : public testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(start_recording({.header = &header_})); }
    void TearDown() override { end_recording(); }

    [[nodiscard]] uint64_t lost() const {
        uint64_t sum = 0;
        for (uint32_t slot = 0; slot < header_.threads_seen.load(); ++slot) {
            sum += segments_.block(slot).lost.load();
        }
        return sum;
    }

    Segments segments_;
    SegmentHeader& header_ = segments_.fresh();
};

TEST_F(Stalled, ThreadsWaitOnceInAll) {
    EXPECT_GE(overfill_in_a_new_thread(), kShortest);
    const uint64_t lost_by_one = lost();
    EXPECT_GE(lost_by_one, 1000U) << "what went nowhere is counted";
    for (int i = 0; i < 5; ++i) {
        EXPECT_LT(overfill_in_a_new_thread(), kShortest);
    }
    EXPECT_GE(lost(), 6 * 1000U);
}

TEST_F(Stalled, WhoWaitsAlreadyIsLetGoWithTheFirst) {
    std::vector<std::thread> threads;
    std::atomic<int> waited_alone{0};
    threads.emplace_back([] { EXPECT_GE(overfill(), kShortest); });
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            std::this_thread::sleep_for(milliseconds(2500));
            waited_alone += overfill() >= kShortest ? 1 : 0;  // the half of it, as a rule
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(waited_alone, 0);
}

TEST_F(Stalled, AGrantThatMovesMakesThreadsWaitAgain) {
    std::atomic<bool> full{false};
    std::atomic<bool> granted{false};
    std::thread writer([&] {
        overfill();
        full = true;
        while (!granted) {
            std::this_thread::sleep_for(milliseconds(1));
        }
        overfill();  // finds the chunk, and then waits for the next until the recording ends
    });
    while (!full) {
        std::this_thread::sleep_for(milliseconds(1));
    }
    ThreadBlock& block = segments_.block(0);
    RingReader reader(block, segments_.base() + ring_offset(0));
    ASSERT_TRUE(reader.front(false).complete);
    [[maybe_unused]] const bool wake = reader.recycle();
    const auto begin = steady_clock::now();
    granted = true;
    while (block.waiting.load() == 0 && steady_clock::now() - begin < kTimeout) {
        std::this_thread::sleep_for(milliseconds(1));
    }
    EXPECT_EQ(block.waiting.load(), 1U) << "the thread does not wait for a collector that works";
    stop_recording();
    writer.join();
}

TEST_F(Stalled, TheNextRecordingKnowsNothingOfIt) {
    overfill_in_a_new_thread();
    end_recording();
    segments_.fresh();
    ASSERT_TRUE(start_recording({.header = &header_}));
    EXPECT_GE(overfill_in_a_new_thread(), kShortest);
}

TEST_F(Stalled, WhatIsToBeDiscardedWaitsForNobodyAndIsCounted) {
    end_recording();
    segments_.fresh();
    ASSERT_TRUE(start_recording({.header = &header_, .discard = true}));
    EXPECT_LT(overfill_in_a_new_thread(), kShortest);
    EXPECT_EQ(lost(), kMoreThanARing);
    RingReader reader(segments_.block(0), segments_.base() + ring_offset(0));
    EXPECT_EQ(reader.front(true).slots, nullptr);
}

}  // namespace
}  // namespace umbra::hotpath
