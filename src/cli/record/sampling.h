// SPDX-License-Identifier: MIT
// Sampling: attaches the agent to a running program, takes what it tells, sees it out again.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"

namespace umbra::cli {

struct SamplingOptions {
    pid_t pid = 0;
    std::optional<std::chrono::milliseconds> duration;  ///< none: until a signal or the end
    double rate_hz = 100;
    double most_suspended_percent = 1;
    bool force = false;  ///< `output` may be a profile that is there
    std::string output;  ///< empty: a name is made
    std::string agent;   ///< path of libumbra_agent.so
    bool quiet = false;  ///< no progress line, no hot list
    std::vector<std::string>
        symbol_folders{};  ///< where PDBs lie that are not beside their modules
};

/// Returns when the runtime has let the agent go, or the program has ended, and the profile is
/// written; answers the exit status. Speaks to the user on standard error.
[[nodiscard]] Result<int> sample(const SamplingOptions& options);

}  // namespace umbra::cli
