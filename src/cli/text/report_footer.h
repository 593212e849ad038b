// SPDX-License-Identifier: MIT
// What a report says below the hot list: how the figures came about, and what they leave out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/cli/terminal/text_style.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::cli {

/// A fact of the footer. Its parts are put on one line as long as they fit.
struct Fact {
    std::string_view name;
    std::vector<std::string> parts;
    std::string_view colour = {};  ///< of text_style.h; kYellow: the reader is warned
};

/// What the footer says, facts without parts left out.
[[nodiscard]] std::vector<Fact> footer_facts(const profile::Profile& profile,
                                             const profile::View& view);

/// The fact as lines, the last ending in a newline.
[[nodiscard]] std::string fact_text(const Fact& fact, const TextStyle& style);

/// One fact a line, ending in a newline. `view` is that of the hot list above it. Without
/// `style.details` only what the runtime did besides, what umbra cost, and warnings.
[[nodiscard]] std::string report_footer(const profile::Profile& profile, const profile::View& view,
                                        const TextStyle& style);

}  // namespace umbra::cli
