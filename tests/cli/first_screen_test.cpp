// SPDX-License-Identifier: MIT
// What the first screen names where more methods were called than it has rows for.
#include "src/cli/text/first_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umbra::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Acme.Run calls Acme.M0 to M19, each once; M0 takes longest.
profile::Profile twenty_methods() {
    profile::Profile profile;
    profile.threads.resize(1);
    const auto add = [&](const std::string& method, const profile::CallTimes& times) {
        profile::Function& function = profile.functions.emplace_back();
        function.name = "Acme." + method + "()";
        function.type = "Acme";
        function.method = method;
        function.times = times;
    };
    add("Run", {20, 0, 1'000'000, 1'000, 1, 100'000});
    for (profile::Row row = 1; row <= 20; ++row) {
        const uint64_t self = 100'000 - 1'000 * row;
        add("M" + std::to_string(row - 1), {20, 0, self, self, 1, self});
        profile.edges.push_back({0, row, {20, 0, self, self, 1, self}});
    }
    return profile;
}

/// A method is called so often by Run, its only caller.
void call_often(profile::Profile& profile, profile::Row row, uint64_t calls) {
    profile.functions[row].times.calls = calls;
    profile.edges[row - 1].times.calls = calls;
}

TEST(FirstScreen, AsksForTheCallersOfWhatItShows) {
    profile::Profile profile = twenty_methods();
    const TextStyle style{.columns = 100};
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("--callers M0 "));
    call_often(profile, 15, 2'000);  // by share of time it stands before the next, but has no line
    call_often(profile, 18, 40'000);
    const std::string screen = first_screen(profile, "a.h5", style);
    EXPECT_THAT(screen, HasSubstr("often      40,000 Acme.M17()  2,000 for each Run\n"));
    EXPECT_THAT(screen, HasSubstr("--callers M17 "));
    EXPECT_THAT(screen, Not(HasSubstr("M14")));
    call_often(profile, 2, 300);  // has a row
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("--callers M1 "));
}

}  // namespace
}  // namespace umbra::cli
