// SPDX-License-Identifier: MIT
// FakeRuntime: loads a profiler as the CLR does, compiles methods and raises callbacks.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/clr/callback.h"
#include "src/fakeclr/fake_info.h"
#include "src/fakeclr/fake_model.h"

namespace umbra::fakeclr {

/// A managed thread; its ThreadID is its address.
struct FakeThread {
    std::u16string name;
    std::atomic<uint32_t> os_tid{0};  ///< 0: not running
    bool alive = false;               ///< guarded by the runtime's thread mutex

    [[nodiscard]] ThreadID id() const { return reinterpret_cast<ThreadID>(this); }
};

struct RuntimeVersion {
    uint16_t major = 10;
    uint16_t minor = 0;
    uint16_t build = 12;
};

/// "{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}", as environments have it.
[[nodiscard]] Result<Guid> class_id(const std::string& text);

/// Stands between a runtime and its profiler: what each gets to see of the other.
class Border {
  public:
    /// In place of the info that Initialize is given.
    virtual clr::IUnknown* info_for_profiler(clr::IUnknown& info) = 0;
    /// In place of what CreateInstance has made: takes its reference, gives one.
    virtual clr::ICorProfilerCallback2* profiler_for_runtime(
        clr::ICorProfilerCallback2* profiler) = 0;

  protected:
    ~Border() = default;
};

/// One runtime. Several may live in a process, with one profiler library or different ones. Unless
/// it says otherwise a call is safe on any thread; callbacks run on the calling thread, with no
/// lock held.
class FakeRuntime {
  public:
    /// `border` outlives it; null: there is nothing between it and its profiler.
    explicit FakeRuntime(RuntimeVersion version = {}, Border* border = nullptr)
        : version_(version), border_(border) {}
    /// Drops the profiler's object, which the CLR never does: leaks become visible. The library
    /// stays mapped, since its threads may still run.
    ~FakeRuntime();
    FakeRuntime(const FakeRuntime&) = delete;
    FakeRuntime& operator=(const FakeRuntime&) = delete;

    /// dlopen, DllGetClassObject, CreateInstance, Initialize. False: the profiler asked not to be
    /// loaded and is unloaded again. Error: it could not be loaded or Initialize failed; the
    /// program would run on unprofiled. Call it once, before everything below.
    [[nodiscard]] Result<bool> load_profiler(const std::string& path, const Guid& clsid = {});
    /// Loads a profiler while the program runs: dlopen, DllGetClassObject, CreateInstance,
    /// InitializeForAttach with `client_data`, ProfilerAttachComplete. False: the profiler asked
    /// not to be loaded and is unloaded again. Error: it could not be loaded or InitializeForAttach
    /// failed.
    [[nodiscard]] Result<bool> attach_profiler(const std::string& path, const Guid& clsid,
                                               std::string client_data = {});
    /// Lets a profiler go that was attached and has asked for it: ProfilerDetachSucceeded, and its
    /// last reference. False: it has not asked. No thread may run a callback.
    bool finish_detach();
    /// load_profiler() as CORECLR_ENABLE_PROFILING, CORECLR_PROFILER and CORECLR_PROFILER_PATH ask.
    /// False: they ask for none, or the profiler asked not to be loaded.
    [[nodiscard]] Result<bool> load_profiler_from_environment();
    /// The profiler to tell about events under this mask bit; null: nobody wants to know.
    [[nodiscard]] clr::ICorProfilerCallback2* listener(uint32_t low, uint32_t high = 0) const;

    [[nodiscard]] FakeModel& model() { return model_; }
    [[nodiscard]] const FakeModel& model() const { return model_; }
    [[nodiscard]] FakeInfo& info() { return info_; }
    [[nodiscard]] const HookSlots& slots() const { return info_.slots(); }
    [[nodiscard]] const RuntimeVersion& version() const { return version_; }

    /// Started, image taken or rejected, Finished, AttachedToAssembly.
    void load_module(FakeModule& module);
    /// FunctionUnloadStarted for each compiled method, then the module goes and its ids with it. No
    /// thread may run code of it.
    void unload_module(FakeModule& module);

    /// Compiles anew, as for the next tier: cached code search, Started, mapper, Finished. The
    /// body becomes the one later calls run; running activations keep theirs.
    const CompiledBody& compile(FakeMethod& method);
    /// What a call runs: compiles at the first call and after RequestReJIT.
    const CompiledBody& body(FakeMethod& method) {
        const CompiledBody* newest = method.body.load(std::memory_order_acquire);
        const bool ready = newest != nullptr && !method.rejit_requested.load();
        return ready ? *newest : compile(method);
    }

    HRESULT request_rejit(ModuleID module, mdMethodDef token);
    HRESULT revert(ModuleID module, mdMethodDef token);

    /// On the naming thread; raises ThreadNameChanged unless the name is empty.
    FakeThread& create_thread(const std::string& name);
    /// On the new thread: ThreadCreated, ThreadAssignedToOSThread.
    void start_thread(FakeThread& thread);
    void rename_thread(FakeThread& thread, const std::string& name);
    /// ThreadDestroyed, on the calling thread. A thread that never started ends silently.
    void end_thread(FakeThread& thread);
    /// The calling thread's FakeThread; null for a native one.
    [[nodiscard]] FakeThread* current_thread() const;
    [[nodiscard]] FakeThread* thread(ThreadID id) const;
    [[nodiscard]] std::vector<FakeThread*> threads() const;

    /// Suspension, collection and resumption callbacks. Threads are not stopped: keep them out of
    /// hooked code meanwhile if the test needs that.
    void collect_garbage(uint32_t generation);

    /// The Shutdown callback: an orderly end. Do not call it for a process that is to look killed.
    void shutdown();

  private:
    [[nodiscard]] Status create_profiler(const std::string& path, const Guid& clsid);
    [[nodiscard]] Result<bool> initialized(const std::string& path);
    [[nodiscard]] Status query_callbacks(clr::ICorProfilerCallback2* created);
    [[nodiscard]] bool use_precompiled(FakeMethod& method, bool& search);
    /// Of what GetReJITParameters was given. Null: nothing, or nothing that can be run, and then
    /// the profiler has heard of it.
    [[nodiscard]] std::shared_ptr<const IlCode> code_of(FakeMethod& method, const Blob& body);
    const CompiledBody& publish(FakeMethod& method, const CompiledBody& body, bool rejit);
    void drop_profiler();

    RuntimeVersion version_;
    Border* const border_;
    FakeModel model_;
    FakeInfo info_{*this};
    HRESULT initialize_result_ = kFail;
    std::atomic<bool> active_{false};
    void* library_ = nullptr;
    ComPtr<clr::ICorProfilerCallback2> callback2_;
    ComPtr<clr::ICorProfilerCallback4> callback4_;  ///< null: no ReJIT for this profiler
    std::atomic<ReJITID> next_rejit_id_{1};
    mutable std::mutex threads_mutex_;
    std::deque<FakeThread> threads_;
};

}  // namespace umbra::fakeclr
