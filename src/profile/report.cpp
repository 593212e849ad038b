// SPDX-License-Identifier: MIT
// Sorting and summing for reports.
#include "src/profile/report.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace umbra::profile {
namespace {

uint64_t sort_value(const CallTimes& times, SortBy sort) {
    switch (sort) {
        case SortBy::kSelf:
            return times.self_ns;
        case SortBy::kTotal:
            return times.total_ns;
        case SortBy::kCalls:
            return times.calls;
    }
    return 0;
}

/// By function: inclusive times of all its calls in sum, a call inside a call of itself too. What
/// total_ns counts once counts here for each, as min_ns and max_ns do.
std::vector<uint64_t> inclusive_sums(const Profile& profile) {
    std::vector<uint64_t> sums(profile.functions.size());
    for (const CallNode& node : profile.calltree) {
        if (node.function < sums.size()) {
            sums[node.function] += node.times.total_ns;
        }
    }
    return sums;
}

}  // namespace

HotList hot_list(const Profile& profile, SortBy sort, std::size_t top) {
    std::vector<const Function*> called;
    double all_self_ns = 0;
    for (const Function& function : profile.functions) {
        all_self_ns += static_cast<double>(function.times.self_ns);
        if (function.times.calls > 0) {
            called.push_back(&function);
        }
    }
    std::sort(called.begin(), called.end(), [&](const Function* a, const Function* b) {
        return std::tuple(sort_value(b->times, sort), std::string_view(a->name), a) <
               std::tuple(sort_value(a->times, sort), std::string_view(b->name), b);
    });

    const std::vector<uint64_t> inclusive_ns = inclusive_sums(profile);
    HotList list;
    list.functions.reserve(std::min(top, called.size()));
    for (const Function* function : called) {
        const CallTimes& times = function->times;
        const double share_percent =
            all_self_ns > 0 ? 100 * static_cast<double>(times.self_ns) / all_self_ns : 0;
        if (list.functions.size() == top) {
            ++list.left_out;
            list.left_out_percent += share_percent;
            continue;
        }
        const std::string_view module =
            function->module < profile.modules.size()
                ? std::string_view(profile.modules[function->module].name)
                : std::string_view();
        const auto row = static_cast<std::size_t>(function - profile.functions.data());
        list.functions.push_back(
            {function->name, module, times, inclusive_ns[row] / times.calls, share_percent});
    }
    return list;
}

Sums sums(const Profile& profile) {
    Sums sums;
    for (const Function& function : profile.functions) {
        sums.unfinished += function.times.unfinished;
    }
    for (const Thread& thread : profile.threads) {
        sums.repairs += thread.repairs;
        sums.unmatched_leaves += thread.unmatched_leaves;
        sums.decode_errors += thread.decode_errors;
    }
    return sums;
}

}  // namespace umbra::profile
