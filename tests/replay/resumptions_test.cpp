// SPDX-License-Identifier: MIT
// Async calls that go on, on any thread, stand where they were called.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/segment.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::RecordStream;
using testing::Replayed;

constexpr uint64_t kBox = 0x7000;

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

    static RecordStream& suspended(RecordStream& stream, uint32_t key, uint64_t ticks) {
        return stream.control(ControlType::kAsyncSuspended, 500, ticks)
            .payload(hotpath::make_async_keys(key, 0))
            .payload(kBox);
    }
    static RecordStream& resumed(RecordStream& stream, uint32_t key, uint32_t sp, uint64_t ticks) {
        return stream.control(ControlType::kAsyncResumed, sp, ticks)
            .payload(hotpath::make_async_keys(key, 0))
            .payload(kBox);
    }
    static RecordStream& ends(RecordStream& stream, uint32_t sp, uint64_t ticks) {
        return stream.control(ControlType::kAsyncResumeEnds, sp, ticks);
    }
    static RecordStream& stack_suspended(RecordStream& stream, uint32_t key, uint32_t address,
                                         uint64_t ticks) {
        return stream.control(ControlType::kAsyncStackSuspended, address, ticks)
            .payload(hotpath::make_async_keys(key, 0))
            .payload(kBox);
    }
    void run(const RecordStream& stream) {
        replayed_.thread(++threads_);
        replayed_.feed(stream);
    }

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
    RecordStream first;
    first.enter('M', 900, 0).enter('A', 800, 10);
    suspended(first, 7, 20).leave('A', 800, 30).leave('M', 900, 40);
    RecordStream second;
    resumed(second, 7, 700, 100).enter('A', 600, 110).enter('S', 500, 120).leave('S', 500, 150);
    second.leave('A', 600, 160);
    ends(second, 700, 170);
    run(first);
    run(second);
    // The caller's path has what went on later. M has returned, and is not async.
    EXPECT_EQ(replayed_.tree(), "M 1 90/20\n  A 2 70/40\n    S 1 30/30\n");
    EXPECT_EQ(total('A'), 70U);
    EXPECT_EQ(total('M'), 40U);
}

TEST_F(Resumptions, AMethodThatIsToldOfLateIsAsyncFromThenOn) {
    const uint32_t late = RecordStream::index('M');
    const auto facts = [this] {
        std::vector<replay::AsyncFact> taken;
        replayed_.state().shards().front().tables.async.take(taken);
        return taken.size();
    };
    RecordStream before;  // with a callee, and without
    before.enter('M', 900, 0).enter('N', 800, 10).leave('N', 800, 20).leave('M', 900, 30);
    before.enter('M', 900, 40).leave('M', 900, 50);
    run(before);
    EXPECT_EQ(facts(), 0U);
    traits_[late] = hotpath::kStateMachine;
    methods_[late].word = hotpath::RegisteredMethod::pack(1, 1);
    methods_[RecordStream::index('N')].word = hotpath::RegisteredMethod::pack(1, 2);
    RecordStream behind;
    behind.enter('M', 900, 60).enter('N', 800, 70).leave('N', 800, 80).leave('M', 900, 90);
    behind.enter('M', 900, 100).leave('M', 900, 110);
    replayed_.feed(behind);
    EXPECT_EQ(facts(), 4U) << "two begin, two end";
}

TEST_F(Resumptions, AMethodThatBlocksIsAsLongAsItsFrame) {
    RecordStream first;  // N calls M, which calls A and waits until it has ended
    first.enter('N', 950, 0).enter('M', 900, 0).enter('A', 800, 10);
    suspended(first, 7, 20).leave('A', 800, 30);
    RecordStream second;  // M again below what goes on
    resumed(second, 7, 700, 100).enter('A', 600, 100).enter('M', 500, 120).leave('M', 500, 150);
    second.leave('A', 600, 160);
    ends(second, 700, 160);
    first.leave('M', 900, 170).leave('N', 950, 170);
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(), "N 1 230/0\n  M 1 230/150\n    A 2 80/50\n      M 1 30/30\n");
    EXPECT_EQ(total('N'), 170U);
    EXPECT_EQ(total('M'), 170U + 30U);
    EXPECT_EQ(total('N', 'M'), 170U);
    EXPECT_EQ(total('A'), 80U);
    EXPECT_EQ(total('M', 'A'), 80U);
}

