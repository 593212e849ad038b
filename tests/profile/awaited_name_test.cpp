// SPDX-License-Identifier: MIT
#include "src/profile/names/awaited_name.h"

#include <gtest/gtest.h>

namespace umbra::profile {
namespace {

TEST(AwaitedName, WhatTheFrameworkHandsOutHasTheNameOfItsMethod) {
    EXPECT_EQ(awaited_name("System.Threading.Tasks.Task+DelayPromise"), "Task.Delay");
    EXPECT_EQ(awaited_name("System.Threading.Tasks.Task+DelayPromiseWithCancellation"),
              "Task.Delay");
    EXPECT_EQ(awaited_name("System.Threading.Tasks.Task+WhenAllPromise<int>"), "Task.WhenAll");
    EXPECT_EQ(awaited_name("System.Threading.Tasks.UnwrapPromise<int>"), "Task.Run");
    EXPECT_EQ(awaited_name("System.Runtime.CompilerServices.AsyncHelpers+RuntimeAsyncTask`1"),
              "an async method");
    EXPECT_EQ(awaited_name("System.Threading.Tasks.Task"), "Task");
    EXPECT_EQ(awaited_name("System.Threading.Tasks.Task<System.Double[]>"),
              "Task<System.Double[]>");
}

TEST(AwaitedName, AStateMachineIsItsMethod) {
    EXPECT_EQ(awaited_name("System.Net.Http.HttpClient+<SendAsync>d__3"),
              "System.Net.Http.HttpClient.SendAsync");
    EXPECT_EQ(awaited_name("Cart+<AddAsync>d__3"), "Cart.AddAsync");
}

TEST(AwaitedName, AnotherTypeKeepsItsName) {
    EXPECT_EQ(awaited_name("Acme.Gate+Waiter"), "Acme.Gate.Waiter");
    EXPECT_EQ(awaited_name("Acme.Queue`12+Waiter"), "Acme.Queue.Waiter");
    EXPECT_EQ(awaited_name("Acme.Queue`1"), "Acme.Queue");
    EXPECT_EQ(awaited_name(""), "");
}

TEST(AwaitedName, AnyTextIsAllowedIn) {
    for (const char* text : {"+<", "<+<>.", ".+<a>b", "+", "<", "a.b+<c", "\x1b[31m+<x>d__1"}) {
        const std::string name = awaited_name(text);
        EXPECT_EQ(name.find('\x1b'), std::string::npos);
    }
}

}  // namespace
}  // namespace umbra::profile
