// SPDX-License-Identifier: MIT
// What the tests see of the test profiler: its settings and what it was told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/clr/info.h"

namespace umbra::fakeclr {

/// Written by the counting hooks (test_profiler_hooks.S knows the offsets); the client id is the
/// address of one.
struct FunctionCounters {
    uint64_t enters = 0;
    uint64_t leaves = 0;
    uint64_t tailcalls = 0;
    uint64_t enter_caller_sp = 0;
    uint64_t leave_caller_sp = 0;
};

/// How the next instance behaves.
struct TestProfilerSettings {
    uint32_t events_low = 0;
    uint32_t events_high = 0;
    /// False: Initialize does nothing but run `in_initialize`.
    bool install_hooks = true;
    clr::HRESULT initialize_answer = clr::kOk;
    std::function<void(clr::ICorProfilerInfo15&)> in_initialize = {};
    std::function<bool(clr::FunctionID)> hook = [](clr::FunctionID) { return true; };
    std::function<bool(clr::FunctionID)> use_cached = [](clr::FunctionID) { return true; };
    /// What GetReJITParameters sets.
    std::function<void(clr::ICorProfilerFunctionControl&)> rejit = {};
    /// Called in JITCompilationStarted (true) and Finished (false).
    std::function<void(clr::ICorProfilerInfo15&, bool)> compiling = {};
};

/// One instance in the library. Valid until its runtime is destroyed.
class TestProfiler {
  public:
    virtual clr::ICorProfilerInfo15& info() = 0;
    /// Callbacks in order: "JITCompilationStarted Shop.Cart.Total".
    virtual std::vector<std::string> log() = 0;
    virtual void clear_log() = 0;
    virtual FunctionCounters counters(clr::FunctionID function) = 0;

  protected:
    ~TestProfiler() = default;
};

// Exported by the library.
using SetSettings = void(const TestProfilerSettings& settings);
using LatestInstance = TestProfiler*();
using LiveInstances = int();

}  // namespace umbra::fakeclr
