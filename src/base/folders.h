// SPDX-License-Identifier: MIT
// Folders that the environment names, for files that are not kept.
#pragma once

#include <cstdlib>
#include <initializer_list>

namespace umbra {

/// The value of the first of these variables that is an absolute path, else /tmp. Holds until the
/// environment is changed, which nothing of ours does.
[[nodiscard]] inline const char* folder_named_by(std::initializer_list<const char*> variables) {
    for (const char* variable : variables) {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): see above
        const char* value = std::getenv(variable);
        if (value != nullptr && *value == '/') {
            return value;
        }
    }
    return "/tmp";
}

}  // namespace umbra
