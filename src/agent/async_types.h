// SPDX-License-Identifier: MIT
// AsyncTypes: names for the types that records of async calls carry.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "src/clr/info.h"
#include "src/clr/metadata_reader.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

class Profiler;

/// What a method is; see hotpath::function_traits().
[[nodiscard]] uint8_t traits_of(const clr::MetadataReader& metadata, clr::mdMethodDef method);

/// Whether a class is System.OperationCanceledException, or one made from it.
[[nodiscard]] bool is_cancellation(clr::ICorProfilerInfo3& info, clr::ClassID id);

/// A method that the runtime suspends has two functions: the one its token stands for hands out the
/// task, and is called from code that wants one; the other is the method's own code. Whether
/// `function` is the former (docs/runtime_contract.md). Any thread that may load types.
[[nodiscard]] bool hands_out_task(clr::ICorProfilerInfo3& info, clr::FunctionID function);

/// State machines of async methods and async iterators, and what they go on with: MoveNext.
[[nodiscard]] std::vector<clr::mdMethodDef> state_machines_in(const clr::MetadataReader& metadata);
/// Methods that the runtime suspends, where it can: on a runtime before .NET 10 there are none.
[[nodiscard]] std::vector<clr::mdMethodDef> runtime_async_methods_in(
    const clr::MetadataReader& metadata);

/// What hotpath::seen_types() has met, resolved one after the other. AgentWorker's: called with its
/// lock on naming held, but for what says otherwise.
class AsyncTypes {
  public:
    /// What is met from now on is to be named. Any thread.
    void begin() noexcept { begun_.store(true); }
    [[nodiscard]] bool begun() const noexcept { return begun_.load(); }
    /// Something waits for a name that name_new(null) would give. Any thread.
    [[nodiscard]] bool work_left() const noexcept;
    /// A runtime whose number is one more than that of the one before. Any thread.
    void add_runtime(Profiler* runtime);

    /// What has been met since the last call. `owner`: of this runtime alone, or null.
    [[nodiscard]] std::vector<protocol::AsyncTypeNamed> name_new(const Profiler* owner);
    /// The module goes: its types have their names, and their addresses may soon be others'.
    void forget_module(const Profiler* owner, clr::ModuleID module);
    /// The next recording begins anew. Only while no thread is in a probe.
    void forget_all();

  private:
    struct Known {
        const Profiler* owner;
        std::vector<clr::ModuleID> modules;  ///< of it and of its arguments
    };

    [[nodiscard]] Profiler* runtime(uint32_t number);
    [[nodiscard]] protocol::AsyncTypeNamed resolve(uint64_t type, Profiler& owner);

    std::atomic<bool> begun_{false};
    std::atomic<uint32_t> taken_{0};    ///< entries of seen_types() up to here are named or below
    std::atomic<uint32_t> waiting_{0};  ///< size of unnamed_
    std::vector<uint32_t> unnamed_;     ///< entries not listed yet, or of another owner
    std::map<uint64_t, Known> known_;   ///< by SeenTypes::pack()

    std::mutex mutex_;  ///< guards what follows
    std::vector<Profiler*> runtimes_;
};

}  // namespace umbra::agent
