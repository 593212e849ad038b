// SPDX-License-Identifier: MIT
// Sums over groups of functions (methods, types, namespaces, modules) and over threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/profile/call_sums.h"
#include "src/profile/filter.h"
#include "src/profile/methods.h"
#include "src/profile/profile.h"

namespace umbra::profile {

enum class GroupBy { kFunction, kType, kNamespace, kModule, kThread };

/// A row of a report. `name` and `module` are as shown; `functions` are rows of the profile.
struct Group {
    std::string name;
    std::string module;          ///< empty where it is the name, or where there are several
    std::string runtime;         ///< see runtime_label(); empty where there are several
    std::vector<Row> functions;  ///< none for threads
};

/// Functions put together. `group_of` has kNone for functions that are not shown.
struct Grouping {
    GroupBy by = GroupBy::kFunction;
    std::vector<Row> group_of;  ///< by row of functions; by row of threads for kThread
    std::vector<Group> groups;
};

/// Groups come in the order of their first function. Only what `taken`, by row of functions, says
/// is in a group; for kThread, `taken` goes by row of threads.
[[nodiscard]] Grouping group_functions(const Profile& profile, GroupBy by, const Methods& methods,
                                       const std::vector<bool>& taken);

/// Times of one group.
struct GroupSums {
    CallTimes times;  ///< inclusive: time inside any function of the group, counted once
    CallTimes every;  ///< inclusive times of all its calls in sum, calls inside others too
};

/// From the call tree, or, of single threads that share paths, from thread_functions (by function
/// and by thread alone), for the threads that `threads` takes, by row of threads; `shown` takes
/// functions. A piece of a method that runs inside the call that starts it is part of that call.
[[nodiscard]] std::vector<GroupSums> sum_groups(const Profile& profile, const Grouping& grouping,
                                                const Methods& methods,
                                                const std::vector<bool>& shown,
                                                const std::vector<bool>& threads);

}  // namespace umbra::profile
