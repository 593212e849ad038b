// SPDX-License-Identifier: MIT
// Losses by reason, under the names the file gives them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "export/schema.h"
#include "src/profile/profile.h"

namespace umbra::cli {

struct Loss {
    std::string_view reason;  ///< "ring_full"
    std::string_view meaning;
    uint64_t count = 0;
};

/// All reasons, those without losses too, in the order of the file.
inline std::vector<Loss> losses(const profile::Session& session) {
    constexpr std::string_view kPrefix = "lost_";
    std::vector<Loss> losses;
    for (const schema::Column& column : schema::session_attributes()) {
        if (column.name.starts_with(kPrefix)) {
            losses.push_back({column.name.substr(kPrefix.size()), column.description,
                              *static_cast<const uint64_t*>(column.get(&session))});
        }
    }
    return losses;
}

}  // namespace umbra::cli
