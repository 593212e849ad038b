// SPDX-License-Identifier: MIT
// Globs, patterns, and which methods they select.
#include "src/agent/methods/selection.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

using Verdict = Selection::Verdict;

/// What was asked for, of a Welcome that asks for nothing.
Selection selection_of(const std::function<void(protocol::Welcome&)>& ask) {
    protocol::Welcome welcome;
    ask(welcome);
    return Selection(welcome);
}

TEST(Glob, MatchesLiterallyWithStarsAndQuestionMarks) {
    EXPECT_TRUE(glob_matches("", ""));
    EXPECT_FALSE(glob_matches("", "a"));
    EXPECT_TRUE(glob_matches("*", ""));
    EXPECT_TRUE(glob_matches("**", "abc"));
    EXPECT_TRUE(glob_matches("a*c", "ac"));
    EXPECT_TRUE(glob_matches("a*c", "abcbc"));
    EXPECT_FALSE(glob_matches("a*c", "abcb"));
    EXPECT_TRUE(glob_matches("a?c", "abc"));
    EXPECT_FALSE(glob_matches("a?c", "ac"));
    EXPECT_FALSE(glob_matches("abc", "ABC"));
    EXPECT_TRUE(glob_matches("Caf?", "Caf\u00e9")) << "one character, whatever bytes it has";
    EXPECT_TRUE(glob_matches("*?.Load", "\u05d0.Load"));
    EXPECT_FALSE(glob_matches("Caf??", "Caf\u00e9"));
    EXPECT_FALSE(glob_matches("*??.Load", "\u05d0.Load"));
    EXPECT_TRUE(glob_matches("*.Get*", "Shop.Cart.GetTotal"));
    EXPECT_FALSE(glob_matches("Shop.*", "Workshop.Cart"));
    EXPECT_TRUE(glob_matches("Shop.[a]", "Shop.[a]")) << "brackets mean themselves";
}

