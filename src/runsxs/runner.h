// SPDX-License-Identifier: MIT
// Runs a script in a process of its own and judges what the profiler has done.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/runsxs/fault_log.h"
#include "src/runsxs/instance.h"
#include "src/runsxs/script.h"

namespace umbra::runsxs {

struct SharedLogDeleter {
    void operator()(FaultLog* log) const;
};

/// What has come of a script.
struct Outcome {
    std::unique_ptr<FaultLog, SharedLogDeleter> log;
    std::vector<std::string> notes;  ///< profilers that were not loaded, and why
    CallsByPath calls;               ///< that hooks were called on, of all instances
    /// Resident memory of the process, in KiB, when a tenth of a `repeat` had been done and at its
    /// end. 0: the script has none.
    uint64_t early_kib = 0;
    uint64_t late_kib = 0;
};

/// Waits for the end, `timeout` at most. An error: no process could be made.
[[nodiscard]] Result<Outcome> run_script(const std::vector<Step>& steps,
                                         const ProfilerChoice& profiler,
                                         std::chrono::milliseconds timeout);

}  // namespace umbra::runsxs
