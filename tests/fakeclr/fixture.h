// SPDX-License-Identifier: MIT
// A FakeRuntime with the test profiler in it and a small program to run.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/fakeclr/fake_runtime.h"
#include "tests/fakeclr/test_profiler.h"

namespace umbra::fakeclr {

/// The library the build made; its path is a compile definition of the tests.
inline const std::string kTestProfilerPath = UMBRA_TEST_PROFILER_PATH;

template <typename Function>
Function* test_profiler_symbol(const char* name) {
    static void* const library = dlopen(kTestProfilerPath.c_str(), RTLD_NOW);
    auto* symbol = library == nullptr ? nullptr : dlsym(library, name);
    if (symbol == nullptr) {
        throw std::runtime_error("no test profiler: " + std::string(dlerror()));
    }
    return reinterpret_cast<Function*>(symbol);
}

/// One runtime, one profiler, "Shop.dll" with a handful of methods.
struct Host {
    explicit Host(const TestProfilerSettings& settings) {
        test_profiler_symbol<SetSettings>("test_profiler_set")(settings);
        loaded = runtime.load_profiler(kTestProfilerPath);
        profiler = test_profiler_symbol<LatestInstance>("test_profiler_latest")();
    }

    FakeMethod& method(const std::string& name, bool precompiled = false) {
        return runtime.model().add_method(cart, {.name = name, .precompiled = precompiled});
    }
    std::vector<std::string> take_log() {
        auto log = profiler->log();
        profiler->clear_log();
        return log;
    }

    FakeRuntime runtime;
    FakeModule& shop =
        runtime.model().add_module({.path = "/app/Shop.dll", .has_precompiled_code = true});
    FakeType& cart = runtime.model().add_type(shop, {.name = "Shop.Cart"});
    Result<bool> loaded = false;
    TestProfiler* profiler = nullptr;
};

inline constexpr uint32_t kEverything =
    clr::COR_PRF_MONITOR_ENTERLEAVE | clr::COR_PRF_MONITOR_JIT_COMPILATION |
    clr::COR_PRF_MONITOR_MODULE_LOADS | clr::COR_PRF_MONITOR_THREADS |
    clr::COR_PRF_MONITOR_EXCEPTIONS | clr::COR_PRF_MONITOR_FUNCTION_UNLOADS |
    clr::COR_PRF_MONITOR_CACHE_SEARCHES | clr::COR_PRF_MONITOR_SUSPENDS | clr::COR_PRF_ENABLE_REJIT;

}  // namespace umbra::fakeclr
