// SPDX-License-Identifier: MIT
// All that a program brings for share/: its man pages and completions, as files.
#pragma once

#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/manual/command_line.h"
#include "src/manual/man_page.h"

namespace umbra::manual {

struct Page {
    std::string path;  ///< below share: "man/man1/umbra-run.1"
    std::string text;
};

/// `sections` are of the program's own page.
[[nodiscard]] std::vector<Page> make_pages(const Command& program, const std::string& version,
                                           const std::vector<Section>& sections);

/// Writes the files below `folder`, making the folders that are missing. Errors: kSystem.
[[nodiscard]] Status write_pages(const std::vector<Page>& pages, const std::string& folder);

}  // namespace umbra::manual
