// SPDX-License-Identifier: MIT
// Which methods are de-instrumented, and which compilations of this thread go without hooks.
#include "src/agent/methods/deinstrumented_methods.h"

#include <thread>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

TEST(DeinstrumentedMethods, AreOfOneModuleAndOneRuntime) {
    DeinstrumentedMethods methods;
    const auto* first = reinterpret_cast<const Profiler*>(uintptr_t{16});
    const auto* second = reinterpret_cast<const Profiler*>(uintptr_t{32});
    EXPECT_FALSE(methods.contains({first, 7, 0x06000001}));
    EXPECT_TRUE(methods.add({first, 7, 0x06000001}));
    EXPECT_FALSE(methods.add({first, 7, 0x06000001}));
    EXPECT_TRUE(methods.contains({first, 7, 0x06000001}));
    EXPECT_FALSE(methods.contains({first, 7, 0x06000002}));
    EXPECT_FALSE(methods.contains({first, 8, 0x06000001}));
    EXPECT_FALSE(methods.contains({second, 7, 0x06000001}));
}

TEST(DeinstrumentedMethods, GoWithTheirModule) {
    DeinstrumentedMethods methods;
    for (const clr::ModuleID module : {7U, 8U}) {
        EXPECT_TRUE(methods.add({nullptr, module, 1}));
        EXPECT_TRUE(methods.add({nullptr, module, 2}));
    }
    methods.forget_module(nullptr, 7);
    EXPECT_FALSE(methods.contains({nullptr, 7, 1}));
    EXPECT_FALSE(methods.contains({nullptr, 7, 2}));
    EXPECT_TRUE(methods.contains({nullptr, 8, 2}));
    EXPECT_TRUE(methods.add({nullptr, 7, 1})) << "the id means another module now";
}

TEST(DeinstrumentedMethods, AFunctionIsToldOnce) {
    DeinstrumentedMethods methods;
    EXPECT_TRUE(methods.note_unhooked(3));
    EXPECT_FALSE(methods.note_unhooked(3));
    EXPECT_TRUE(methods.note_unhooked(4));
}

TEST(DeinstrumentedMethods, CompilationsWithoutHooksNestOnTheirThread) {
    EXPECT_FALSE(DeinstrumentedMethods::is_unhooked(1));
    EXPECT_FALSE(DeinstrumentedMethods::end_unhooked(1)) << "it began with hooks";
    ASSERT_TRUE(DeinstrumentedMethods::begin_unhooked(1));
    ASSERT_TRUE(DeinstrumentedMethods::begin_unhooked(2));
    EXPECT_TRUE(DeinstrumentedMethods::is_unhooked(1));
    EXPECT_TRUE(DeinstrumentedMethods::is_unhooked(2));
    EXPECT_FALSE(DeinstrumentedMethods::is_unhooked(3));
    std::thread([] {
        EXPECT_FALSE(DeinstrumentedMethods::is_unhooked(1)) << "another thread";
    }).join();
    EXPECT_FALSE(DeinstrumentedMethods::end_unhooked(3)) << "a hooked one inside them";
    EXPECT_TRUE(DeinstrumentedMethods::end_unhooked(2));
    EXPECT_FALSE(DeinstrumentedMethods::is_unhooked(2));
    EXPECT_TRUE(DeinstrumentedMethods::end_unhooked(1));
    EXPECT_FALSE(DeinstrumentedMethods::end_unhooked(1));
}

TEST(DeinstrumentedMethods, TooDeepACompilationKeepsItsHooks) {
    clr::FunctionID function = 1;
    while (function < 100 && DeinstrumentedMethods::begin_unhooked(function)) {
        ++function;
    }
    ASSERT_LT(function, 100U);
    EXPECT_FALSE(DeinstrumentedMethods::is_unhooked(function));
    EXPECT_FALSE(DeinstrumentedMethods::end_unhooked(function));
    while (--function >= 1) {
        EXPECT_TRUE(DeinstrumentedMethods::end_unhooked(function));
    }
}

}  // namespace
}  // namespace umbra::agent
