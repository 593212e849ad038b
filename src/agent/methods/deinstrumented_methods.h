// SPDX-License-Identifier: MIT
// DeinstrumentedMethods: the methods whose hooks the budget takes out, and which code already lacks
// them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_set>

#include "src/clr/types.h"

namespace umbra::agent {

class Profiler;

/// One method of one module of one runtime: all its instantiations.
struct MethodKey {
    const Profiler* owner = nullptr;
    clr::ModuleID module = 0;
    clr::mdToken token = 0;
    bool operator<(const MethodKey& other) const {
        return std::tie(owner, module, token) < std::tie(other.owner, other.module, other.token);
    }
};

/// Only code of a new version (ReJIT) goes without hooks: what is compiled of the version before
/// (its on-stack replacement, its next tier) belongs to calls whose enter was recorded, and keeps
/// them. All functions may be called from any thread.
class DeinstrumentedMethods {
  public:
    /// False: known already.
    bool add(const MethodKey& method);
    [[nodiscard]] bool contains(const MethodKey& method) const;
    /// The module goes; its id may soon mean another one.
    void forget_module(const Profiler* owner, clr::ModuleID module);

    /// Nothing is de-instrumented any more.
    void forget_all();

    /// A function's code without hooks is ready. True: for the first time.
    bool note_unhooked(uint32_t function);

    /// Compilations of this thread that get no hooks. begin answers false when it has no room: that
    /// code gets its hooks. Compilations end on the thread they began on, the innermost first.
    static bool begin_unhooked(clr::FunctionID function) noexcept;
    /// True: it had begun.
    static bool end_unhooked(clr::FunctionID function) noexcept;
    [[nodiscard]] static bool is_unhooked(clr::FunctionID function) noexcept;

  private:
    mutable std::mutex mutex_;
    std::set<MethodKey> methods_;            // guarded by mutex_
    std::unordered_set<uint32_t> unhooked_;  // guarded by mutex_: registry indexes
    std::atomic<size_t> count_{0};           // of methods_: mostly 0, so that nobody waits
};

}  // namespace umbra::agent
