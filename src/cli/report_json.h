// SPDX-License-Identifier: MIT
// The report as JSON, for scripts.
#pragma once

#include <string>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::cli {

/// One object, ending in a newline: `summary`, and `functions` in the order of `list`. All times
/// are those of the file, under its names, whatever the view of the list.
[[nodiscard]] std::string report_json(const profile::Profile& profile,
                                      const profile::HotList& list);

}  // namespace umbra::cli
