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
    EXPECT_EQ(values("10 enter A 100, 12 argument 1 7, 20 enter B 90, 21 text 2 x, "
                     "29 arguments_end B, 30 leave B 90, 50 argument 3 -1, 52 arguments_end A, "
                     "60 leave A 100, 70 enter A 100, 71 argument 1 7, 72 arguments_end A, "
                     "73 leave A 100, 80 enter A 100, 80 argument 1 8, 180 arguments_end A, "
                     "180 leave A 100"),
              "A.id 8 x1 100 100-100\n"
              "A.id 7 x2 41 1-40\n"
              "B.name \"x\" x1 8 8-8\n"
              "A.return -1 x1 40 40-40\n");
}

TEST(Arguments, RecursiveCallsHaveTheirOwnValues) {
    EXPECT_EQ(values("0 enter A 100, 0 argument 1 1, 10 enter A 90, 10 argument 1 2, "
                     "20 enter A 80, 20 argument 1 1, 25 arguments_end A, 25 leave A 80, "
                     "40 arguments_end A, 40 leave A 90, 100 arguments_end A, 100 leave A 100"),
              "A.id 1 x2 105 5-100\n"
              "A.id 2 x1 30 30-30\n");
}

TEST(Arguments, ACallThatVanishesUntoldIsUnfinished) {
    // The same call is made again at once: its values are its own.
    EXPECT_EQ(values("0 enter C 200, 1 enter A 100, 1 argument 1 7, 5 thrown 1, 6 unwound A, "
                     "7 caught C 200, 8 catcher_leave, 10 enter A 100, 10 argument 1 9, "
                     "15 arguments_end A, 15 leave A 100, 20 leave C 200"),
              "A.id 9 x1 5 5-5\n"
              "A.id 7 x0+1\n");
}

TEST(Arguments, AnExceptionEndsACallAsItsHandlerTells) {
    EXPECT_EQ(values("1 enter A 100, 1 argument 1 7, 2 enter B 90, 2 text 2 x, 5 arguments_end B, "
                     "5 leave B 90, 8 arguments_end A, 8 leave A 100"),
              "A.id 7 x1 7 7-7\n"
              "B.name \"x\" x1 3 3-3\n");
}

TEST(Arguments, ACallDeeperThanTheTopOfTheStackIsOver) {
    // B goes without a leave (its caller SP shows it), then A ends.
    EXPECT_EQ(values("1 enter A 100, 1 argument 1 7, 2 enter B 90, 2 text 2 x, 4 enter C 95, "
                     "5 leave C 95, 8 arguments_end A, 8 leave A 100"),
              "A.id 7 x1 7 7-7\n"
              "B.name \"x\" x0+1\n");
}

TEST(Arguments, CallsStillOpenAreUnfinishedInTheSnapshotAlone) {
    Replayed replayed;
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed("1 enter A 100, 1 argument 1 7");
    EXPECT_EQ(values(replayed.profile(50)), "A.id 7 x0+1\n");
    EXPECT_EQ(values(replayed.profile(60)), "A.id 7 x0+1\n");
    replayed.feed("90 arguments_end A, 91 leave A 100");
    EXPECT_EQ(values(replayed.profile(100)), "A.id 7 x1 89 89-89\n");
}

TEST(Arguments, AnEndOfACallThatHasToldNothingIsNothing) {
    EXPECT_EQ(values(RecordStream("1 arguments_end A, 2 enter A 100, 3 arguments_end A, "
                                  "3 arguments_end B, 4 argument 1 7, 5 enter C 90, 5 leave C 90, "
                                  "5 arguments_end B")
                         .control(ControlType::kArgumentsEnd, UINT32_MAX, 5)
                         .tell("6 arguments_end A, 7 arguments_end A, 8 leave A 100")),
              "A.id 7 x1 2 2-2\n");
}

