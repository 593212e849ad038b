// SPDX-License-Identifier: MIT
// Calls by the values of arguments, as text for a terminal.
#pragma once

#include <string>

#include "src/cli/terminal/text_style.h"
#include "src/profile/by_argument.h"
#include "src/profile/profile.h"

namespace umbra::cli {

/// A whole report, ending in a newline: a table for each argument, a line for each that was asked
/// for and could not be recorded. `view` is that of `list`.
[[nodiscard]] std::string report_text(const profile::Profile& profile,
                                      const profile::ArgumentList& list, const profile::View& view,
                                      const TextStyle& style);

}  // namespace umbra::cli
