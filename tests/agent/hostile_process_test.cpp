// SPDX-License-Identifier: MIT
// A process that means harm: it scribbles over its segment while the real collector reads it, and
// says whatever comes to its mind. The collector ends its session in time, with a profile whose
// rows refer to rows that are there.
#include "tests/support/hostile_process.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <sys/mman.h>

#include <gtest/gtest.h>

#include "hotpath/segment.h"
#include "src/agent/link/channel.h"
#include "src/agent/link/segment.h"
#include "src/profile/profile.h"
#include "src/protocol/messages.h"
#include "tests/support/full.h"
#include "tests/support/live_collector.h"

namespace umbra::testing {
namespace {

using std::chrono::steady_clock;

constexpr auto kHarm = std::chrono::milliseconds(150);

uint64_t seeds() {
    return full() ? 200 : 12;
}

void expect_rows_to_refer_to_rows(const profile::Profile& p) {
    const auto is_runtime = [&](profile::Row row) {
        return row == profile::kNone || row < p.runtimes.size();
    };
    ASSERT_TRUE(std::ranges::all_of(p.modules, is_runtime, &profile::Module::runtime));
    ASSERT_TRUE(std::ranges::all_of(p.functions, is_runtime, &profile::Function::runtime));
    ASSERT_TRUE(std::ranges::all_of(p.threads, is_runtime, &profile::Thread::runtime));
    for (size_t row = 0; row < p.calltree.size(); ++row) {
        const profile::CallNode& node = p.calltree[row];
        ASSERT_TRUE(node.parent == profile::kNone || node.parent < row);
        ASSERT_TRUE(node.thread == profile::kNone || node.thread < p.threads.size());
        ASSERT_LT(node.function, p.functions.size());
    }
    for (const profile::ThreadFunction& row : p.thread_functions) {
        ASSERT_LT(row.thread, p.threads.size());
        ASSERT_LT(row.function, p.functions.size());
    }
    for (const profile::Edge& edge : p.edges) {
        ASSERT_TRUE(edge.caller == profile::kNone || edge.caller < p.functions.size());
        ASSERT_LT(edge.callee, p.functions.size());
    }
    for (const profile::Argument& argument : p.arguments) {
        ASSERT_TRUE(argument.function == profile::kNone || argument.function < p.functions.size());
    }
    for (const profile::ArgumentValue& value : p.argument_values) {
        ASSERT_LT(value.argument, p.arguments.size());
    }
}

TEST(HostileProcess, CostsTheCollectorNothingButItsSession) {
    protocol::Welcome settings;
    settings.drop = true;
    LiveCollector collector(settings, {.checkpoint = std::chrono::milliseconds(40)});
    uint64_t events = 0;
    uint64_t errors = 0;
    for (uint64_t seed = 1; seed <= seeds(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Result<agent::Segment> segment = agent::create_segment(hotpath::ClockSource::kCounter);
        ASSERT_TRUE(segment) << segment.error().context;
        ASSERT_EQ(mprotect(segment->header, hotpath::kSegmentBytes, PROT_READ | PROT_WRITE), 0);
        Result<agent::Channel> channel = agent::Channel::open(collector.socket_path());
        ASSERT_TRUE(channel) << channel.error().context;
        protocol::Hello hello;
        hello.command_line = "hostile";
        hello.segment_bytes = hotpath::kSegmentBytes;
        ASSERT_TRUE(channel->send(hello, segment->fd.get()));
        const Result<protocol::Message> answer = channel->receive();
        ASSERT_TRUE(answer && std::holds_alternative<protocol::Welcome>(*answer));
        do_harm(*channel, *segment->header, seed, steady_clock::now() + kHarm, Talk::kAnything);
        { const agent::Channel closed = std::move(*channel); }
        const std::optional<profile::Profile> profile = collector.wait_for_profile();
        ASSERT_TRUE(profile) << "the session did not end";
        ASSERT_NO_FATAL_FAILURE(expect_rows_to_refer_to_rows(*profile));
        events += profile->session.counts.events;
        errors += profile->session.losses.decode_errors;
        agent::empty_segment(segment->header);
    }
    EXPECT_GT(events, 10'000U) << "nothing was read";
    EXPECT_GT(errors, 100U) << "nothing was wrong";
}

}  // namespace
}  // namespace umbra::testing
