// SPDX-License-Identifier: MIT
// What holds of every profile that umbra builds, whatever the program did.
#pragma once

#include "export/schema.h"
#include "src/profile/profile.h"
#include "tests/fuzz/fuzz_target.h"

namespace umbra::fuzz {

inline void require_sound(const profile::Profile& profile) {
    require(schema::check_rows(profile).has_value(), "rows refer to rows that are there");
    for (const profile::CallNode& node : profile.calltree) {
        require(node.times.self_ns <= node.times.total_ns, "a call lasts as long as its own part");
        require(node.times.min_ns <= node.times.max_ns, "no call is shorter than the shortest");
    }
}

}  // namespace umbra::fuzz
