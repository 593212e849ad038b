// SPDX-License-Identifier: MIT
// Calls by the values of arguments, as a report shows them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

/// One argument that was told, and the calls with each of its values.
struct ArgumentCalls {
    const Argument* argument = nullptr;  ///< of the profile
    /// As many rows as the view has room for, in its order; last, if there is more, the rest, whose
    /// median and 99th percentile are 0 where rows of the file are part of it.
    std::vector<ArgumentValue> values;
    uint64_t values_in_rest = 0;  ///< as far as they were counted
    uint64_t unfinished = 0;      ///< of the argument's calls
    uint64_t total_ns = 0;
};

struct ArgumentList {
    std::vector<ArgumentCalls> told;       ///< the longest total first
    std::vector<const Argument*> refused;  ///< as the file has them
};

/// Arguments of the functions that the view's filter takes; those of no function unless it asks for
/// some. Its order is total, calls, mean or max. Of threads it knows nothing. The profile must
/// outlive the list.
[[nodiscard]] ArgumentList by_argument(const Profile& profile, const View& view);
ArgumentList by_argument(Profile&& profile, const View& view) = delete;

/// Of one call, unfinished ones left out; 0 where there are no others.
[[nodiscard]] uint64_t mean_ns(const ArgumentValue& value);

}  // namespace umbra::profile
