// SPDX-License-Identifier: MIT
// Async calls that go on, on any thread, stand where they were called.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/segment.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RecordStream;
using testing::Replayed;

/// A and B are bodies of state machines.
class Resumptions : public ::testing::Test {
  protected:
    Resumptions() : traits_(64, 0), replayed_(replay::Limits{}) {
        traits_[RecordStream::index('A')] = hotpath::kStateMachine;
        traits_[RecordStream::index('B')] = hotpath::kStateMachine;
        for (const char method : {'X', 'Y', 'Z'}) {
            traits_[RecordStream::index(method)] = hotpath::kRuntimeAsync;
        }
        replayed_.state().follow_async({.traits = traits_, .methods = methods_});
    }

    void run(const RecordStream& stream) {
        replayed_.thread(++threads_);
        replayed_.feed(stream);
    }

    replay::AsyncFacts& async() { return replayed_.state().shards().front().tables.async; }
    /// Inclusive, of a method.
    uint64_t total(char method) {
        return replayed_.profile().functions[RecordStream::index(method) - 1].times.total_ns;
    }
    /// Inclusive, of the calls of a method by another.
    uint64_t total(char caller, char callee) {
        uint64_t sum_ns = 0;
        for (const profile::Edge& edge : replayed_.profile().edges) {
            if (edge.caller == RecordStream::index(caller) - 1 &&
                edge.callee == RecordStream::index(callee) - 1) {
                sum_ns += edge.times.total_ns;
            }
        }
        return sum_ns;
    }

    std::vector<uint8_t> traits_;
    std::vector<hotpath::RegisteredMethod> methods_ = std::vector<hotpath::RegisteredMethod>(64);
    Replayed replayed_;
    uint32_t threads_ = 0;
};

TEST_F(Resumptions, AnotherThreadGoesOnBelowTheCaller) {
    run("0 enter M 900, 10 enter A 800, 20 suspended 7, 30 leave A 800, 40 leave M 900");
    run("100 resumed 7 700, 110 enter A 600, 120 enter S 500, 150 leave S 500, 160 leave A 600, "
        "170 resume_ends 700");
    // The caller's path has what went on later. M has returned, and is not async.
    EXPECT_EQ(replayed_.tree(), "M 1 90/20\n  A 2 70/40\n    S 1 30/30\n");
    EXPECT_EQ(total('A'), 70U);
    EXPECT_EQ(total('M'), 40U);
}

TEST_F(Resumptions, AMethodThatIsToldOfLateIsAsyncFromThenOn) {
    const uint32_t late = RecordStream::index('M');
    const auto facts = [this] {
        std::vector<replay::AsyncFact> taken;
        async().take(taken);
        return taken.size();
    };
    // with a callee, and without
    run("0 enter M 900, 10 enter N 800, 20 leave N 800, 30 leave M 900, 40 enter M 900, "
        "50 leave M 900");
    EXPECT_EQ(facts(), 0U);
    traits_[late] = hotpath::kStateMachine;
    methods_[late].word = hotpath::RegisteredMethod::pack(1, 1);
    methods_[RecordStream::index('N')].word = hotpath::RegisteredMethod::pack(1, 2);
    replayed_.feed(
        "60 enter M 900, 70 enter N 800, 80 leave N 800, 90 leave M 900, 100 enter M 900, "
        "110 leave M 900");
    EXPECT_EQ(facts(), 4U) << "two begin, two end";
}

TEST_F(Resumptions, AMethodThatBlocksIsAsLongAsItsFrame) {
    // N calls M, which calls A and waits until it has ended
    run("0 enter N 950, 0 enter M 900, 10 enter A 800, 20 suspended 7, 30 leave A 800, "
        "170 leave M 900, 170 leave N 950");
    // M again below what goes on
    run("100 resumed 7 700, 100 enter A 600, 120 enter M 500, 150 leave M 500, 160 leave A 600, "
        "160 resume_ends 700");
    EXPECT_EQ(replayed_.tree(), "N 1 230/0\n  M 1 230/150\n    A 2 80/50\n      M 1 30/30\n");
    EXPECT_EQ(total('N'), 170U);
    EXPECT_EQ(total('M'), 170U + 30U);
    EXPECT_EQ(total('N', 'M'), 170U);
    EXPECT_EQ(total('A'), 80U);
    EXPECT_EQ(total('M', 'A'), 80U);
}

