// SPDX-License-Identifier: MIT
// Agent and collector, real both, around programs on the stand-in runtime: what was called is what
// the profile says, with a collector that keeps up, that does not, and that goes away.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/profile/profile.h"
#include "tests/support/live_collector.h"
#include "tests/support/target.h"

namespace umbra::testing {
namespace {

using profile::Profile;

// The calls of the program's bursts; see target_program.cpp.
constexpr uint64_t kBurstCalls = 10 + 1 + 200'000 + 1 + 20'000;
constexpr uint64_t kRingRecords = 32 * 4096;

/// What the program says it did.
struct Expected {
    struct Thread {
        uint64_t enters = 0;
        uint64_t leaves = 0;
        uint64_t tailcalls = 0;
        std::map<std::string, uint64_t> calls_by_path;

        [[nodiscard]] uint64_t events() const { return enters + leaves + tailcalls; }
    };
    std::map<uint32_t, std::vector<Thread>> threads;  ///< by OS thread: ids come again
    uint64_t calls = 0;
    double cost_ns = 0;
    size_t thread_count = 0;
};

Expected read_expected(Target& target) {
    Expected expected;
    for (std::string line = target.read_line(); !line.empty(); line = target.read_line()) {
        std::istringstream words(line);
        std::string kind;
        uint32_t tid = 0;
        words >> kind;
        if (kind == "thread") {
            Expected::Thread thread;
            words >> tid >> thread.enters >> thread.leaves >> thread.tailcalls;
            expected.calls += thread.enters;
            expected.threads[tid].push_back(thread);
            ++expected.thread_count;
        } else if (kind == "path") {
            uint64_t calls = 0;
            std::string path;
            words >> tid >> calls >> path;
            expected.threads[tid].back().calls_by_path[path] += calls;
        } else if (kind == "cost") {
            words >> expected.cost_ns;
        } else if (kind == "ready") {
            break;
        }
    }
    return expected;
}

void expect_nothing_lost(const Profile& profile) {
    EXPECT_EQ(profile.session.losses.events(), 0U);
    for (const profile::Thread& thread : profile.threads) {
        EXPECT_EQ(thread.repairs, 0U);
        EXPECT_EQ(thread.unmatched_leaves, 0U);
        EXPECT_EQ(thread.decode_errors, 0U);
    }
}

class EndToEnd : public ::testing::Test {
  protected:
    void start(const std::string& scenario, bool drop = false,
               std::chrono::milliseconds checkpoint = std::chrono::seconds(10),
               double max_overhead_percent = 0) {
        protocol::Welcome welcome;
        welcome.drop = drop;
        collector_ = std::make_unique<LiveCollector>(
            std::move(welcome),
            LiveCollector::Options{.checkpoint = checkpoint,
                                   .max_overhead_percent = max_overhead_percent});
        target_ = std::make_unique<Target>(UMBRA_TEST_TARGET, scenario, UMBRA_TEST_AGENT,
                                           collector_->socket_path());
    }
    Profile profile() {
        std::optional<Profile> profile = collector_->wait_for_profile();
        EXPECT_TRUE(profile.has_value()) << "the collector has no profile of the process";
        return profile ? *std::move(profile) : Profile();
    }

    /// The program has ended well.
    Profile profile_at_end() {
        EXPECT_EQ(target_->wait(), 0);
        return profile();
    }
    Profile whole_profile() {
        Profile profile = profile_at_end();
        expect_nothing_lost(profile);
        return profile;
    }

