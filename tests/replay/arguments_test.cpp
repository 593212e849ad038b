// SPDX-License-Identifier: MIT
// Calls by the values of their arguments, from the records of threads.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/argument_values.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::kEnd;
using testing::name_arguments;
using testing::RecordStream;
using testing::Replayed;
using testing::values;

TEST(Arguments, ACallLastsFromItsFirstArgumentToItsEnd) {
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 10)
                         .argument(1, 7, 12)
                         .enter('B', 90, 20)
                         .text(2, "x", 21)
                         .arguments_end('B', 29)
                         .leave('B', 90, 30)
                         .argument(3, uint64_t(-1), 50)
                         .arguments_end('A', 52)
                         .leave('A', 100, 60)
                         .enter('A', 100, 70)
                         .argument(1, 7, 71)
                         .arguments_end('A', 72)
                         .leave('A', 100, 73)
                         .enter('A', 100, 80)
                         .argument(1, 8, 80)
                         .arguments_end('A', 180)
                         .leave('A', 100, 180)),
              "A.id 8 x1 100 100-100\n"
              "A.id 7 x2 41 1-40\n"
              "B.name \"x\" x1 8 8-8\n"
              "A.return -1 x1 40 40-40\n");
}

TEST(Arguments, RecursiveCallsHaveTheirOwnValues) {
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 0)
                         .argument(1, 1, 0)
                         .enter('A', 90, 10)
                         .argument(1, 2, 10)
                         .enter('A', 80, 20)
                         .argument(1, 1, 20)
                         .arguments_end('A', 25)
                         .leave('A', 80, 25)
                         .arguments_end('A', 40)
                         .leave('A', 90, 40)
                         .arguments_end('A', 100)
                         .leave('A', 100, 100)),
              "A.id 1 x2 105 5-100\n"
              "A.id 2 x1 30 30-30\n");
}

TEST(Arguments, ACallThatVanishesUntoldIsUnfinished) {
    // The same call is made again at once: its values are its own.
    EXPECT_EQ(values(RecordStream()
                         .enter('C', 200, 0)
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .thrown(1, 5)
                         .unwound('A', 6)
                         .caught('C', 200, 7)
                         .catcher_leave(8)
                         .enter('A', 100, 10)
                         .argument(1, 9, 10)
                         .arguments_end('A', 15)
                         .leave('A', 100, 15)
                         .leave('C', 200, 20)),
              "A.id 9 x1 5 5-5\n"
              "A.id 7 x0+1\n");
}

TEST(Arguments, AnExceptionEndsACallAsItsHandlerTells) {
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .enter('B', 90, 2)
                         .text(2, "x", 2)
                         .arguments_end('B', 5)
                         .leave('B', 90, 5)
                         .arguments_end('A', 8)
                         .leave('A', 100, 8)),
              "A.id 7 x1 7 7-7\n"
              "B.name \"x\" x1 3 3-3\n");
}

TEST(Arguments, ACallDeeperThanTheTopOfTheStackIsOver) {
    // B goes without a leave (its caller SP shows it), then A ends.
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .enter('B', 90, 2)
                         .text(2, "x", 2)
                         .enter('C', 95, 4)
                         .leave('C', 95, 5)
                         .arguments_end('A', 8)
                         .leave('A', 100, 8)),
              "A.id 7 x1 7 7-7\n"
              "B.name \"x\" x0+1\n");
}

TEST(Arguments, CallsStillOpenAreUnfinishedInTheSnapshotAlone) {
    Replayed replayed;
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed(RecordStream().enter('A', 100, 1).argument(1, 7, 1));
    EXPECT_EQ(values(replayed.profile(50)), "A.id 7 x0+1\n");
    EXPECT_EQ(values(replayed.profile(60)), "A.id 7 x0+1\n");
    replayed.feed(RecordStream().arguments_end('A', 90).leave('A', 100, 91));
    EXPECT_EQ(values(replayed.profile(100)), "A.id 7 x1 89 89-89\n");
}

