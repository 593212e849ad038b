// SPDX-License-Identifier: MIT
// What changed between two profiles, as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "src/cli/terminal/text_style.h"
#include "src/profile/diff.h"
#include "src/profile/profile.h"

namespace umbra::cli {

/// Two profiles and the names of their files; all outlive it.
struct Compared {
    const profile::Profile& before;
    const profile::Profile& after;
    const std::string& before_file;
    const std::string& after_file;
};

/// The first `top` changes, ending in a newline.
[[nodiscard]] std::string diff_text(const Compared& compared, const profile::Diff& diff,
                                    const profile::DiffOptions& options, std::size_t top,
                                    const TextStyle& style);
/// Every function, those that changed first; ends in a newline.
[[nodiscard]] std::string diff_json(const Compared& compared, const profile::Diff& diff);

}  // namespace umbra::cli
