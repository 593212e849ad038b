// SPDX-License-Identifier: MIT
// The border to the runtime: nothing of ours may throw across it.
#pragma once

#include "src/agent/support/log.h"
#include "src/clr/com.h"

namespace umbra::agent {

/// Runs `body`. What fails for want of memory did not happen. Always kOk.
template <typename Body>
clr::HRESULT guarded(Body&& body) noexcept {
    try {
        body();
    } catch (...) {
        log_line("out of memory in a callback");
    }
    return clr::kOk;
}

}  // namespace umbra::agent
