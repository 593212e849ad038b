// SPDX-License-Identifier: MIT
// WritableMetadata: the metadata of a runtime's modules, as far as signatures are added to it.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "src/clr/com.h"
#include "src/clr/info.h"
#include "src/clr/metadata_emit.h"

namespace umbra::agent {

/// At the first opening the runtime copies all of a module's tables, widens their columns and frees
/// the copy. On .NET 8 and 9 threads that read a name or a signature of the module meanwhile take
/// no lock, and end the program (docs/runtime_contract.md). So a loaded module is opened while the
/// runtime is suspended, nothing begins to be compiled, and no managed thread runs in native code,
/// where a suspension lets it. A thread that computes there without end is waited for in vain: then
/// the module is opened beside it.
///
/// From then on the runtime takes a lock to look anything up in the module.
class WritableMetadata {
  public:
    /// `info` outlives it.
    explicit WritableMetadata(clr::ICorProfilerInfo3& info) : info_(info) {}

    enum class Known : uint8_t {
        kToNobody,   ///< in the module's own ModuleLoadFinished
        kToThreads,  ///< any time later
    };
    /// Unless it is open; it stays so until it is forgotten. kToThreads stops the program for
    /// milliseconds, and waits for other suspensions. Any thread, outside hooks, with no lock that
    /// a callback takes.
    void open(clr::ModuleID module, Known known);
    /// What adds to an open module's metadata, good until forget(). Null: it is not open, or cannot
    /// be written to.
    [[nodiscard]] clr::IMetaDataEmit* find(clr::ModuleID module);
    /// The module goes; its id may soon mean another one.
    void forget(clr::ModuleID module);
    /// Each compilation begins here: waits while a module is opened.
    void let_open() { const std::shared_lock lock(opening_); }

  private:
    // Beside a thread that never rests: 200 ms.
    static constexpr int kAttempts = 20;

    void open_beside_threads(clr::ModuleID module);
    void ask_runtime(clr::ModuleID module);

    clr::ICorProfilerInfo3& info_;
    std::shared_mutex opening_;  ///< exclusive while a module is opened
    std::mutex mutex_;
    std::unordered_map<clr::ModuleID, clr::ComPtr<clr::IMetaDataEmit>> by_id_;  // guarded by mutex_
};

}  // namespace umbra::agent
