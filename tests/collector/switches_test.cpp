// SPDX-License-Identifier: MIT
// From the kernel's context-switch records to the off-CPU time of calls.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "src/collector/cpu/clock_line.h"
#include "src/collector/cpu/off_cpu_pairs.h"
#include "src/collector/cpu/switch_ring.h"
#include "src/collector/cpu/switch_trace.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RecordStream;
using testing::Replayed;
using Kind = SwitchRecord::Kind;

constexpr uint32_t kPid = 100;

/// A perf buffer in ordinary memory.
class Buffer {
  public:
    static constexpr size_t kBytes = 256;

    void write(uint32_t type, uint16_t misc, uint32_t tid, uint64_t time_ns,
               std::span<const uint64_t> body = {}) {
        struct SampleId {
            uint32_t pid, tid;
            uint64_t time_ns;
        } id{kPid, tid, time_ns};
        perf_event_header header{};
        header.type = type;
        header.misc = misc;
        header.size = static_cast<uint16_t>(sizeof(header) + body.size_bytes() + sizeof(id));
        put(&header, sizeof(header));
        put(body.data(), body.size_bytes());
        put(&id, sizeof(id));
    }
    void in(uint32_t tid, uint64_t time_ns) { write(PERF_RECORD_SWITCH, 0, tid, time_ns); }
    void out(uint32_t tid, uint64_t time_ns) {
        write(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, tid, time_ns);
    }
    void put(const void* bytes, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            data[page.data_head++ % kBytes] = static_cast<const std::byte*>(bytes)[i];
        }
    }
    std::vector<SwitchRecord> read() {
        std::vector<SwitchRecord> records;
        ring.read([&](const SwitchRecord& record) { records.push_back(record); });
        return records;
    }

    perf_event_mmap_page page{};
    std::array<std::byte, kBytes> data{};
    SwitchRing ring{&page, data};
};

TEST(SwitchRing, RecordsAreReadAroundTheEndOfTheBuffer) {
    Buffer buffer;
    for (uint64_t i = 0; i < 100; ++i) {
        buffer.out(5, 2 * i);
        buffer.in(6, 2 * i + 1);
        const std::vector<SwitchRecord> records = buffer.read();
        ASSERT_EQ(records.size(), 2U);
        EXPECT_EQ(records[0].kind, Kind::kOut);
        EXPECT_EQ(records[0].tid, 5U);
        EXPECT_EQ(records[1].kind, Kind::kIn);
        EXPECT_EQ(records[1].pid, kPid);
        EXPECT_EQ(records[1].time_ns, 2 * i + 1);
        EXPECT_EQ(buffer.page.data_tail, buffer.page.data_head);
    }
    EXPECT_EQ(buffer.ring.lost(), 0U);
}

TEST(SwitchRing, LossesAreCountedAndTheRestIsRead) {
    Buffer buffer;
    constexpr uint64_t kIdAndLost[] = {1, 40};
    buffer.write(PERF_RECORD_LOST, 0, 5, 10, kIdAndLost);
    buffer.write(PERF_RECORD_THROTTLE, 0, 5, 11);
    buffer.write(PERF_RECORD_EXIT, 0, 5, 12);
    const std::vector<SwitchRecord> records = buffer.read();
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].kind, Kind::kExit);
    EXPECT_EQ(buffer.ring.lost(), 40U);
}

TEST(SwitchRing, NonsenseIsGivenUpAndCounted) {
    for (const uint16_t size : {uint16_t{0}, uint16_t{7}, uint16_t{23}, uint16_t{9999}}) {
        Buffer buffer;
        buffer.out(5, 1);
        perf_event_header header{};
        header.type = PERF_RECORD_SWITCH;
        header.size = size;
        buffer.put(&header, sizeof(header));
        buffer.out(5, 2);
        EXPECT_EQ(buffer.read().size(), 1U) << size;
        EXPECT_EQ(buffer.ring.lost(), 1U);
        buffer.out(5, 3);
        EXPECT_EQ(buffer.read().size(), 1U) << "it goes on behind";
    }
    Buffer far;
    far.page.data_head = uint64_t{1} << 60;
    EXPECT_TRUE(far.read().empty());
    EXPECT_EQ(far.ring.lost(), 1U);
}

