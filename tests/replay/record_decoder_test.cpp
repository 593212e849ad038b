// SPDX-License-Identifier: MIT
// The record walker: where it stops, where it resumes, and what it makes of nonsense.
#include "src/replay/record_decoder.h"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RecordStream;
using testing::Replayed;

std::vector<uint64_t> times(const std::vector<uint64_t>& slots, uint64_t ticks = 0) {
    replay::RecordCursor cursor(slots, ticks);
    std::vector<uint64_t> seen;
    while (cursor.next()) {
        seen.push_back(cursor.ticks());
    }
    return seen;
}

TEST(RecordCursor, StopsAtASlotNotYetWrittenAndResumesThere) {
    std::vector<uint64_t> chunk = RecordStream().enter('A', 100, 1).leave('A', 100, 5).slots();
    std::vector<uint64_t> written(chunk);
    chunk.resize(16, 0);
    std::fill(chunk.begin() + 2, chunk.end(), 0);

    replay::RecordCursor first(chunk, 0);
    while (first.next()) {
    }
    ASSERT_EQ(first.consumed(false), 2U);

    std::copy(written.begin(), written.end(), chunk.begin());
    replay::RecordCursor second(std::span{chunk}.subspan(2), first.ticks());
    ASSERT_TRUE(second.next());
    EXPECT_EQ(hotpath::slot_kind(second.slot()), hotpath::Kind::kLeave);
    EXPECT_EQ(second.ticks(), 5U);
    EXPECT_FALSE(second.next());
    EXPECT_EQ(second.errors(), 0U);
}

TEST(RecordCursor, ARecordWithoutItsLowHalfIsNotYetWritten) {
    // The stubs store the caller SP before the word that publishes the record.
    const std::vector<uint64_t> chunk = {uint64_t{0x1234} << 32, 7, 0, 0};
    replay::RecordCursor cursor(chunk, 0);
    EXPECT_FALSE(cursor.next());
    EXPECT_EQ(cursor.consumed(false), 0U);
    EXPECT_EQ(cursor.errors(), 0U);
}

TEST(RecordCursor, ACompleteChunkIsUsedUpThroughItsPadding) {
    std::vector<uint64_t> chunk = RecordStream().enter('A', 100, 1).slots();
    chunk.resize(16, 0);
    replay::RecordCursor cursor(chunk, 0);
    EXPECT_TRUE(cursor.next());
    EXPECT_FALSE(cursor.next());
    EXPECT_EQ(cursor.consumed(true), 16U);
    EXPECT_EQ(cursor.errors(), 0U);
}

TEST(ThreadReplay, TheSpareBitOfARecordSaysNothing) {
    std::vector<uint64_t> slots = RecordStream()
                                      .enter('A', 100, 0)
                                      .enter('B', 90, 10)
                                      .leave('B', 90, 20)
                                      .leave('A', 100, 40)
                                      .leave('A', 100, 50)
                                      .slots();
    for (size_t record = 0; record < slots.size(); record += 2) {
        slots[record] |= hotpath::kSpareBit;
    }
    Replayed replayed;
    replayed.thread().consume(slots, true);
    EXPECT_EQ(replayed.tree(), "A 1 40/30\n  B 1 10/10\n");
    EXPECT_EQ(replayed.profile().threads[0].unmatched_leaves, 1U);
}

TEST(RecordCursor, TimeDoesNotRunBackwards) {
    const RecordStream stream =
        RecordStream().enter('A', 100, 50).enter('B', 90, 40).leave('B', 90, 60);
    EXPECT_THAT(times(stream.slots()), ::testing::ElementsAre(50, 50, 60));
    replay::RecordCursor cursor(stream.slots(), 0);
    while (cursor.next()) {
    }
    EXPECT_EQ(cursor.errors(), 1U);
}

TEST(RecordCursor, ARecordThatRunsPastTheEndIsAnErrorAndEndsTheChunk) {
    std::vector<uint64_t> chunk = RecordStream().enter('A', 100, 50).slots();
    chunk.pop_back();
    replay::RecordCursor cursor(chunk, 0);
    EXPECT_FALSE(cursor.next());
    EXPECT_EQ(cursor.errors(), 1U);
    EXPECT_EQ(cursor.consumed(false), 1U);
}

TEST(RecordCursor, APayloadThatRunsPastTheEndIsAnError) {
    std::vector<uint64_t> slots = RecordStream().waited(3, 9).slots();
    slots.pop_back();
    Replayed replayed;
    replayed.thread();
    EXPECT_EQ(replayed.current().consume(slots, false), 2U);
    EXPECT_EQ(replayed.profile().threads[0].decode_errors, 1U);
    EXPECT_EQ(replayed.profile().threads[0].waits, 0U);
}

TEST(RecordCursor, AnEmptySpanHasNoRecords) {
    replay::RecordCursor cursor({}, 0);
    EXPECT_FALSE(cursor.next());
    EXPECT_EQ(cursor.consumed(true), 0U);
}

TEST(ThreadReplay, CountsControlTypesAndFunctionIndexesThatCannotBe) {
    RecordStream stream;
    stream.record(hotpath::Kind::kControl, 0, 0, 1);
    stream.record(hotpath::Kind::kControl, hotpath::kControlTypes, 0, 1);
    stream.record(hotpath::Kind::kControl, hotpath::kMaxIndex, 0, 1);
    stream.record(hotpath::Kind::kEnter, replay::Limits{}.max_functions + 1, 100, 2);
    stream.record(hotpath::Kind::kLeave, 0, 100, 3);
    stream.record(hotpath::Kind::kTailcall, hotpath::kMaxIndex, 100, 3);
    const Replayed replayed(stream);
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.threads[0].decode_errors, 6U);
    EXPECT_EQ(p.threads[0].unmatched_leaves, 0U);
    EXPECT_EQ(p.session.losses.decode_errors, 6U);
    EXPECT_EQ(p.session.counts.events, 6U);
    EXPECT_EQ(replayed.tree(), "");
}

TEST(ThreadReplay, TheLargestTicksDoNoHarm) {
    constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
    const Replayed replayed(
        RecordStream().enter('A', 100, 1).enter('B', 90, kMax).leave('B', 90, 7));
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.threads[0].decode_errors, 1U);
    EXPECT_EQ(p.calltree[1].times.total_ns, 0U);
}

TEST(RecordStream, TextsWriteWhatTheFunctionsWrite) {
    EXPECT_EQ(RecordStream("0 enter A 100, 0x10 caught - 0xffffffff (of others, unknown), "
                           "17 filter_leave,18 argument 3 -1, 19 text 2 x")
                  .slots(),
              RecordStream()
                  .enter('A', 100, 0)
                  .caught(0, 0xffff'ffff, 16)
                  .filter_leave(17)
                  .argument(3, std::numeric_limits<uint64_t>::max(), 18)
                  .text(2, "x", 19)
                  .slots());
}

TEST(RecordStream, TextsThatAreNoRecordsAreRefused) {
    for (const char* text : {" ", "0", "0 entr A 100", "0 enter A", "0 enter A 100 5",
                             "0 enter a 100", "0 enter AB 100", "0 enter 1 100", "0 enter A 10x",
                             "0 enter A 0x100000000", "x enter A 100", "enter A 100",
                             "0 enter A 100,, 1 leave A 100", "0 enter A 100 1 leave A 100"}) {
        EXPECT_THROW(RecordStream{text}, std::invalid_argument) << text;
    }
}

}  // namespace
}  // namespace umbra::collector
