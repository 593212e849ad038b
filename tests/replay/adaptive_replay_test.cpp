// SPDX-License-Identifier: MIT
// Events without a clock reading: where their times lie, and that nothing else changes.
#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using hotpath::Kind;
using testing::RecordStream;
using testing::Replayed;

constexpr uint32_t kSp = 0x1000;

/// A calls B (100 ticks after it has begun, for 30 ticks), returns 70 ticks later; 50 ticks to the
/// next round. `timed`: all of it, else only where the stub is told to.
void one_round(RecordStream& out, uint64_t begin, bool timed) {
    out.enter('A', kSp, begin);
    if (timed) {
        out.enter('B', kSp - 16, begin + 100).leave('B', kSp - 16, begin + 130);
    } else {
        out.untimed(Kind::kEnter, 'B', kSp - 16).untimed(Kind::kLeave, 'B', kSp - 16);
    }
    out.leave('A', kSp, begin + 200);
}
constexpr uint64_t kRound = 250;

/// A session that has seen `rounds` timed rounds on one thread, up to rounds * kRound - 50 ticks.
struct Learned {
    explicit Learned(uint64_t rounds) : replayed({}, true) {
        thread = &replayed.thread();
        RecordStream stream;
        for (uint64_t round = 0; round < rounds; ++round) {
            one_round(stream, round * kRound, true);
        }
        replayed.feed(stream);
    }
    [[nodiscard]] replay::ThreadCounts counts() { return thread->replay().counts(); }
    size_t consume(const RecordStream& stream, bool complete, uint64_t tail_before = 0) {
        return thread->consume(stream.slots(), complete, tail_before);
    }

    Replayed replayed;
    collector::ProfiledThread* thread;
};

TEST(AdaptiveReplay, AStretchOfUsualLengthIsCutWhereTheTimedOnesWere) {
    Learned learned(100);
    RecordStream stream;
    one_round(stream, 100 * kRound, false);
    learned.replayed.feed(stream);
    EXPECT_EQ(learned.replayed.tree(), "A 101 20200/17170\n  B 101 3030/3030\n");
    EXPECT_EQ(learned.counts().events, 404U);
    EXPECT_EQ(learned.counts().timed_events, 402U);
    EXPECT_EQ(learned.counts().decode_errors, 0U);
}

TEST(AdaptiveReplay, ALongerStretchGoesToWhatVariesMost) {
    // The first interval of a kind counts as exponential, so variances go as 100^2 : 30^2 : 70^2.
    Learned learned(1);
    RecordStream stream;
    stream.enter('A', kSp, 1000)
        .untimed(Kind::kEnter, 'B', kSp - 16)
        .untimed(Kind::kLeave, 'B', kSp - 16)
        .leave('A', kSp, 1000 + 200 + 158);
    learned.replayed.feed(stream);
    EXPECT_EQ(learned.replayed.tree(), "A 2 558/489\n  B 2 69/69\n") << "30 + 30 + 158 * 9 / 158";
}

TEST(AdaptiveReplay, StretchesTouchEachOtherAndLoseNoTime) {
    Learned learned(10);
    RecordStream stream;
    uint64_t now = 10 * kRound;
    std::mt19937 random(1);
    for (int round = 0; round < 500; ++round) {
        stream.enter('A', kSp, now);
        for (int call = 0; call < 5; ++call) {
            stream.untimed(Kind::kEnter, 'B', kSp - 16).untimed(Kind::kLeave, 'B', kSp - 16);
        }
        now += random() % 2000;
        stream.leave('A', kSp, now);
    }
    learned.replayed.feed(stream);
    const profile::Profile p = learned.replayed.profile(now);
    uint64_t self = 0;
    for (const profile::CallNode& node : p.calltree) {
        self += node.times.self_ns;
    }
    EXPECT_EQ(self, p.threads[0].covered_ns);
    EXPECT_EQ(self, 10 * 200 + now - 10 * kRound);
    EXPECT_EQ(p.threads[0].repairs, 0U);
}

TEST(AdaptiveReplay, TheEndOfAChunkThatNothingClosesHasTheUsualLength) {
    Learned learned(100);
    RecordStream stream;
    stream.enter('A', kSp, 100 * kRound)
        .untimed(Kind::kEnter, 'B', kSp - 16)
        .untimed(Kind::kLeave, 'B', kSp - 16);
    EXPECT_EQ(learned.consume(stream, true), 4U);
    EXPECT_EQ(learned.replayed.tree(100 * kRound + 500),
              "A 101 20500/17470 +1\n  B 101 3030/3030\n");
    // What comes next was later, and the estimate gives way to it.
    RecordStream next;
    next.leave('A', kSp, 100 * kRound + 120);
    learned.replayed.feed(next);
    EXPECT_EQ(learned.counts().decode_errors, 0U);
    EXPECT_EQ(learned.replayed.profile().threads[0].covered_ns, 100U * 200 + 130);
}