TEST_F(Resumptions, AnAwaitThatDoesNotSuspendEntersAgainForNothing) {
    RecordStream stream;  // X awaits Y twice, and makes a call of S behind each
    stream.enter('M', 990, 0).enter('X', 900, 10);
    stream.enter('Y', 800, 20).enter('Y', 800, 25).leave('Y', 800, 30).enter('X', 900, 32);
    stream.enter('S', 800, 40).leave('S', 800, 50).enter('Y', 800, 60).leave('Y', 800, 70);
    stream.enter('X', 900, 72).leave('X', 900, 80).enter('X', 900, 90).leave('X', 900, 95);
    stream.leave('M', 990, 100);
    run(stream);
    EXPECT_EQ(replayed_.tree(), "M 1 100/25\n  X 2 75/45\n    Y 2 20/20\n    S 1 10/10\n");
    EXPECT_EQ(replayed_.profile().threads.front().repairs, 0U);
}

TEST_F(Resumptions, WhatHasBeenSuspendedGoesOnWhereItEntersAgain) {
    RecordStream first;  // X calls Y; both have probes in their IL
    first.enter('X', 900, 0).enter('Y', 800, 10);
    stack_suspended(first, 1, 950, 20);
    RecordStream second;
    resumed(second, 1, 700, 100).enter('Y', 600, 100).enter('S', 500, 110).leave('S', 500, 120);
    second.enter('Y', 600, 125).leave('Y', 600, 130);
    second.enter('X', 600, 130).enter('X', 600, 135).leave('X', 600, 140);
    ends(second, 700, 140);
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(), "X 1 60/20\n  Y 1 40/30\n    S 1 10/10\n");
}

TEST_F(Resumptions, WhatHandsOutTheTaskIsCalledBeforeTheSuspensionIsTold) {
    RecordStream first;  // F, of the framework, where X and Y have been suspended
    first.enter('X', 900, 0).enter('Y', 800, 10).enter('F', 900, 20);
    stack_suspended(first, 1, 950, 25).leave('F', 900, 30);
    RecordStream second;
    resumed(second, 1, 700, 100).enter('Y', 600, 100).leave('Y', 600, 120);
    second.enter('X', 600, 120).leave('X', 600, 140);
    ends(second, 700, 140);
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(), "X 1 60/30\n  Y 1 30/30\nF 1 10/10\n");
    EXPECT_EQ(replayed_.profile().threads.front().repairs, 0U);
    EXPECT_EQ(replayed_.profile().threads.front().unmatched_leaves, 0U);
}

TEST_F(Resumptions, WhatHandsOutTheTaskOfCallsThatHadNoProbesGoesOn) {
    RecordStream stream;  // what G tells of was called before the capture
    stream.enter('M', 990, 0).enter('F', 900, 10).enter('G', 850, 20);
    stack_suspended(stream, 1, 950, 25).leave('G', 850, 30).leave('F', 900, 40).leave('M', 990, 50);
    run(stream);
    EXPECT_EQ(replayed_.tree(), "M 1 50/20\n  F 1 30/20\n    G 1 10/10\n");
    EXPECT_EQ(replayed_.profile().threads.front().repairs, 0U);
    EXPECT_EQ(replayed_.profile().threads.front().unmatched_leaves, 0U);
}

TEST_F(Resumptions, AFrameThatVanishesAndIsNotSuspendedIsARepair) {
    RecordStream stream;
    stream.enter('X', 900, 0).enter('F', 900, 20).leave('F', 900, 30);
    run(stream);
    EXPECT_EQ(replayed_.tree(), "X 1 20/20\nF 1 10/10\n");
    EXPECT_EQ(replayed_.profile().threads.front().repairs, 1U);
}

