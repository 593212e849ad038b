// SPDX-License-Identifier: MIT
// What the probes in the core library leave in the ring, and which types they have met.
#include "hotpath/async_calls.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/record.h"
#include "hotpath/recorder.h"
#include "hotpath/seen_types.h"
#include "tests/hotpath/segments.h"

namespace umbra::hotpath {
namespace {

struct Record {
    ControlType type{};
    uint32_t operand = 0;
    std::vector<uint64_t> payload;
};

constexpr uint64_t kBoxType = 0x7f00'0000'1000;
constexpr uint64_t kTaskType = 0x7f00'0000'2000;
constexpr uint64_t kFrame = 0x7ffe'1234'5678;
constexpr uint32_t kRuntime = 1;

/// A recording of this thread, which nobody drains.
class AsyncCalls : public testing::Test {
  protected:
    void SetUp() override {
        seen_types().clear();
        ASSERT_TRUE(start_recording({.header = &segments_.fresh()}));
    }
    void TearDown() override { end_recording(); }

    [[nodiscard]] std::vector<Record> all() const {
        std::vector<Record> records;
        const auto* ring = reinterpret_cast<const uint64_t*>(segments_.base() + ring_offset(0));
        for (size_t at = 0; slot_written(ring[at]);) {
            Record record{
                static_cast<ControlType>(slot_index(ring[at])), slot_operand(ring[at]), {}};
            const size_t slots = control_payload_slots(record.type);
            record.payload.assign(ring + at + 2, ring + at + 2 + slots);
            records.push_back(record);
            at += 2 + slots;
        }
        return records;
    }
    [[nodiscard]] static std::vector<uint64_t> seen() {
        std::vector<uint64_t> types;
        for (uint32_t entry = 0; entry < seen_types().count(); ++entry) {
            EXPECT_EQ(SeenTypes::runtime_of(seen_types().at(entry)), kRuntime);
            types.push_back(SeenTypes::address_of(seen_types().at(entry)));
        }
        return types;
    }