TEST(Glob, TakesNoExponentialTime) {
    std::string glob;
    for (int i = 0; i < 30; ++i) {
        glob += "a*";
    }
    EXPECT_FALSE(glob_matches(glob + 'b', std::string(20'000, 'a')));
}

TEST(Pattern, MeansAModuleANameOrBoth) {
    EXPECT_TRUE(Pattern("Shop.dll").matches_module("Shop.dll"));
    EXPECT_TRUE(Pattern("Shop.dll").any_name());
    EXPECT_TRUE(Pattern("Shop!").any_name());
    EXPECT_TRUE(Pattern("Shop!*.Total").matches_module("Shop.dll")) << "without its extension";
    EXPECT_FALSE(Pattern("Shop!*.Total").matches_module("Workshop.dll"));
    EXPECT_TRUE(Pattern("Shop!*.Total")
                    .takes({"Shop.Cart.Total", "Shop.Cart.Total"}, Pattern::Fit::kExact));
    EXPECT_TRUE(Pattern("Shop.Cart.*").matches_module("Anything.dll"));
    EXPECT_FALSE(
        Pattern("Shop.Cart.*").takes({"Shop.Till.Open", "Shop.Till.Open"}, Pattern::Fit::kExact));
}

TEST(Selection, TakesEverythingOutsideTheFrameworkByDefault) {
    const Selection selection{protocol::Welcome()};
    EXPECT_EQ(selection.module("Shop.dll", false), Verdict::kAll);
    EXPECT_EQ(selection.module("System.Linq.dll", true), Verdict::kNone);
    const Selection whole = selection_of([](auto& asked) { asked.framework = true; });
    EXPECT_EQ(whole.module("System.Linq.dll", true), Verdict::kAll);
}

TEST(Selection, IncludePatternsReplaceTheDefault) {
    const Selection selection = selection_of([](auto& asked) {
        asked.include = {"Shop!Shop.Cart.*", "System.Linq.dll"};
    });
    EXPECT_EQ(selection.module("Shop.dll", false), Verdict::kByName);
    EXPECT_TRUE(selection.selects("Shop.dll", false, "Shop.Cart.Total"));
    EXPECT_FALSE(selection.selects("Shop.dll", false, "Shop.Till.Open"));
    EXPECT_EQ(selection.module("Bank.dll", false), Verdict::kNone);
    EXPECT_EQ(selection.module("System.Linq.dll", true), Verdict::kAll)
        << "framework code too, where it is asked for by name";
}

TEST(Selection, WhatIsTimedAlsoComesToTheDefault) {
    const Selection selection = selection_of([](auto& asked) {
        asked.also = {"System.Threading.Monitor.*", "System.Linq.dll", "*.Dispose"};
        asked.exclude = {"*.Noise"};
    });
    EXPECT_EQ(selection.module("Shop.dll", false), Verdict::kByName)
        << "for want of what is left out";
    EXPECT_TRUE(selection.selects("Shop.dll", false, "Shop.Cart.Total"));
    EXPECT_FALSE(selection.selects("Shop.dll", false, "Shop.Cart.Noise"));
    EXPECT_EQ(selection.module("System.Private.CoreLib.dll", true), Verdict::kByName);
    EXPECT_TRUE(
        selection.selects("System.Private.CoreLib.dll", true, "System.Threading.Monitor.Enter"));
    EXPECT_FALSE(selection.selects("System.Private.CoreLib.dll", true, "System.String.Concat"));
    EXPECT_TRUE(selection.selects("System.Linq.dll", true, "System.Linq.Enumerable.Sum"));
    EXPECT_TRUE(selection.names("System.Private.CoreLib.dll", "System.IO.Stream.Dispose"));

    const Selection only = selection_of([](auto& asked) {
        asked.include = {"Shop.Cart.*"};
        asked.also = {"System.Threading.Monitor.*"};
    });
    EXPECT_FALSE(only.selects("Shop.dll", false, "Shop.Till.Open"));
    EXPECT_TRUE(only.selects("Shop.dll", false, "Shop.Cart.Total"));
    EXPECT_TRUE(only.selects("System.Private.CoreLib.dll", true, "System.Threading.Monitor.Enter"));
}

TEST(Selection, ExcludePatternsWin) {
    const Selection selection = selection_of([](auto& asked) {
        asked.include = {"Shop.dll"};
        asked.exclude = {"*.get_*", "Tests.dll"};
    });
    EXPECT_EQ(selection.module("Shop.dll", false), Verdict::kByName);
    EXPECT_FALSE(selection.selects("Shop.dll", false, "Shop.Cart.get_Total"));
    EXPECT_TRUE(selection.selects("Shop.dll", false, "Shop.Cart.Total"));
    EXPECT_EQ(selection.module("Tests.dll", false), Verdict::kNone);
}

TEST(Selection, AMethodIsNamedByAPatternWithoutAWildcardInItsOwnName) {
    const Selection selection = selection_of([](auto& asked) {
        asked.include = {"Shop.Cart.*", "*.get_Total", "Shop!Shop.Till.Open"};
        asked.arguments = {"Shop.Cart.Add(item)", "Shop.Cart.Put*(item)"};
        asked.slowest = {"Shop.Orders.Handle=3", "Shop.Rows.*=3"};
    });
    EXPECT_TRUE(selection.names_any());
    EXPECT_TRUE(selection.names("Shop.dll", "Shop.Cart.get_Total"));
    EXPECT_TRUE(selection.names("Shop.dll", "Shop.Till.Open"));
    EXPECT_FALSE(selection.names("Bank.dll", "Shop.Till.Open")) << "another module";
    EXPECT_FALSE(selection.names("Shop.dll", "Shop.Cart.get_Count")) << "one of all of its type";
    EXPECT_TRUE(selection.names("Shop.dll", "Shop.Orders.Handle")) << "its slowest calls are kept";
    EXPECT_TRUE(selection.names("Shop.dll", "Shop.Orders.<Handle>d__3.MoveNext"));
    EXPECT_FALSE(selection.names("Shop.dll", "Shop.Rows.Next"));
    EXPECT_TRUE(selection.names("Shop.dll", "Shop.Cart.Add")) << "its arguments are told";
    EXPECT_FALSE(selection.names("Shop.dll", "Shop.Cart.PutAll"));
    EXPECT_FALSE(selection_of([](auto& asked) { asked.include = {"Shop.*"}; }).names_any());
}

}  // namespace
}  // namespace umbra::agent
