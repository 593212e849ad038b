// SPDX-License-Identifier: MIT
// A collector that stands still: threads wait for it once, not each for itself.
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

// What recorder.cpp waits at most; looks up this often; and what a busy machine adds.
constexpr auto kTimeout = milliseconds(5000);
constexpr auto kAtOnce = milliseconds(1000);
constexpr uint32_t kMoreThanARing = kRingBytes / kTimedRecordBytes + 1000;

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
    EXPECT_GE(overfill_in_a_new_thread(), kTimeout - kAtOnce);
    const uint64_t lost_by_one = lost();
    EXPECT_GE(lost_by_one, 1000U) << "what went nowhere is counted";
    for (int i = 0; i < 5; ++i) {
        EXPECT_LT(overfill_in_a_new_thread(), kAtOnce);
    }
    EXPECT_GE(lost(), 6 * 1000U);
}

TEST_F(Stalled, WhoWaitsAlreadyIsLetGoWithTheFirst) {
    std::vector<std::thread> threads;
    std::atomic<int> waited_too_long{0};
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&, i] {
            std::this_thread::sleep_for(milliseconds(1000) * i);
            const milliseconds expected = kTimeout - milliseconds(1000) * i;
            waited_too_long += overfill() > expected + kAtOnce ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(waited_too_long, 0);
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
    EXPECT_GE(overfill_in_a_new_thread(), kTimeout - kAtOnce);
}

}  // namespace
}  // namespace umbra::hotpath
