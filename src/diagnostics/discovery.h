// SPDX-License-Identifier: MIT
// Finds the sockets on which .NET processes take diagnostics commands, and umbra's own agents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/diagnostics/process_facts.h"

namespace umbra::diagnostics {

/// A socket a process listens on.
struct Endpoint {
    pid_t pid = 0;       ///< in umbra's pid namespace
    uid_t uid = 0;       ///< whose process it is
    std::string folder;  ///< absolute, as the process sees it
    std::string name;    ///< of the socket in it

    /// Where umbra sees it, for messages.
    [[nodiscard]] std::string path() const;
};

/// The diagnostics socket of a process. Of several the one whose key is the start time of the
/// process; another one only if the process itself listens there, so that what an earlier process
/// of the same number has left is passed over. A process that is just starting is given a second.
/// The error says why there is none: see why_unreachable() in target_check.h.
[[nodiscard]] Result<Endpoint> find_endpoint(pid_t pid);

/// The socket on which umbra's agent in a process takes commands: `umbra-agent-{pid}-{start time}`
/// in the same folder. The error says why there is none: see why_no_agent().
[[nodiscard]] Result<Endpoint> find_agent_endpoint(pid_t pid);

/// The diagnostics socket of a process, at once and without asking it; nullopt if none is seen.
[[nodiscard]] std::optional<Endpoint> endpoint_of(const ProcessFacts& process);

/// Whether this user may ask the process at all: its own, or umbra runs as root.
[[nodiscard]] bool may_ask(const ProcessFacts& process);

}  // namespace umbra::diagnostics
