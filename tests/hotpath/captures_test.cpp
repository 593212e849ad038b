// SPDX-License-Identifier: MIT
// Recording begun and ended many times in one process: who records in between writes into the
// segment of its capture or nowhere, and every thread's part ends when the capture does.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/clock.h"
#include "hotpath/recorder.h"
#include "hotpath/slot.h"
#include "tests/hotpath/segments.h"

namespace umbra::hotpath {
namespace {

constexpr int kCaptures = 60;
constexpr auto kCapture = std::chrono::milliseconds(2);

/// What the rings of a segment hold. Called when nobody writes any more.
struct Contents {
    uint64_t records = 0;
    uint32_t slots = 0;
    uint32_t not_ended = 0;
    uint32_t out_of_order = 0;  ///< control records whose number is not one more than the last

    explicit Contents(const Segments& segments) {
        const auto& header = *reinterpret_cast<const SegmentHeader*>(segments.base());
        slots = header.threads_seen.load();
        for (uint32_t slot = 0; slot < slots; ++slot) {
            ThreadBlock& block = segments.block(slot);
            not_ended += slot_state(block) == SlotState::kEnded ? 0U : 1U;
            read(block, segments.base() + ring_offset(slot));
        }
    }
    bool operator==(const Contents&) const = default;

  private:
    void read(const ThreadBlock& block, const std::byte* ring) {
        const uint32_t taken = RingWord::unpack(block.ring.load()).taken;
        uint32_t before = 0;
        for (uint32_t chunk = 0; chunk < taken && chunk < kChunksPerRing; ++chunk) {
            const auto* at = reinterpret_cast<const uint64_t*>(ring + chunk * kChunkBytes);
            const auto* end = at + kChunkBytes / kSlotBytes;
            while (at < end && slot_written(*at)) {
                ++records;
                if (slot_kind(*at) == Kind::kControl &&
                    slot_index(*at) == static_cast<uint32_t>(ControlType::kFilterEnter)) {
                    const uint32_t number = slot_operand(*at);
                    out_of_order += before != 0 && number != before + 1 ? 1U : 0U;
                    before = number;
                }
                at += record_slots(*at);
            }
        }
    }
};

/// Threads that record without end: through the stubs, as compiled code does, and through
/// callbacks; some begin and end all the time.
class Busy {
  public:
    explicit Busy(uintptr_t client) {
        for (int i = 0; i < 2; ++i) {
            threads_.emplace_back([this, client] { call_stubs(client); });
            threads_.emplace_back([this] { call_back(UINT32_MAX); });
        }
        threads_.emplace_back([this] {
            while (!stop_) {
                std::thread([this] { call_back(50); }).join();
            }
        });
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() {
        stop_ = true;
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    /// Nobody is in a stub while it is held, as when the runtime is suspended.
    [[nodiscard]] std::unique_lock<std::shared_mutex> suspend() {
        wanted_ = true;  // readers would let no writer in
        std::unique_lock lock(suspended_);
        wanted_ = false;
        return lock;
    }

  private:
    void call_stubs(uintptr_t client) {
        const HookFunctions hooks = hook_functions(ClockSource::kCounter);
        while (!stop_) {
            while (wanted_) {
                std::this_thread::yield();
            }
            const std::shared_lock running(suspended_);
            umbra_call_pairs(hooks.enter, hooks.leave, client, 20);
        }
    }
    void call_back(uint32_t times) {
        for (uint32_t number = 1; number <= times && !stop_; ++number) {
            record_control(ControlType::kFilterEnter, number);
        }
    }

    std::atomic<bool> stop_{false};
    std::atomic<bool> wanted_{false};
    std::shared_mutex suspended_;
    std::vector<std::thread> threads_;
};

TEST(Captures, NobodyWritesBeyondTheEndAndEverybodyComesBack) {
    Segments segments;
    SegmentHeader& header = segments.fresh();
    Busy busy(client_id(7));
    uint64_t records = 0;
    uint64_t slots = 0;
    for (int capture = 0; capture < kCaptures; ++capture) {
        segments.fresh();
        ASSERT_TRUE(start_recording({.header = &header, .drop_when_full = true}));
        std::this_thread::sleep_for(kCapture);
        {
            const auto stopped = busy.suspend();
            end_recording();
        }
        const Contents at_the_end(segments);
        // A thread that ends by itself in that moment goes without a word.
        EXPECT_LE(at_the_end.not_ended, 1U);
        EXPECT_EQ(at_the_end.out_of_order, 0U);
        std::this_thread::sleep_for(kCapture / 4);
        EXPECT_TRUE(at_the_end == Contents(segments)) << "somebody wrote on";
        records += at_the_end.records;
        slots += at_the_end.slots;
    }
    EXPECT_GT(records, uint64_t{kCaptures});
    EXPECT_GT(slots, uint64_t{kCaptures}) << "the threads did not come back";
}

}  // namespace
}  // namespace umbra::hotpath
