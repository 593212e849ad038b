// SPDX-License-Identifier: MIT
// The slowest calls of methods, as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "src/cli/terminal/text_style.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"
#include "src/profile/slow_view.h"

namespace umbra::cli {

/// Slices of one call that a report shows.
inline constexpr std::size_t kSlowRows = 25;

/// A whole report, ending in a newline: for each method its slowest calls, each with its slices.
/// `view` is that of `methods`.
[[nodiscard]] std::string report_text(const profile::Profile& profile,
                                      const std::vector<profile::SlowMethodCalls>& methods,
                                      const profile::View& view, const TextStyle& style);

}  // namespace umbra::cli
