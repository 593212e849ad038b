// SPDX-License-Identifier: MIT
// The footer of a sampled profile: how it was sampled, and what the samples leave out.
#pragma once

#include <vector>

#include "src/cli/text/report_footer.h"
#include "src/profile/profile.h"

namespace umbra::cli {

/// In place of what only recorded calls have: clock, probes, waits, pauses, compilations.
[[nodiscard]] std::vector<Fact> sampled_facts(const profile::Session& session);

}  // namespace umbra::cli