TEST_F(Resumptions, WhoCompletesACallIsNotTheCallerOfWhatGoesOn) {
    RecordStream first;  // A calls B, both wait
    first.enter('A', 900, 0).enter('B', 800, 10);
    suspended(first, 2, 20).leave('B', 800, 30);
    suspended(first, 1, 40).leave('A', 900, 50);
    RecordStream second;  // B goes on; in it, when it has its result, A
    resumed(second, 2, 950, 100).enter('B', 900, 100);
    resumed(second, 1, 850, 140).enter('A', 800, 140).enter('S', 700, 150);
    second.leave('S', 700, 170).leave('A', 800, 180);
    ends(second, 850, 180);
    second.leave('B', 900, 200);
    ends(second, 950, 200);
    run(first);
    run(second);
    // B: 20 of its begin, 60 later, without the 40 of A.
    EXPECT_EQ(replayed_.tree(), "A 2 150/50\n  B 2 80/80\n  S 1 20/20\n");
}

TEST_F(Resumptions, ACallInsideACallOfItsMethodCountsOnce) {
    RecordStream first;  // A calls itself by way of S
    first.enter('A', 900, 0).enter('S', 800, 10).enter('A', 700, 20);
    suspended(first, 2, 30).leave('A', 700, 40).leave('S', 800, 50);
    suspended(first, 1, 60).leave('A', 900, 70);
    RecordStream second;
    resumed(second, 2, 950, 100).enter('A', 900, 100);
    resumed(second, 1, 850, 120).enter('A', 800, 120).leave('A', 800, 160);
    ends(second, 850, 160);
    second.leave('A', 900, 170);
    ends(second, 950, 170);
    run(first);
    run(second);
    const profile::Profile p = replayed_.profile();
    EXPECT_EQ(p.functions[0].times.calls, 4U);
    // 70 of the first thread, then 30 of the inner call, which is the outer one's too, and 40.
    EXPECT_EQ(p.functions[0].times.total_ns, 140U);
    EXPECT_EQ(p.functions[0].times.self_ns, 120U);
}

TEST_F(Resumptions, WhatTheThreadWasInStandsStill) {
    RecordStream first;
    first.enter('A', 900, 0);
    suspended(first, 1, 10).leave('A', 900, 20);
    RecordStream second;  // a thread that waits inside M runs it meanwhile
    second.enter('M', 900, 100).enter('S', 800, 110);
    resumed(second, 1, 700, 120).enter('A', 600, 120).enter('S', 500, 130).leave('S', 500, 135);
    second.leave('A', 600, 150);
    ends(second, 700, 150);
    second.leave('S', 800, 160).leave('M', 900, 170);
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(), "A 2 50/45\n  S 1 5/5\nM 1 40/20\n  S 1 20/20\n");
    const profile::Profile p = replayed_.profile();
    EXPECT_EQ(p.functions[18].times.total_ns, 25U);  // S
    EXPECT_EQ(p.functions[18].times.calls, 2U);
}

TEST_F(Resumptions, AnOpenCallIsInTheTimesOfItsCallers) {
    RecordStream first;
    first.enter('M', 900, 0).enter('A', 800, 0);
    suspended(first, 1, 10).leave('A', 800, 10).leave('M', 900, 10);
    RecordStream second;
    second.enter('S', 900, 100);
    resumed(second, 1, 850, 110).enter('A', 800, 110);
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(150), "M 1 50/0\n  A 2 50/50 +1\nS 1 10/10 +1\n");
}

TEST_F(Resumptions, ACallBelowAnotherIsKnownWhenItsThreadHasEnded) {
    RecordStream first;
    first.enter('A', 900, 0);
    suspended(first, 1, 10).leave('A', 900, 10);
    RecordStream second;  // in M for the first time
    second.enter('M', 900, 100);
    resumed(second, 1, 850, 110).enter('A', 800, 110);
    run(first);
    run(second);
    replayed_.thread(2).end(150);
    EXPECT_EQ(replayed_.tree(150), "A 2 50/50 +1\nM 1 10/10 +1\n");
    const profile::Profile p = replayed_.profile(150);
    ASSERT_EQ(p.thread_functions.size(), 3U);
    EXPECT_EQ(p.thread_functions[2].times.self_ns, 10U);
    EXPECT_EQ(p.thread_functions[2].times.unfinished, 1U);
}

