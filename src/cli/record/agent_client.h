// SPDX-License-Identifier: MIT
// Talks to the agent in a running process: what `umbra start`, `stop`, `detach` and `ps` need.
#pragma once

#include <chrono>
#include <string>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/protocol/messages.h"

namespace umbra::cli {

/// How long the agent may take to end a capture: it stops all threads once, has code compiled back
/// and sends what names are left. 12 s where all methods of the core library had been timed and
/// compiled, most of it in the runtime's RequestRevert, and several times that beside other work.
inline constexpr auto kCaptureEndTimeout = std::chrono::seconds(120);

/// What a user hears who has asked for the end, while the process has not answered.
[[nodiscard]] std::string still_waiting(pid_t pid);

/// Connects to the agent of a process and says what is wanted of it. The error says why there is
/// no agent to talk to, and what to do. Ends with kRefused as soon as one of kEndSignals waits,
/// where they are blocked.
[[nodiscard]] Result<UniqueFd> call_agent(pid_t pid, protocol::Ask::What what);

/// Says to the agent of a process what is wanted of it, and waits for the answer, for `timeout` at
/// most. Errors: kTimedOut, kVersion, and those of call_agent().
[[nodiscard]] Result<protocol::AgentState> ask_agent(pid_t pid, protocol::Ask::What what,
                                                     std::chrono::milliseconds timeout);

}  // namespace umbra::cli
