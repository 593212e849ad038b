// SPDX-License-Identifier: MIT
// Tests and endpoints with what was called below them, as text.
#pragma once

#include <string>

#include "src/cli/terminal/text_style.h"
#include "src/profile/by_entry.h"
#include "src/profile/profile.h"

namespace umbra::cli {

/// Each test or endpoint with the few methods below it that took most of its time, and the footer.
[[nodiscard]] std::string report_text(const profile::Profile& profile,
                                      const profile::EntryList& list, const profile::View& view,
                                      const TextStyle& style);

}  // namespace umbra::cli
