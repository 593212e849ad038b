// SPDX-License-Identifier: MIT
// The probes that rewritten IL calls: what they keep, and what they write down.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hotpath/record.h"
#include "hotpath/recorder.h"
#include "hotpath/segment.h"
#include "src/fakeclr/register_check.h"
#include "tests/asm/clobbered.h"
#include "tests/hotpath/segments.h"

namespace umbra::hotpath {
namespace {

using ::testing::IsEmpty;

constexpr uint32_t kIndex = 4711;
constexpr uintptr_t kFrame = 0x7f00'1234'5670;

/// The probes promise more than the calling convention.
bool may_change(const std::string& name) {
    return std::ranges::find(kClobberedByIlProbe, name) != kClobberedByIlProbe.end();
}

void check_once(void (*probe)(), uintptr_t client, fakeclr::StackAlignment alignment,
                uint64_t seed) {
    fakeclr::RegisterFile before = fakeclr::il_register_pattern(client, kFrame, seed);
    const fakeclr::RegisterFile after =
        fakeclr::checked_call(reinterpret_cast<fakeclr::Hook>(probe), before, alignment);
    std::vector<std::string> changed = fakeclr::changed_registers(before, after);
    std::erase_if(changed, may_change);
    EXPECT_THAT(changed, IsEmpty());
}

class IlProbes : public ::testing::TestWithParam<ClockSource> {};

TEST_P(IlProbes, KeepAllButFourRegistersOnEveryPath) {
    Segments segments;
    SegmentHeader& header = segments.fresh();
    ASSERT_TRUE(start_recording({.header = &header, .drop_when_full = true}));
    const IlProbeFunctions probes = il_probe_functions(GetParam());
    const uintptr_t client = client_id(kIndex);
    // The first event of a thread, chunks that fill up, a ring that is full and drops.
    constexpr uint64_t kCalls = (kChunksPerRing + 1) * kChunkBytes / kRecordBytes + 2000;
    for (uint64_t call = 0; call < kCalls && !HasFailure(); ++call) {
        check_once(call % 2 == 0 ? probes.enter : probes.leave, client,
                   fakeclr::kStackAlignments[call / 2 % fakeclr::kStackAlignments.size()],
                   call + 1);
    }
    end_recording();
    check_once(probes.enter, client, fakeclr::StackAlignment::kAligned, 1);  // probes off
    EXPECT_GT(segments.block(0).lost.load(), 0U);

    const auto* slots = reinterpret_cast<const uint64_t*>(segments.base() + ring_offset(0));
    for (uint32_t record = 0; record < 100; ++record) {
        const uint64_t slot = slots[size_t{2} * record];
        ASSERT_EQ(slot_kind(slot), record % 2 == 0 ? Kind::kEnter : Kind::kLeave);
        ASSERT_EQ(slot_index(slot), kIndex);
        ASSERT_EQ(slot_operand(slot), static_cast<uint32_t>(kFrame));
        ASSERT_LE(record == 0 ? 0U : slots[size_t{2} * record - 1], slots[size_t{2} * record + 1]);
    }
}

INSTANTIATE_TEST_SUITE_P(Clocks, IlProbes,
                         ::testing::Values(ClockSource::kCounter, ClockSource::kOs));

}  // namespace
}  // namespace umbra::hotpath
