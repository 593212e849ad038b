// SPDX-License-Identifier: MIT
// Sampling: attaches the agent to a running program, takes what it tells, sees it out again.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/cli/record/outputs.h"

namespace umbra::cli {

struct SamplingOptions : OutputOptions {
    pid_t pid = 0;
    std::optional<std::chrono::milliseconds> duration;  ///< none: until a signal or the end
    double rate_hz = 100;
    double most_suspended_percent = 1;
    std::string agent;  ///< path of libumbra_agent.so
};

/// Returns when the runtime has let the agent go, or the program has ended, and the profile is
/// written; answers the exit status. Speaks to the user on standard error.
[[nodiscard]] Result<int> sample(const SamplingOptions& options);

}  // namespace umbra::cli