TEST_F(Resumptions, AnAwaitThatDoesNotSuspendEntersAgainForNothing) {
    // X awaits Y twice, and makes a call of S behind each
    run("0 enter M 990, 10 enter X 900, 20 enter Y 800, 25 enter Y 800, 30 leave Y 800, "
        "32 enter X 900, 40 enter S 800, 50 leave S 800, 60 enter Y 800, 70 leave Y 800, "
        "72 enter X 900, 80 leave X 900, 90 enter X 900, 95 leave X 900, 100 leave M 990");
    EXPECT_EQ(replayed_.tree(), "M 1 100/25\n  X 2 75/45\n    Y 2 20/20\n    S 1 10/10\n");
    EXPECT_EQ(replayed_.profile().threads.front().repairs, 0U);
}

TEST_F(Resumptions, WhatHasBeenSuspendedGoesOnWhereItEntersAgain) {
    // X calls Y; both have probes in their IL
    run("0 enter X 900, 10 enter Y 800, 20 stack_suspended 1 950");
    run("100 resumed 1 700, 100 enter Y 600, 110 enter S 500, 120 leave S 500, 125 enter Y 600, "
        "130 leave Y 600, 130 enter X 600, 135 enter X 600, 140 leave X 600, 140 resume_ends 700");
    EXPECT_EQ(replayed_.tree(), "X 1 60/20\n  Y 1 40/30\n    S 1 10/10\n");
}

TEST_F(Resumptions, WhatHandsOutTheTaskIsCalledBeforeTheSuspensionIsTold) {
    // F, of the framework, where X and Y have been suspended
    run("0 enter X 900, 10 enter Y 800, 20 enter F 900, 25 stack_suspended 1 950, 30 leave F 900");
    run("100 resumed 1 700, 100 enter Y 600, 120 leave Y 600, 120 enter X 600, 140 leave X 600, "
        "140 resume_ends 700");
    EXPECT_EQ(replayed_.tree(), "X 1 60/30\n  Y 1 30/30\nF 1 10/10\n");
    EXPECT_EQ(replayed_.profile().threads.front().repairs, 0U);
    EXPECT_EQ(replayed_.profile().threads.front().unmatched_leaves, 0U);
}

TEST_F(Resumptions, WhatHandsOutTheTaskOfCallsThatHadNoProbesGoesOn) {
    // what G tells of was called before the capture
    run("0 enter M 990, 10 enter F 900, 20 enter G 850, 25 stack_suspended 1 950, 30 leave G 850, "
        "40 leave F 900, 50 leave M 990");
    EXPECT_EQ(replayed_.tree(), "M 1 50/20\n  F 1 30/20\n    G 1 10/10\n");
    EXPECT_EQ(replayed_.profile().threads.front().repairs, 0U);
    EXPECT_EQ(replayed_.profile().threads.front().unmatched_leaves, 0U);
}

TEST_F(Resumptions, AFrameThatVanishesAndIsNotSuspendedIsARepair) {
    run("0 enter X 900, 20 enter F 900, 30 leave F 900");
    EXPECT_EQ(replayed_.tree(), "X 1 20/20\nF 1 10/10\n");
    EXPECT_EQ(replayed_.profile().threads.front().repairs, 1U);
}

TEST_F(Resumptions, WhoCompletesACallIsNotTheCallerOfWhatGoesOn) {
    // A calls B, both wait
    run("0 enter A 900, 10 enter B 800, 20 suspended 2, 30 leave B 800, 40 suspended 1, "
        "50 leave A 900");
    // B goes on; in it, when it has its result, A
    run("100 resumed 2 950, 100 enter B 900, 140 resumed 1 850, 140 enter A 800, 150 enter S 700, "
        "170 leave S 700, 180 leave A 800, 180 resume_ends 850, 200 leave B 900, "
        "200 resume_ends 950");
    // B: 20 of its begin, 60 later, without the 40 of A.
    EXPECT_EQ(replayed_.tree(), "A 2 150/50\n  B 2 80/80\n  S 1 20/20\n");
}

TEST_F(Resumptions, ACallInsideACallOfItsMethodCountsOnce) {
    // A calls itself by way of S
    RecordStream first(
        "0 enter A 900, 10 enter S 800, 20 enter A 700, 30 suspended 2, 40 leave A 700, "
        "50 leave S 800, 60 suspended 1, 70 leave A 900");
    run(first);
    run("100 resumed 2 950, 100 enter A 900, 120 resumed 1 850, 120 enter A 800, 160 leave A 800, "
        "160 resume_ends 850, 170 leave A 900, 170 resume_ends 950");
    const profile::Profile p = replayed_.profile();
    EXPECT_EQ(p.functions[0].times.calls, 4U);
    // 70 of the first thread, then 30 of the inner call, which is the outer one's too, and 40.
    EXPECT_EQ(p.functions[0].times.total_ns, 140U);
    EXPECT_EQ(p.functions[0].times.self_ns, 120U);
}

