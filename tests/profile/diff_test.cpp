// SPDX-License-Identifier: MIT
// What is called a change.
#include "src/profile/diff.h"

#include <string>

#include <gtest/gtest.h>

namespace umbra::profile {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

/// Methods f0, f1, ... called 100 times each from outside, with so many seconds of own time.
Profile burning(const std::vector<double>& seconds) {
    Profile p;
    p.threads.resize(1);
    for (const double own : seconds) {
        Function function;
        function.name = "f" + std::to_string(p.functions.size());
        const auto ns = static_cast<uint64_t>(own * kSecond);
        function.times = {100, 0, ns, ns, ns / 100, ns / 100, {ns, ns}, {}, {}};
        p.functions.push_back(function);
        p.calltree.push_back(
            {kNone, static_cast<Row>(p.calltree.size()), 0, p.functions.back().times});
    }
    return p;
}

Verdict verdict_of(const Diff& diff, const std::string& name) {
    for (const FunctionChange& change : diff.functions) {
        if (change.after.name == name || change.before.name == name) {
            return change.verdict;
        }
    }
    ADD_FAILURE() << name;
    return Verdict::kSame;
}

TEST(Diff, NamesTheMethodThatTakesLonger) {
    const Profile before = burning({1, 1, 1, 1, 1, 1});
    const Profile after = burning({1, 1.001, 0.999, 1.1, 1, 1});
    const Diff changed = diff(before, after, {});
    EXPECT_EQ(changed.changed, 1U);
    EXPECT_EQ(changed.functions[0].after.name, "f3");
    EXPECT_EQ(changed.functions[0].verdict, Verdict::kSlower);
    EXPECT_NEAR(worst_increase(changed), 0.1, 0.002);
    const Diff back = diff(after, before, {});
    EXPECT_EQ(back.functions[0].verdict, Verdict::kFaster);
    EXPECT_EQ(worst_increase(back), 0);
}

TEST(Diff, TakesWhatAllHaveInCommonForTheMachines) {
    const Profile before = burning({1, 2, 1, 3, 1, 1});
    const Profile after = burning({1.2, 2.4, 1.2, 3.6, 1.2, 1.2});
    EXPECT_EQ(diff(before, after, {}).changed, 0U);
    EXPECT_NEAR(diff(before, after, {}).noise.common, 0.2, 1e-6);
    const Diff absolute = diff(before, burning({1.2, 2, 1, 3, 1, 1}), {.absolute = true});
    EXPECT_EQ(absolute.changed, 1U);
}

TEST(Diff, MeasuresHowTheRunsDiffer) {
    const Profile before = burning({1, 1, 1, 1, 1, 1, 1});
    const Diff noisy = diff(before, burning({1.1, 0.9, 1.08, 0.93, 1, 1.07, 1.1}), {});
    EXPECT_EQ(noisy.changed, 0U);
    EXPECT_GT(noisy.noise.often, 0.05);
    EXPECT_EQ(noisy.noise.from, 7U);
    const Diff few = diff(burning({1, 1}), burning({1, 1.05}), {});
    EXPECT_EQ(few.changed, 0U) << "with so few functions, 3 % noise is assumed";
    EXPECT_EQ(few.noise.from, 0U);
}

TEST(Diff, RespectsTheStatedError) {
    const Profile before = burning({1, 1, 1, 1, 1, 1});
    Profile after = burning({1, 1, 1, 1, 1, 1.1});
    EXPECT_EQ(verdict_of(diff(before, after, {}), "f5"), Verdict::kSlower);
    after.functions[5].self_error_ns = after.functions[5].total_error_ns = 0.05 * kSecond;
    EXPECT_EQ(verdict_of(diff(before, after, {}), "f5"), Verdict::kSame);
}

TEST(Diff, PassesOverWhatIsTooSmallToMatter) {
    const Profile before = burning({10, 10, 10, 10, 10, 0.02});
    const Profile after = burning({10, 10, 10, 10, 10, 0.05});
    EXPECT_EQ(diff(before, after, {}).changed, 0U);
    EXPECT_EQ(diff(before, after, {.min_percent = 0.01}).changed, 1U);
}

TEST(Diff, TellsMoreCallsFromSlowerOnes) {
    const Profile before = burning({1, 1, 1, 1, 1, 1});
    Profile after = burning({1, 1, 1, 1, 1, 2});
    after.functions[5].times.calls = after.calltree[5].times.calls = 200;
    EXPECT_EQ(verdict_of(diff(before, after, {}), "f5"), Verdict::kMoreCalls);
    after = burning({1, 1, 1, 1, 1, 4});
    after.functions[5].times.calls = after.calltree[5].times.calls = 200;
    EXPECT_EQ(verdict_of(diff(before, after, {}), "f5"), Verdict::kSlower);
}

TEST(Diff, KnowsNewMethodsAndThoseGone) {
    const Profile before = burning({1, 1});
    Profile after = burning({1, 1});
    after.functions[1].name = "g";
    const Diff changed = diff(before, after, {});
    EXPECT_EQ(verdict_of(changed, "g"), Verdict::kNew);
    EXPECT_EQ(verdict_of(changed, "f1"), Verdict::kGone);
    EXPECT_EQ(worst_increase(changed), 0);
}

TEST(Diff, SaysOfCallersThatTheSlownessIsBelow) {
    const auto called = [](double seconds) {
        Profile p = burning({1, 1, 1, 1, 1, seconds});
        const auto ns = static_cast<uint64_t>(seconds * kSecond);
        p.calltree[5].parent = 4;
        p.calltree[4].times.total_ns += ns;
        p.functions[4].times.total_ns += ns;
        return p;
    };
    const Profile before = called(1);
    const Profile after = called(2);
    const Diff changed = diff(before, after, {});
    EXPECT_EQ(changed.functions[0].after.name, "f5");
    EXPECT_EQ(verdict_of(changed, "f4"), Verdict::kSlowerBelow);
}

}  // namespace
}  // namespace umbra::profile
