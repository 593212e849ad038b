// SPDX-License-Identifier: MIT
// `umbra help TOPIC`: pages of docs/, as they are installed beside the program.
#pragma once

#include <string>
#include <vector>

namespace umbra::cli {

/// The pages there are, by the names of their files: "async_calls". Empty: none are installed, or
/// this program does not know where it lies.
[[nodiscard]] std::vector<std::string> help_topics();

/// Prints the page of a topic, '-' like '_' and capital letters like small ones. False: there is
/// none of that name, or it cannot be read.
bool print_topic(const std::string& topic);

}  // namespace umbra::cli
