// SPDX-License-Identifier: MIT
// Which functions are one method, and under what name patterns find them.
#include "src/profile/methods.h"

#include <gtest/gtest.h>

#include "src/profile/filter.h"
#include "src/profile/group_sums.h"

namespace umbra::profile {
namespace {

Function named(const char* name_space, const char* type, const char* method, const char* raw_name) {
    Function made;
    made.namespace_ = name_space;
    made.type = type;
    made.method = method;
    made.name = std::string(name_space) + "." + type + "." + method + "()";
    made.raw_name = raw_name;
    made.times.calls = 1;
    return made;
}

TEST(Methods, KnowThePiecesThatCompilersMake) {
    const auto piece = [](const char* raw_name) {
        return is_piece(named("A", "B", "C", raw_name));
    };
    EXPECT_TRUE(piece("Acme.Cart/<AddAsync>d__3.MoveNext"));
    EXPECT_TRUE(piece("Acme.Cart/VB$StateMachine_3_AddAsync.MoveNext"));
    EXPECT_TRUE(piece("Acme.Shop/numbers@12.GenerateNext"));
    EXPECT_FALSE(piece("Acme.Cart/<AddAsync>d__3.SetStateMachine"));
    EXPECT_FALSE(piece("Acme.Cart/Enumerator.MoveNext")) << "written by hand";
    EXPECT_FALSE(piece("Acme.Cart.AddAsync"));
    EXPECT_FALSE(piece(""));
}

TEST(Methods, AreCalledWhatPatternsCallThem) {
    const Function generic =
        named("Acme", "Cart<List<int>>.Line", "Add<T>", "Acme.Cart`1<List`1<int>>/Line.Add");
    EXPECT_EQ(qualified_name(generic), "Acme.Cart.Line.Add");
    EXPECT_EQ(qualified_raw_name(generic), "Acme.Cart.Line.Add");
    EXPECT_EQ(qualified_name(named("Acme", "Money", "operator <", "")), "Acme.Money.operator <");
    EXPECT_EQ(qualified_name(named("", "Program", "Main", "")), "Program.Main");
    EXPECT_EQ(qualified_raw_name(named("", "", "", "Acme.Cart`2/<AddAsync>d__3.MoveNext")),
              "Acme.Cart.<AddAsync>d__3.MoveNext");
}

TEST(Methods, CountTheCallsOfWhatStartsThem) {
    Profile p;
    p.functions = {named("A", "B", "Run", "A.B/<Run>d__0.MoveNext"),
                   named("A", "B", "Run", "A.B.Run"),
                   named("A", "B", "Alone", "A.B/<Alone>d__1.MoveNext")};
    const Methods folded = methods(p, true);
    EXPECT_EQ(folded.method_of, (std::vector<Row>{1, 1, 2}));
    EXPECT_EQ(folded.counts_calls, (std::vector<bool>{false, true, true}));
    EXPECT_EQ(methods(p, false).method_of, (std::vector<Row>{0, 1, 2}));
    p.functions[1].times.calls = 0;  // compiled, but its own call was inlined
    EXPECT_TRUE(methods(p, true).counts_calls[0]);
}

TEST(Methods, ATrivialOneIsNamedAsAShellTakesIt) {
    Profile p;
    p.functions = {named("Acme", "List", "map'", "Acme.List.map'")};
    p.functions[0].trivial = true;
    EXPECT_TRUE(trivial_among(p, {true}).ends_with(R"(--include 'Acme.List.map'\''' this one)"));
}

TEST(GroupSums, CountTimeWithinAGroupOnce) {
    Profile p;
    p.functions = {named("A", "X", "f", ""), named("B", "Y", "g", ""), named("A", "Z", "h", "")};
    p.threads.resize(1);
    // A.f -> B.g -> A.h, and A.h by itself
    p.calltree = {{kNone, 0, 0, {1, 0, 100, 10, 100, 100}},
                  {0, 1, 0, {2, 0, 90, 30, 45, 45}},
                  {1, 2, 0, {4, 0, 60, 60, 15, 15}},
                  {kNone, 2, 0, {1, 0, 7, 7, 7, 7}}};
    const Methods all = methods(p, true);
    const std::vector<bool> every(3, true);
    const Grouping by = group_functions(p, GroupBy::kNamespace, all, every);
    const auto sums = sum_groups(p, by, all, every, {true});
    ASSERT_EQ(by.groups.size(), 2U);
    EXPECT_EQ(by.groups[0].name, "A");
    EXPECT_EQ(sums[0].times.total_ns, 107U);
    EXPECT_EQ(sums[0].times.self_ns, 77U);
    EXPECT_EQ(sums[0].times.calls, 6U);
    EXPECT_EQ(sums[0].every.total_ns, 167U);
    EXPECT_EQ(sums[1].times.total_ns, 90U);
    EXPECT_EQ(sum_groups(p, by, all, every, {false})[0].times.total_ns, 0U);
}

}  // namespace
}  // namespace umbra::profile
