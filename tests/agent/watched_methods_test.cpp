// SPDX-License-Identifier: MIT
#include "src/agent/methods/watched_methods.h"

#include <string>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

TEST(SourceName, IsWhatTheSourceCallsAMethod) {
    EXPECT_EQ(source_name("Acme.Orders.Handle"), "Acme.Orders.Handle");
    EXPECT_EQ(source_name("Acme.Orders.<Handle>d__3.MoveNext"), "Acme.Orders.Handle");
    EXPECT_EQ(source_name("Acme.Orders.<Handle>b__3_0"), "Acme.Orders.Handle.lambda");
    EXPECT_EQ(source_name("Acme.Orders.<>c.<Handle>b__3_0"), "Acme.Orders.Handle.lambda");
    EXPECT_EQ(source_name("Acme.Orders.<>c__DisplayClass1_0.<Handle>b__1"),
              "Acme.Orders.Handle.lambda");
    EXPECT_EQ(source_name("Acme.Orders.<Handle>g__Check|3_1"), "Acme.Orders.Handle.Check");
    EXPECT_EQ(source_name("Acme.Orders.<>c.<<Handle>b__0_1>d.MoveNext"),
              "Acme.Orders.Handle.lambda");
    EXPECT_EQ(source_name("Acme.Orders.<<Handle>g__Inner|0_0>d.MoveNext"),
              "Acme.Orders.Handle.Inner");
    EXPECT_EQ(source_name("Acme.Orders.get_Total"), "Acme.Orders.Total.get");
    EXPECT_EQ(source_name("Acme.Orders.set_Total"), "Acme.Orders.Total.set");
    EXPECT_EQ(source_name("Acme.Orders..ctor"), "Acme.Orders.Orders");
    EXPECT_EQ(source_name("Orders..ctor"), "Orders.Orders");
    EXPECT_EQ(source_name("Acme.Orders.<Acme.ILoader.Load>d__2.MoveNext"),
              "Acme.Orders.Acme.ILoader.Load");
}

TEST(SourceName, LeavesOtherNamesAsTheyAre) {
    // An enumerator that somebody has written himself.
    EXPECT_EQ(source_name("Acme.Range.Steps.MoveNext"), "Acme.Range.Steps.MoveNext");
    EXPECT_EQ(source_name("Acme.Orders.getter"), "Acme.Orders.getter");
    EXPECT_EQ(source_name("Main"), "Main");
    EXPECT_EQ(source_name(""), "");
}

TEST(SourceName, TakesNamesThatNoCompilerMakes) {
    for (const char* name : {"<", "<>", ">", "<<", "<a", "a.<b.c", ".", "..", "<>.", "<>g__",
                             "<a>g__", "<a>g__|", "<<a>", "..ctor", "<a>b__.", "get_"}) {
        EXPECT_LE(source_name(name).size(), 2 * std::string(name).size() + 8) << name;
    }
}

TEST(WatchedMethods, FindsTheFirstRequestThatTakesAMethod) {
    const WatchedMethods watched({"Acme.Orders.Handle=3", "shop.dll!*=2", "Acme.*"});
    EXPECT_TRUE(watched.any());
    EXPECT_EQ(watched.request_of("acme.dll", "Acme.Orders.Handle"), 1);
    EXPECT_EQ(watched.request_of("acme.dll", "Acme.Orders.<Handle>d__3.MoveNext"), 1);
    EXPECT_EQ(watched.request_of("shop.dll", "Acme.Cart.Add"), 2);
    EXPECT_EQ(watched.request_of("acme.dll", "Acme.Cart.Add"), 3);
    EXPECT_EQ(watched.request_of("acme.dll", "Other.Cart.Add"), 0);
}

TEST(WatchedMethods, IsWrittenForTheNameInMetadataToo) {
    const WatchedMethods watched({"*.MoveNext=3"});
    EXPECT_EQ(watched.request_of("acme.dll", "Acme.Orders.<Handle>d__3.MoveNext"), 1);
}

TEST(WatchedMethods, KeepsThePlaceOfARequestThatIsNone) {
    const WatchedMethods watched({"Acme.Orders.Handle=none", "Acme.Orders.Handle=3"});
    EXPECT_EQ(watched.request_of("acme.dll", "Acme.Orders.Handle"), 2);
    EXPECT_FALSE(WatchedMethods().any());
}

}  // namespace
}  // namespace umbra::agent
