// SPDX-License-Identifier: MIT
// What changed between runs of two versions, as text and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/cli/terminal/text_style.h"
#include "src/cli/text/report_footer.h"
#include "src/profile/diff/diff.h"
#include "src/profile/diff/run.h"

namespace umbra::cli {

/// Runs of one version, and the names of their files.
struct Side {
    std::vector<profile::Run> runs;
    std::vector<std::string> files;
};

/// What is compared, and how.
struct Compared {
    Side before;
    Side after;
    profile::RunOptions which;
    profile::DiffOptions how;
};

/// Runs that are not whole, each with what it lacks: killed, not complete, or with lost events.
/// What they hold may differ from the other side for that alone.
[[nodiscard]] std::vector<std::string> broken_runs(const Compared& compared);

/// What stands below the table; a fact without a name goes on with the one before.
[[nodiscard]] std::vector<Fact> diff_facts(const Compared& compared, const profile::Diff& diff);
/// The first `top` changes, ending in a newline.
[[nodiscard]] std::string diff_text(const Compared& compared, const profile::Diff& diff,
                                    std::size_t top, const TextStyle& style);
/// Every function, those that changed first; ends in a newline.
[[nodiscard]] std::string diff_json(const Compared& compared, const profile::Diff& diff);

}  // namespace umbra::cli