TEST(AdaptiveReplay, AnUnfinishedChunkWaitsForItsNextClockReading) {
    Learned learned(100);
    RecordStream stream;
    stream.enter('A', kSp, 100 * kRound).untimed(Kind::kEnter, 'B', kSp - 16);
    EXPECT_EQ(learned.consume(stream, false), 2U);
    EXPECT_EQ(learned.counts().events, 401U);
    stream = RecordStream();
    stream.untimed(Kind::kEnter, 'B', kSp - 16)
        .untimed(Kind::kLeave, 'B', kSp - 16)
        .leave('A', kSp, 100 * kRound + 200);
    EXPECT_EQ(learned.consume(stream, false), 4U);
    EXPECT_EQ(learned.replayed.tree(), "A 101 20200/17170\n  B 101 3030/3030\n");
}

TEST(AdaptiveReplay, ATailKnownToBeOverIsReplayedWithinWhatIsKnown) {
    Learned learned(100);
    RecordStream stream;
    stream.enter('A', kSp, 100 * kRound).untimed(Kind::kEnter, 'B', kSp - 16);
    EXPECT_EQ(learned.consume(stream, false, 100 * kRound + 40), 3U);
    EXPECT_EQ(learned.counts().events, 402U);
    EXPECT_EQ(learned.replayed.tree(100 * kRound + 60),
              "A 101 20060/17040 +1\n  B 101 3020/3020 +1\n")
        << "B has begun by then, though it mostly takes A 100 ticks";
}

