// SPDX-License-Identifier: MIT
// Tests of a sampled session: messages in, a profile out; nonsense ends it, nothing crashes it.
#include "src/collector/sampling/sample_session.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "export/schema.h"

namespace umbra::collector {
namespace {

using profile::kNone;

constexpr protocol::SampleOrder kOrder{.rate_millihertz = 100'000, .most_suspended_ppm = 10'000};

SampleSession session(const replay::Limits& limits = {}) {
    protocol::Hello hello;
    hello.pid = 4711;
    hello.runtime = ".NET 10.0.12";
    hello.command_line = "dotnet /srv/app.dll --fast";
    return {hello, kOrder, limits};
}

protocol::FunctionNamed named(uint32_t index, const std::string& method) {
    protocol::FunctionNamed message;
    message.index = index;
    message.namespace_ = "Acme";
    message.type = "Cart";
    message.method = method;
    message.parameters = "()";
    return message;
}

protocol::SampleRound round(uint64_t time_ns, std::vector<protocol::ThreadSample> samples) {
    protocol::SampleRound message;
    message.time_ns = time_ns;
    message.suspended_ns = 1'000;
    message.samples = std::move(samples);
    return message;
}

const profile::Function* find(const profile::Profile& profile, const std::string& name) {
    const auto found = std::ranges::find(profile.functions, name, &profile::Function::name);
    return found == profile.functions.end() ? nullptr : &*found;
}

/// Main calls Work and Wait; two threads.
SampleSession two_threads() {
    SampleSession made = session();
    EXPECT_TRUE(made.note(protocol::ModuleLoaded{1, "/srv/app.dll", false}));
    EXPECT_TRUE(made.note(named(1, "Main")));
    EXPECT_TRUE(made.note(named(2, "Work")));
    EXPECT_TRUE(made.note(named(3, "Wait")));
    EXPECT_TRUE(made.note(protocol::ThreadNamed{10, "main"}));
    EXPECT_TRUE(made.note(protocol::StackNodes{{{0, 1}, {1, 2}, {1, 3}}}));
    EXPECT_TRUE(made.note(round(10, {{10, 2, 10, 9}, {11, 3, 10, 0}})));
    EXPECT_TRUE(made.note(round(30, {{10, 2, 20, 18}, {11, 3, 20, 0}, {12, 0, 20, 0}})));
    return made;
}

TEST(SampleSession, SamplesBecomePathsTimesAndThreads) {
    const profile::Profile profile = two_threads().build("detached", true);
    EXPECT_TRUE(schema::check_rows(profile));
    ASSERT_EQ(profile.threads.size(), 2U);
    EXPECT_EQ(profile.threads[0].name, "main");
    EXPECT_EQ(profile.threads[0].cpu_ns, 27U);
    EXPECT_EQ(profile.threads[1].covered_ns, 30U);
    ASSERT_EQ(profile.calltree.size(), 4U);
    const profile::Function* work = find(profile, "Acme.Cart.Work()");
    ASSERT_NE(work, nullptr);
    EXPECT_EQ(work->times.calls, 2U);
    EXPECT_EQ(work->times.self_ns, 30U);
    EXPECT_EQ(work->times.cpu.self_ns, 27U);
    const profile::Function* main = find(profile, "Acme.Cart.Main()");
    ASSERT_NE(main, nullptr);
    EXPECT_EQ(main->times.calls, 0U);
    EXPECT_EQ(main->times.total_ns, 60U);
    EXPECT_EQ(main->times.self_ns, 0U);
    EXPECT_EQ(main->times.cpu.total_ns, 27U);
}

TEST(SampleSession, FactsSayHowItWasSampled) {
    SampleSession made = two_threads();
    protocol::SampleRound last = round(40, {});
    last.suspended_ns = 9'000;
    last.process_cpu_ns = 30;
    last.unattributed_cpu_ns = 3;
    last.sampler_cpu_ns = 2;
    ASSERT_TRUE(made.note(last));
    ASSERT_TRUE(made.note(protocol::SamplingEnded{.missed_rounds = 5}));
    const profile::Session facts = made.build("detached", true).session;
    EXPECT_EQ(facts.settings.mode, "sampled");
    EXPECT_EQ(facts.program, "app.dll");
    EXPECT_EQ(facts.sampling.rate_hz, 100);
    EXPECT_EQ(facts.sampling.rounds, 3U);
    EXPECT_EQ(facts.counts.events, 4U);
    EXPECT_EQ(facts.sampling.outside, 1U);
    EXPECT_EQ(facts.sampling.threads_without_frames, 1U);
    EXPECT_EQ(facts.sampling.missed_rounds, 5U);
    EXPECT_EQ(facts.sampling.suspended_ns, 11'000U);
    EXPECT_EQ(facts.sampling.median_suspension_ns, 1'000U);
    EXPECT_EQ(facts.sampling.worst_suspension_ns, 9'000U);
    EXPECT_EQ(facts.wall_ns, 40U);
    EXPECT_EQ(facts.cpu.on_ns, 27U);
    EXPECT_EQ(facts.cpu.off_ns, 33U);
    EXPECT_EQ(facts.sampling.unattributed_cpu_ns, 3U);
    EXPECT_EQ(facts.cpu.process_ns, 30U);
    EXPECT_EQ(facts.sampling.sampler_cpu_ns, 2U);
}

TEST(SampleSession, AThreadThatRunsWithoutManagedFramesIsNative) {
    SampleSession made = session();
    ASSERT_TRUE(made.note(round(10, {{10, 0, 10, 9}})));
    const profile::Profile profile = made.build("detached", true);
    ASSERT_EQ(profile.functions.size(), 1U);
    EXPECT_EQ(profile.functions[0].name, "(native)");
    EXPECT_EQ(profile.functions[0].times.cpu.self_ns, 9U);
}

TEST(SampleSession, PiecesOfARoundBelongToIt) {
    SampleSession made = session();
    ASSERT_TRUE(made.note(protocol::StackNodes{{{0, 1}}}));
    ASSERT_TRUE(made.note(round(10, {{10, 1, 10, 0}})));
    protocol::SampleRound more;
    more.continued = true;
    more.samples = {{11, 1, 10, 0}};
    ASSERT_TRUE(made.note(more));
    const profile::Profile profile = made.build("detached", true);
    EXPECT_EQ(profile.session.sampling.rounds, 1U);
    EXPECT_EQ(profile.threads.size(), 2U);
    EXPECT_EQ(profile.session.wall_ns, 10U);
}

TEST(SampleSession, NodesAndRoundsThatCannotBeEndIt) {
    EXPECT_FALSE(session().note(protocol::StackNodes{{{1, 1}}}));
    EXPECT_FALSE(session().note(round(10, {{10, 1, 10, 0}})));
    SampleSession made = two_threads();
    EXPECT_FALSE(made.note(round(29, {})));
    ASSERT_TRUE(made.note(protocol::SamplingEnded{}));
    EXPECT_FALSE(made.note(named(9, "Late")));
}

TEST(SampleSession, BeyondTheLimitsSamplesGoToTheirCallerAndAreCounted) {
    replay::Limits limits;
    limits.max_arcs = 2;
    limits.max_sampled_threads = 1;
    SampleSession made = session(limits);
    ASSERT_TRUE(made.note(protocol::StackNodes{{{0, 1}, {1, 2}, {2, 3}}}));
    ASSERT_TRUE(made.note(round(10, {{10, 3, 10, 0}, {11, 1, 10, 0}})));
    const profile::Profile profile = made.build("detached", true);
    ASSERT_EQ(profile.calltree.size(), 2U);
    EXPECT_EQ(profile.calltree[1].times.self_ns, 10U);
    EXPECT_EQ(profile.session.losses.nodes, 1U);
    EXPECT_EQ(profile.session.losses.no_thread_slot, 1U);
}

TEST(SampleSession, ADeepStackEndsAtTheGreatestDepth) {
    replay::Limits limits;
    limits.max_stack = 4;
    SampleSession made = session(limits);
    protocol::StackNodes chain;
    for (uint32_t depth = 0; depth < 9; ++depth) {
        chain.nodes.push_back({depth, 1});
    }
    ASSERT_TRUE(made.note(chain));
    ASSERT_TRUE(made.note(round(10, {{10, 9, 6, 0}, {10, 4, 4, 0}})));
    const profile::Profile profile = made.build("detached", true);
    ASSERT_EQ(profile.calltree.size(), 4U);
    EXPECT_EQ(profile.calltree[3].times.self_ns, 10U);
    EXPECT_EQ(profile.session.losses.nodes, 5U);
}

TEST(SampleSession, AStackOfMillionsOfFramesCostsNoWalkForEachSample) {
    SampleSession made = session();
    constexpr uint32_t kFrames = 4'000'000;
    for (uint32_t depth = 0; depth < kFrames;) {
        protocol::StackNodes chain;
        for (uint32_t i = 0; i < 10'000; ++i, ++depth) {
            chain.nodes.push_back({depth, 1});
        }
        ASSERT_TRUE(made.note(chain));
    }
    // A walk along the chain takes milliseconds, so 10,000 of them would take minutes.
    for (uint64_t moment = 1; moment <= 10'000; ++moment) {
        ASSERT_TRUE(made.note(round(moment, {{10, kFrames, 1, 0}})));
    }
    const profile::Profile profile = made.build("detached", true);
    EXPECT_EQ(profile.calltree.size(), replay::Limits{}.max_stack);
    EXPECT_EQ(profile.calltree.back().times.calls, 10'000U);
}

TEST(SampleSession, AnyMessagesGiveASoundProfile) {
    std::mt19937 random(3);
    const auto any = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    for (int run = 0; run < 200; ++run) {
        SampleSession made = session();
        bool alive = true;
        for (int step = 0; alive && step < 100; ++step) {
            switch (any(4)) {
                case 0:
                    alive = made.note(protocol::StackNodes{{{any(20), any(9)}}});
                    break;
                case 1:
                    alive = made.note(round(any(1000), {{any(4), any(20), random(), random()}}));
                    break;
                case 2:
                    alive = made.note(named(any(9), "M"));
                    break;
                default:
                    alive = made.note(protocol::ThreadNamed{any(4), "t"});
            }
        }
        ASSERT_TRUE(schema::check_rows(made.build("detached", true)));
    }
}

}  // namespace
}  // namespace umbra::collector