TEST(Arguments, AnEndOfACallThatHasToldNothingIsNothing) {
    EXPECT_EQ(values(RecordStream()
                         .arguments_end('A', 1)
                         .enter('A', 100, 2)
                         .arguments_end('A', 3)
                         .arguments_end('B', 3)
                         .argument(1, 7, 4)
                         .enter('C', 90, 5)
                         .leave('C', 90, 5)
                         .arguments_end('B', 5)
                         .control(ControlType::kArgumentsEnd, UINT32_MAX, 5)
                         .arguments_end('A', 6)
                         .arguments_end('A', 7)
                         .leave('A', 100, 8)),
              "A.id 7 x1 2 2-2\n");
}

TEST(Arguments, WhoseBeginWasLostHasNoTimeAndLeavesItsCallersAlone) {
    // B's enter record was dropped: its argument comes with A on top.
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .control(ControlType::kLost, 1, 2)
                         .text(2, "x", 3)
                         .arguments_end('B', 5)
                         .leave('B', 90, 5)
                         .enter('B', 90, 6)
                         .text(2, "x", 6)
                         .arguments_end('B', 8)
                         .leave('B', 90, 8)
                         .arguments_end('A', 9)
                         .leave('A', 100, 9)),
              "A.id 7 x1 8 8-8\n"
              "B.name \"x\" x1+1 2 2-2\n");
}

TEST(Arguments, AValueToldAgainIsNoneOfThatCalls) {
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .argument(1, 8, 2)
                         .arguments_end('A', 9)
                         .leave('A', 100, 9)),
              "A.id 7 x1 8 8-8\n"
              "A.id 8 x0+1\n");
}

TEST(Arguments, TheLeaveBehindAnEndTellsWhoseItIs) {
    // An exception has passed two calls whose ends nobody told, and A, which has caught it, returns
    // a value: its own, though both still seem to be on the stack.
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .enter('A', 90, 2)
                         .argument(1, 8, 2)
                         .enter('B', 80, 3)
                         .text(2, "x", 3)
                         .enter('C', 70, 4)
                         .argument(3, 5, 10)
                         .arguments_end('A', 11)
                         .leave('A', 100, 11)),
              "A.id 7 x1 10 10-10\n"
              "A.id 8 x0+1\n"
              "B.name \"x\" x0+1\n"
              "A.return 5 x1 10 10-10\n");
}

TEST(Arguments, OfALostBeginTheEndIsNobodyElses) {
    // The inner A's enter record was dropped.
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .control(ControlType::kLost, 1, 2)
                         .argument(1, 8, 3)
                         .arguments_end('A', 4)
                         .leave('A', 90, 4)
                         .arguments_end('A', 9)
                         .leave('A', 100, 9)),
              "A.id 7 x1 8 8-8\n"
              "A.id 8 x0+1\n");
}

TEST(Arguments, WhereTheLeaveIsInTheNextChunkTheFunctionTells) {
    Replayed replayed;
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed(RecordStream()
                      .enter('A', 100, 1)
                      .argument(1, 7, 1)
                      .enter('C', 90, 2)
                      .enter('D', 80, 3)
                      .arguments_end('A', 11));
    replayed.feed(RecordStream().leave('A', 100, 11));
    EXPECT_EQ(values(replayed.profile(kEnd)), "A.id 7 x1 10 10-10\n");
}

TEST(Arguments, TheCostOfProbesAndWaitsForTheCollectorAreTakenOut) {
    Replayed replayed;
    hotpath::ProbeCosts costs{};
    costs.inside = 4;
    costs.outside = 6;
    replayed.state().set_probe_costs(costs);
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed(RecordStream()
                      .enter('A', 100, 0)
                      .argument(1, 7, 100)
                      .enter('C', 90, 200)
                      .leave('C', 90, 300)
                      .waited(350, 450)
                      .arguments_end('A', 600)
                      .leave('A', 100, 700));
    // C's probes lie inside, A's own outside of what is measured.
    EXPECT_EQ(values(replayed.profile(kEnd)), "A.id 7 x1 390 390-390\n");
}

