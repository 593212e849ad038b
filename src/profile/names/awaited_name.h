// SPDX-License-Identifier: MIT
// What async calls wait for, as a user reads it.
#pragma once

#include <string>
#include <string_view>

namespace umbra::profile {

/// `type`: of the object that was awaited, as in metadata, nested types behind '+'. What the
/// framework hands out has the name of the method that does: "Task.Delay"; a state machine that of
/// its method: "System.Net.Http.HttpClient.SendAsync". Another type keeps its name. Any text is
/// allowed in.
[[nodiscard]] std::string awaited_name(std::string_view type);

}  // namespace umbra::profile