TEST_F(Resumptions, WhatTheThreadWasInStandsStill) {
    run("0 enter A 900, 10 suspended 1, 20 leave A 900");
    // a thread that waits inside M runs it meanwhile
    run("100 enter M 900, 110 enter S 800, 120 resumed 1 700, 120 enter A 600, 130 enter S 500, "
        "135 leave S 500, 150 leave A 600, 150 resume_ends 700, 160 leave S 800, 170 leave M 900");
    EXPECT_EQ(replayed_.tree(), "A 2 50/45\n  S 1 5/5\nM 1 40/20\n  S 1 20/20\n");
    const profile::Profile p = replayed_.profile();
    EXPECT_EQ(p.functions[18].times.total_ns, 25U);  // S
    EXPECT_EQ(p.functions[18].times.calls, 2U);
}

TEST_F(Resumptions, AnOpenCallIsInTheTimesOfItsCallers) {
    run("0 enter M 900, 0 enter A 800, 10 suspended 1, 10 leave A 800, 10 leave M 900");
    run("100 enter S 900, 110 resumed 1 850, 110 enter A 800");
    EXPECT_EQ(replayed_.tree(150), "M 1 50/0\n  A 2 50/50 +1\nS 1 10/10 +1\n");
}

TEST_F(Resumptions, ACallBelowAnotherIsKnownWhenItsThreadHasEnded) {
    RecordStream first("0 enter A 900, 10 suspended 1, 10 leave A 900");
    run(first);
    // in M for the first time
    run("100 enter M 900, 110 resumed 1 850, 110 enter A 800");
    replayed_.thread(2).end(150);
    EXPECT_EQ(replayed_.tree(150), "A 2 50/50 +1\nM 1 10/10 +1\n");
    const profile::Profile p = replayed_.profile(150);
    ASSERT_EQ(p.thread_functions.size(), 3U);
    EXPECT_EQ(p.thread_functions[2].times.self_ns, 10U);
    EXPECT_EQ(p.thread_functions[2].times.unfinished, 1U);
}

TEST_F(Resumptions, ACallThatWasSuspendedUnseenStandsAtTheRoot) {
    run("0 enter M 900, 10 resumed 9 800, 10 enter A 700, 30 leave A 700, 30 resume_ends 800, "
        "40 leave M 900");
    EXPECT_EQ(replayed_.tree(), "M 1 20/20\nA 1 20/20\n");
    EXPECT_EQ(async().unplaced(), 1U);
}

TEST_F(Resumptions, ARecordWaitsForTheThreadThatSuspendedTheCall) {
    RecordStream second("100 resumed 7 700, 100 enter A 600, 150 leave A 600, 150 resume_ends 700");
    async().let_wait();
    ProfiledThread& early = replayed_.thread(2);
    EXPECT_EQ(early.consume(second.slots(), true), 0U);
    EXPECT_TRUE(early.waits());
    run("0 enter M 900, 10 enter A 800, 20 suspended 7, 30 leave A 800, 40 leave M 900");
    EXPECT_EQ(early.consume(second.slots(), true), second.slots().size());
    EXPECT_FALSE(early.waits());
    EXPECT_EQ(replayed_.tree(), "M 1 90/20\n  A 2 70/70\n");
}

TEST_F(Resumptions, ACallGoesOnBelowItsCallerOnAThreadThatIsReadBehindItsEnd) {
    run("0 enter M 900, 10 enter A 800, 20 suspended 7, 30 leave A 800, 40 leave M 900");
    // ends
    run("200 resumed 7 700, 200 enter A 600, 210 completed 7, 230 leave A 600, "
        "230 resume_ends 700");
    // goes on, and waits again
    run("100 resumed 7 700, 100 enter A 600, 110 suspended 7, 120 leave A 600, "
        "120 resume_ends 700");
    EXPECT_EQ(replayed_.tree(), "M 1 90/20\n  A 3 70/70\n");
    EXPECT_EQ(async().unplaced(), 0U);
}

