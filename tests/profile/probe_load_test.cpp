// SPDX-License-Identifier: MIT
// What the probes cost in percent, and which functions are named as the remedy.
#include "src/profile/probe_load.h"

#include <cstdint>

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
    EXPECT_NEAR(probe_load(dear(), 3).percent, 22, 0.01);
    Profile measured = dear();
    measured.session.cpu.source = "perf";
    measured.session.cpu.on_ns = 22'000'000;  // most of it waited
    EXPECT_NEAR(probe_load(measured, 3).percent, 50, 0.01);
}

TEST(ProbeLoad, NamesTheFewestFunctionsThatHalveIt) {
    const ProbeLoad load = probe_load(dear(), 3);
    EXPECT_EQ(load.costly, std::vector<Row>{2});
    EXPECT_NEAR(load.percent_without, 4, 0.01);
}

TEST(ProbeLoad, LeavesLongCallsAlone) {
    Profile profile = dear();
    profile.functions[2].times.self_ns = 900'000 * 300;  // 300 ns a call
    profile.functions[2].times.raw.self_ns = profile.functions[2].times.self_ns + 9'000'000;
    EXPECT_EQ(probe_load(profile, 1).costly, std::vector<Row>{1});
    EXPECT_TRUE(probe_load(profile, 0).costly.empty());
}

TEST(ProbeLoad, NothingMeasuredIsNothing) {
    EXPECT_EQ(probe_load({}, 3).percent, 0);
    EXPECT_TRUE(probe_load({}, 3).costly.empty());
}

TEST(ProbeLoad, APatternIsWrittenAsSelectionReadsIt) {
    Profile profile = dear();
    profile.functions.push_back(function(1, 1, 1, "Acme.Cart`1/<AddAsync>d__3.MoveNext"));
    EXPECT_EQ(exclude_pattern(profile, 4), "app.dll!Acme.Cart.<AddAsync>d__3.MoveNext");
}

}  // namespace
}  // namespace umbra::profile
