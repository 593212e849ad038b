// SPDX-License-Identifier: MIT
// Logical calls of async methods, as text for a terminal.
#pragma once

#include <string>

#include "src/cli/terminal/text_style.h"
#include "src/profile/async/async_view.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::cli {

/// A whole report, ending in a newline: a row for each method, below it what it waited for. `view`
/// is that of `list`.
[[nodiscard]] std::string report_text(const profile::Profile& profile,
                                      const profile::AsyncList& list, const profile::View& view,
                                      const TextStyle& style);

}  // namespace umbra::cli