TEST(Arguments, WhoseBeginWasLostHasNoTimeAndLeavesItsCallersAlone) {
    // B's enter record was dropped: its argument comes with A on top.
    EXPECT_EQ(values("1 enter A 100, 1 argument 1 7, 2 lost 1, 3 text 2 x, 5 arguments_end B, "
                     "5 leave B 90, 6 enter B 90, 6 text 2 x, 8 arguments_end B, 8 leave B 90, "
                     "9 arguments_end A, 9 leave A 100"),
              "A.id 7 x1 8 8-8\n"
              "B.name \"x\" x1+1 2 2-2\n");
}

TEST(Arguments, AValueToldAgainIsNoneOfThatCalls) {
    EXPECT_EQ(values("1 enter A 100, 1 argument 1 7, 2 argument 1 8, 9 arguments_end A, "
                     "9 leave A 100"),
              "A.id 7 x1 8 8-8\n"
              "A.id 8 x0+1\n");
}

TEST(Arguments, TheLeaveBehindAnEndTellsWhoseItIs) {
    // An exception has passed two calls whose ends nobody told, and A, which has caught it, returns
    // a value: its own, though both still seem to be on the stack.
    EXPECT_EQ(values("1 enter A 100, 1 argument 1 7, 2 enter A 90, 2 argument 1 8, 3 enter B 80, "
                     "3 text 2 x, 4 enter C 70, 10 argument 3 5, 11 arguments_end A, "
                     "11 leave A 100"),
              "A.id 7 x1 10 10-10\n"
              "A.id 8 x0+1\n"
              "B.name \"x\" x0+1\n"
              "A.return 5 x1 10 10-10\n");
}

TEST(Arguments, OfALostBeginTheEndIsNobodyElses) {
    // The inner A's enter record was dropped.
    EXPECT_EQ(values("1 enter A 100, 1 argument 1 7, 2 lost 1, 3 argument 1 8, 4 arguments_end A, "
                     "4 leave A 90, 9 arguments_end A, 9 leave A 100"),
              "A.id 7 x1 8 8-8\n"
              "A.id 8 x0+1\n");
}

TEST(Arguments, WhereTheLeaveIsInTheNextChunkTheFunctionTells) {
    Replayed replayed;
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed("1 enter A 100, 1 argument 1 7, 2 enter C 90, 3 enter D 80, 11 arguments_end A");
    replayed.feed("11 leave A 100");
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
    replayed.feed(
        "0 enter A 100, 100 argument 1 7, 200 enter C 90, 300 leave C 90, 450 waited 350, "
        "600 arguments_end A, 700 leave A 100");
    // C's probes lie inside, A's own outside of what is measured.
    EXPECT_EQ(values(replayed.profile(kEnd)), "A.id 7 x1 390 390-390\n");
}

TEST(Arguments, CallsBeyondTheDepthLimitHaveNoEnd) {
    replay::Limits limits;
    limits.max_depth = 2;
    EXPECT_EQ(values("0 enter A 100, 0 argument 1 1, 10 enter A 90, 10 argument 1 2, "
                     "20 enter A 80, 20 argument 1 3, 25 arguments_end A, 25 leave A 80, "
                     "40 arguments_end A, 40 leave A 90, 100 arguments_end A, 100 leave A 100",
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
    RecordStream stream("0 enter A 100");
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
    RecordStream stream("0 enter B 100, 1 text 2 x");
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
    replayed.feed(
        "0 enter A 100, 0 argument 1 7, 5 arguments_end A, 5 leave A 100, 10 enter A 100, "
        "10 argument 1 8, 20 enter A 90, 20 argument 1 7");
    {
        const SessionState::AllGates gates = state.lock_all();
        state.move(thread, second);
    }
    EXPECT_EQ(values(replayed.profile(25)), "A.id 7 x1+1 5 5-5\nA.id 8 x0+1\n");
    replayed.feed("30 arguments_end A, 30 leave A 90, 110 arguments_end A, 110 leave A 100");
    const profile::Profile p = replayed.profile(kEnd);
    EXPECT_EQ(values(p), "A.id 8 x1 100 100-100\nA.id 7 x2 15 5-10\n");
    EXPECT_EQ(p.arguments[0].values, 2U);
}

}  // namespace
}  // namespace umbra::collector