    std::unique_ptr<LiveCollector> collector_;
    std::unique_ptr<Target> target_;
};

std::string name_of(const profile::Function& function) {
    return function.namespace_ + '.' + function.type + '.' + function.method;
}

/// "Shop.Cart.Step1;Shop.Cart.Step2" -> calls, as Player::calls_by_path says it.
std::map<std::string, uint64_t> calls_by_path(const Profile& profile, profile::Row thread) {
    std::map<std::string, uint64_t> calls;
    std::vector<std::string> paths(profile.calltree.size());
    for (profile::Row row = 0; row < profile.calltree.size(); ++row) {
        const profile::CallNode& node = profile.calltree[row];
        if (node.thread != thread) {
            continue;
        }
        const std::string name = name_of(profile.functions[node.function]);
        paths[row] = node.parent == profile::kNone ? name : paths[node.parent] + ';' + name;
        if (node.times.calls != 0) {
            calls[paths[row]] += node.times.calls;
        }
    }
    return calls;
}

uint64_t calls_of(const Profile& profile) {
    uint64_t calls = 0;
    for (const profile::Function& function : profile.functions) {
        calls += function.times.calls;
    }
    return calls;
}

/// The thread that made the most calls.
const profile::Thread& busiest(const Profile& profile) {
    return *std::max_element(
        profile.threads.begin(), profile.threads.end(),
        [](const auto& left, const auto& right) { return left.events < right.events; });
}

TEST_F(EndToEnd, SixteenThreadsAreCountedPathByPath) {
    start("random");
    const Expected expected = read_expected(*target_);
    const Profile profile = whole_profile();
    EXPECT_EQ(expected.thread_count, 16U);
    EXPECT_GE(expected.calls, 16U * 8'000U);
    EXPECT_EQ(calls_of(profile), expected.calls);
    size_t compared = 0;
    for (profile::Row row = 0; row < profile.threads.size(); ++row) {
        const auto thread = expected.threads.find(profile.threads[row].os_tid);
        if (thread != expected.threads.end()) {
            EXPECT_EQ(calls_by_path(profile, row), thread->second.front().calls_by_path);
            EXPECT_TRUE(profile.threads[row].name.starts_with("worker "));
            ++compared;
        }
    }
    EXPECT_EQ(compared, 16U);
}

TEST_F(EndToEnd, TwoHundredThreadsOneAfterTheOtherShareSlots) {
    start("sequence");
    const Expected expected = read_expected(*target_);
    const Profile profile = whole_profile();
    EXPECT_EQ(expected.thread_count, 200U);
    EXPECT_EQ(calls_of(profile), 200U * 50U);
    size_t with_calls = 0;
    for (const profile::Thread& thread : profile.threads) {
        EXPECT_TRUE(thread.calls == 0 || thread.calls == 50) << thread.calls;
        with_calls += thread.calls != 0 ? 1 : 0;
    }
    EXPECT_EQ(with_calls, 200U);
}

TEST_F(EndToEnd, ThreeHundredThreadsAtOnceHaveARingEach) {
    start("crowd");
    const Expected expected = read_expected(*target_);
    const Profile profile = whole_profile();
    EXPECT_EQ(expected.thread_count, 300U);
    EXPECT_EQ(calls_of(profile), 300U * 500U);
}

TEST_F(EndToEnd, DroppedEventsAreCountedExactlyAndTheStreamGoesOn) {
    start("burst", true, std::chrono::milliseconds(20));
    ASSERT_EQ(target_->read_line(), "ready");
    ASSERT_TRUE(collector_->pause());
    target_->go_on();
    ASSERT_EQ(target_->read_line(), "ready");  // the ring is full, the thread discards
    collector_->resume();
    ASSERT_TRUE(collector_->wait_for_events(kRingRecords));
    target_->go_on();
    const Expected expected = read_expected(*target_);
    const Profile profile = profile_at_end();

    const profile::Thread& thread = busiest(profile);
    const uint64_t events = 2 * expected.calls;
    EXPECT_EQ(expected.calls, kBurstCalls);
    EXPECT_GT(thread.lost_events, events - kRingRecords - 2 * 20'000U - 512U);
    // One record more than was called: the one that tells of the loss.
    EXPECT_EQ(thread.events, events - thread.lost_events + 1);
    EXPECT_EQ(profile.session.losses.ring_full, thread.lost_events);
    EXPECT_EQ(thread.decode_errors, 0U);
    EXPECT_EQ(thread.waits, 0U);

    // After the gap the program called Step2 and, from there, Step0 20,000 times. Of these the
    // first few fell into the discard area.
    const auto paths =
        calls_by_path(profile, static_cast<profile::Row>(&thread - profile.threads.data()));
    uint64_t behind_the_gap = 0;
    for (const auto& [path, calls] : paths) {
        behind_the_gap += path.ends_with("Shop.Cart.Step0") ? calls : 0;
    }
    EXPECT_GT(behind_the_gap, kRingRecords / 2 + 20'000 - 1024);
}

TEST_F(EndToEnd, AThreadThatEndsWhileItDropsIsCountedToTheEnd) {
    start("burst_to_the_end", true, std::chrono::milliseconds(20));
    ASSERT_EQ(target_->read_line(), "ready");
    ASSERT_TRUE(collector_->pause());
    target_->go_on();
    const Expected expected = read_expected(*target_);
    collector_->resume();
    target_->go_on();
    const Profile profile = profile_at_end();
    const profile::Thread& thread = busiest(profile);
    EXPECT_GT(thread.lost_events, 0U);
    EXPECT_EQ(thread.events, 2 * expected.calls - thread.lost_events);
}

TEST_F(EndToEnd, ATargetThatWaitsLosesNothing) {
    start("steady", false, std::chrono::milliseconds(30));
    collector_->slow_down(std::chrono::milliseconds(40));
    const Expected expected = read_expected(*target_);
    const Profile profile = whole_profile();
    EXPECT_EQ(calls_of(profile), expected.calls);
    EXPECT_GT(profile.session.counts.waits, 0U);
    EXPECT_GT(profile.session.counts.wait_ns, 0U);
}

TEST_F(EndToEnd, ABudgetTakesTheHooksOutOfTheMethodThatCostsTooMuch) {
    start("tiny", false, std::chrono::seconds(10), 0.5);
    EXPECT_EQ(target_->read_line(), "unhooked");
    const Expected expected = read_expected(*target_);
    const Profile profile = whole_profile();
    EXPECT_EQ(profile.session.probes.deinstrumented_functions, 1U);
    EXPECT_EQ(profile.session.settings.max_overhead_percent, 0.5);
    EXPECT_EQ(calls_of(profile), expected.calls) << "all until then, and none after";
    EXPECT_GT(expected.calls, 1'000U);
    for (const profile::Function& function : profile.functions) {
        EXPECT_EQ(function.deinstrumented, function.method == "Step0") << function.method;
    }
    EXPECT_TRUE(collector_->notices().empty());
}

TEST_F(EndToEnd, AProgramWhoseCollectorGoesRunsOnUnprofiled) {
    start("orphan");
    ASSERT_EQ(target_->read_line(), "ready");
    collector_->hang_up();
    target_->go_on();
    const Expected expected = read_expected(*target_);
    EXPECT_EQ(target_->wait(), 0) << "the program ends as it would have";
    EXPECT_EQ(expected.thread_count, 5U) << "and does all it had to do";
    EXPECT_GT(expected.cost_ns, 0.0);
    RecordProperty("pair_ns_without_collector", std::to_string(expected.cost_ns));
    EXPECT_LT(expected.cost_ns, 1000.0) << "no system call a probe";
    const Profile profile = this->profile();
    EXPECT_LT(calls_of(profile), expected.calls);
    EXPECT_EQ(profile.session.losses.events(), 0U);
}

TEST_F(EndToEnd, EveryRegisterIsKept) {
    start("registers");
    for (int thread = 0; thread < 3; ++thread) {
        EXPECT_EQ(target_->read_line(), "checked 20000");
    }
    const Profile profile = whole_profile();
    EXPECT_EQ(calls_of(profile), 3U * 10'000U);
}

TEST_F(EndToEnd, AKilledTargetLosesNothingItHadPublished) {
    start("die");
    ASSERT_EQ(target_->read_line(), "ready");
    target_->kill(SIGKILL);
    EXPECT_EQ(target_->wait(), -SIGKILL);
    const Profile profile = this->profile();
    EXPECT_EQ(profile.session.losses.events(), 0U);
    EXPECT_EQ(calls_of(profile), 1235U);
    EXPECT_EQ(busiest(profile).repairs, 0U);
}

}  // namespace
}  // namespace umbra::testing
