// SPDX-License-Identifier: MIT
// What is recorded of the slowest async calls.
#include "src/replay/async/slow_async_calls.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/replay/async_story.h"

namespace umbra::replay {
namespace {

using testing::Story;

SlowestLimits keeping(std::vector<uint32_t> calls) {
    SlowestLimits limits;
    limits.keep = std::move(calls);
    return limits;
}

/// A story of which the slowest calls of some methods are kept: a request for each letter.
class Recorded {
  public:
    explicit Recorded(const std::string& methods, SlowestLimits limits = keeping({2, 2, 2}))
        : limits_(std::move(limits)), marks_(64, 0), story_(AsyncLimits{}, limits_) {
        uint8_t request = 0;
        for (const char method : methods) {
            marks_[Story::index(method)] = ++request;
        }
        story_.watch(marks_);
    }
    Story& story() { return story_; }

    /// The kept calls of a method, the slowest first.
    [[nodiscard]] std::vector<SlowCall> of(char method, uint64_t now_ticks = 1'000) const {
        std::vector<SlowCall> calls;
        for (const SlowFunction& function : story_.calls().slowest(now_ticks).functions) {
            if (function.function == Story::index(method)) {
                for (const auto& call : function.kept) {
                    calls.push_back(*call);
                }
            }
        }
        std::ranges::sort(calls, std::greater<>(), &SlowCall::rank_ticks);
        return calls;
    }
    [[nodiscard]] uint64_t compared(char method, uint64_t now_ticks = 1'000) const {
        for (const SlowFunction& function : story_.calls().slowest(now_ticks).functions) {
            if (function.function == Story::index(method)) {
                return function.calls;
            }
        }
        return 0;
    }
    /// The call that alone is kept of a method.
    [[nodiscard]] SlowCall only(char method, uint64_t now_ticks = 1'000) const {
        const std::vector<SlowCall> calls = of(method, now_ticks);
        EXPECT_EQ(calls.size(), 1U) << method;
        return calls.empty() ? SlowCall() : calls[0];
    }
    /// The method in whose call it was made; ' ': in none.
    [[nodiscard]] char made_in(const SlowCall& call) const {
        const std::vector<AsyncNode> tree = story_.calls().sums(0).tree;
        const uint32_t made_in = tree.at(tree.at(call.async->node).parent).function;
        return made_in == 0 ? ' ' : static_cast<char>('A' + made_in - 1);
    }
    /// "A 0+100[running 0+20 queued 20+80]": begin and length, what happened in it in brackets.
    static std::string text(const SlowCall& call) {
        return call.slices.empty() ? "" : text(call.slices, 0);
    }

  private:
    static std::string text(const std::vector<Slice>& slices, size_t number) {
        const Slice& slice = slices[number];
        std::string out =
            slice.kind == Slice::kCall ? std::string(1, static_cast<char>('A' + slice.function - 1))
            : slice.kind == Slice::kRunning ? "running@" + std::to_string(slice.function)
            : slice.kind == Slice::kQueued  ? "queued"
                                            : "awaiting";
        out += ' ' + std::to_string(slice.begin_ticks) + '+' + std::to_string(slice.ticks);
        out += slice.calls == 1 ? "" : " x" + std::to_string(slice.calls);
        std::vector<size_t> inner;
        for (size_t other = number + 1; other < slices.size(); ++other) {
            if (slices[other].parent == number) {
                inner.push_back(other);
            }
        }
        std::ranges::stable_sort(inner, {}, [&](size_t at) { return slices[at].begin_ticks; });
        std::string inside;
        for (const size_t at : inner) {
            inside += (inside.empty() ? "" : " ") + text(slices, at);
        }
        return inside.empty() ? out : out + '[' + inside + ']';
    }

