// SPDX-License-Identifier: MIT
// What the first screen names where more methods were called than it has rows for.
#include "src/cli/text/first_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umbra::cli {
namespace {

using ::testing::AllOf;
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

TEST(FirstScreen, NamesCommandsThatMeanWhatIsShown) {
    profile::Profile profile = twenty_methods();
    const TextStyle style{.columns = 100};
    profile.functions[1].name = "Acme.Run.M0()";  // M0 is a part of M0Async
    profile.functions[2].name = "Acme.M0Async()";
    profile.functions[2].method = "M0Async";
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("--callers M0 "));
    // Of two methods of one name, more of the name.
    profile.functions[1].type = "Acme.Cart";
    profile.functions[1].name = "Acme.Cart.M0()";
    profile.functions[2].type = "Acme.Order";
    profile.functions[2].name = "Acme.Order.M0()";
    profile.functions[2].method = "M0";
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("--callers Cart.M0 "));
    profile.functions[2].type = "Acme.Cart";
    profile.functions[2].name = "Acme.Cart.M0(int)";
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("--callers 'Acme.Cart.M0()' "));
}

TEST(FirstScreen, AFileOfAnyNameCanBeTyped) {
    EXPECT_THAT(first_screen(twenty_methods(), "Ann's shop.h5", {.columns = 100}),
                HasSubstr("umbra report 'Ann'\\''s shop.h5' --details"));
}

TEST(FirstScreen, NamesTheViewsOfWhatWasRecorded) {
    profile::Profile profile = twenty_methods();
    const TextStyle style{.columns = 100};
    EXPECT_THAT(first_screen(profile, "a.h5", style),
                AllOf(Not(HasSubstr("--by-arg")), Not(HasSubstr("--slowest")),
                      Not(HasSubstr("--by endpoint"))));
    profile.argument_values.emplace_back();
    profile.slow_calls.emplace_back();
    profile.functions[3].endpoint = "GET /orders";
    EXPECT_THAT(first_screen(profile, "a.h5", style),
                AllOf(HasSubstr("a.h5 --by-arg "), HasSubstr("a.h5 --slowest "),
                      HasSubstr("a.h5 --by endpoint "), Not(HasSubstr("--callers"))));
}

TEST(FirstScreen, OftenTakesTheProgramsOwnAndWhatTakesLong) {
    profile::Profile profile = twenty_methods();
    const TextStyle style{.columns = 100};
    profile.session.wall_ns = 1'000'000;
    call_often(profile, 15, 1'000);  // of others
    call_often(profile, 1, 1'000'000);
    EXPECT_THAT(first_screen(profile, "a.h5", style), Not(HasSubstr("often")));  // rare and short
    profile.session.wall_ns = 500'000;
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("often      1,000 Acme.M14()"));
    profile.session.program = "app.dll";
    profile.modules.emplace_back().name = "app.dll";
    profile.functions[18].module = 0;
    call_often(profile, 18, 500);
    profile.functions[18].times.total_ns = 200'000;
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("often      500 Acme.M17()"));
    profile.session.program = "app";  // its own host
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("often      500 Acme.M17()"));
}

/// A method that was off its processor so long, of which the runtime had it stopped.
void wait_long(profile::Profile& profile, profile::Row row, uint64_t self_ns, uint64_t paused_ns) {
    profile.session.cpu.source = "perf";
    profile.functions[row].times.self_ns = self_ns;
    profile.functions[row].times.total_ns = self_ns;
    profile.functions[row].times.paused.self_ns = paused_ns;
}

TEST(FirstScreen, AWaitIsNoPauseAndIsToldInALongSession) {
    profile::Profile profile = twenty_methods();
    const TextStyle style{.columns = 100};
    profile.session.wall_ns = 60'000'000'000;
    wait_long(profile, 5, 40'000'000, 0);
    wait_long(profile, 6, 30'000'000, 30'000'000);
    const std::string screen = first_screen(profile, "a.h5", style);
    EXPECT_THAT(screen, HasSubstr("waits        40.0 ms  Acme.M4()\n"));
    EXPECT_THAT(screen, Not(HasSubstr("30.0 ms  Acme.M5()\n")));
}

