// SPDX-License-Identifier: MIT
// When, where and of what a profile is made.
#pragma once

#include <string>

#include "src/profile/profile.h"
#include "src/protocol/messages.h"

namespace umbra::collector {

/// "app.dll" out of "dotnet app.dll --x"; "My App" out of "'/srv/My App' --x", an apphost; "dotnet"
/// out of "dotnet build app.dll". The line is one of line_of_arguments().
[[nodiscard]] std::string program_of(const std::string& command_line);

/// What is known of a session when its agent says hello, here and now.
[[nodiscard]] profile::Session session_of(const protocol::Hello& hello);

}  // namespace umbra::collector