TEST_F(Resumptions, ACallThatWasSuspendedUnseenStandsAtTheRoot) {
    RecordStream stream;
    stream.enter('M', 900, 0);
    resumed(stream, 9, 800, 10).enter('A', 700, 10).leave('A', 700, 30);
    ends(stream, 800, 30);
    stream.leave('M', 900, 40);
    run(stream);
    EXPECT_EQ(replayed_.tree(), "M 1 20/20\nA 1 20/20\n");
    EXPECT_EQ(replayed_.state().shards().front().tables.async.unplaced(), 1U);
}

TEST_F(Resumptions, ARecordWaitsForTheThreadThatSuspendedTheCall) {
    RecordStream first;
    first.enter('M', 900, 0).enter('A', 800, 10);
    suspended(first, 7, 20).leave('A', 800, 30).leave('M', 900, 40);
    RecordStream second;
    resumed(second, 7, 700, 100).enter('A', 600, 100).leave('A', 600, 150);
    ends(second, 700, 150);
    replayed_.state().shards().front().tables.async.let_wait();
    ProfiledThread& early = replayed_.thread(2);
    EXPECT_EQ(early.consume(second.slots(), true), 0U);
    EXPECT_TRUE(early.waits());
    run(first);
    EXPECT_EQ(early.consume(second.slots(), true), second.slots().size());
    EXPECT_FALSE(early.waits());
    EXPECT_EQ(replayed_.tree(), "M 1 90/20\n  A 2 70/70\n");
}

TEST_F(Resumptions, ACallGoesOnBelowItsCallerOnAThreadThatIsReadBehindItsEnd) {
    RecordStream first;
    first.enter('M', 900, 0).enter('A', 800, 10);
    suspended(first, 7, 20).leave('A', 800, 30).leave('M', 900, 40);
    RecordStream second;  // goes on, and waits again
    resumed(second, 7, 700, 100).enter('A', 600, 100);
    suspended(second, 7, 110).leave('A', 600, 120);
    ends(second, 700, 120);
    RecordStream third;  // ends
    resumed(third, 7, 700, 200).enter('A', 600, 200);
    third.control(ControlType::kAsyncCompleted, 500, 210)
        .payload(hotpath::make_async_keys(7, 0))
        .payload(kBox);
    third.leave('A', 600, 230);
    ends(third, 700, 230);
    run(first);
    run(third);
    run(second);
    EXPECT_EQ(replayed_.tree(), "M 1 90/20\n  A 3 70/70\n");
    EXPECT_EQ(replayed_.state().shards().front().tables.async.unplaced(), 0U);
}

TEST_F(Resumptions, AWaitEndsWhenTheOthersHaveBeenRead) {
    RecordStream stream;
    resumed(stream, 7, 700, 100).enter('A', 600, 100).leave('A', 600, 150);
    ends(stream, 700, 150);
    replayed_.state().shards().front().tables.async.let_wait();
    ProfiledThread& thread = replayed_.thread(1);
    EXPECT_EQ(thread.consume(stream.slots(), true), 0U);
    thread.wait_no_longer();
    EXPECT_EQ(thread.consume(stream.slots(), true), stream.slots().size());
    EXPECT_EQ(replayed_.tree(), "A 1 50/50\n");
    EXPECT_EQ(thread.replay().events(), 4U);
}

TEST_F(Resumptions, EndsThatAreMissingAreMadeUpFor) {
    RecordStream first;
    first.enter('A', 900, 0);
    suspended(first, 1, 10).leave('A', 900, 20);
    RecordStream second;
    second.enter('M', 900, 100);
    resumed(second, 1, 700, 110).enter('A', 600, 110);
    second.leave('M', 900, 150);  // neither the leave of A nor the end
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(), "A 2 60/60\nM 1 10/10\n");
}

