// SPDX-License-Identifier: MIT
// Where the agent of a running process listens: `umbra start`, `stop`, `detach` and `ps` find it by
// the process's number and start time, as the runtime's own diagnostics socket is found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/proc_text.h"

namespace umbra::protocol {

/// File name of the socket, in the folder TMPDIR names in the environment of the process, else in
/// /tmp. `pid` as the process itself knows it; `start_time`: see start_time_of().
inline std::string agent_socket_name(uint32_t pid, uint64_t start_time) {
    return "umbra-agent-" + std::to_string(pid) + '-' + std::to_string(start_time);
}

/// Field 22 of a /proc/PID/stat, in clock ticks since the machine started: with the number of a
/// process it names one process for ever. Nothing for a text that is none.
inline std::optional<uint64_t> start_time_of(std::string_view stat) {
    constexpr int kStartTime = 22;
    return number_of<uint64_t>(stat_field(stat, kStartTime));
}

}  // namespace umbra::protocol