    SlowestLimits limits_;
    std::vector<uint8_t> marks_;
    Story story_;
};

/// What the slices of a call's own say is what its sums say.
void expect_whole(const SlowCall& call) {
    ASSERT_TRUE(call.async);
    ASSERT_FALSE(call.slices.empty());
    AsyncTimes told;
    bool runs = false;
    for (const Slice& slice : call.slices) {
        EXPECT_FALSE(slice.open());
        if (slice.parent != 0) {
            continue;
        }
        runs = runs || slice.kind == Slice::kRunning;
        told[AsyncPart::kRunning] += slice.kind == Slice::kRunning ? slice.ticks : 0;
        told[AsyncPart::kOutside] += slice.kind == Slice::kAwaiting ? slice.ticks : 0;
        told[AsyncPart::kQueued] += slice.kind == Slice::kQueued ? slice.ticks : 0;
    }
    const AsyncTimes& times = call.async->times;
    if (runs) {
        EXPECT_EQ(told[AsyncPart::kRunning], times[AsyncPart::kRunning]);
    }
    EXPECT_EQ(told[AsyncPart::kOutside], times[AsyncPart::kOutside] + times[AsyncPart::kOthers]);
    EXPECT_EQ(told[AsyncPart::kQueued], times[AsyncPart::kQueued]);
    EXPECT_EQ(call.ticks, times.wall());
}

TEST(SlowAsyncCalls, ACallThatNeverSuspendsHasOneStretch) {
    Recorded recorded("A");
    recorded.story().enter('A', 900, 10).leave('A', 900, 25);
    const SlowCall call = recorded.only('A');
    EXPECT_EQ(Recorded::text(call), "A 10+15[running@1 10+15]");
    EXPECT_EQ(call.thread, 1U);
    EXPECT_FALSE(call.unfinished);
}

TEST(SlowAsyncCalls, ACallHasItsStretchesItsAwaitsAndItsTimeInTheQueue) {
    Recorded recorded("A");
    Story& story = recorded.story();
    story.enter('A', 900, 0).suspend('A', 1, 20).await(1, 60, 21, 7).leave('A', 900, 22);
    story.on(2).queue(1, 100);
    story.on(3).resume(1, 800, 130).enter('A', 700, 131).complete(1, 140).leave('A', 700, 141);
    const SlowCall call = recorded.only('A');
    EXPECT_EQ(Recorded::text(call),
              "A 0+140[running@1 0+20 awaiting 20+80 queued 100+30 running@3 130+10]");
    EXPECT_EQ(call.async.value().outcome, AsyncOutcome::kResult);
    expect_whole(call);
}

TEST(SlowAsyncCalls, CallsThatItMakesHaveSlicesOfTheirOwnAlsoAtOnce) {
    Recorded recorded("A");
    Story& story = recorded.story();
    story.enter('A', 900, 0);
    story.enter('B', 800, 1).suspend('B', 2, 2).leave('B', 800, 3);
    story.enter('C', 800, 4).suspend('C', 3, 5).leave('C', 800, 6);
    story.combine(2, 9, 7).combine(3, 9, 8);
    story.suspend('A', 1, 10).await(1, 9, 11, 70, true).leave('A', 900, 12);
    story.on(2).resume(2, 800, 50).enter('B', 700, 50).complete(2, 60).leave('B', 700, 60);
    story.resume_ends(800, 61);
    story.resume(3, 800, 90).enter('C', 700, 90).complete(3, 100).leave('C', 700, 100);
    story.resume(1, 800, 100).enter('A', 700, 110).complete(1, 120).leave('A', 700, 120);
    const SlowCall call = recorded.only('A');
    EXPECT_EQ(Recorded::text(call),
              "A 0+120[running@1 0+1 B 1+59[running@1 1+1 awaiting 2+48 running@2 50+10] "
              "running@1 3+1 C 4+96[running@1 4+1 awaiting 5+85 running@2 90+10] running@1 6+4 "
              "running@2 100+20]");
    EXPECT_EQ(call.calls, 2U);
    expect_whole(call);
}

TEST(SlowAsyncCalls, ACallOfAnotherRequestInsideIsRecordedByItselfAsWell) {
    Recorded recorded("AB");
    Story& story = recorded.story();
    story.enter('A', 900, 0).enter('B', 800, 10).suspend('B', 2, 20).leave('B', 800, 21);
    story.suspend('A', 1, 30).await(1, 2, 31).leave('A', 900, 32);
    story.on(2).resume(2, 800, 100).enter('B', 700, 100).complete(2, 110).leave('B', 700, 110);
    story.resume(1, 800, 110).enter('A', 700, 110).complete(1, 150).leave('A', 700, 150);
    EXPECT_EQ(Recorded::text(recorded.only('B')),
              "B 10+100[running@1 10+10 awaiting 20+80 running@2 100+10]");
    EXPECT_EQ(recorded.made_in(recorded.only('B')), 'A');
    EXPECT_EQ(recorded.made_in(recorded.only('A')), ' ');
    EXPECT_EQ(Recorded::text(recorded.only('A')),
              "A 0+150[running@1 0+10 B 10+100[running@1 10+10 awaiting 20+80 running@2 100+10] "
              "running@1 21+9 running@2 110+40]");
}

TEST(SlowAsyncCalls, ACallInsideOneOfItsMethodIsAPartOfThatOne) {
    Recorded recorded("A");
    recorded.story().enter('A', 900, 0).enter('B', 800, 1).enter('A', 700, 2);
    recorded.story().leave('A', 700, 3).leave('B', 800, 4).leave('A', 900, 5);
    EXPECT_EQ(recorded.compared('A'), 1U);
    EXPECT_EQ(recorded.only('A').calls, 2U);
}

TEST(SlowAsyncCalls, TheSlowestAreKept) {
    Recorded recorded("A");
    uint64_t now = 0;
    for (const uint64_t ticks : {5U, 90U, 7U, 40U, 8U}) {
        recorded.story().enter('A', 900, now).leave('A', 900, now + ticks);
        now += 100;
    }
    EXPECT_EQ(recorded.compared('A'), 5U);
    const std::vector<SlowCall> calls = recorded.of('A');
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].ticks, 90U);
    EXPECT_EQ(calls[1].ticks, 40U);
}

