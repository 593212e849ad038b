// SPDX-License-Identifier: MIT
// What is called a change.
#include "src/profile/diff/diff.h"

#include <string>
#include <tuple>
#include <vector>

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

/// A run of each.
std::vector<Run> runs(const std::vector<Profile>& profiles) {
    std::vector<Run> made;
    for (const Profile& profile : profiles) {
        made.push_back(run_of(profile, {}));
    }
    return made;
}

Diff diff(const Profile& before, const Profile& after, const DiffOptions& options) {
    return diff(runs({before}), runs({after}), options);
}

Verdict verdict_of(const Diff& diff, const std::string& name) {
    for (const FunctionChange& change : diff.functions) {
        if (change.name == name) {
            return change.verdict;
        }
    }
    ADD_FAILURE() << name;
    return Verdict::kSame;
}

TEST(Diff, NamesTheMethodThatTakesLonger) {
    const Profile before = burning({1, 1, 1, 1, 1, 1});
    const Profile after = burning({1, 1.001, 0.999, 1.3, 1, 1});
    const Diff changed = diff(before, after, {});
    EXPECT_EQ(changed.changed, 1U);
    EXPECT_EQ(changed.functions[0].name, "f3");
    EXPECT_EQ(changed.functions[0].verdict, Verdict::kSlower);
    EXPECT_NEAR(worst_increase(changed), 0.3, 0.002);
    const Diff back = diff(after, before, {});
    EXPECT_EQ(back.functions[0].verdict, Verdict::kFaster);
    EXPECT_EQ(worst_increase(back), 0);
}

TEST(Diff, SeveralRunsOfEachFindWhatOneOfEachDoesNot) {
    const std::vector<Profile> before = {burning({1, 1.01, 1, 0.99, 1, 1.003}),
                                         burning({1.004, 1, 1, 1, 1.002, 1}),
                                         burning({1, 0.995, 1.003, 1.01, 1, 0.998})};
    const std::vector<Profile> after = {burning({1.002, 1, 1, 1.053, 1, 1}),
                                        burning({1, 1.008, 0.997, 1.05, 1.001, 1}),
                                        burning({1, 1, 1, 1.047, 1, 1.002})};
    const Diff one = diff(before[1], after[1], {});
    EXPECT_EQ(one.changed, 0U);
    EXPECT_GT(one.detectable.relative, 0.05);
    const Diff three = diff(runs(before), runs(after), {});
    ASSERT_EQ(three.changed, 1U);
    EXPECT_EQ(three.functions[0].name, "f3");
    EXPECT_NEAR(three.functions[0].self.relative, 0.05, 0.005);
    EXPECT_LT(three.detectable.relative, 0.06);
    // Three runs that differ as much among themselves tell nothing.
    std::vector<Profile> unsteady = after;
    unsteady[0] = burning({1.002, 1, 1, 1.25, 1, 1});
    unsteady[1] = burning({1, 1.008, 0.997, 0.9, 1.001, 1});
    EXPECT_EQ(diff(runs(before), runs(unsteady), {}).changed, 0U);
}

TEST(Diff, SidesNeedNotHaveAsManyRuns) {
    const std::vector<Profile> before = {burning({1, 1, 1, 1, 1, 1}), burning({1, 1, 1, 1, 1, 1}),
                                         burning({1, 1, 1, 1, 1, 1})};
    const Diff changed = diff(runs(before), runs({burning({1, 1, 1, 1, 1, 2})}), {});
    EXPECT_EQ(changed.changed, 1U);
    EXPECT_EQ(changed.functions[0].before.self_ns, kSecond);
}

TEST(Diff, TakesWhatAllHaveInCommonForTheMachines) {
    const Profile before = burning({1, 2, 1, 3, 1, 1});
    const Profile after = burning({1.2, 2.4, 1.2, 3.6, 1.2, 1.2});
    EXPECT_EQ(diff(before, after, {}).changed, 0U);
    EXPECT_NEAR(diff(before, after, {}).common, 0.2, 1e-3);
    EXPECT_EQ(diff(before, after, {.absolute = true}).changed, 6U);
    const auto faster = runs({before, before, before});
    const auto slower = runs({after, after, after});
    EXPECT_EQ(diff(faster, slower, {}).changed, 0U);
    EXPECT_EQ(diff(faster, slower, {.absolute = true}).changed, 6U);
}

TEST(Diff, MeasuresHowTheRunsDiffer) {
    const Profile before = burning({1, 1, 1, 1, 1, 1, 1});
    const Diff noisy = diff(before, burning({1.1, 0.9, 1.08, 0.93, 1, 1.07, 1.1}), {});
    EXPECT_EQ(noisy.changed, 0U);
    EXPECT_GT(noisy.noise.typical, 0.04);
    EXPECT_EQ(noisy.noise.from, 7U);
    const Diff few = diff(burning({1, 1}), burning({1, 1.05}), {});
    EXPECT_EQ(few.changed, 0U) << "with so few functions, 3 % noise is assumed";
    EXPECT_EQ(few.noise.from, 0U);
}

