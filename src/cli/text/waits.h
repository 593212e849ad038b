// SPDX-License-Identifier: MIT
// What a program waited for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::cli {

struct Wait {
    std::string what;
    uint64_t ns = 0;
    bool of_main = false;  ///< the program's begin waits for all the rest of it
};

/// What took longest without a processor, three at most: methods that were off theirs, themselves
/// and for no pause of the runtime's, and what async methods awaited. `all`: every method.
[[nodiscard]] std::vector<Wait> longest_waits(const profile::Profile& profile,
                                              const profile::HotList& all);

}  // namespace umbra::cli
