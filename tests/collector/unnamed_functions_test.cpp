// SPDX-License-Identifier: MIT
// What a process has registered of functions whose names it had not sent when it ended.
#include "src/collector/tables/unnamed_functions.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

constexpr uint32_t kToken = 0x0600'0007;

class UnnamedFunctions : public testing::Test {
  protected:
    UnnamedFunctions() : methods_(16), modules_(8) {}

    void has_method(uint32_t function, uint32_t module, uint32_t token) {
        methods_[function].word.store(hotpath::RegisteredMethod::pack(module, token));
    }
    void has_module(uint32_t module, std::string_view path, uint32_t path_bytes) {
        modules_[module].runtime = 2;
        std::ranges::copy(path, modules_[module].path.begin());
        modules_[module].path_bytes.store(path_bytes);
    }
    void called(uint32_t function) { snapshot_.threads.front().called.push_back(function); }
    const protocol::FunctionNamed* added(uint32_t function) {
        add_unnamed(methods_, modules_, snapshot_);
        return snapshot_.names.function(function);
    }

    std::vector<hotpath::RegisteredMethod> methods_;
    std::vector<hotpath::RegisteredModule> modules_;
    Snapshot snapshot_ = [] {
        Snapshot made{NameTables(replay::Limits())};
        made.threads.emplace_back();
        return made;
    }();
};

TEST_F(UnnamedFunctions, GetModuleAndTokenThatTheProcessHasRegistered) {
    has_module(3, "/app/shop.dll", 13);
    has_method(5, 3, kToken);
    called(5);
    const protocol::FunctionNamed* function = added(5);
    ASSERT_NE(function, nullptr);
    EXPECT_EQ(function->module, 3U);
    EXPECT_EQ(function->token, kToken);
    EXPECT_EQ(function->runtime, 2U);
    EXPECT_TRUE(function->instrumented);
    EXPECT_TRUE(function->method.empty());
    EXPECT_EQ(snapshot_.names.module(3)->path, "/app/shop.dll");
}

TEST_F(UnnamedFunctions, KeepTheModuleThatWasTold) {
    has_module(3, "/other", 6);
    has_method(5, 3, kToken);
    called(5);
    snapshot_.names.note(protocol::ModuleLoaded{.index = 3, .path = "/app/shop.dll"});
    ASSERT_NE(added(5), nullptr);
    EXPECT_EQ(snapshot_.names.module(3)->path, "/app/shop.dll");
}

TEST_F(UnnamedFunctions, AreThoseThatThrewOrWereCompiledToo) {
    has_module(3, "/app/shop.dll", 13);
    has_method(5, 3, kToken);
    has_method(6, 3, kToken);
    snapshot_.exceptions.push_back({{.type = 1, .thrown_in = 5, .caught_in = 0}, 1});
    snapshot_.compilations.sums[6].count = 1;
    ASSERT_NE(added(5), nullptr);
    ASSERT_NE(added(6), nullptr);
    EXPECT_FALSE(snapshot_.names.function(6)->instrumented);
}

TEST_F(UnnamedFunctions, NamesThatCameStay) {
    has_module(3, "/app/shop.dll", 13);
    has_method(5, 3, kToken);
    called(5);
    protocol::FunctionNamed named;
    named.index = 5;
    named.method = "Add";
    snapshot_.names.note(named);
    EXPECT_EQ(added(5)->method, "Add");
}

TEST_F(UnnamedFunctions, WhatCannotBeIsLeftOut) {
    has_method(5, 0xffff'ffff, kToken);  // no such module
    has_method(6, 4, kToken);            // one that was never written
    for (const uint32_t function : {5U, 6U, 7U, 4711U, hotpath::kBeforeStartIndex}) {
        called(function);
        EXPECT_EQ(added(function), nullptr) << function;
    }
    has_module(4, "/app/shop.dll", 0xffff'ffff);  // longer than its place
    ASSERT_NE(added(6), nullptr);
    EXPECT_EQ(snapshot_.names.module(4)->path.size(), modules_[4].path.size());
}

}  // namespace
}  // namespace umbra::collector