TEST_F(Resumptions, AWaitEndsWhenTheOthersHaveBeenRead) {
    RecordStream stream("100 resumed 7 700, 100 enter A 600, 150 leave A 600, 150 resume_ends 700");
    async().let_wait();
    ProfiledThread& thread = replayed_.thread(1);
    EXPECT_EQ(thread.consume(stream.slots(), true), 0U);
    thread.wait_no_longer();
    EXPECT_EQ(thread.consume(stream.slots(), true), stream.slots().size());
    EXPECT_EQ(replayed_.tree(), "A 1 50/50\n");
    EXPECT_EQ(thread.replay().events(), 4U);
}

TEST_F(Resumptions, EndsThatAreMissingAreMadeUpFor) {
    run("0 enter A 900, 10 suspended 1, 20 leave A 900");
    // neither the leave of A nor the end
    run("100 enter M 900, 110 resumed 1 700, 110 enter A 600, 150 leave M 900");
    EXPECT_EQ(replayed_.tree(), "A 2 60/60\nM 1 10/10\n");
}

TEST_F(Resumptions, CallsThatTheRuntimeSuspendsTogetherGoOnWhereEachWasCalled) {
    // M calls X calls Y; both are suspended: nobody leaves them
    run("0 enter M 900, 10 enter X 800, 20 enter Y 700, 30 stack_suspended 7 850, 30 enter S 800, "
        "35 leave S 800, 40 leave M 900");
    run("100 resumed 7 700, 100 enter Y 600, 105 enter S 500, 110 leave S 500, 120 leave Y 600, "
        "120 enter X 600, 150 leave X 600, 150 resume_ends 700");
    EXPECT_EQ(replayed_.tree(),
              "M 1 90/15\n  X 1 70/40\n    Y 1 30/25\n      S 1 5/5\n  S 1 5/5\n");
    EXPECT_EQ(total('M'), 40U);
    EXPECT_EQ(async().unplaced(), 0U);
}

TEST_F(Resumptions, AThreadThatIsReadTooEarlyGoesOnWithTheCallsOfTheTimeBefore) {
    run("10 enter X 800, 20 enter Y 700, 30 stack_suspended 7 850");
    run("200 resumed 7 700, 200 enter Y 600, 210 leave Y 600, 210 enter X 600, 230 leave X 600, "
        "230 resume_ends 700");
    run("100 resumed 7 700, 100 enter Y 600, 120 stack_suspended 7 690, 120 resume_ends 700");
    EXPECT_EQ(replayed_.tree(), "X 1 70/30\n  Y 1 40/40\n");
    EXPECT_EQ(async().unplaced(), 0U);
}

TEST_F(Resumptions, ACallThatIsSuspendedAgainWaitsWithTheOthers) {
    run("10 enter X 800, 20 enter Y 700, 30 stack_suspended 7 850");
    // Y goes on, calls Z and waits
    run("100 resumed 7 700, 100 enter Y 600, 110 enter Z 500, 120 stack_suspended 7 690, "
        "120 resume_ends 700");
    // Z throws through Y, which is caught in X
    run("200 resumed 7 700, 200 enter Z 600, 210 leave Z 600, 210 enter X 600, 230 leave X 600, "
        "230 resume_ends 700");
    EXPECT_EQ(replayed_.tree(), "X 1 70/30\n  Y 1 40/20\n    Z 1 20/20\n");
}

TEST_F(Resumptions, AnExceptionRemovesWhatGoesOn) {
    run("0 enter M 900, 10 enter A 800, 20 suspended 7, 30 leave A 800, 40 leave M 900");
    // C catches what A throws, and nobody tells that A no longer goes on
    run("90 enter C 900, 100 resumed 7 700, 110 enter A 600, 120 enter S 500, 130 thrown 1, "
        "140 unwound S, 150 unwound A, 160 caught C 900, 165 catcher_leave, 170 enter S 800, "
        "180 leave S 800, 190 leave C 900");
    EXPECT_EQ(replayed_.tree(), "M 1 80/20\n  A 2 60/40\n    S 1 20/20\nC 1 40/30\n  S 1 10/10\n");
}

TEST_F(Resumptions, AnExceptionRemovesWhatGoesOnWithNothingAround) {
    run("10 enter A 800, 20 suspended 7, 30 leave A 800");
    // caught by code without probes
    run("100 resumed 7 700, 110 enter A 600, 130 thrown 1, 150 unwound A, 170 enter S 800, "
        "180 leave S 800");
    EXPECT_EQ(replayed_.tree(), "A 2 60/60\nS 1 10/10\n");
}

}  // namespace
}  // namespace umbra::collector
