// SPDX-License-Identifier: MIT
// Attachment: one attach of the agent to a running program, from its first callback to its last.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <pthread.h>

#include "src/agent/link/channel.h"
#include "src/agent/link/control_socket.h"
#include "src/agent/link/owning_process.h"
#include "src/agent/sampling/sampler.h"
#include "src/base/result.h"
#include "src/clr/info.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// Who has attached the agent, and to do what.
struct AttachRequest {
    clr::ComPtr<clr::ICorProfilerInfo10> info;
    Channel channel;
    std::variant<protocol::SampleOrder, protocol::Remain> order;

    /// Connects to whom `client_data` names and asks. A few seconds at most.
    static Result<AttachRequest> receive(clr::IUnknown* info, const void* client_data,
                                         uint32_t client_data_bytes);
};

/// An attach that takes samples. The runtime calls in the order begin, attached, any of the others
/// on any thread, detached or shut_down. One native thread, `umbra-sampler`, does all the work
/// between attached and the request to detach, which is its last act; detached waits for it. What
/// an attach has made goes with this object: nothing is left in the program but the library's own
/// mapping.
class Attachment {
  public:
    /// An error says why not; the collector then has heard of it.
    static Result<std::unique_ptr<Attachment>> begin(clr::ComPtr<clr::ICorProfilerInfo10> info,
                                                     Channel channel,
                                                     const protocol::SampleOrder& order);
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
    ~Attachment() = default;

    /// ProfilerAttachComplete: starts the sampler.
    void attached() noexcept;
    /// ProfilerDetachSucceeded: nothing calls the runtime any more.
    void detached() noexcept;
    /// Shutdown: returns, after two seconds at most, when nothing will call the runtime any more.
    void shut_down() noexcept;

    void module_unloads() noexcept { sampler_.module_unloads(); }
    void suspend_started() noexcept { sampler_.suspend_started(); }
    void thread_named(clr::ThreadID thread, std::string name);
    void thread_gone(clr::ThreadID thread) { sampler_.thread_gone(thread); }

  private:
    Attachment(clr::ComPtr<clr::ICorProfilerInfo10> info, Channel channel,
               const protocol::SampleOrder& order, std::optional<ControlSocket> control);

    void run() noexcept;
    void end(clr::HRESULT detach_status) noexcept;

    OwningProcess owner_;
    clr::ComPtr<clr::ICorProfilerInfo10> info_;
    Channel channel_;
    std::optional<ControlSocket> control_;  // none: nobody but the collector can end it
    Sampler sampler_;
    std::optional<pthread_t> thread_;  // written before and after all other callbacks
    std::atomic<bool> sampling_over_{false};
};

}  // namespace umbra::agent
