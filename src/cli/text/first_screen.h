// SPDX-License-Identifier: MIT
// The screen that answers first: what burns, what waits, what the runtime and umbra added, and what
// to ask next.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/cli/terminal/text_style.h"
#include "src/profile/profile.h"

namespace umbra::cli {

/// At most twenty lines, each of `style.columns` at most but for the commands, ending in a newline.
/// `file`: as the commands of the last lines name the profile, which is the newest where it is
/// empty; none: there is no file, and no command.
///
/// Methods stand in the order of their CPU self time; of profiles without CPU times in that of
/// their self time. "14 for each RateOf" stands behind a method that its only caller calls ten
/// times a call or more often. Waiting is a method's own wall time off the processors: its self
/// time without its CPU self time and without pauses of the runtime. A loss, a file that is not
/// complete and a program that umbra has slowed to less than half are said in red, each with what
/// to do about it.
[[nodiscard]] std::string first_screen(const profile::Profile& profile,
                                       std::optional<std::string_view> file,
                                       const TextStyle& style);

/// What a reader must know before he believes anything else, a line each, in red on a terminal;
/// empty where there is nothing of the kind.
[[nodiscard]] std::string warnings(const profile::Profile& profile, const TextStyle& style);

/// What the runtime did besides, and what umbra cost: one line.
[[nodiscard]] std::string also_line(const profile::Profile& profile, const TextStyle& style);

}  // namespace umbra::cli
