// SPDX-License-Identifier: MIT
// Suspensions come out of the pause ring whole and in order, or are counted.
#include "src/collector/cpu/pause_reader.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>

#include <gtest/gtest.h>

#include "src/collector/state/session_state.h"
#include "src/collector/tables/profile_builder.h"
#include "src/profile/report.h"

namespace umbra::collector {
namespace {

using hotpath::kPauseEntries;
using hotpath::PauseEntry;

/// A pause ring as the agent writes it.
class Ring {
  public:
    void publish(uint64_t suspend, uint64_t resume) {
        const uint64_t number = published.load() + 1;
        PauseEntry& entry = entries[number % kPauseEntries];
        entry.number.store(0, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        store(entry.suspend_ticks, suspend);
        store(entry.suspended_ticks, suspend);
        store(entry.resume_ticks, resume);
        store(entry.os_tid, 7U);
        store(entry.reason, 1U);
        entry.number.store(number, std::memory_order_release);
        published.store(number, std::memory_order_release);
    }

    std::atomic<uint64_t> published{0};
    std::unique_ptr<PauseEntry[]> entries = std::make_unique<PauseEntry[]>(kPauseEntries);

  private:
    template <typename T>
    static void store(T& field, std::type_identity_t<T> value) {
        std::atomic_ref(field).store(value, std::memory_order_relaxed);
    }
};

class PauseReaderTest : public ::testing::Test {
  protected:
    profile::Profile read() {
        reader.read(state);
        return build(state.copy_out(1'000'000'000), replay::LinearClock(0, 1e9), {});
    }

    Ring ring;
    SessionState state;
    PauseReader reader{ring.published, {ring.entries.get(), kPauseEntries}};
};

TEST_F(PauseReaderTest, EachPauseIsReadOnce) {
    ring.publish(10, 20);
    EXPECT_EQ(read().pauses.size(), 1U);
    EXPECT_EQ(read().pauses.size(), 1U);
    ring.publish(30, 35);
    ring.publish(40, 50);
    const profile::Profile p = read();
    ASSERT_EQ(p.pauses.size(), 3U);
    EXPECT_EQ(p.pauses[1].start_ns, 30U);
    EXPECT_EQ(p.pauses[2].duration_ns, 10U);
    EXPECT_EQ(p.pauses[2].reason, "gc");
    EXPECT_EQ(p.pauses[2].os_tid, 7U);
    EXPECT_EQ(p.session.losses.pauses, 0U);
}

TEST_F(PauseReaderTest, WhatWasOverwrittenIsCounted) {
    for (uint64_t i = 0; i < kPauseEntries + 10; ++i) {
        ring.publish(10 * i, 10 * i + 5);
    }
    const profile::Profile p = read();
    EXPECT_EQ(p.pauses.size(), kPauseEntries);
    EXPECT_EQ(p.pauses[0].start_ns, 100U);
    EXPECT_EQ(p.session.losses.pauses, 10U);
}

TEST_F(PauseReaderTest, AnEntryBeingWrittenIsCountedAndNotBelieved) {
    ring.publish(10, 20);
    ring.publish(30, 40);
    ring.entries[1].number.store(0);
    const profile::Profile p = read();
    ASSERT_EQ(p.pauses.size(), 1U);
    EXPECT_EQ(p.pauses[0].start_ns, 30U);
    EXPECT_EQ(p.session.losses.pauses, 1U);
}

TEST_F(PauseReaderTest, AnyCountIsBorne) {
    ring.publish(10, 20);
    ring.published.store(UINT64_MAX);
    EXPECT_TRUE(read().pauses.empty());
    EXPECT_EQ(read().session.losses.pauses, UINT64_MAX);
    ring.published.store(5);
    EXPECT_EQ(read().session.losses.pauses, UINT64_MAX);
}

TEST_F(PauseReaderTest, AWriterAtFullSpeedTearsNoPause) {
    constexpr uint64_t kPauses = 200'000;
    std::thread writer([this] {
        for (uint64_t i = 1; i <= kPauses; ++i) {
            ring.publish(10 * i, 10 * i + 5);
        }
    });
    while (ring.published.load() < kPauses) {
        reader.read(state);
    }
    writer.join();
    const profile::Profile p = read();
    EXPECT_EQ(profile::all_pauses(p).count + p.session.losses.pauses, kPauses);
    for (const profile::Pause& pause : p.pauses) {
        ASSERT_EQ(pause.start_ns % 10, 0U);
        ASSERT_EQ(pause.duration_ns, 5U) << "of two pauses";
    }
}

}  // namespace
}  // namespace umbra::collector
