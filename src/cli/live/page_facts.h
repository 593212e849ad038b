// SPDX-License-Identifier: MIT
// What umbra export --html and umbra view put into the page besides the profile.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "export/html.h"
#include "src/cli/text/report_footer.h"
#include "src/profile/profile.h"

namespace umbra::cli {

inline constexpr const char* kNoPage =
    "this umbra was built without its page, which takes node and npm: install them and build "
    "again, or choose another format of 'umbra export'";

/// The facts of the report's footer.
[[nodiscard]] inline std::vector<html::Fact> page_facts(const profile::Profile& profile) {
    std::vector<html::Fact> facts;
    for (Fact& fact : footer_facts(profile, {})) {
        facts.push_back({std::string(fact.name), std::move(fact.parts), !fact.colour.empty()});
    }
    return facts;
}

}  // namespace umbra::cli
