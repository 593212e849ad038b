// SPDX-License-Identifier: MIT
#include "src/agent/methods/watched_methods.h"

#include <string>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

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
