// SPDX-License-Identifier: MIT
// Manual pages of section 1, in the man macros of roff.
#pragma once

#include <string>
#include <vector>

#include "src/manual/command_line.h"

namespace umbra::manual {

/// What a page says beyond the help. The text is written as a footer of the help is: paragraphs
/// between blank lines, and lines that begin with two blanks stay as they are.
struct Section {
    std::string title;  ///< in capitals; of a section that the page has anyway the text is added
    std::string text;
};

/// The page of `command`, which is `program` or one of its subcommands. `version` stands at its
/// foot.
[[nodiscard]] std::string man_page(const Command& command, const Command& program,
                                   const std::string& version,
                                   const std::vector<Section>& sections);

/// "umbra-run" for "umbra run": what `man` is asked for.
[[nodiscard]] std::string page_name(const Command& command);

}  // namespace umbra::manual
