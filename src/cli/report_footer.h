// SPDX-License-Identifier: MIT
// What a report says below the hot list: how the figures came about, and what they leave out.
#pragma once

#include <string>

#include "src/cli/text_style.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::cli {

/// One fact a line, ending in a newline. `view` is that of the hot list above it.
[[nodiscard]] std::string report_footer(const profile::Profile& profile, const profile::View& view,
                                        const TextStyle& style);

}  // namespace umbra::cli
