// SPDX-License-Identifier: MIT
// Proxies: stand between a runtime and its profiler, each in front of one, and see every call.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "src/fakeclr/fake_runtime.h"
#include "src/runsxs/fault_log.h"

namespace umbra::runsxs {

class Crossing;

/// What both kinds of proxies begin with: the compiler's layout of an object with virtual methods.
/// Each has a vtable of its own, so that a profiler that tells runtimes apart by where their
/// interfaces' code lies sees different ones.
struct ProxyHead {
    static constexpr size_t kSlots = 128;
    using Slots = std::array<void*, kSlots>;

    void* const* vtable = nullptr;
    clr::IUnknown* real = nullptr;
    Crossing* crossing = nullptr;
    std::unique_ptr<Slots> slots;  ///< where `vtable` points
};

/// The first argument registers of a call through a proxy; a thunk may hand over more of them.
struct CallRegisters {
    std::array<uint64_t, 6> values;
};

/// One instance's border: its info as the profiler sees it, its profiler as the runtime does.
/// Checks what goes across. The info's proxy outlives the runtime. Any thread.
class Crossing final : public fakeclr::Border {
  public:
    /// `log` and `name` outlive it.
    Crossing(FaultLog& log, const std::string& name);
    Crossing(const Crossing&) = delete;
    Crossing& operator=(const Crossing&) = delete;
    ~Crossing();

    clr::IUnknown* info_for_profiler(clr::IUnknown& info) override;
    clr::ICorProfilerCallback2* profiler_for_runtime(clr::ICorProfilerCallback2* profiler) override;

    /// The info has no interface but IUnknown from now on.
    void make_blind() { blind_ = true; }
    /// What an id of this instance is known by; for asking whose an id is.
    void set_runtime(const fakeclr::FakeRuntime* runtime) { runtime_ = runtime; }

    // The script tells what has become of the instance.
    void refused();
    void shut_down() { shut_down_ = true; }
    void detached();
    /// The runtime is gone; calls of its info are answered with E_FAIL. What is left is small:
    /// thousands may come and go.
    void ended();

    // What the proxies' code calls.
    void* info_called(CallRegisters& registers, uint32_t slot);
    void begin_callback();
    static void end_callback();
    /// Of the calling thread: an exception has ended them.
    static void forget_callbacks();
    clr::HRESULT query_info(const Guid& riid, void** out);
    uint32_t take_info();
    uint32_t release_info();
    clr::HRESULT query_profiler(ProxyHead& proxy, const Guid& riid, void** out);
    uint32_t release_profiler(ProxyHead& proxy);

  private:
    /// False: another instance's is meant, as its ids may be.
    [[nodiscard]] bool check_place(uint32_t slot);
    void check_ids(const CallRegisters& registers, uint32_t slot);
    void take_mapper(CallRegisters& registers);
    ProxyHead* wrap(clr::IUnknown* profiler);
    /// It has handed out one reference more.
    void check_references(clr::IUnknown& profiler);
    static uintptr_t map(clr::FunctionID function, void* self, int32_t* hook);
    [[nodiscard]] bool knows(uint64_t id) const;
    void fault(Check check, const std::string& what);

    FaultLog& log_;
    const std::string& name_;
    std::atomic<const fakeclr::FakeRuntime*> runtime_{nullptr};
    ProxyHead info_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<ProxyHead>> profilers_;  // guarded by mutex_
    std::atomic<int64_t> info_references_{0};
    std::atomic<int64_t> handed_out_{0};  ///< references of the profiler to the runtime
    clr::FunctionIDMapper2* mapper_ = nullptr;
    std::atomic<void*> client_data_{nullptr};
    std::atomic<bool> blind_{false};
    std::atomic<bool> configured_{false};
    std::atomic<bool> shut_down_{false};
    std::atomic<bool> detached_{false};
};

}  // namespace umbra::runsxs