TEST(SlowAsyncCalls, ACallThatHangsSaysWhatItWaitsFor) {
    Recorded recorded("A");
    Story& story = recorded.story();
    story.enter('A', 900, 0).enter('B', 800, 10).suspend('B', 2, 20).await(2, 60, 21, 7);
    story.leave('B', 800, 22).suspend('A', 1, 30).await(1, 2, 31).leave('A', 900, 32);
    const SlowCall call = recorded.only('A', 500);
    EXPECT_TRUE(call.unfinished);
    EXPECT_EQ(Recorded::text(call),
              "A 0+500[running@1 0+10 B 10+490[running@1 10+10 awaiting 20+480] running@1 22+8]");
    EXPECT_EQ(call.async.value().outcome, AsyncOutcome::kOpen);
    expect_whole(call);
    EXPECT_EQ(recorded.of('A', 600)[0].ticks, 600U) << "looking at it changes nothing";
}

/// A spawns B, which runs beside it from 22 on, and ends at 80, when A has ended at 40.
void spawn_what_outlasts(Story& story) {
    story.enter('A', 900, 0).make_task(5, 1).queue(5, 2);
    story.on(2).dispatch(5, 990, 20).run_task(5, 980, 21);
    story.enter('B', 900, 22).suspend('B', 2, 30).leave('B', 900, 31);
    story.on(1).leave('A', 900, 40);
    story.on(3).resume(2, 990, 70).enter('B', 900, 70).complete(2, 80).leave('B', 900, 80);
}

TEST(SlowAsyncCalls, WhatOutlastsTheCallThatSpawnedItIsCutOff) {
    Recorded recorded("A");
    spawn_what_outlasts(recorded.story());
    EXPECT_EQ(Recorded::text(recorded.only('A')), "A 0+40[running@1 0+40 B 22+18[running@2 22+8]]");
}

TEST(SlowAsyncCalls, ASpawnedCallThatIsRecordedItselfOutlastsItsMaker) {
    Recorded recorded("AB");
    spawn_what_outlasts(recorded.story());
    EXPECT_EQ(Recorded::text(recorded.only('B')),
              "B 22+58[running@2 22+8 awaiting 30+40 running@3 70+10]");
    EXPECT_EQ(recorded.of('A').size(), 1U);
}

