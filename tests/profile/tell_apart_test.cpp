// SPDX-License-Identifier: MIT
// Each function of a profile has a name of its own, and the shortest that has it.
#include "src/profile/names/tell_apart.h"

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "src/base/name_marks.h"
#include "src/profile/filter.h"
#include "src/profile/methods.h"

namespace umbra::profile {
namespace {

using Names = std::vector<std::string>;

Function function(const char* name, Row module, uint32_t token, const char* return_type = "int",
                  const char* raw_name = "") {
    Function made;
    made.name = name;
    made.module = module;
    made.token = token;
    made.return_type = return_type;
    made.raw_name = raw_name;
    made.times.calls = 1;
    return made;
}

/// The names of its functions, told apart.
Names told_apart(Profile& profile) {
    tell_apart(profile);
    Names names;
    for (const Function& one : profile.functions) {
        names.push_back(one.name);
    }
    return names;
}

Module module(const char* name, Row runtime = kNone) {
    return {.name = name, .path = "", .framework = false, .runtime = runtime};
}

TEST(ToldApart, NamesThatDifferStayAsTheyAre) {
    Profile profile;
    profile.modules = {module("a.dll"), module("a.dll")};
    profile.functions = {function("A.F(int)", 0, 1), function("A.F()", 1, 2),
                         function("A.G()", kNone, 0)};
    EXPECT_EQ(told_apart(profile), (Names{"A.F(int)", "A.F()", "A.G()"}));
    EXPECT_EQ(profile.functions[0].module_mark, "");
}

TEST(ToldApart, OverloadsByTheirReturnTypesThenByTheirTokens) {
    Profile profile;
    profile.modules = {module("a.dll")};
    profile.functions = {function("F()", 0, 9, "string"), function("F()", 0, 8),
                         function("F()", 0, 3, "string"), function("F.lambda()", 0, 7),
                         function("F.lambda()", 0, 4),    function("F()", 0, 2, "")};
    EXPECT_EQ(told_apart(profile),
              (Names{"F() [returns string, #2]", "F() [returns int]", "F() [returns string, #1]",
                     "F.lambda() [#2]", "F.lambda() [#1]", "F()"}));
}

TEST(ToldApart, ModulesByTheirNamesThenByTheirCopies) {
    Profile profile;
    profile.modules = {module("a.dll"), module("b.dll"), module("a.dll"), module("a.dll")};
    profile.functions = {function("F()", 0, 1),     function("F()", 3, 1), function("F()", 1, 1),
                         function("F()", kNone, 1), function("G()", 2, 1), function("G()", 3, 1)};
    EXPECT_EQ(told_apart(profile),
              (Names{"F() [a.dll, copy 1]", "F() [a.dll, copy 3]", "F() [b.dll]", "F() [no module]",
                     "G() [copy 2]", "G() [copy 3]"}));
    EXPECT_EQ(profile.functions[1].module_mark, " [a.dll, copy 3]");
    for (const Function& one : profile.functions) {
        EXPECT_EQ(name_in_module(one.name, one.module_mark), plain_name(one.name));
    }
}

TEST(ToldApart, RuntimesByTheirVersions) {
    Profile profile;
    profile.runtimes = {{".NET 10.0.12"}, {".NET 9.0.18"}};
    profile.modules = {module("a.dll", 0), module("a.dll", 1), module("a.dll", 1)};
    profile.functions = {function("F()", 0, 1), function("F()", 1, 1), function("F()", 2, 1)};
    EXPECT_EQ(told_apart(profile),
              (Names{"F() [10.0.12]", "F() [9.0.18, copy 1]", "F() [9.0.18, copy 2]"}));
}

TEST(ToldApart, BodiesBearTheNameOfWhatStartsThem) {
    Profile profile;
    profile.modules = {module("a.dll"), module("a.dll")};
    profile.functions = {
        function("T.Run()", 0, 5, "void", "T/<Run>d__3.MoveNext"),
        function("T.Run()", 0, 1, "Task", "T.Run"),
        function("T.Alone()", 0, 6, "void", "T/<Alone>d__4.MoveNext"),
        function("T.F.lambda()", 0, 2, "Task", "T/<>c.<F>b__0_0"),
        function("T.F.lambda()", 0, 3, "Task", "T/<>c.<F>b__1_0"),
        function("T.F.lambda()", 0, 7, "void", "T/<>c/<<F>b__1_0>d.MoveNext"),
        function("T.F.lambda()", 0, 8, "void", "T/<>c/<<F>b__0_0>d.MoveNext"),
        function("T.F.lambda()", 0, 9, "void", "T/<>c/<<F>b__0_0>d.MoveNext"),
        function("T.Alone()", 1, 6, "void", "T/<Alone>d__4.MoveNext"),
    };
    EXPECT_EQ(told_apart(profile),
              (Names{"T.Run() [body]", "T.Run()", "T.Alone() [copy 1]", "T.F.lambda() [#1]",
                     "T.F.lambda() [#2]", "T.F.lambda() [#2] [body]", "T.F.lambda() [#1] [body #1]",
                     "T.F.lambda() [#1] [body #2]", "T.Alone() [copy 2]"}));
    EXPECT_EQ(methods(profile, true).method_of, (std::vector<Row>{1, 1, 2, 3, 4, 4, 3, 3, 8}));
}

TEST(ToldApart, VariantsOfAMethodThatReturnsATaskAreTheMethod) {
    Profile profile;
    profile.modules = {module("a.dll"), module("a.dll")};
    profile.functions = {function("F()", 0, 9, "ValueTask<int>"),
                         function("F()", 0, 9, "ValueTask<int>"),
                         function("G()", 0, 7, "Task"),
                         function("G()", 0, 8, "Task"),
                         function("G()", 0, 8, "Task"),
                         function("G()", 0, 8, "Task"),
                         function("H<T>()", 0, 3, "int"),
                         function("H<T>()", 0, 3, "int"),
                         function("I()", 0, 5, "Task"),
                         function("I()", 1, 5, "Task"),
                         function("I()", 1, 5, "Task")};
    EXPECT_EQ(told_apart(profile), (Names{"F()", "F() [async variant]", "G() [#1]", "G() [#2]",
                                          "G() [#2] [async variant]", "G() [#2] [async variant #2]",
                                          "H<T>() [#1]", "H<T>() [#2]", "I() [copy 1]",
                                          "I() [copy 2]", "I() [async variant] [copy 2]"}));
    const Methods folded = methods(profile, true);
    EXPECT_EQ(folded.method_of, (std::vector<Row>{0, 0, 2, 3, 3, 3, 6, 7, 8, 9, 9}));
    EXPECT_EQ(folded.counts_calls, std::vector<bool>(11, true));
    EXPECT_EQ(methods(profile, false).method_of[1], 1U);
}

TEST(ToldApart, WhatThreadsDidBeforeStaysKnownByItsName) {
    Profile profile;
    profile.modules = {module("a.dll")};
    profile.functions = {function(kBeforeStart.data(), kNone, 0),
                         function(kBeforeStart.data(), 0, 1)};
    tell_apart(profile);
    EXPECT_TRUE(is_before_start(profile.functions[0]));
    EXPECT_EQ(profile.functions[1].name, std::string(kBeforeStart) + " [a.dll]");
}

TEST(ToldApart, PatternsTakeWhatIsShown) {
    Profile profile;
    profile.modules = {module("a.dll"), module("a.dll")};
    profile.functions = {function("A.F(int[])", 0, 1), function("A.F(int[])", 1, 1)};
    for (Function& one : profile.functions) {
        one.type = "A";
        one.method = "F";
    }
    tell_apart(profile);
    Filter one;
    one.include = {NamePattern("A.F(int[]) [copy 2]")};
    EXPECT_EQ(taken_functions(profile, one), (std::vector<bool>{false, true}));
    Filter others;
    others.exclude = one.include;
    EXPECT_EQ(taken_functions(profile, others), (std::vector<bool>{true, false}));
    Filter all;
    all.include = {NamePattern("A.F")};
    EXPECT_EQ(taken_functions(profile, all), (std::vector<bool>{true, true}));
    profile.functions[0].method = "F\\u200b";
    for (const char* pattern : {"A.F\\u200b", "A.F\xe2\x80\x8b"}) {
        all.include = {NamePattern(pattern)};
        EXPECT_EQ(taken_functions(profile, all), (std::vector<bool>{true, false})) << pattern;
    }
}

TEST(ToldApart, NoTwoNamesAreEqualWhateverAProcessSays) {
    std::mt19937 numbers(3);
    const auto random = [&] { return static_cast<Row>(numbers()); };
    constexpr const char* kNames[] = {
        "F()",     "F() [copy 1]", "F() [#1]", "F() [#2]",          "F() [body]", "",
        "F() [x]", "F() [copy 2]", "F",        "F() [returns int]", "] [",        " [body]"};
    constexpr const char* kRaw[] = {"T.F", "T/<F>d__1.MoveNext", "<.MoveNext", ""};
    for (int round = 0; round < 2'000; ++round) {
        Profile profile;
        for (int i = 0; i < 3; ++i) {
            profile.runtimes.push_back({random() % 2 == 0 ? ".NET 9.0.1" : ".NET 8.0.1"});
            profile.modules.push_back(
                module(random() % 3 == 0 ? "" : "a.dll", random() % 2 == 0 ? kNone : random() % 3));
        }
        for (int i = 0; i < 12; ++i) {
            const Row of = random() % 4;
            profile.functions.push_back(
                function(kNames[random() % std::size(kNames)], of == 3 ? kNone : of, random() % 3,
                         random() % 2 == 0 ? "int" : "", kRaw[random() % std::size(kRaw)]));
        }
        const Names names = told_apart(profile);
        EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
    }
}

TEST(SettledNames, HideNothing) {
    Profile profile;
    profile.modules = {module("a\xe2\x80\x8b.dll")};
    profile.threads.resize(1);
    profile.threads[0].name =
        "\xe2\x80\xae"
        "worker";
    profile.exceptions = {{"E\xef\xbb\xbf", kNone, kNone, 1}};
    settle_names(profile);
    EXPECT_EQ(profile.modules[0].name, "a\\u200b.dll");
    EXPECT_EQ(profile.threads[0].name, "\\u202eworker");
    EXPECT_EQ(profile.exceptions[0].type, "E\\ufeff");
}

}  // namespace
}  // namespace umbra::profile
