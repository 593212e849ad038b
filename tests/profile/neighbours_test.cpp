// SPDX-License-Identifier: MIT
// Which method a user means, and what calls it, where several bear one name.
#include "src/profile/neighbours.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "src/profile/derive.h"
#include "src/profile/names/tell_apart.h"

namespace umbra::profile {
namespace {

constexpr View kAll{.sort = SortBy::kTotal, .top = 100};

/// Main calls a method of a library that was loaded three times, and another one of them calls the
/// first; an overload is told apart by its return type.
Profile library_three_times() {
    Profile profile;
    profile.modules = {{"app.dll", "", false},
                       {"lib.dll", "", false},
                       {"lib.dll", "", false},
                       {"lib.dll", "", false}};
    const auto add = [&](const char* name, Row module, uint32_t token, const char* returns) {
        Function& made = profile.functions.emplace_back();
        made.name = name;
        made.type = "Work";
        made.method = std::string(name).substr(5, std::string(name).find('(') - 5);
        made.module = module;
        made.token = token;
        made.return_type = returns;
    };
    add("Main.Main()", 0, 1, "void");
    for (Row module = 1; module < 4; ++module) {
        add("Work.Do(int)", module, 1, "int");
    }
    add("Work.Get()", 1, 2, "int");
    add("Work.Get()", 1, 3, "string");
    profile.threads.resize(1);
    const auto path = [&](Row parent, Row function, uint64_t calls, uint64_t total, uint64_t self) {
        profile.calltree.push_back({parent, function, 0, {calls, 0, total, self, 1, 100}});
    };
    path(kNone, 0, 1, 1'000, 100);
    path(0, 1, 10, 100, 100);
    path(0, 2, 20, 300, 100);
    path(2, 1, 30, 200, 200);
    path(0, 3, 40, 300, 300);
    path(0, 4, 1, 100, 100);
    path(0, 5, 1, 100, 100);
    derive(profile);
    tell_apart(profile);
    return profile;
}

using Names = std::vector<std::string>;

/// The heads, or the error.
Names found(const Profile& profile, std::string_view wanted) {
    const auto methods = find_methods(profile, wanted, true);
    if (!methods) {
        return {methods.error().context};
    }
    Names names;
    for (const Neighbours& one : neighbours(profile, *methods, Direction::kCallers, kAll)) {
        names.push_back(one.method.name);
    }
    return names;
}

TEST(Neighbours, ANameThatIsShownMeansOneMethod) {
    const Profile profile = library_three_times();
    for (const Function& one : profile.functions) {
        EXPECT_EQ(found(profile, one.name), Names{one.name});
    }
}

TEST(Neighbours, WhatMethodsShareMeansAllOfThem) {
    const Profile profile = library_three_times();
    const Names copies = {"Work.Do(int) [copy 1]", "Work.Do(int) [copy 2]",
                          "Work.Do(int) [copy 3]"};
    for (const char* wanted : {"Work.Do(int)", "Work.Do", "lib.dll!Work.Do", "Do("}) {
        EXPECT_EQ(found(profile, wanted), copies) << wanted;
    }
    EXPECT_EQ(found(profile, "Get"),
              (Names{"Work.Get() [returns int]", "Work.Get() [returns string]"}));
    EXPECT_EQ(found(profile, "copy 2"), Names{"Work.Do(int) [copy 2]"});
    EXPECT_EQ(found(profile, "W*k.D?"), copies) << "a pattern";
    EXPECT_EQ(found(profile, "l*.dll!work.do"), copies);
    EXPECT_EQ(found(profile, "W*.G*"), found(profile, "Get"));
    EXPECT_EQ(found(profile, "Work"),
              Names{"'Work' fits more than one method: Work.Do(int) [copy 1]; Work.Do(int) [copy "
                    "2]; Work.Do(int) [copy 3]; Work.Get() [returns int]; Work.Get() [returns "
                    "string]"});
    EXPECT_EQ(
        found(profile, "app.dll!Work.Do"),
        Names{"no method that was called has 'app.dll!Work.Do' in its name; nearest: Work.Do"});
}

TEST(Neighbours, WholeWordsComeBeforeParts) {
    Profile profile = library_three_times();
    const auto name = [&](Row row, const char* type, const char* method, const char* shown) {
        profile.functions[row].type = type;
        profile.functions[row].method = method;
        profile.functions[row].name = shown;
    };
    name(1, "Acme.Rates", "Of", "Acme.Rates.Of(int)");
    name(2, "Acme.Rates", "OfAll", "Acme.Rates.OfAll()");
    name(3, "Acme.Rates", "Of.lambda", "Acme.Rates.Of.lambda(int)");
    name(4, "Acme.Rates", "Rates", "static Acme.Rates.Rates()");
    name(5, "Acme.Rates", "Of.lambda", "Acme.Rates.Of.lambda#1(int)");
    EXPECT_EQ(found(profile, "Of"), Names{"Acme.Rates.Of(int)"});
    EXPECT_EQ(found(profile, "Rates.Of"), Names{"Acme.Rates.Of(int)"});
    EXPECT_EQ(found(profile, "lib.dll!Of(int)"), Names{"Acme.Rates.Of(int)"});
    EXPECT_EQ(found(profile, "Rates"), Names{"static Acme.Rates.Rates()"});
    EXPECT_EQ(found(profile, "All"), Names{"Acme.Rates.OfAll()"});
    // What was not called is not another one of nearly the same name.
    profile.functions[2].times = {};
    profile.functions[2].inlined_into = "Acme.Run()";
    EXPECT_EQ(
        found(profile, "OfAll"),
        Names{"no call of 'OfAll' was timed in this profile; it was inlined into Acme.Run()"});
    profile.functions[5].times = {};
    EXPECT_EQ(found(profile, "Acme.Rates.Of.lambda#1(int)"),
              Names{"no call of 'Acme.Rates.Of.lambda#1(int)' was timed in this profile"});
}

TEST(Neighbours, EachHasItsOwnCallersAndSharesOfItsOwnTotal) {
    Profile profile = library_three_times();
    for (const char* tree : {"full", "folded"}) {
        profile.session.settings.tree = tree;
        const auto methods = find_methods(profile, "Work.Do", true);
        ASSERT_TRUE(methods);
        const std::vector<Neighbours> all =
            neighbours(profile, *methods, Direction::kCallers, kAll);
        ASSERT_EQ(all.size(), 3U);
        uint64_t calls = 0;
        for (const Neighbours& one : all) {
            double shares = 0;
            uint64_t by_caller = 0;
            for (const HotFunction& caller : one.list.functions) {
                shares += caller.share_percent;
                by_caller += caller.times.calls;
            }
            EXPECT_DOUBLE_EQ(shares, 100) << one.method.name;
            EXPECT_EQ(by_caller, one.method.times.calls);
            calls += by_caller;
        }
        EXPECT_EQ(calls, 100U);
        EXPECT_EQ(all[0].list.functions.size(), 2U);
        EXPECT_EQ(all[0].list.functions[0].name, "Work.Do(int) [copy 2]");
    }
}

TEST(Neighbours, NoShareExceedsTheWhole) {
    Profile profile = library_three_times();
    // The cost of probes is taken out of each sum for itself.
    profile.session.settings.tree = "folded";
    for (Edge& edge : profile.edges) {
        edge.times.total_ns += 70;
    }
    const auto methods = find_methods(profile, "Work.Do", true);
    ASSERT_TRUE(methods);
    for (const Neighbours& one : neighbours(profile, *methods, Direction::kCallers, kAll)) {
        for (const HotFunction& caller : one.list.functions) {
            EXPECT_LE(caller.share_percent, 100);
        }
    }
}

}  // namespace
}  // namespace umbra::profile
