// SPDX-License-Identifier: MIT
// The report as text for a terminal: header, a table, footer.
#pragma once

#include <string>
#include <vector>

#include "src/cli/terminal/text_style.h"
#include "src/profile/filter.h"
#include "src/profile/neighbours.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"
#include "src/profile/tree_view.h"

namespace umbra::cli {

/// Program, runtime and process, ending in a newline.
[[nodiscard]] std::string report_header(const profile::Session& session, const TextStyle& style);

/// In place of a list of methods where none was called, with what to try; ends in a newline.
[[nodiscard]] std::string nothing_called(const profile::Profile& profile);

// Each is a whole report, ending in a newline.

[[nodiscard]] std::string report_text(const profile::Profile& profile, const profile::HotList& list,
                                      const TextStyle& style, bool percentiles = false);
/// Callers or callees of methods, one after the other. `view` is that of `methods`.
[[nodiscard]] std::string report_text(const profile::Profile& profile,
                                      const std::vector<profile::Neighbours>& methods,
                                      const profile::View& view, const TextStyle& style);
/// The call tree. `view` and `limits` are those of `rows`.
[[nodiscard]] std::string report_text(const profile::Profile& profile,
                                      const std::vector<profile::TreeRow>& rows,
                                      const profile::View& view, const profile::TreeLimits& limits,
                                      const TextStyle& style);

/// For who asks for methods that have no row: which of them are trivial, and how to time them, in a
/// line. Empty: none is.
[[nodiscard]] std::string trivial_text(const profile::Profile& profile,
                                       const profile::Filter& filter);

}  // namespace umbra::cli
