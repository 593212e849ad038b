// SPDX-License-Identifier: MIT
// The ring in plain memory: order, wrap, full, reclaim, tails, waiting, and slots used again.
#include "hotpath/ring.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "hotpath/slot.h"
#include "tests/hotpath/plain_ring.h"

namespace umbra::hotpath {
namespace {

/// Publishes `count` records at `next`, with ticks counting up from `ticks`.
uint64_t* write_records(uint64_t* next, uint64_t count, uint64_t& ticks) {
    for (uint64_t i = 0; i < count; ++i, ++ticks, next += 2) {
        publish(next, make_slot(Kind::kEnter, 1, 0), ticks);
    }
    return next;
}

void fill(uint64_t* chunk, uint64_t& ticks) {
    write_records(chunk, kSlotsPerChunk / 2, ticks);
}

bool holds(const uint64_t* chunk, uint64_t& ticks) {
    for (size_t i = 0; i < kSlotsPerChunk; i += 2, ++ticks) {
        if (chunk[i] == 0 || chunk[i + 1] != ticks) {
            return false;
        }
    }
    return true;
}

bool clear_and_recycle(RingReader& reader) {
    std::memset(reader.chunk(reader.drained()), 0, kChunkBytes);
    return reader.recycle();
}

TEST(Ring, HandsChunksOverInOrder) {
    PlainRing ring;
    RingWriter writer(ring.block, ring.memory());
    RingReader reader(ring.block, ring.memory());
    uint64_t written = 1;
    uint64_t read = 1;
    EXPECT_EQ(reader.front(false).slots, nullptr);
    fill(writer.take(), written);
    for (uint32_t i = 0; i < 3 * kChunksPerRing; ++i) {
        EXPECT_FALSE(reader.front(false).complete);
        fill(writer.take(), written);
        const RingReader::View view = reader.front(false);
        ASSERT_TRUE(view.complete);
        ASSERT_TRUE(holds(view.slots, read));
        EXPECT_FALSE(clear_and_recycle(reader)) << "nobody waits";
    }
}

TEST(Ring, GoesOnWhenItsCountersWrap) {
    for (const uint32_t start : {0U - 1, 0U - kChunksPerRing / 2, 0U - 2 * kChunksPerRing,
                                 0x8000'0000U - kChunksPerRing / 2}) {
        PlainRing ring;
        const RingWord word{start, start};
        ring.block.ring.store(word.pack());
        RingWriter writer(ring.block, ring.memory());
        RingReader reader(ring.block, ring.memory(), word);
        uint64_t written = 1;
        uint64_t read = 1;
        fill(writer.take(), written);
        for (uint32_t i = 0; i < 4 * kChunksPerRing; ++i) {
            uint64_t* chunk = writer.take();
            ASSERT_NE(chunk, nullptr) << start << " + " << i;
            fill(chunk, written);
            const RingReader::View view = reader.front(false);
            ASSERT_TRUE(view.complete);
            ASSERT_TRUE(holds(view.slots, read));
            clear_and_recycle(reader);
        }
        const uint32_t back = reader.reclaim(1);
        EXPECT_EQ(back, kChunksPerRing - 2);  // one is being filled, one is kept
        EXPECT_FALSE(reader.grant(back));
        EXPECT_EQ(RingWord::unpack(ring.block.ring.load()).available(), kChunksPerRing - 1);
    }
}

TEST(Ring, IsFullAfterItsLastChunkAndHasRoomAfterEachRecycle) {
    PlainRing ring;
    RingWriter writer(ring.block, ring.memory());
    RingReader reader(ring.block, ring.memory());
    uint64_t ticks = 1;
    for (uint32_t i = 0; i < kChunksPerRing; ++i) {
        fill(writer.take(), ticks);
    }
    EXPECT_EQ(writer.take(), nullptr);
    EXPECT_EQ(writer.take(), nullptr);
    for (uint32_t i = 0; i < 5; ++i) {
        ASSERT_TRUE(reader.front(false).complete);
        clear_and_recycle(reader);
        uint64_t* chunk = writer.take();
        ASSERT_EQ(chunk, reader.chunk(i));
        fill(chunk, ticks);
        EXPECT_EQ(writer.take(), nullptr);
    }
}

TEST(Ring, ReclaimsWhatTheWriterHasNotTaken) {
    PlainRing ring;
    RingWriter writer(ring.block, ring.memory());
    RingReader reader(ring.block, ring.memory());
    uint64_t ticks = 1;
    fill(writer.take(), ticks);
    const uint32_t back = reader.reclaim(2);
    EXPECT_EQ(back, kChunksPerRing - 3);
    EXPECT_EQ(reader.reclaim(2), 0U);
    // What is the reader's now lies behind what the writer may still take.
    const uint64_t* first_reclaimed = reader.chunk(reader.granted() + kChunksPerRing);
    EXPECT_EQ(first_reclaimed, reader.chunk(3));
    EXPECT_EQ(writer.take(), reader.chunk(1));
    EXPECT_EQ(writer.take(), reader.chunk(2));
    EXPECT_EQ(writer.take(), nullptr);
    EXPECT_EQ(reader.reclaim(0), 0U) << "a full ring has nothing to take back";
    EXPECT_FALSE(reader.grant(back));
    EXPECT_EQ(writer.take(), first_reclaimed);
}

TEST(Ring, ShowsTheTailOfAChunkBeingFilled) {
    PlainRing ring;
    RingWriter writer(ring.block, ring.memory());
    RingReader reader(ring.block, ring.memory());
    uint64_t ticks = 7;
    uint64_t* next = write_records(writer.take(), 3, ticks);
    RingReader::View view = reader.front(false);
    ASSERT_NE(view.slots, nullptr);
    EXPECT_FALSE(view.complete);
    EXPECT_EQ(view.slots[5], 9U);
    EXPECT_EQ(view.slots[6], 0U) << "not written yet";
    write_records(next, 1, ticks);
    EXPECT_EQ(view.slots[7], 10U);
    view = reader.front(true);
    EXPECT_TRUE(view.complete) << "the writer is gone: there will be no more";
}

TEST(Ring, BelievesNoImpossibleCounter) {
    for (const RingWord word : {RingWord{1, 0}, RingWord{0, kChunksPerRing + 1},
                                RingWord{0x8000'0000U, 0}, RingWord{7, 0xffff'fff0U}}) {
        PlainRing ring;
        ring.block.ring.store(word.pack());
        EXPECT_EQ(RingWriter(ring.block, ring.memory()).take(), nullptr);
        RingReader reader(ring.block, ring.memory());
        const RingReader::View view = reader.front(false);
        EXPECT_TRUE(view.slots == nullptr || word.taken == 0);
        EXPECT_EQ(reader.reclaim(1), 0U);
    }
}

TEST(Ring, AnnouncesNoSleepWhenAChunkHasCome) {
    PlainRing ring;
    RingWriter writer(ring.block, ring.memory());
    RingReader reader(ring.block, ring.memory());
    uint64_t ticks = 1;
    while (uint64_t* chunk = writer.take()) {
        fill(chunk, ticks);
    }
    bool sleep = false;
    EXPECT_EQ(writer.announce_wait(sleep), 0U);
    EXPECT_TRUE(sleep);
    EXPECT_TRUE(clear_and_recycle(reader)) << "the writer waits";
    EXPECT_EQ(writer.announce_wait(sleep), 1U);
    EXPECT_FALSE(sleep);
    writer.end_wait();
    EXPECT_FALSE(reader.grant(0));
}

TEST(Ring, WakesTheWriterThatSleepsOnTheGrant) {
    PlainRing ring;
    RingReader reader(ring.block, ring.memory());
    constexpr uint32_t kChunks = 500;
    std::thread thread([&] {
        RingWriter writer(ring.block, ring.memory());
        for (uint32_t i = 0; i < kChunks; ++i) {
            uint64_t* chunk = writer.take();
            while (chunk == nullptr) {
                bool sleep = false;
                const uint32_t granted = writer.announce_wait(sleep);
                if (sleep) {  // without a limit: a lost wake-up hangs the test
                    syscall(SYS_futex, &ring.block.ring, FUTEX_WAIT, granted, nullptr, nullptr, 0);
                }
                chunk = writer.take();
            }
            writer.end_wait();
            chunk[0] = i + 1;
        }
        end_slot(ring.block, 0);
    });
    uint32_t read = 0;
    while (read < kChunks) {
        const RingReader::View view = reader.front(slot_state(ring.block) == SlotState::kEnded);
        if (view.slots == nullptr || !view.complete) {
            std::this_thread::yield();
            continue;
        }
        ASSERT_EQ(view.slots[0], ++read);
        view.slots[0] = 0;
        if (reader.recycle()) {
            syscall(SYS_futex, reader.grant_word(), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
        }
    }
    thread.join();
}

TEST(Slot, IsClaimedByOneThreadAtATime) {
    for (int round = 0; round < 200; ++round) {
        PlainRing ring;
        std::atomic<int> winners{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] { winners += claim_slot(ring.block) ? 1 : 0; });
        }
        std::for_each(threads.begin(), threads.end(), [](std::thread& thread) { thread.join(); });
        ASSERT_EQ(winners, 1);
    }
}

TEST(Slot, StartsFromZeroWhenItIsUsedAgain) {
    PlainRing ring;
    for (uint32_t tid = 1; tid <= 3; ++tid) {
        ASSERT_TRUE(claim_slot(ring.block));
        EXPECT_FALSE(claim_slot(ring.block));
        open_slot(ring.block, tid, 100 * tid);
        EXPECT_EQ(slot_state(ring.block), SlotState::kLive);
        EXPECT_EQ(ring.block.lost.load(), 0U);
        EXPECT_EQ(ring.block.ring.load(), 0U);
        RingWriter writer(ring.block, ring.memory());
        EXPECT_EQ(writer.take(), reinterpret_cast<uint64_t*>(ring.memory()));
        ring.block.lost = 17;
        ring.block.waiting = 1;
        end_slot(ring.block, 100 * tid + 50);
        EXPECT_EQ(ring.block.os_tid, tid);
        EXPECT_EQ(ring.block.end_ticks, 100 * tid + 50);
        EXPECT_FALSE(claim_slot(ring.block)) << "not before the collector has read it";
        free_slot(ring.block);
        EXPECT_EQ(ring.block.waiting.load(), 0U);
    }
}

TEST(RingUnderLoad, LosesAndRepeatsNothingWithAFastReader) {
    EXPECT_TRUE(run_load({.threads = 6, .records = 100'000, .pause_per_mille = 300}));
}

TEST(RingUnderLoad, LosesAndRepeatsNothingWithAFastWriter) {
    EXPECT_TRUE(run_load({.threads = 4, .records = 400'000, .pause_per_mille = 0, .seed = 2}));
}

TEST(RingUnderLoad, LosesAndRepeatsNothingWithoutTails) {
    EXPECT_TRUE(run_load({.threads = 4, .records = 200'000, .read_tails = false, .seed = 3}));
}

TEST(RingUnderLoad, LosesAndRepeatsNothingOfManyShortThreads) {
    EXPECT_TRUE(run_load({.threads = 500, .records = 20, .seed = 4}));
}

}  // namespace
}  // namespace umbra::hotpath
