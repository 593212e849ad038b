// SPDX-License-Identifier: MIT
// From the call tree to the request: sums by function, windows, answers awaited.
#include "src/collector/live/budget.h"

#include <gtest/gtest.h>

#include "src/collector/live/live_sums.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RecordStream;
using testing::Replayed;

TEST(LiveSums, AddUpAllCallsOfAFunction) {
    Replayed replayed(
        "10 enter A 100, 20 enter B 90, 25 leave B 90, 30 enter C 90, 32 enter B 80, "
        "35 leave B 80, 40 leave C 90, 60 leave A 100, 70 enter B 100, 71 leave B 100");
    LiveSums sums;
    ASSERT_TRUE(sums.add_slice(replayed.state(), LiveSums::kSlice));
    ASSERT_EQ(sums.sums().size(), 4U);
    const LiveSum& b = sums.sums()[RecordStream::index('B')];
    EXPECT_EQ(b.calls, 3U);
    EXPECT_EQ(replay::ticks_of(b.total), 5U + 3U + 1U);
    EXPECT_EQ(replay::ticks_of(b.self), 5U + 3U + 1U);
    const LiveSum& a = sums.sums()[RecordStream::index('A')];
    EXPECT_EQ(replay::ticks_of(a.total), 50U);
    EXPECT_EQ(replay::ticks_of(a.self), 50U - 5U - 10U);
    EXPECT_EQ(sums.covered_ticks(), 50U + 1U) << "the outermost calls";
}

uint64_t self_of_a(const LiveSums& sums) {
    return replay::ticks_of(sums.sums()[RecordStream::index('A')].self);
}

TEST(LiveSums, SlicesGiveTheSameAsOnePass) {
    Replayed replayed(
        "10 enter A 100, 20 enter B 90, 25 leave B 90, 30 enter C 90, 40 leave C 90, "
        "60 leave A 100");
    LiveSums sums;
    int slices = 1;
    while (!sums.add_slice(replayed.state(), 1)) {
        EXPECT_TRUE(sums.sums().empty()) << "half a pass shows nothing";
        ++slices;
    }
    EXPECT_GT(slices, 1);
    EXPECT_EQ(self_of_a(sums), 35U);
    replayed.feed("70 enter A 100, 75 leave A 100");
    ASSERT_FALSE(sums.add_slice(replayed.state(), 1));
    EXPECT_EQ(self_of_a(sums), 35U) << "the last whole pass";
    while (!sums.add_slice(replayed.state(), 1)) {
    }
    EXPECT_EQ(self_of_a(sums), 40U) << "and nothing twice";
    EXPECT_EQ(sums.covered_ticks(), 50U + 5U);
}

/// A thread in A calls B: windows of 100 ms, a tick a nanosecond.
class BudgetTest : public ::testing::Test {
  protected:
    static constexpr uint64_t kWindowTicks = 100'000'000;

    BudgetTest() {
        replayed_.thread();
        replayed_.feed("0 enter A 100");
    }

    /// A window in which B is called so often, 600 ticks each time, and the window's end.
    void window(uint64_t calls) {
        const uint64_t begin = ticks_;
        for (uint64_t call = 0; call < calls; ++call) {
            const uint64_t at = begin + call * kWindowTicks / calls;
            replayed_.feed(RecordStream().enter('B', 90, at).leave('B', 90, at + 600));
        }
        ticks_ = begin + kWindowTicks;
        replayed_.feed(RecordStream().control(hotpath::ControlType::kCatcherLeave, 0, ticks_));
        now_ += Budget::kWindow;
        budget_.step(now_, 1e9);
    }
    void windows(int count, uint64_t calls) {
        for (int turn = 0; turn < count; ++turn) {
            window(calls);
        }
    }
    void answer(char function) {
        budget_.note(protocol::HooksRemoved{RecordStream::index(function)});
    }

    Replayed replayed_;
    uint64_t ticks_ = 0;
    Budget::Clock::time_point now_{std::chrono::hours(1)};
    std::vector<protocol::Message> sent_;
    const hotpath::ProbeCosts costs_{.inside = 500, .outside = 500};
    Budget budget_{5, costs_, replayed_.state(),
                   [this](protocol::Message message) { sent_.push_back(std::move(message)); },
                   [this] { return use_; }};
    ProcessorUse use_;
};