TEST(Arguments, CallsBeyondTheDepthLimitHaveNoEnd) {
    replay::Limits limits;
    limits.max_depth = 2;
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 0)
                         .argument(1, 1, 0)
                         .enter('A', 90, 10)
                         .argument(1, 2, 10)
                         .enter('A', 80, 20)
                         .argument(1, 3, 20)
                         .arguments_end('A', 25)
                         .leave('A', 80, 25)
                         .arguments_end('A', 40)
                         .leave('A', 90, 40)
                         .arguments_end('A', 100)
                         .leave('A', 100, 100),
                     limits),
              "A.id 1 x1 100 100-100\n"
              "A.id 2 x1 30 30-30\n"
              "A.id 3 x0+1\n");
}

TEST(Arguments, OfMoreOpenCallsThanAreFollowedTheDeepestHaveNoEnd) {
    constexpr uint32_t kDepth = replay::ArgumentTracker::kMostOpen + 3;
    constexpr uint32_t kTop = 0x4000'0000;
    RecordStream stream;
    for (uint32_t depth = 0; depth < kDepth; ++depth) {
        stream.enter('A', kTop - 8 * depth, depth).argument(1, 7, depth);
    }
    for (uint32_t depth = kDepth; depth-- > 0;) {
        stream.arguments_end('A', kDepth).leave('A', kTop - 8 * depth, kDepth);
    }
    const std::string found = values(stream);
    EXPECT_EQ(found.substr(0, found.find(' ', 9)),
              "A.id 7 x" + std::to_string(replay::ArgumentTracker::kMostOpen) + "+3");
}

TEST(Arguments, OfMoreValuesThanACallMayHaveTheLastHaveNoEnd) {
    RecordStream stream;
    stream.enter('A', 100, 0);
    for (uint32_t number = 1; number <= replay::ArgumentTracker::kMostValues + 1; ++number) {
        stream.argument(number, 0, 0);
    }
    stream.arguments_end('A', 9).leave('A', 100, 9);
    Replayed replayed(stream);
    uint64_t finished = 0;
    uint64_t unfinished = 0;
    for (const profile::ArgumentValue& row : replayed.profile(kEnd).argument_values) {
        finished += row.calls - row.unfinished;
        unfinished += row.unfinished;
    }
    EXPECT_EQ(finished, replay::ArgumentTracker::kMostValues);
    EXPECT_EQ(unfinished, 1U);
}

TEST(Arguments, ARecordCutOffByTheEndOfItsChunkIsAnError) {
    RecordStream stream;
    stream.enter('B', 100, 0).text(2, "x", 1);
    Replayed replayed;
    name_arguments(replayed.state());
    std::vector<uint64_t> slots = stream.slots();
    slots.pop_back();
    ProfiledThread& thread = replayed.thread();
    EXPECT_EQ(thread.consume(slots, true), slots.size());
    const profile::Profile p = replayed.profile(kEnd);
    EXPECT_EQ(values(p), "");
    EXPECT_EQ(p.threads[0].decode_errors, 1U);
}

TEST(Arguments, AThreadTakesItsOpenCallsAlongToAnotherShard) {
    Replayed replayed({}, false);
    SessionState& state = replayed.state();
    name_arguments(state);
    Shard& second = state.add_shard();
    ProfiledThread& thread = replayed.thread();
    replayed.feed(RecordStream()
                      .enter('A', 100, 0)
                      .argument(1, 7, 0)
                      .arguments_end('A', 5)
                      .leave('A', 100, 5)
                      .enter('A', 100, 10)
                      .argument(1, 8, 10)
                      .enter('A', 90, 20)
                      .argument(1, 7, 20));
    {
        const SessionState::AllGates gates = state.lock_all();
        state.move(thread, second);
    }
    EXPECT_EQ(values(replayed.profile(25)), "A.id 7 x1+1 5 5-5\nA.id 8 x0+1\n");
    replayed.feed(RecordStream()
                      .arguments_end('A', 30)
                      .leave('A', 90, 30)
                      .arguments_end('A', 110)
                      .leave('A', 100, 110));
    const profile::Profile p = replayed.profile(kEnd);
    EXPECT_EQ(values(p), "A.id 8 x1 100 100-100\nA.id 7 x2 15 5-10\n");
    EXPECT_EQ(p.arguments[0].values, 2U);
}

}  // namespace
}  // namespace umbra::collector