TEST_F(Resumptions, CallsThatTheRuntimeSuspendsTogetherGoOnWhereEachWasCalled) {
    RecordStream first;  // M calls X calls Y; both are suspended: nobody leaves them
    first.enter('M', 900, 0).enter('X', 800, 10).enter('Y', 700, 20);
    stack_suspended(first, 7, 850, 30).enter('S', 800, 30).leave('S', 800, 35);
    first.leave('M', 900, 40);
    RecordStream second;
    resumed(second, 7, 700, 100).enter('Y', 600, 100).enter('S', 500, 105).leave('S', 500, 110);
    second.leave('Y', 600, 120).enter('X', 600, 120).leave('X', 600, 150);
    ends(second, 700, 150);
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(),
              "M 1 90/15\n  X 1 70/40\n    Y 1 30/25\n      S 1 5/5\n  S 1 5/5\n");
    EXPECT_EQ(total('M'), 40U);
    EXPECT_EQ(replayed_.state().shards().front().tables.async.unplaced(), 0U);
}

TEST_F(Resumptions, AThreadThatIsReadTooEarlyGoesOnWithTheCallsOfTheTimeBefore) {
    RecordStream first;
    first.enter('X', 800, 10).enter('Y', 700, 20);
    stack_suspended(first, 7, 850, 30);
    RecordStream second;
    resumed(second, 7, 700, 100).enter('Y', 600, 100);
    stack_suspended(second, 7, 690, 120);
    ends(second, 700, 120);
    RecordStream third;
    resumed(third, 7, 700, 200).enter('Y', 600, 200).leave('Y', 600, 210);
    third.enter('X', 600, 210).leave('X', 600, 230);
    ends(third, 700, 230);
    run(first);
    run(third);
    run(second);
    EXPECT_EQ(replayed_.tree(), "X 1 70/30\n  Y 1 40/40\n");
    EXPECT_EQ(replayed_.state().shards().front().tables.async.unplaced(), 0U);
}

TEST_F(Resumptions, ACallThatIsSuspendedAgainWaitsWithTheOthers) {
    RecordStream first;
    first.enter('X', 800, 10).enter('Y', 700, 20);
    stack_suspended(first, 7, 850, 30);
    RecordStream second;  // Y goes on, calls Z and waits
    resumed(second, 7, 700, 100).enter('Y', 600, 100).enter('Z', 500, 110);
    stack_suspended(second, 7, 690, 120);
    ends(second, 700, 120);
    RecordStream third;  // Z throws through Y, which is caught in X
    resumed(third, 7, 700, 200).enter('Z', 600, 200).leave('Z', 600, 210);
    third.enter('X', 600, 210).leave('X', 600, 230);
    ends(third, 700, 230);
    run(first);
    run(second);
    run(third);
    EXPECT_EQ(replayed_.tree(), "X 1 70/30\n  Y 1 40/20\n    Z 1 20/20\n");
}

TEST_F(Resumptions, AnExceptionRemovesWhatGoesOn) {
    RecordStream first;
    first.enter('M', 900, 0).enter('A', 800, 10);
    suspended(first, 7, 20).leave('A', 800, 30).leave('M', 900, 40);
    RecordStream second;  // C catches what A throws, and nobody tells that A no longer goes on
    second.enter('C', 900, 90);
    resumed(second, 7, 700, 100).enter('A', 600, 110).enter('S', 500, 120);
    second.thrown(1, 130).unwound('S', 140).unwound('A', 150).caught('C', 900, 160);
    second.catcher_leave(165).enter('S', 800, 170).leave('S', 800, 180).leave('C', 900, 190);
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(), "M 1 80/20\n  A 2 60/40\n    S 1 20/20\nC 1 40/30\n  S 1 10/10\n");
}

TEST_F(Resumptions, AnExceptionRemovesWhatGoesOnWithNothingAround) {
    RecordStream first;
    first.enter('A', 800, 10);
    suspended(first, 7, 20).leave('A', 800, 30);
    RecordStream second;  // caught by code without probes
    resumed(second, 7, 700, 100).enter('A', 600, 110).thrown(1, 130).unwound('A', 150);
    second.enter('S', 800, 170).leave('S', 800, 180);
    run(first);
    run(second);
    EXPECT_EQ(replayed_.tree(), "A 2 60/60\nS 1 10/10\n");
}

}  // namespace
}  // namespace umbra::collector
