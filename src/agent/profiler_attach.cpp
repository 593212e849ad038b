// SPDX-License-Identifier: MIT
// The callbacks of a profiler that came while the program was running, and leaves before its end.
#include <string>
#include <utility>

#include "src/agent/profiler.h"
#include "src/agent/support/guarded.h"
#include "src/agent/support/log.h"

namespace umbra::agent {

using clr::HRESULT;

HRESULT Profiler::InitializeForAttach(clr::IUnknown* info, void* data, uint32_t bytes) {
    loaded_by_attach_ = true;
    guarded([&] {
        Result<std::unique_ptr<Attachment>> begun = Attachment::begin(info, data, bytes);
        if (begun) {
            attachment_ = std::move(*begun);
        } else {
            log_line("not attached: " + begun.error().context);
        }
    });
    return attachment_ ? clr::kOk : clr::kProfilerCancelActivation;
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
    if (left == 0 && loaded_by_attach_) {
        delete this;
    }
    return left;
}

}  // namespace umbra::agent
