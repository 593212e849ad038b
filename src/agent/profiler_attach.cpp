// SPDX-License-Identifier: MIT
// The callbacks of a profiler that came while the program was running, and leaves before its end.
#include <string>
#include <utility>

#include "src/agent/profiler.h"
#include "src/agent/support/guarded.h"
#include "src/agent/support/log.h"
#include "src/agent/support/runtime_admission.h"

namespace umbra::agent {

using clr::HRESULT;

HRESULT Profiler::InitializeForAttach(clr::IUnknown* info, void* data, uint32_t bytes) {
    bool begun = false;
    guarded([&] {
        Result<AttachRequest> request = AttachRequest::receive(info, data, bytes);
        const Status status =
            request ? admit(std::move(*request)) : tl::unexpected<Error>(request.error());
        if (!status) {
            log_line("not attached: " + status.error().context);
        }
        begun = status.has_value();
    });
    return begun ? clr::kOk : clr::kProfilerCancelActivation;
}

Status Profiler::admit(AttachRequest request) {
    clr::ICorProfilerInfo10& info = *request.info.get();
    Status admitted =
        RuntimeAdmission::of_process().attached(runtime_identity(info), runtime_version(info));
    if (!admitted) {
        [[maybe_unused]] const Status told =
            request.channel.send(protocol::Notice{admitted.error().context});
        return admitted;
    }
    return begin(std::move(request));
}

Status Profiler::begin(AttachRequest request) {
    if (const auto* order = std::get_if<protocol::SampleOrder>(&request.order)) {
        Result<std::unique_ptr<Attachment>> begun =
            Attachment::begin(std::move(request.info), std::move(request.channel), *order);
        if (!begun) {
            return tl::unexpected<Error>(begun.error());
        }
        attachment_ = std::move(*begun);
        return {};
    }
    Status dormant = remain(std::move(request.info));
    const protocol::Message answer =
        dormant ? protocol::Message(protocol::AgentState{})
                : protocol::Message(protocol::Notice{dormant.error().context});
    [[maybe_unused]] const Status told = request.channel.send(answer);
    return dormant;
}

HRESULT Profiler::ProfilerAttachComplete() {
    if (attachment_) {
        attachment_->attached();
    }
    return clr::kOk;
}

HRESULT Profiler::ProfilerDetachSucceeded() {
    if (attachment_) {
        attachment_->detached();
    }
    return clr::kOk;
}

uint32_t Profiler::Release() {
    const uint32_t left = --references_;
    if (left == 0 && process_ == nullptr) {
        delete this;
    }
    return left;
}

}  // namespace umbra::agent
