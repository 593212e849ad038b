// SPDX-License-Identifier: MIT
// What a comparison takes of each run: its methods, and how it was measured.
#pragma once

#include <string>
#include <vector>

#include "src/profile/filter.h"
#include "src/profile/profile.h"

namespace umbra::profile {

/// A method of a run: calls, times, and what of them the probes' cost leaves in doubt.
struct MethodTimes {
    std::string name;
    std::string module;
    CallTimes times;
    double self_doubt_ns = 0;
    double total_doubt_ns = 0;
};

/// A run of a program. It does not need its profile any longer.
struct Run {
    Session session;
    std::vector<MethodTimes> methods;  ///< called ones, by name, then module; each pair once
};

/// Which methods are compared, and by which times.
struct RunOptions {
    bool pauses = false;  ///< true: pauses and compilation are left in the times
    Filter filter = {};
};

[[nodiscard]] Run run_of(const Profile& profile, const RunOptions& options);

}  // namespace umbra::profile