/// One thread, tid 5, at one tick a nanosecond.
class OffCpuPairsTest : public ::testing::Test {
  protected:
    OffCpuPairsTest() : clock({0, 0}, {1'000, 1'000}), thread(replayed.thread(5)), pairs(kPid) {}
    void apply(Kind kind, uint64_t time_ns, uint32_t tid = 5, uint32_t pid = kPid) {
        pairs.apply({.kind = kind, .pid = pid, .tid = tid, .time_ns = time_ns}, clock);
    }
    void open() { pairs.open_thread(thread, clock); }
    /// Comes back `count` times, each time for 100, every 1,000.
    void switches(int count) {
        for (int i = 0; i < count; ++i) {
            apply(Kind::kIn, now);
            apply(Kind::kOut, now + 100);
            now += 1'000;
        }
    }
    /// CPU time of a call.
    uint64_t cpu(uint64_t begin = 0, uint64_t end = 100'000) {
        replayed.feed(RecordStream().enter('A', 100, begin).leave('A', 100, end));
        return replayed.profile(end).calltree[0].times.cpu.total_ns;
    }

    RawToTicks clock;
    Replayed replayed;
    ProfiledThread& thread;
    OffCpuPairs pairs;
    uint64_t now = 0;
};

TEST_F(OffCpuPairsTest, OutAndInMakeAnInterval) {
    open();
    apply(Kind::kOut, 10'000);
    apply(Kind::kIn, 40'000);
    apply(Kind::kOut, 10'000, 5, 999);  // another process
    apply(Kind::kOut, 50'000, 6);       // another thread
    EXPECT_EQ(cpu(), 70'000U);
}

TEST_F(OffCpuPairsTest, TheEndMayBeSeenBeforeTheBegin) {
    open();
    apply(Kind::kIn, 40'000);
    apply(Kind::kOut, 10'000);
    apply(Kind::kOut, 60'000);
    apply(Kind::kIn, 70'000);
    EXPECT_EQ(cpu(), 60'000U);
}

TEST_F(OffCpuPairsTest, AThreadThatChangesItsProcessorIsNotOffMeanwhile) {
    open();
    apply(Kind::kOut, 10'000);
    // It came back on processor 1, left, and came back on processor 0, which is read first.
    std::vector<SwitchRecord> records{
        {.kind = Kind::kIn, .pid = kPid, .tid = 5, .time_ns = 70'000},
        {.kind = Kind::kIn, .pid = kPid, .tid = 5, .time_ns = 20'000},
        {.kind = Kind::kOut, .pid = kPid, .tid = 5, .time_ns = 60'000}};
    pairs.apply(records, clock);
    EXPECT_EQ(cpu(), 80'000U);
}

TEST_F(OffCpuPairsTest, WhatAThreadDidBeforeItWasKnownIsKept) {
    apply(Kind::kOut, 10'000);
    apply(Kind::kIn, 40'000);
    apply(Kind::kOut, 90'000);
    open();
    replayed.feed(RecordStream().enter('A', 100, 0));
    EXPECT_EQ(replayed.profile(100'000).calltree[0].times.cpu.total_ns, 60'000U);
}

TEST_F(OffCpuPairsTest, ATwinChangesNothing) {
    open();
    for (const uint64_t time : {10'000U, 50'000U}) {
        apply(Kind::kOut, time);
        apply(Kind::kOut, time + 100);
        apply(Kind::kIn, time + 5'000);
        apply(Kind::kIn, time + 5'100);
    }
    EXPECT_EQ(cpu(), 90'000U);
}

TEST_F(OffCpuPairsTest, AnIntervalWhoseEndWasLostIsNotMadeUp) {
    open();
    apply(Kind::kOut, 10'000);
    apply(Kind::kOut, 80'000);
    apply(Kind::kIn, 90'000);
    EXPECT_EQ(cpu(), 90'000U);
}

TEST_F(OffCpuPairsTest, TheKernelsFigureTellsWhatASwitchCosts) {
    pairs.note_older(5);
    open();
    switches(2);
    pairs.learn(5, 1'000'000);
    switches(100);
    pairs.learn(5, 1'000'000 + 100 * (100 + 50));
    apply(Kind::kIn, now + 10'000);  // off for 10,900, of which 50 are its own,
    // and 50 make up for one before.
    EXPECT_EQ(cpu(now - 900, now + 20'000), 10'000U + 100);
}

TEST_F(OffCpuPairsTest, WhatWasNotKnownEarlierIsMadeUpFor) {
    open();
    now = 1'000;
    // The thread has been seen from its first switch on: 50 ns more each than it seems.
    for (int windows = 1; windows <= 4; ++windows) {
        switches(100);
        pairs.learn(5, static_cast<uint64_t>(windows) * 100 * (100 + 50));
    }
    switches(1);
    EXPECT_EQ(cpu(1'000, now - 900), 401U * (100 + 50));
}

TEST_F(OffCpuPairsTest, ATidIsUsedAgain) {
    open();
    apply(Kind::kExit, 10'000);
    ProfiledThread& second = replayed.thread(5);
    pairs.open_thread(second, clock);
    pairs.close_thread(thread);  // told late
    apply(Kind::kOut, 30'000);
    apply(Kind::kIn, 40'000);
    EXPECT_EQ(cpu(), 90'000U);
}

TEST_F(OffCpuPairsTest, ThreadsThatAreNeverKnownCostNoMemory) {
    for (uint32_t tid = 1'000; tid < 1'100'000; ++tid) {
        apply(Kind::kOut, tid, tid);
        apply(Kind::kIn, tid + 1, tid);
    }
    open();
    EXPECT_EQ(cpu(), 100'000U);
}

TEST_F(OffCpuPairsTest, RecordsInAnyOrderAtAnyTimeTakeNoMoreThanTheCall) {
    std::mt19937_64 random(4711);
    open();
    for (int i = 0; i < 100'000; ++i) {
        const uint64_t time = random() >> (random() % 64);
        apply(static_cast<Kind>(random() % 3), time, static_cast<uint32_t>(3 + random() % 4));
        if (i % 100 == 0) {
            pairs.learn(5, random() >> (random() % 64));
        }
    }
    EXPECT_LE(cpu(), 100'000U);
}

TEST(SwitchRing, AnyBytesEnd) {
    std::mt19937_64 random(4711);
    for (int round = 0; round < 20'000; ++round) {
        Buffer buffer;
        for (int i = 0; i < 10; ++i) {
            perf_event_header header{};
            header.type = static_cast<uint32_t>(random() % 20);
            header.size = static_cast<uint16_t>(random() % 60);
            const uint64_t word = random();
            buffer.put(&header, sizeof(header));
            buffer.put(&word, random() % (sizeof(word) + 1));
        }
        const uint64_t written = buffer.page.data_head;
        EXPECT_LE(buffer.read().size(), 10U);
        EXPECT_EQ(buffer.page.data_tail, written);
    }
}

TEST(RawToTicks, FollowsTheLineThroughFirstAndLatest) {
    const RawToTicks clock({1'000'000, 500}, {4'000'000, 1'000'500});
    EXPECT_EQ(clock.ticks(1'000'500), 4'000'000U);
    EXPECT_EQ(clock.ticks(1'000'600), 4'000'300U);
    EXPECT_EQ(clock.ticks(500), 1'000'000U);
    EXPECT_GT(clock.ticks(uint64_t{1} << 62), uint64_t{1} << 61);
    EXPECT_DOUBLE_EQ(clock.ticks_per_ns(), 3);
}

uint64_t raw_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

TEST(SwitchTrace, TellsTheSleepsOfThreadsThatCameLater) {
    auto trace = SwitchTrace::open(static_cast<uint32_t>(getpid()));
    if (!trace) {
        GTEST_SKIP() << trace.error().context << ": " << strerrordesc_np(trace.error().os_error);
    }
    uint32_t tid = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    std::thread sleeper([&] {
        tid = static_cast<uint32_t>(syscall(SYS_gettid));
        begin = raw_ns();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        end = raw_ns();
    });
    sleeper.join();
    // Each processor's records are in order, not those of two: the thread may wake on another one.
    std::vector<SwitchRecord> records;
    (*trace)->read([&](const SwitchRecord& record) {
        if (record.tid == tid) {
            records.push_back(record);
        }
    });
    std::stable_sort(records.begin(), records.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    uint64_t out = 0;
    uint64_t longest = 0;
    bool ended = false;
    for (const SwitchRecord& record : records) {
        if (record.time_ns < begin || record.time_ns > end) {
            ended = ended || record.kind == Kind::kExit;
        } else if (record.kind == Kind::kOut) {
            out = record.time_ns;
        } else if (record.kind == Kind::kIn && out != 0) {
            longest = std::max(longest, record.time_ns - out);
        }
    }
    EXPECT_GE(longest, 19'000'000U);
    EXPECT_LE(longest, end - begin);
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace umbra::collector