/// The probes took so many seconds of the own time of a method, besides.
Profile with_probes(Profile profile, Row function, double seconds) {
    profile.session.counts.events = 1;  // all that is taken out of the times
    profile.session.probes.inside_ns = 1;
    for (CallTimes* times :
         {&profile.functions[function].times, &profile.calltree[function].times}) {
        times->raw.self_ns += static_cast<uint64_t>(seconds * kSecond);
        times->raw.total_ns += static_cast<uint64_t>(seconds * kSecond);
    }
    return profile;
}

TEST(Diff, RespectsWhatTheProbesLeaveInDoubtUnlessItIsOnBothSides) {
    const Profile before = burning({1, 1, 1, 1, 1, 1});
    const Profile after = burning({1, 1, 1, 1, 1, 1.3});
    EXPECT_EQ(verdict_of(diff(before, after, {}), "f5"), Verdict::kSlower);
    EXPECT_EQ(verdict_of(diff(before, with_probes(after, 5, 0.6), {}), "f5"), Verdict::kSame);
    EXPECT_EQ(verdict_of(diff(with_probes(before, 5, 0.6), with_probes(after, 5, 0.78), {}), "f5"),
              Verdict::kSlower);
}

TEST(Diff, PassesOverWhatIsTooSmallToMatter) {
    const Profile before = burning({100, 100, 100, 100, 100, 0.1});
    const Profile after = burning({100, 100, 100, 100, 100, 0.5});
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

TEST(Diff, AShortMethodIsNewOrGoneWhereItIsCalledOften) {
    const auto with = [](const std::string& name, uint64_t calls) {
        Profile p = burning({1, 1, 0.002});  // 4 ms are worth a line by themselves
        p.functions[2].name = name;
        p.functions[2].times.calls = p.calltree[2].times.calls = calls;
        return p;
    };
    for (const auto& [calls, gone, come] : {std::tuple{9'999U, Verdict::kSame, Verdict::kSame},
                                            std::tuple{10'000U, Verdict::kGone, Verdict::kNew}}) {
        const Diff changed = diff(with("before", calls), with("after", calls), {});
        EXPECT_EQ(verdict_of(changed, "before"), gone) << calls;
        EXPECT_EQ(verdict_of(changed, "after"), come) << calls;
    }
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
    EXPECT_EQ(changed.functions[0].name, "f5");
    EXPECT_EQ(verdict_of(changed, "f4"), Verdict::kSlowerBelow);
}

TEST(Diff, ARunThatNeverCalledAMethodMakesItNeitherNewNorGone) {
    const Profile with = burning({1, 1});
    Profile without = burning({1, 1});
    without.functions[1].name = "g";
    const Diff changed = diff(runs({with, without}), runs({with, with}), {});
    EXPECT_EQ(verdict_of(changed, "f1"), Verdict::kSame);
    EXPECT_EQ(verdict_of(changed, "g"), Verdict::kSame);
    EXPECT_EQ(verdict_of(diff(runs({with, with}), runs({without, without}), {}), "g"),
              Verdict::kNew);
}

TEST(Diff, CallsThatDifferFromRunToRunAreNoChange) {
    const auto called = [](uint64_t calls) {
        Profile p = burning({1, 1, 1, 1, 1, 1});
        p.functions[5].times.calls = p.calltree[5].times.calls = calls;
        return p;
    };
    const auto verdict = [&](std::vector<uint64_t> before, std::vector<uint64_t> after) {
        std::vector<Profile> old_runs;
        std::vector<Profile> new_runs;
        for (std::size_t run = 0; run < before.size(); ++run) {
            old_runs.push_back(called(before[run]));
            new_runs.push_back(called(after[run]));
        }
        return verdict_of(diff(runs(old_runs), runs(new_runs), {}), "f5");
    };
    EXPECT_EQ(verdict({1000, 1000, 1000}, {1020, 1020, 1020}), Verdict::kMoreCalls);
    EXPECT_EQ(verdict({1000, 1004, 1001}, {1020, 1021, 1020}), Verdict::kMoreCalls);
    EXPECT_EQ(verdict({1000, 1009, 1001}, {1020, 1021, 1020}), Verdict::kSame);
    EXPECT_EQ(verdict({1000, 1000, 1000}, {1005, 1005, 1005}), Verdict::kSame);
}

}  // namespace
}  // namespace umbra::profile
