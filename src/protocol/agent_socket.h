// SPDX-License-Identifier: MIT
// Where the agent of a running process listens: `umbra start`, `stop`, `detach` and `ps` find it by
// the process's number and start time, as the runtime's own diagnostics socket is found.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umbra::protocol {

/// File name of the socket, in the folder TMPDIR names in the environment of the process, else in
/// /tmp. `pid` as the process itself knows it; `start_time`: see start_time_of().
inline std::string agent_socket_name(uint32_t pid, uint64_t start_time) {
    return "umbra-agent-" + std::to_string(pid) + '-' + std::to_string(start_time);
}

/// Field 22 of a /proc/PID/stat, in clock ticks since the machine started: with the number of a
/// process it names one process for ever. Nothing for a text that is none.
inline std::optional<uint64_t> start_time_of(std::string_view stat) {
    constexpr int kFieldsFromName = 20;  // fields 3 to 22; the name, field 2, may hold anything
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view rest = stat.substr(name_end + 1);
    for (int field = 0; field < kFieldsFromName; ++field) {
        const size_t begin = rest.find(' ');
        if (begin == std::string_view::npos) {
            return std::nullopt;
        }
        rest.remove_prefix(begin + 1);
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace umbra::protocol