    // A collection keeps marks in the lowest bits.
    const uint64_t box_[2] = {kBoxType | 1, 0};
    const uint64_t task_[2] = {kTaskType | 4, 0};
    Segments segments_;
};

TEST_F(AsyncCalls, AnObjectIsTheTypeItBeginsWith) {
    umbra_async_suspended(7, box_, 0x80000000, nullptr, kFrame, kRuntime);
    const Record record = all().back();
    EXPECT_EQ(record.type, ControlType::kAsyncSuspended);
    EXPECT_EQ(record.operand, 0x12345678U);
    EXPECT_EQ(record.payload, (std::vector<uint64_t>{make_async_keys(7, 0), kBoxType}));
    EXPECT_EQ(seen(), std::vector{kBoxType});
}

TEST_F(AsyncCalls, TheTypeIsThatOfTheSecondObjectIfThereIsOne) {
    umbra_async_awaits(7, box_, 0x80000011, task_, kFrame, kRuntime);
    EXPECT_EQ(all().back().payload,
              (std::vector<uint64_t>{make_async_keys(7, 0x80000011), kTaskType}));
    umbra_async_awaits(7, box_, 0x80000000, nullptr, kFrame, kRuntime);
    EXPECT_EQ(all().back().payload, (std::vector<uint64_t>{make_async_keys(7, 0), kBoxType}));
}

TEST_F(AsyncCalls, AFaultWithoutATaskTellsWhereItsFieldLies) {
    umbra_async_faulted(0x80000000, nullptr, 0xabcd, task_, kFrame, kRuntime);
    EXPECT_EQ(all().back().type, ControlType::kAsyncFaulted);
    EXPECT_EQ(all().back().operand, 0xabcdU);
    EXPECT_EQ(all().back().payload, (std::vector<uint64_t>{0, kTaskType}));
    umbra_async_faulted(7, box_, 0xabcd, task_, kFrame, kRuntime);
    EXPECT_EQ(all().back().operand, static_cast<uint32_t>(kFrame));
    EXPECT_EQ(all().back().payload, (std::vector<uint64_t>{make_async_keys(7, 0), kTaskType}));
}

TEST_F(AsyncCalls, TasksOfTwoRuntimesWithOneIdAreTold) {
    umbra_async_awaits(7, box_, 0x80000011, task_, kFrame, 1);
    const std::vector<uint64_t> first = all().back().payload;
    umbra_async_awaits(7, box_, 0x80000011, task_, kFrame, 2);
    const std::vector<uint64_t> second = all().back().payload;
    EXPECT_NE(first_key(first[0]), first_key(second[0]));
    EXPECT_NE(second_key(first[0]), second_key(second[0]));
    EXPECT_EQ(second_key(second[0]) >> 31, 1U);  // still a hash
}

TEST_F(AsyncCalls, EachProbeHasARecordOfItsOwn) {
    const auto all_probes = {
        std::pair(&umbra_async_suspended, ControlType::kAsyncSuspended),
        std::pair(&umbra_async_awaits, ControlType::kAsyncAwaits),
        std::pair(&umbra_async_resumed, ControlType::kAsyncResumed),
        std::pair(&umbra_async_completed, ControlType::kAsyncCompleted),
        std::pair(&umbra_async_faulted, ControlType::kAsyncFaulted),
        std::pair(&umbra_async_signalled, ControlType::kAsyncSignalled),
        std::pair(&umbra_work_queued, ControlType::kWorkQueued),
        std::pair(&umbra_work_runs, ControlType::kWorkRuns),
        std::pair(&umbra_task_made, ControlType::kTaskMade),
        std::pair(&umbra_task_runs, ControlType::kTaskRuns),
        std::pair(&umbra_task_combines, ControlType::kTaskCombines),
        std::pair(&umbra_async_stack_suspended, ControlType::kAsyncStackSuspended),
        std::pair(&umbra_task_waits, ControlType::kTaskWaits),
    };
    for (const auto& [probe, type] : all_probes) {
        probe(7, box_, 0, nullptr, kFrame, kRuntime);
        EXPECT_EQ(all().back().type, type);
        EXPECT_TRUE(tells_of_async(type));
    }
    const auto ends = {std::pair(&umbra_async_resume_ends, ControlType::kAsyncResumeEnds),
                       std::pair(&umbra_work_ends, ControlType::kWorkEnds),
                       std::pair(&umbra_task_ends, ControlType::kTaskEnds),
                       std::pair(&umbra_task_wait_ends, ControlType::kTaskWaitEnds)};
    for (const auto& [probe, type] : ends) {
        probe(0, kFrame);
        EXPECT_EQ(all().back().type, type);
        EXPECT_EQ(all().back().operand, static_cast<uint32_t>(kFrame));
    }
    EXPECT_EQ(all().size(), all_probes.size() + ends.size());
}

TEST_F(AsyncCalls, TheProgramsErrnoStays) {
    errno = 4711;
    for (int i = 0; i < 20'000; ++i) {  // several chunks
        umbra_async_suspended(7, box_, 0, nullptr, kFrame, kRuntime);
    }
    EXPECT_EQ(errno, 4711);
    EXPECT_EQ(seen(), std::vector{kBoxType});
}

TEST_F(AsyncCalls, NothingIsToldOnceTheRecordingHasEnded) {
    umbra_work_queued(1, box_, 0, nullptr, kFrame, kRuntime);
    end_recording();
    umbra_work_queued(2, task_, 0, nullptr, kFrame, kRuntime);
    EXPECT_EQ(all().size(), 1U);
    EXPECT_EQ(seen(), std::vector{kBoxType});
}

/// Types that could be addresses of method tables.
uint64_t type_number(uint64_t number) {
    return SeenTypes::pack(0x7f00'0000'0000 + number * 0x140, 1);
}

TEST(SeenTypes, EachTypeIsListedOnceWhicheverThreadMeetsIt) {
    constexpr uint64_t kTypes = 4000;
    const auto types = std::make_unique<SeenTypes>();
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (uint64_t number = 0; number < kTypes; ++number) {
                types->note(type_number(number));
                types->note(type_number(number / 2));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::vector<uint64_t> listed;
    for (uint32_t entry = 0; entry < types->count(); ++entry) {
        listed.push_back(types->at(entry));
    }
    std::ranges::sort(listed);
    ASSERT_EQ(listed.size(), kTypes);
    for (uint64_t number = 0; number < kTypes; ++number) {
        EXPECT_EQ(listed[number], type_number(number));
    }
    EXPECT_EQ(types->lost(), 0U);
}

TEST(SeenTypes, WhatIsForgottenIsListedAgain) {
    const auto types = std::make_unique<SeenTypes>();
    for (uint64_t number = 0; number < 100; ++number) {
        types->note(type_number(number));
    }
    types->forget(type_number(50));
    types->forget(type_number(777));  // nobody has met it
    for (uint64_t number = 0; number < 100; ++number) {
        types->note(type_number(number));
    }
    ASSERT_EQ(types->count(), 101U);
    EXPECT_EQ(types->at(100), type_number(50));
}

TEST(SeenTypes, BeyondItsSizeTypesAreCountedAsLost) {
    const auto types = std::make_unique<SeenTypes>();
    for (uint64_t number = 0; number < 2 * SeenTypes::kCapacity; ++number) {
        types->note(type_number(number));
    }
    EXPECT_LE(types->count(), SeenTypes::kCapacity);
    EXPECT_GT(types->count(), SeenTypes::kCapacity / 2);
    EXPECT_GE(types->lost() + types->count(), 2 * SeenTypes::kCapacity);
    types->clear();
    EXPECT_EQ(types->count(), 0U);
    types->note(type_number(1));
    EXPECT_EQ(types->at(0), type_number(1));
}

}  // namespace
}  // namespace umbra::hotpath
