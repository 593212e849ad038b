// SPDX-License-Identifier: MIT
// Stops a runtime's managed threads.
#pragma once

#include <chrono>
#include <thread>

#include "src/clr/com.h"
#include "src/clr/info.h"

namespace umbra::agent {

/// Until ResumeRuntime(): each stands where it would run managed code; in native code it runs on.
/// Waits for suspensions under way, 5 s. False: the runtime does not do it. Any thread, outside
/// hooks.
[[nodiscard]] inline bool suspend_runtime(clr::ICorProfilerInfo10& info) noexcept {
    constexpr int kAttempts = 500;
    constexpr auto kPause = std::chrono::milliseconds(10);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const clr::HRESULT status = info.SuspendRuntime();
        if (clr::succeeded(status)) {
            return true;
        }
        if (status != clr::kSuspensionInProgress) {
            return false;
        }
        std::this_thread::sleep_for(kPause);
    }
    return false;
}

}  // namespace umbra::agent
