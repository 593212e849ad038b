// SPDX-License-Identifier: MIT
// Tests and what was called below them, as text, JSON and CSV.
#pragma once

#include <string>

#include "src/cli/terminal/text_style.h"
#include "src/profile/by_test.h"
#include "src/profile/profile.h"

namespace umbra::cli {

/// Each test with the few methods below it that took most of its time, and the footer.
[[nodiscard]] std::string report_text(const profile::Profile& profile,
                                      const profile::TestList& list, const profile::View& view,
                                      const TextStyle& style);

}  // namespace umbra::cli