TEST(AdaptiveReplay, AThreadThatStandsStillSpendsTheTimeWhereItStands) {
    Learned learned(100);
    const uint64_t begin = 100 * kRound;
    RecordStream stream;
    stream.enter('A', kSp, begin).untimed(Kind::kEnter, 'B', kSp - 16);
    // Seen there at 10,000 and still at 50,000.
    EXPECT_EQ(learned.thread->stall(stream.slots(), begin + 10'000, begin + 50'000), 3U);
    EXPECT_EQ(learned.thread->top_function(), 2U);
    RecordStream rest;
    rest.untimed(Kind::kLeave, 'B', kSp - 16).leave('A', kSp, begin + 50'300);
    learned.replayed.feed(rest);
    // 100 before B and 70 behind it, as ever.
    EXPECT_EQ(learned.replayed.tree(), "A 101 70300/17170\n  B 101 53130/53130\n");
}

TEST(AdaptiveReplay, AStopIsOverWithTheClockReadingBehindIt) {
    Learned learned(100);
    const uint64_t begin = 100 * kRound;
    RecordStream stop;
    stop.enter('A', kSp, begin).leave('A', kSp, begin + 10);
    learned.thread->stall(stop.slots(), begin + 10'000, begin + 50'000);
    RecordStream rest;
    one_round(rest, begin + 60'000, false);
    learned.replayed.feed(rest);
    EXPECT_EQ(learned.replayed.tree(), "A 102 20210/17180\n  B 101 3030/3030\n");
}

TEST(AdaptiveReplay, TimeOffTheProcessorsLiesWhereTheKernelSaysItDid) {
    Learned learned(100);
    const uint64_t begin = 100 * kRound;
    // Off for 5,000 ticks from 115 on: B was running then.
    learned.thread->add_off_cpu(begin + 115, begin + 5115);
    RecordStream stream;
    stream.enter('A', kSp, begin)
        .untimed(Kind::kEnter, 'B', kSp - 16)
        .untimed(Kind::kLeave, 'B', kSp - 16)
        .leave('A', kSp, begin + 5200);
    learned.replayed.feed(stream);
    EXPECT_EQ(learned.replayed.tree(), "A 101 25200/17170\n  B 101 8030/8030\n");
}

TEST(AdaptiveReplay, AThreadSeenStandingThatComesBackLaterGoesOnFromThere) {
    Learned learned(100);
    const uint64_t begin = 100 * kRound;
    RecordStream stream;
    stream.enter('A', kSp, begin).untimed(Kind::kEnter, 'B', kSp - 16);
    learned.thread->stall(stream.slots(), begin + 10'000, begin + 50'000);
    learned.thread->add_off_cpu(begin + 110, begin + 70'000);
    RecordStream rest;
    rest.untimed(Kind::kLeave, 'B', kSp - 16).leave('A', kSp, begin + 70'100);
    learned.replayed.feed(rest);
    // From 50,000 on it was away for 20,000 more; 30 and 70 are usual behind that.
    EXPECT_EQ(learned.replayed.tree(), "A 101 90100/17170\n  B 101 72930/72930\n");
}

TEST(AdaptiveReplay, AnIntervalTheThreadWasAwayInIsNotLearned) {
    Learned learned(3);
    learned.thread->add_off_cpu(1010, 3010);
    RecordStream stream;
    stream.enter('A', kSp, 1000).enter('B', kSp - 16, 4000);
    learned.replayed.feed(stream);
    replay::IntervalModel& model = learned.replayed.state().intervals();
    const uint32_t a = replay::event_code(hotpath::make_slot(Kind::kEnter, 1, true, 0));
    const uint32_t b = replay::event_code(hotpath::make_slot(Kind::kEnter, 2, true, 0));
    EXPECT_EQ(model.expect(replay::IntervalModel::pair(a, b)).mean, 100);
    EXPECT_EQ(model.kind(replay::IntervalModel::pair(a, b)).measured, 3U);
}

TEST(AdaptiveReplay, ControlRecordsWithoutAClockReadingAreErrors) {
    Learned learned(1);
    RecordStream stream;
    stream.untimed(Kind::kControl, static_cast<char>('A' + 11), 5);  // kLost
    stream.enter('A', kSp, 1000).leave('A', kSp, 1200);
    learned.replayed.feed(stream);
    EXPECT_EQ(learned.counts().decode_errors, 1U);
    EXPECT_EQ(learned.counts().lost_events, 0U);
    EXPECT_EQ(learned.replayed.tree(), "A 2 400/370\n  B 1 30/30\n");
}

TEST(AdaptiveReplay, AFunctionKnowsHowMuchOfItIsEstimated) {
    Learned learned(2);
    RecordStream stream;
    one_round(stream, 2 * kRound, false);
    learned.replayed.feed(stream);
    const replay::ReservedArray<replay::EstimatedEvents>& estimated =
        learned.replayed.state().tables().estimated;
    EXPECT_EQ(estimated[1].untimed, 0U);
    EXPECT_EQ(estimated[1].ticks, 100U + 70U);
    EXPECT_EQ(estimated[2].untimed, 2U);
    EXPECT_EQ(estimated[2].ticks, 30U);
}

TEST(AdaptiveReplay, NothingIsLearnedWhileTheClockIsReadAtEveryEvent) {
    Learned learned(1);
    learned.replayed.state().set_every_event(true);
    RecordStream stream;
    one_round(stream, kRound, true);
    one_round(stream, 2 * kRound, false);  // written before the thread knew
    one_round(stream, 3 * kRound, true);
    learned.replayed.feed(stream);
    EXPECT_EQ(learned.replayed.tree(), "A 4 800/680\n  B 4 120/120\n");
    replay::IntervalModel& model = learned.replayed.state().intervals();
    const uint32_t a = replay::event_code(hotpath::make_slot(Kind::kEnter, 1, true, 0));
    const uint32_t b = replay::event_code(hotpath::make_slot(Kind::kEnter, 2, true, 0));
    EXPECT_EQ(model.kind(replay::IntervalModel::pair(a, b)).measured, 1U);
    EXPECT_EQ(learned.counts().timed_events, 14U);
    EXPECT_EQ(learned.replayed.state().tables().estimated[2].untimed, 2U);
}

TEST(AdaptiveReplay, ARunLongerThanAChunkHoldsIsCutAndGoesOn) {
    Learned learned(10);
    const uint64_t begin = 10 * kRound;
    RecordStream stream;
    stream.enter('A', kSp, begin);
    const size_t pairs = replay::IntervalEstimator::kMaxIntervals;  // twice as many events
    for (size_t pair = 0; pair < pairs; ++pair) {
        stream.untimed(Kind::kEnter, 'B', kSp - 16).untimed(Kind::kLeave, 'B', kSp - 16);
    }
    stream.leave('A', kSp, begin + 10'000'000);
    learned.replayed.feed(stream);
    const profile::Profile p = learned.replayed.profile();
    EXPECT_EQ(p.calltree[0].times.calls, 11U);
    EXPECT_EQ(p.calltree[0].times.total_ns, 10U * 200 + 10'000'000);
    EXPECT_EQ(p.calltree[1].times.calls, 10U + pairs);
    EXPECT_EQ(learned.counts().events, 40U + 2 + 2 * pairs);
}

}  // namespace
}  // namespace umbra::collector
