// SPDX-License-Identifier: MIT
// AttachRequest: the agent comes to a program that runs, and is told what for.
#pragma once

#include <cstdint>
#include <functional>

#include "src/agent/link/channel.h"
#include "src/base/result.h"
#include "src/clr/info.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

struct AttachRequest {
    clr::ComPtr<clr::ICorProfilerInfo10> info;
    Channel channel;  ///< to whoever has attached the agent
    protocol::HelloAnswer order;
};

/// A profiler's answer to InitializeForAttach. Connects to whom `data` names, and asks what is to
/// be done, a few seconds at most. `begin` is called with an order of the same kind as `expected`
/// alone, and for a runtime that is to be profiled (RuntimeAdmission). Whatever else happens, and
/// an error of `begin`, is logged, and told to whoever has ordered (Notice).
[[nodiscard]] clr::HRESULT answer_attach(clr::IUnknown* info, const void* data, uint32_t bytes,
                                         const protocol::HelloAnswer& expected,
                                         const std::function<Status(AttachRequest&)>& begin);

}  // namespace umbra::agent