TEST(SlowAsyncCalls, WithoutRoomTheShortestAreMergedAndAllAreCounted) {
    SlowestLimits limits = keeping({1});
    limits.call_slices = 64;
    Recorded recorded("A", limits);
    Story& story = recorded.story();
    story.enter('A', 900, 0);
    uint64_t now = 1;
    for (int made = 0; made < 10'000; ++made) {
        const uint64_t ticks = made == 5'000 ? 1'000 : 1;
        story.enter('B', 800, now).leave('B', 800, now + ticks);
        now += ticks + 1;
    }
    story.leave('A', 900, now);
    const SlowCall call = recorded.only('A');
    EXPECT_EQ(call.calls, 10'000U);
    EXPECT_LE(call.slices.size(), 64U);
    const auto longest = std::ranges::find(call.slices, 1'000U, &Slice::ticks);
    ASSERT_NE(longest, call.slices.end());
    EXPECT_EQ(longest->calls, 1U);
}

TEST(SlowAsyncCalls, ManyCallsAtOnceShareTheRoomThatThereIs) {
    SlowestLimits limits = keeping({5});
    limits.open_slices = 64;
    Recorded recorded("A", limits);
    Story& story = recorded.story();
    for (uint32_t call = 1; call <= 100; ++call) {
        story.enter('A', 900, call).suspend('A', call, call).leave('A', 900, call);
    }
    for (uint32_t call = 1; call <= 100; ++call) {
        story.resume(call, 800, 1'000 - call).enter('A', 700, 1'000 - call);
        story.complete(call, 1'000 - call).leave('A', 700, 1'000 - call);
    }
    EXPECT_EQ(recorded.compared('A'), 100U);
    EXPECT_EQ(recorded.of('A').size(), 5U);
    story.enter('A', 900, 2'000).suspend('A', 500, 2'010).leave('A', 900, 2'010);
    story.resume(500, 800, 9'000)
        .enter('A', 700, 9'000)
        .complete(500, 9'010)
        .leave('A', 700, 9'010);
    EXPECT_EQ(Recorded::text(recorded.of('A', 9'500)[0]),
              "A 2000+7010[running@1 2000+10 awaiting 2010+6990 running@1 9000+10]")
        << "those that have ended have given it back";
}

TEST(SlowAsyncCalls, ByProcessorTimeTheTimeOnThreadsCounts) {
    SlowestLimits limits = keeping({1});
    limits.by = SlowestBy::kCpu;
    Recorded recorded("A", limits);
    Story& story = recorded.story();
    story.enter('A', 900, 0).suspend('A', 1, 10).leave('A', 900, 10);
    story.resume(1, 800, 500).enter('A', 700, 500).complete(1, 501).leave('A', 700, 501);
    story.enter('A', 900, 600).leave('A', 900, 650);
    EXPECT_EQ(recorded.only('A').begin_ticks, 600U);
}

/// Any facts, in any order: nothing is lost, limits hold, and what is told of a call adds up.
TEST(SlowAsyncCalls, StandsAnyStory) {
    for (uint32_t seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](uint32_t limit) {
            return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random);
        };
        SlowestLimits limits = keeping({3, 3});
        const bool tight = seed % 2 == 1;
        limits.call_slices = tight ? 16 : 1U << 16;
        limits.open_slices = tight ? 200 : 1U << 21;
        limits.kept_slices = tight ? 100 : 1U << 21;
        Recorded recorded("AB", limits);
        Story& story = recorded.story();
        uint64_t now = 1'000;
        for (int step = 0; step < 4'000; ++step) {
            now += below(20);
            const auto method = static_cast<char>('A' + below(4));
            const uint32_t key = 1 + below(30) + (below(3) == 0 ? 0x8000'0000 : 0);
            const uint32_t sp = 1'000 - 10 * below(40);
            story.on(1 + below(3));
            switch (below(11)) {
                case 0:
                case 1:
                    story.enter(method, sp, now);
                    break;
                case 2:
                case 3:
                    story.leave(method, sp, now);
                    break;
                case 4:
                    story.suspend(method, key, now);
                    break;
                case 5:
                    story.await(key, 1 + below(30), now, below(5), below(2) == 0);
                    break;
                case 6:
                    story.resume(key, sp, now);
                    break;
                case 7:
                    story.resume_ends(sp, now);
                    break;
                case 8:
                    story.complete(key, now);
                    break;
                case 9:
                    story.signal(now);
                    break;
                default:
                    story.queue(key, now);
                    break;
            }
            if (step % 500 != 499) {
                continue;
            }
            const AsyncSums sums = story.sums(now);
            for (const char kept : {'A', 'B'}) {
                for (const SlowCall& call : recorded.of(kept, now)) {
                    EXPECT_LE(call.slices.size(), (tight ? 64U : 1U << 20)) << seed;
                    EXPECT_LE(call.begin_ticks + call.ticks, now) << seed;
                    if (!tight) {
                        expect_whole(call);
                    }
                    for (size_t number = 1; number < call.slices.size(); ++number) {
                        EXPECT_LT(call.slices[number].parent, number) << seed;
                    }
                }
                const auto method_sums = sums.methods.find(Story::index(kept));
                EXPECT_LE(recorded.compared(kept, now),
                          method_sums == sums.methods.end() ? 0 : method_sums->second.counts.calls);
            }
        }
    }
}

}  // namespace
}  // namespace umbra::replay
