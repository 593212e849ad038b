// SPDX-License-Identifier: MIT
// Where the agent of a running process listens: `umbra start`, `stop`, `detach` and `ps` find it by
// the process's number and start time, as the runtime's own diagnostics socket is found.
#pragma once

#include <cstdint>
#include <string>

namespace umbra::protocol {

/// File name of the socket, in the folder TMPDIR names in the environment of the process, else in
/// /tmp. `pid` as the process itself knows it; `start_time`: see umbra::start_time_of().
inline std::string agent_socket_name(uint32_t pid, uint64_t start_time) {
    return "umbra-agent-" + std::to_string(pid) + '-' + std::to_string(start_time);
}

}  // namespace umbra::protocol
