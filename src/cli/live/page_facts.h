// SPDX-License-Identifier: MIT
// What umbra export --html and umbra view put into the page besides the profile.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "export/html.h"
#include "src/cli/text/report_footer.h"
#include "src/profile/profile.h"

namespace umbra::cli {

inline constexpr const char* kNoPage =
    "this umbra was built without its page, which takes node and npm: install them and build "
    "again, or choose another format of 'umbra export'";

/// The facts of the report's footer, and the editor the user has named.
[[nodiscard]] inline html::Extras page_extras(const profile::Profile& profile, std::string editor) {
    html::Extras extras{.facts = {}, .editor = std::move(editor)};
    for (Fact& fact : footer_facts(profile, {})) {
        extras.facts.push_back(
            {std::string(fact.name), std::move(fact.parts), !fact.colour.empty()});
    }
    return extras;
}

/// --editor, as every command that makes a page has it.
inline void add_editor_option(CLI::App& command, std::string& editor) {
    command
        .add_option("--editor", editor,
                    "Places in the source are links that this editor opens; without it a click\n"
                    "copies them")
        ->type_name("vscode")
        ->check(CLI::Validator(
            [](const std::string& name) {
                return name == "vscode" ? std::string() : "'" + name + "' is not vscode";
            },
            ""));
}

}  // namespace umbra::cli
