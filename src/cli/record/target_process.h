// SPDX-License-Identifier: MIT
// The program umbra starts: its environment, its signals, its exit status.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"

namespace umbra::cli {

/// How a process ended, as waitpid tells it.
struct ExitStatus {
    int code = 0;    ///< of exit(), when `signal` is 0
    int signal = 0;  ///< that killed it

    /// What a shell would answer: the code, or 128 + signal.
    [[nodiscard]] int shell_code() const { return signal != 0 ? 128 + signal : code; }
    /// "exit 0", "signal 9 (SIGKILL)"
    [[nodiscard]] std::string text() const;
};

/// Starts `arguments[0]`, found along PATH, with the environment of this process and `variables`
/// ("NAME=value") in it, default signal handling and nothing blocked.
[[nodiscard]] Result<pid_t> start_process(const std::vector<std::string>& arguments,
                                          const std::vector<std::string>& variables);

/// Collects the status of `pid` if it has ended; does not block.
[[nodiscard]] std::optional<ExitStatus> try_wait(pid_t pid);

/// What a session's `ended` says of a process that runs on without its connection.
inline constexpr const char* kDisconnected = "disconnected";

/// Whether a process whose connection has closed without a word ends. Where the kernel does not say
/// so at once, waits for it: a second at most, and not while one of kEndSignals wants an answer.
[[nodiscard]] bool has_ended(pid_t pid);

/// How a process that has_ended() came to its end; none: its parent has asked before us, or does
/// not let us know. Waits a second at most for the kernel to have it.
[[nodiscard]] std::optional<ExitStatus> status_of_ended(pid_t pid);

/// What to tell the user of one that has ended without its runtime's shutdown while it was
/// recorded.
[[nodiscard]] std::string died(pid_t pid, const std::optional<ExitStatus>& status);

/// What to tell the user of one that does not, or has lost its connection before it did.
[[nodiscard]] std::string lost_connection(pid_t pid);

}  // namespace umbra::cli
