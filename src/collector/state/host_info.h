// SPDX-License-Identifier: MIT
// When, where and of what a profile is made.
#pragma once

#include <string>

namespace umbra::collector {

/// "2026-03-01T12:30:00Z"
[[nodiscard]] std::string utc_now();

/// The machine's name; empty if it has none.
[[nodiscard]] std::string host_name();

/// "app.dll" out of "dotnet app.dll --x"; "MSBuild.dll"; "app" for an apphost.
[[nodiscard]] std::string program_of(const std::string& command_line);

}  // namespace umbra::collector
