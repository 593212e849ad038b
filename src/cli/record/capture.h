// SPDX-License-Identifier: MIT
// Capture: times the calls of a running process for a while.
#pragma once

#include <chrono>
#include <optional>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/cli/record/recording.h"

namespace umbra::cli {

/// Begins a capture in a process with a dormant agent and sees it through: until `duration` has
/// passed, a signal comes (Ctrl-C), somebody else ends it (`umbra stop`) or the process does.
/// Answers the exit status umbra should have. `needs_hooks`: a process whose runtime takes none is
/// left alone.
[[nodiscard]] Result<int> record_capture(pid_t pid,
                                         std::optional<std::chrono::milliseconds> duration,
                                         bool needs_hooks, const RecordingOptions& options);

}  // namespace umbra::cli
