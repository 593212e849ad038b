// SPDX-License-Identifier: MIT
// SamplingProfiler: one attach that takes samples, from the runtime's first callback to its last.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <pthread.h>

#include "src/agent/link/attach_request.h"
#include "src/agent/link/channel.h"
#include "src/agent/link/control_socket.h"
#include "src/agent/link/owning_process.h"
#include "src/agent/sampling/sampler.h"
#include "src/base/result.h"
#include "src/clr/callback.h"
#include "src/clr/info.h"

namespace umbra::agent {

/// Made by the class factory for `umbra attach`, and by no runtime's start. The runtime calls in
/// the order InitializeForAttach, ProfilerAttachComplete, any of the others on any thread,
/// ProfilerDetachSucceeded or Shutdown. One native thread, `umbra-sampler`, does all the work
/// between attach and the request to detach, which is its last act; ProfilerDetachSucceeded waits
/// for it. What an attach has made goes with this object, when the runtime releases it: nothing is
/// left in the program but the library's own mapping.
class SamplingProfiler final : public clr::ICorProfilerCallback11 {
  public:
    uint32_t AddRef() override { return ++references_; }
    uint32_t Release() override;

    /// Refuses: samples are taken of programs that run.
    clr::HRESULT Initialize(clr::IUnknown* info) override;
    clr::HRESULT InitializeForAttach(clr::IUnknown* info, void* data, uint32_t bytes) override;
    /// Starts the sampler.
    clr::HRESULT ProfilerAttachComplete() override;
    /// Nothing calls the runtime any more.
    clr::HRESULT ProfilerDetachSucceeded() override;
    /// Returns, after two seconds at most, when nothing will call the runtime any more.
    clr::HRESULT Shutdown() override;

    clr::HRESULT ModuleUnloadStarted(clr::ModuleID module) override;
    clr::HRESULT ThreadNameChanged(clr::ThreadID thread, uint32_t length, char16_t* name) override;
    clr::HRESULT ThreadDestroyed(clr::ThreadID thread) override;
    clr::HRESULT RuntimeSuspendStarted(clr::COR_PRF_SUSPEND_REASON reason) override;

  private:
    Status begin(AttachRequest& request);
    void run() noexcept;
    void end(clr::HRESULT detach_status) noexcept;

    std::atomic<uint32_t> references_{0};
    OwningProcess owner_;
    // Made by InitializeForAttach, before any other callback.
    clr::ComPtr<clr::ICorProfilerInfo10> info_;
    std::optional<Channel> channel_;
    std::optional<ControlSocket> control_;  // none: nobody but the collector can end it
    std::optional<Sampler> sampler_;
    std::optional<pthread_t> thread_;  // written before and after all other callbacks
    std::atomic<bool> sampling_over_{false};
};

}  // namespace umbra::agent
