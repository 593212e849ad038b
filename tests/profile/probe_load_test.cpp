// SPDX-License-Identifier: MIT
// What the probes cost in percent, and which functions are named as the remedy.
#include "src/profile/probe_load.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::profile {
namespace {

/// Self times in nanoseconds, without and with what the probes took.
Function function(uint64_t calls, uint64_t self_ns, uint64_t raw_self_ns,
                  const char* raw_name = "F") {
    Function made;
    made.raw_name = raw_name;
    made.module = 0;
    made.times.calls = calls;
    made.times.self_ns = self_ns;
    made.times.raw.self_ns = raw_self_ns;
    return made;
}

/// Ten nanoseconds a pair of probes: 11 ms on 50 ms.
Profile dear() {
    Profile profile;
    profile.modules = {{"app.dll", "", false}};
    profile.session.cpu.source = "none";
    profile.functions = {function(10, 40'000'000, 40'000'100),
                         function(100'000, 1'000'000, 2'000'000),
                         function(900'000, 9'000'000, 18'000'000), function(99'990, 0, 999'900)};
    return profile;
}

TEST(ProbeLoad, IsOfTheTimeWithoutProbes) {
    Profile profile = dear();
    EXPECT_NEAR(probe_load(profile).probes_percent, 22, 0.01);
    EXPECT_NEAR(probe_load(profile).slower, 1.22, 0.0001);
    profile.session.cpu.source = "perf";
    profile.session.cpu.on_ns = 22'000'000;  // most of it waited
    profile.session.counts.wait_ns = 6'600'000;
    EXPECT_NEAR(probe_load(profile).probes_percent, 20, 0.01);
    // Its computing by a fifth, and the 54.4 ms that it then has by the waits.
    EXPECT_NEAR(probe_load(profile).slower, 1.2 * (1 + 6.6 / 54.4), 0.0001);
}

TEST(ProbeLoad, IsOneWhereNothingIsLeftOfTheTimeInCalls) {
    Profile profile = dear();
    for (Function& function : profile.functions) {
        function.times.self_ns = function.times.raw.self_ns = 0;
    }
    profile.session.cpu.source = "perf";
    profile.session.cpu.on_ns = 1;
    EXPECT_EQ(probe_load(profile).slower, 1);
}

TEST(ProbeLoad, ABudgetIsOfTheTimeInCalls) {
    Profile profile = dear();
    profile.session.cpu.source = "perf";
    profile.session.cpu.on_ns = 1;
    EXPECT_NEAR(budget_percent(profile), 22, 0.01) << "whether they waited or not";
    profile.functions.push_back(function(0, 50'000'000, 50'000'000));
    profile.functions.back().module = kNone;
    profile.functions.back().name = kBeforeStart;
    EXPECT_NEAR(budget_percent(profile), 22, 0.01) << "what was outside of timed calls is no part";
    EXPECT_EQ(budget_percent(Profile{}), 0);
}

TEST(ProbeLoad, NamesTheFewestMethodsThatHalveIt) {
    Profile profile = dear();
    profile.functions[2].raw_name = "Acme.Often";
    const ProbeLoad load = probe_load(profile);
    EXPECT_EQ(load.excludes, std::vector<std::string>{"app.dll!Acme.Often"});
    EXPECT_NEAR(load.left_percent, 18.2, 0.1);
}

TEST(ProbeLoad, LeavesLongCallsAlone) {
    Profile profile = dear();
    for (Function& function : profile.functions) {
        function.times.self_ns = function.times.calls * 300;
        function.times.raw.self_ns = function.times.self_ns + 10 * function.times.calls;
    }
    EXPECT_TRUE(probe_load(profile).excludes.empty());
    EXPECT_EQ(probe_load(profile).left_percent, 100);
}

TEST(ProbeLoad, NamesModulesWhereNoMethodStandsOut) {
    Profile profile;
    profile.modules = {{"app.dll", "", false}, {"lib.dll", "", false}, {"more.dll", "", false}};
    for (Row row = 0; row < 100; ++row) {
        profile.functions.push_back(function(1'000, 1'000, 11'000));
        profile.functions.back().module = row < 70 ? 1 : row < 90 ? 0 : 2;
    }
    const ProbeLoad load = probe_load(profile);
    EXPECT_EQ(load.excludes, std::vector<std::string>{"lib.dll!*"});
    EXPECT_NEAR(load.left_percent, 30, 0.01);
}

TEST(ProbeLoad, NothingMeasuredIsNothing) {
    EXPECT_EQ(probe_load({}).slower, 1);
    EXPECT_TRUE(probe_load({}).excludes.empty());
}

TEST(ProbeLoad, APatternIsWrittenAsSelectionReadsIt) {
    Profile profile = dear();
    profile.functions.push_back(function(1, 1, 1, "Acme.Cart`1/<AddAsync>d__3.MoveNext"));
    EXPECT_EQ(exclude_pattern(profile, 4), "app.dll!Acme.Cart.<AddAsync>d__3.MoveNext");
}

}  // namespace
}  // namespace umbra::profile
