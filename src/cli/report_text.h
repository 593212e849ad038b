// SPDX-License-Identifier: MIT
// The report as text for a terminal: header, hot list, footer.
#pragma once

#include <cstddef>
#include <string>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::cli {

struct TextStyle {
    std::size_t columns = 120;  ///< no line of the hot list is longer
    bool colour = false;
};

/// The whole report, ending in a newline.
[[nodiscard]] std::string report_text(const profile::Profile& profile, const profile::HotList& list,
                                      const TextStyle& style);

}  // namespace umbra::cli