TEST(FirstScreen, TheProgramsBeginWaitsOnlyWhereNothingElseDoes) {
    profile::Profile profile = twenty_methods();
    const TextStyle style{.columns = 100};
    profile.functions[7].method = "Main";
    profile.functions[7].name = "Acme.Main()";
    wait_long(profile, 7, 50'000'000, 0);
    EXPECT_THAT(first_screen(profile, "a.h5", style),
                HasSubstr("waits        50.0 ms  Acme.Main()"));
    profile.session.wall_ns = 60'000'000'000;
    wait_long(profile, 7, 59'000'000'000, 0);
    wait_long(profile, 5, 40'000'000, 0);
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("waits        40.0 ms  Acme.M4()"));
}

TEST(FirstScreen, SaysThatAllCallsWereCountedWhereTheyWere) {
    const TextStyle style{.columns = 100};
    const auto says_all = [&](const auto& change) {
        profile::Profile profile = twenty_methods();
        profile.session.complete = true;
        change(profile);
        return first_screen(profile, "a.h5", style).find("all of them counted") !=
               std::string::npos;
    };
    EXPECT_TRUE(says_all([](profile::Profile& /*sound*/) {}));
    EXPECT_FALSE(says_all([](profile::Profile& profile) { profile.session.complete = false; }));
    EXPECT_FALSE(
        says_all([](profile::Profile& profile) { profile.functions[3].deinstrumented = true; }));
    EXPECT_FALSE(
        says_all([](profile::Profile& profile) { profile.session.losses.no_function_slot = 7; }));
}

TEST(FirstScreen, SaysThatMethodsHadNoRoom) {
    profile::Profile profile = twenty_methods();
    profile.session.losses.no_function_slot = 7;
    EXPECT_THAT(first_screen(profile, "a.h5", {.columns = 100}),
                HasSubstr("mind       7 functions had no room, calls and times are missing: "
                          "--details says why\n"));
}

TEST(FirstScreen, AsksForPatternsWhereSomeWereGiven) {
    profile::Profile profile;
    const TextStyle style{.columns = 100};
    EXPECT_THAT(first_screen(profile, "a.h5", style),
                AllOf(HasSubstr("It has ended before"), Not(HasSubstr("patterns"))));
    profile.session.settings.exclude = "Acme.*";
    EXPECT_THAT(first_screen(profile, "a.h5", style), HasSubstr("Do the patterns fit?"));
}

TEST(FirstScreen, NumbersOfCallsReadAsPeopleWriteThem) {
    profile::Profile profile = twenty_methods();
    profile.edges.clear();
    profile.functions.resize(1);
    const auto head_of = [&](uint64_t calls) {
        profile.functions[0].times.calls = calls;
        const std::string screen = first_screen(profile, "a.h5", {.columns = 100});
        return screen.substr(0, screen.find('\n'));
    };
    EXPECT_THAT(head_of(1), AllOf(HasSubstr(" on 1 thread, 1 call"), Not(HasSubstr("1 calls"))));
    EXPECT_THAT(head_of(999'499'999), HasSubstr(" 999 million calls"));
    EXPECT_THAT(head_of(999'999'999), HasSubstr(" 1 billion calls"));
    EXPECT_THAT(head_of(2'345'678'901'234), HasSubstr(" 2,346 billion calls"));
}

TEST(FirstScreen, CommandsAreQuotedForTheShell) {
    profile::Profile profile = twenty_methods();
    profile.functions[1].method = "fold'";
    profile.functions[1].name = "Acme.fold'(int)";
    EXPECT_THAT(
        first_screen(profile, "o'brien.h5", {.columns = 100}),
        AllOf(HasSubstr(R"(umbra view 'o'\''brien.h5' )"), HasSubstr(R"(--callers 'fold'\''' )")));
}

}  // namespace
}  // namespace umbra::cli
