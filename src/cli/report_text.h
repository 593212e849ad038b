// SPDX-License-Identifier: MIT
// The report as text for a terminal: header, hot list, footer.
#pragma once

#include <string>

#include "src/cli/text_style.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::cli {

/// The whole report, ending in a newline.
[[nodiscard]] std::string report_text(const profile::Profile& profile, const profile::HotList& list,
                                      const TextStyle& style);

}  // namespace umbra::cli