TEST(Displaced, IsWhatTheCollectorUsedWhereNothingWasIdle) {
    const ProcessorUse before{.program_ns = 500, .collector_ns = 70, .processors = 2};
    const auto displaced = [&](uint64_t program_ns, uint64_t collector_ns) {
        return displaced_ns(
            before,
            {.program_ns = 500 + program_ns, .collector_ns = 70 + collector_ns, .processors = 2},
            1000);
    };
    EXPECT_EQ(displaced(1400, 600), 600U);
    EXPECT_EQ(displaced(1500, 700), 700U) << "clocks do not agree to the nanosecond";
    EXPECT_EQ(displaced(1300, 600), 300U) << "half of a tenth was idle";
    EXPECT_EQ(displaced(1000, 800), 0U);
    EXPECT_EQ(displaced(0, 1000), 0U);
    EXPECT_EQ(displaced_ns({}, {}, 1000), 0U) << "not known";
    EXPECT_EQ(displaced_ns({}, {.program_ns = 5, .collector_ns = 5, .processors = 1}, 0), 0U);
}

TEST_F(BudgetTest, AsksForTheFunctionThatIsNothingButProbes) {
    // 20,000 calls at 1,000 ticks of probes are 20 % of the window.
    windows(2, 20'000);
    EXPECT_TRUE(sent_.empty()) << "the first pass is the begin of the first window";
    window(20'000);
    ASSERT_EQ(sent_.size(), 1U);
    EXPECT_EQ(sent_[0], protocol::Message(protocol::RemoveHooks{{RecordStream::index('B')}}));
}

TEST_F(BudgetTest, AsksNothingBelowTheBudget) {
    windows(6, 4'700);  // 4.7 / (100 - 4.7) percent
    EXPECT_TRUE(sent_.empty());
    windows(6, 4'800);
    EXPECT_FALSE(sent_.empty());
}

TEST_F(BudgetTest, WaitsForTheAnswerBeforeItJudgesAgain) {
    windows(3, 20'000);
    ASSERT_EQ(sent_.size(), 1U);
    windows(2, 20'000);
    answer('B');
    windows(6, 10);
    EXPECT_EQ(sent_.size(), 1U);
}

TEST_F(BudgetTest, AsksOnceMoreWhenNothingHappens) {
    windows(40, 20'000);
    EXPECT_EQ(sent_.size(), BudgetPolicy::kMaxRequests);
}

TEST_F(BudgetTest, TheCollectorsUseOfAFullMachineCounts) {
    // 4.5 % of probes. The one processor: 60 ms of the program, 40 ms of the collector a window.
    use_.processors = 1;
    for (int turn = 0; turn < 3; ++turn) {
        use_.program_ns += 60'000'000;
        use_.collector_ns += 20'000'000;
        window(4'500);
    }
    EXPECT_TRUE(sent_.empty()) << "a fifth was idle";
    for (int turn = 0; turn < 3; ++turn) {
        use_.program_ns += 60'000'000;
        use_.collector_ns += 40'000'000;
        window(4'500);
    }
    EXPECT_FALSE(sent_.empty());
}

TEST_F(BudgetTest, AThreadThatWaitedLongDoesNotHideTheOthers) {
    ProfiledThread* sleeper = replayed_.state().add_thread(7, 0);
    const auto sleeper_does = [&](const RecordStream& stream) {
        sleeper->consume(stream.slots(), true);
    };
    sleeper_does("0 enter C 100");
    windows(2, 20'000);
    // It has slept for ten windows' worth, and says so now.
    sleeper_does(RecordStream().enter('D', 90, 10 * kWindowTicks));
    window(20'000);
    EXPECT_EQ(sent_.size(), 1U);
}

TEST(SessionStateDeinstrumented, MarksWhatTheAgentHasTakenTheHooksOutOf) {
    Replayed replayed("10 enter A 100, 20 leave A 100");
    replayed.state().note(protocol::HooksRemoved{RecordStream::index('A')});
    replayed.state().note(protocol::HooksRemoved{RecordStream::index('A')});
    replayed.state().note(protocol::HooksRemoved{30});  // not named, not called
    replayed.state().note(protocol::HooksRemoved{0});
    replayed.state().note(protocol::HooksRemoved{0xffff'ffff});
    const profile::Profile profile = replayed.profile(50);
    EXPECT_EQ(profile.session.probes.deinstrumented_functions, 2U);
    size_t deinstrumented = 0;
    for (const profile::Function& function : profile.functions) {
        deinstrumented += function.deinstrumented ? 1U : 0U;
    }
    EXPECT_EQ(deinstrumented, 2U);
    EXPECT_TRUE(profile.functions[profile.calltree[0].function].deinstrumented);
    EXPECT_EQ(profile.calltree[0].times.calls, 1U) << "what was counted until then stays";
}

}  // namespace
}  // namespace umbra::collector
