// SPDX-License-Identifier: MIT
// Which calls count as the slowest, and what is kept of them.
#include "tests/collector/slow_calls.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/collector/tables/profile_builder.h"
#include "src/replay/linear_clock.h"
#include "src/replay/slowest/slice.h"
#include "tests/replay/sequences.h"

namespace umbra::collector {
namespace {

using testing::keeping;
using testing::Marks;
using testing::RecordStream;
using testing::Replayed;
using testing::slow_text;

/// One thread, whose calls of functions in `marks` are kept.
class SlowSession {
  public:
    SlowSession(const Marks& marks, const replay::Limits& limits)
        : marks_(marks), replayed_(limits) {
        replayed_.state().watch(marks_.bytes());
        replayed_.thread();
    }
    Replayed* operator->() { return &replayed_; }
    [[nodiscard]] std::string text(uint64_t now = 0) const {
        return slow_text(replayed_.profile(now));
    }
    [[nodiscard]] profile::Profile profile(uint64_t now = 0) const {
        profile::Session facts;
        facts.cpu.source = "perf";
        return build(replayed_.state().copy_out(now), replay::LinearClock(0, 1e9), facts);
    }

  private:
    Marks marks_;
    Replayed replayed_;
};

/// Keeps the slowest call of A, of at most 64 slices.
SlowSession session_of_few_slices() {
    replay::Limits limits = keeping({1});
    limits.slowest.call_slices = 64;
    return {{'A'}, limits};
}

/// A call of A at `begin` that calls B once, and ends at `end`.
RecordStream& call(RecordStream& stream, uint64_t begin, uint64_t end) {
    return stream.enter('A', 100, begin)
        .enter('B', 90, begin + 1)
        .leave('B', 90, end - 1)
        .leave('A', 100, end);
}

/// Calls and ticks of all slices of each function.
std::map<std::string, std::pair<uint64_t, uint64_t>> sums_of_slices(const profile::Profile& p) {
    std::map<std::string, std::pair<uint64_t, uint64_t>> sums;
    for (const profile::SlowSlice& slice : p.slow_slices) {
        auto& [calls, ticks] = sums[Replayed::name(p, slice.function)];
        calls += slice.calls;
        ticks += slice.duration_ns;
    }
    return sums;
}

TEST(SlowCalls, TheSlowestAreKeptWithAllThatHappenedInThem) {
    SlowSession session({'A'}, keeping({2}));
    RecordStream stream;
    uint64_t begin = 0;
    for (const uint64_t length : {10U, 40U, 20U, 30U, 15U}) {
        begin += 1000;
        call(stream, begin, begin + length);
    }
    session->feed(stream);
    EXPECT_EQ(session.text(), "A 2000+40 [B 2001+38]\nA 4000+30 [B 4001+28]\n");
    const profile::Profile p = session.profile();
    ASSERT_EQ(p.slow_methods.size(), 1U);
    EXPECT_EQ(p.slow_methods[0].calls, 5U);
    EXPECT_EQ(p.slow_methods[0].kept, 2U);
    EXPECT_EQ(p.slow_calls[0].calls, 1U);
    EXPECT_EQ(p.slow_calls[0].merged_calls, 0U);
    EXPECT_EQ(p.slow_calls[0].wall_ns, 40U);
    EXPECT_EQ(p.session.settings.slowest_by, "wall");
}

TEST(SlowCalls, OfCallsThatAreAsSlowTheEarlierIsKept) {
    SlowSession session({'A'}, keeping({1}));
    RecordStream stream;
    call(stream, 100, 120);
    call(stream, 200, 220);
    session->feed(stream);
    EXPECT_EQ(session.text(), "A 100+20 [B 101+18]\n");
}

TEST(SlowCalls, NothingIsKeptOfOtherFunctions) {
    SlowSession session({'Z'}, keeping({3}));
    RecordStream stream;
    session->feed(call(stream, 10, 30));
    EXPECT_EQ(session.text(), "");
}

TEST(SlowCalls, ARecursiveCallIsPartOfTheOutermost) {
    SlowSession session({'A'}, keeping({3}));
    session->feed(
        "10 enter A 100, 20 enter B 90, 30 enter A 80, 40 leave A 80, 50 leave B 90, "
        "55 enter A 90, 56 leave A 90, 60 leave A 100");
    EXPECT_EQ(session.text(), "A 10+50 [B 20+30 [A 30+10] A 55+1]\n");
    EXPECT_EQ(session.profile().slow_methods[0].calls, 1U);
}

TEST(SlowCalls, AWatchedCallInsideAnotherIsKeptByItselfAsWell) {
    SlowSession session({'A', 'B'}, keeping({1, 1}));
    session->feed(
        "10 enter A 100, 20 enter B 90, 21 enter C 80, 24 leave C 80, 25 leave B 90, "
        "30 enter B 90, 39 leave B 90 (longer, and without callees), 40 leave A 100");
    EXPECT_EQ(session.text(), "A 10+30 [B 20+5 [C 21+3] B 30+9]\nB 30+9\n");
    const profile::Profile p = session.profile();
    for (const profile::SlowCall& slow : p.slow_calls) {
        const bool inner = slow.start_ns == 30;
        EXPECT_EQ(Replayed::name(p, slow.caller), inner ? "A" : "-");
        EXPECT_EQ(slow.calls, inner ? 0U : 3U);
    }
}

TEST(SlowCalls, ExceptionsEndCallsWhereTheRuntimeSaysSo) {
    SlowSession session({'A', 'B'}, keeping({1, 1}));
    session->feed(testing::thrown_through_two_frames());
    EXPECT_EQ(session.text(), "A 0+70 [B 10+30 [C 20+10] D 50+5 B 60+5]\nB 10+30 [C 20+10]\n");
}

TEST(SlowCalls, TailCallsEndTheirCaller) {
    SlowSession session({'A'}, keeping({2}));
    session->feed(
        "10 enter A 100, 20 enter B 90, 30 tailcall B 90, 31 enter C 90, 40 leave C 90, "
        "50 tailcall A 100, 51 enter D 100, 60 leave D 100");
    EXPECT_EQ(session.text(), "A 10+40 [B 20+10 C 31+9]\n");
}

TEST(SlowCalls, OpenCallsLastUntilTheEndAndAreMarked) {
    SlowSession session({'A', 'B'}, keeping({2, 2}));
    RecordStream stream;
    call(stream, 10, 30).enter('A', 100, 50).enter('B', 90, 60).enter('C', 80, 70);
    session->feed(stream);
    EXPECT_EQ(session.text(100),
              "A 50+50 [B 60+40 [C 70+30]]\nA 10+20 [B 11+18]\n"
              "B 60+40 [C 70+30]\nB 11+18\n");
    const profile::Profile p = session.profile(100);
    for (const profile::SlowCall& slow : p.slow_calls) {
        EXPECT_EQ(slow.unfinished, slow.start_ns >= 50);
    }
    // The session goes on: nothing of a look at it stays.
    session->feed("110 leave C 80, 120 leave B 90, 130 leave A 100");
    EXPECT_EQ(session.profile(200).slow_methods[0].calls, 2U);
    EXPECT_EQ(session.text(200),
              "A 50+80 [B 60+60 [C 70+40]]\nA 10+20 [B 11+18]\n"
              "B 60+60 [C 70+40]\nB 11+18\n");
}

TEST(SlowCalls, OffCpuTimeIsASliceOfTheCallOnTop) {
    SlowSession session({'A'}, keeping({1}));
    session->current().add_off_cpu(25, 45);
    session->current().add_off_cpu(47, 48);
    session->feed(
        "10 enter A 100, 20 enter B 90, 46 leave B 90, 50 enter C 90, 55 leave C 90, "
        "60 leave A 100");
    EXPECT_EQ(session.text(), "A 10+50 [B 20+26 [off 25+20] off 47+1 C 50+5]\n");
    const profile::SlowCall slow = session.profile().slow_calls[0];
    EXPECT_EQ(slow.off_cpu_ns, 21U);
    EXPECT_EQ(slow.cpu_ns, 29U);
}

TEST(SlowCalls, SlowByCpuLeavesOutWhatWaited) {
    replay::Limits limits = keeping({1});
    limits.slowest.by = SlowestBy::kCpu;
    SlowSession session({'A'}, limits);
    session->current().add_off_cpu(15, 90);
    session->feed("10 enter A 100, 100 leave A 100, 200 enter A 100, 220 leave A 100");
    const profile::Profile p = session.profile();
    ASSERT_EQ(p.slow_calls.size(), 1U);
    EXPECT_EQ(p.slow_calls[0].start_ns, 200U);
    EXPECT_EQ(p.session.settings.slowest_by, "cpu");
}

TEST(SlowCalls, WaitsForTheCollectorMakeNoCallSlow) {
    SlowSession session({'A'}, keeping({1}));
    const RecordStream stream(
        "10 enter A 100, 90 waited 20, 100 leave A 100, 200 enter A 100, 230 leave A 100");
    session->feed(stream);
    EXPECT_EQ(session.text(), "A 200+30\n");
    SlowSession two({'A'}, keeping({2}));
    two->feed(stream);
    EXPECT_EQ(two.text(), "A 200+30\nA 10+90 [waited 20+70]\n");
    EXPECT_EQ(two.profile().slow_calls[1].wall_ns, 20U);
    EXPECT_EQ(two.profile().slow_calls[1].waited_ns, 70U);
}

TEST(SlowCalls, PausesAndCompilationsStandBesideTheCalls) {
    SlowSession session({'A'}, keeping({1}));
    session->state().note_pause(
        {.begin_ticks = 5, .suspended_ticks = 6, .end_ticks = 25, .os_tid = 1, .reason = 1});
    session->feed(
        "10 enter A 100, 30 compile_started C, 42 compile_finished C, 50 enter C 90, "
        "55 leave C 90, 60 leave A 100");
    EXPECT_EQ(session.text(), "A 10+50 [C 50+5 paused 10+15 compiling C 30+12]\n");
    EXPECT_EQ(session.profile().slow_calls[0].paused_ns, 15U);
    EXPECT_EQ(session.profile().slow_calls[0].compiling_ns, 12U);
}

TEST(SlowCalls, ShortCallsAreMergedWhereThereAreMoreThanFit) {
    SlowSession session = session_of_few_slices();
    RecordStream stream("1000 enter A 100");
    uint64_t now = 1000;
    for (int round = 0; round < 500; ++round) {
        now += 10;
        stream.enter('B', 90, now)
            .enter('C', 80, now + 1)
            .leave('C', 80, now + 3)
            .leave('B', 90, now + 5);
    }
    stream.enter('D', 90, now + 10).leave('D', 90, now + 500).leave('A', 100, now + 600);
    session->feed(stream);
    const profile::Profile p = session.profile();
    ASSERT_EQ(p.slow_calls.size(), 1U);
    EXPECT_EQ(p.slow_calls[0].calls, 1001U);
    EXPECT_LE(p.slow_slices.size(), 64U);
    EXPECT_TRUE(std::ranges::any_of(p.slow_slices, [](const profile::SlowSlice& slice) {
        return slice.duration_ns == 490 && slice.calls == 1;
    }));
    auto sums = sums_of_slices(p);
    EXPECT_EQ(sums["B"], std::pair(uint64_t{500}, uint64_t{500 * 5}));
    EXPECT_EQ(sums["C"].first, 500U);  // merged in the merged Bs
    EXPECT_EQ(sums["D"].first, 1U);
    EXPECT_EQ(p.slow_calls[0].merged_calls, 1001 - (p.slow_slices.size() - 1));
}

// Once some have been merged, short calls join those before them as soon as they end.
TEST(SlowCalls, ShortCallsOfSeveralMethodsInTurnAreMergedByMethodAndBesideLongOnes) {
    SlowSession session = session_of_few_slices();
    RecordStream stream("1000 enter A 100");
    uint64_t now = 1000;
    for (int round = 0; round < 1000; ++round) {
        const uint64_t long_one = round == 700 ? 300 : 0;
        stream.enter('B', 90, now).leave('B', 90, now + 3 + long_one);
        now += 10 + long_one;
        stream.enter('C', 90, now).leave('C', 90, now + 4);
        now += 10;
    }
    session->feed(stream.leave('A', 100, now));
    const profile::Profile p = session.profile();
    EXPECT_LE(p.slow_slices.size(), 64U);
    const auto long_one =
        std::ranges::find(p.slow_slices, uint64_t{303}, &profile::SlowSlice::duration_ns);
    ASSERT_NE(long_one, p.slow_slices.end());
    EXPECT_EQ(long_one->calls, 1U);
    auto sums = sums_of_slices(p);
    EXPECT_EQ(sums["B"], std::pair(uint64_t{1000}, uint64_t{1000 * 3 + 300}));
    EXPECT_EQ(sums["C"], std::pair(uint64_t{1000}, uint64_t{1000 * 4}));
    std::map<std::string, uint64_t> before_long_one;
    for (auto slice = p.slow_slices.begin(); slice != long_one; ++slice) {
        before_long_one[Replayed::name(p, slice->function)] += slice->calls;
    }
    EXPECT_EQ(before_long_one["B"], 700U);
    EXPECT_EQ(before_long_one["C"], 700U);
}

TEST(SlowCalls, FunctionsWithoutRoomAreCounted) {
    replay::Limits limits = keeping({2, 2});
    limits.slowest.kept_calls = 2;
    SlowSession session({'A', 'B'}, limits);
    RecordStream stream;
    call(stream, 10, 40);
    call(stream, 50, 90);
    session->feed(stream);
    uint64_t lost = 0;
    for (const profile::SlowMethod& method : session.profile().slow_methods) {
        lost += method.lost;
    }
    EXPECT_EQ(session.profile().slow_calls.size(), 2U);
    EXPECT_EQ(lost, 2U);
}

TEST(SlowCalls, MarksThatAreNoRequestAreNone) {
    Marks marks{'A'};
    marks.set('B', 200);
    SlowSession session(marks, keeping({1}));
    RecordStream stream;
    session->feed(call(stream, 10, 40));
    EXPECT_EQ(session.text(), "A 10+30 [B 11+28]\n");
}

TEST(Slices, ThatArePartOfNothingLongerShareOne) {
    using replay::Slice;
    std::vector<Slice> slices{{0, 100, 1, Slice::kNoParent, 1, Slice::kCall}};
    for (uint64_t begin = 0; begin < 90; begin += 10) {
        slices.push_back({begin, begin == 40 ? 9U : 3U, 2, 0, 1, Slice::kCall});
        slices.push_back(
            {begin + 1, 1, 3, static_cast<uint32_t>(slices.size() - 1), 1, Slice::kCall});
    }
    replay::SliceShortener().shorten(slices, 7);
    ASSERT_EQ(slices.size(), 7U);
    // Four before the longest, it, four behind it.
    EXPECT_EQ(slices[1].calls, 4U);
    EXPECT_EQ(slices[1].ticks, 12U);
    EXPECT_EQ(slices[2].calls, 4U);
    EXPECT_EQ(slices[2].parent, 1U);
    EXPECT_EQ(slices[3].ticks, 9U);
    EXPECT_EQ(slices[5].calls, 4U);
}

}  // namespace
}  // namespace umbra::collector
