// SPDX-License-Identifier: MIT
// Sorting and summing for reports.
#include "src/profile/report.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace umbra::profile {
namespace {

uint64_t less(uint64_t a, uint64_t b) {
    return a - std::min(a, b);
}

uint64_t sort_value(const CallTimes& times, SortBy sort) {
    switch (sort) {
        case SortBy::kSelf:
            return times.self_ns;
        case SortBy::kTotal:
            return times.total_ns;
        case SortBy::kCalls:
            return times.calls;
        case SortBy::kCpu:
            return times.cpu.self_ns;
    }
    return 0;
}

double share_value(const CallTimes& times, SortBy sort) {
    return static_cast<double>(sort == SortBy::kCpu ? times.cpu.self_ns : times.self_ns);
}

/// By function: inclusive times of all its calls in sum, a call inside a call of itself too. What
/// total_ns counts once counts here for each, as min_ns and max_ns do.
std::vector<uint64_t> inclusive_sums(const Profile& profile, const View& view) {
    std::vector<uint64_t> sums(profile.functions.size());
    for (const CallNode& node : profile.calltree) {
        if (node.function < sums.size()) {
            sums[node.function] += shown(node.times, view).total_ns;
        }
    }
    return sums;
}

std::string_view module_name(const Profile& profile, const Function& function) {
    return function.module < profile.modules.size()
               ? std::string_view(profile.modules[function.module].name)
               : std::string_view();
}

void add(PauseSums& sums, const Pause& pause) {
    ++sums.count;
    sums.total_ns += pause.duration_ns;
    sums.longest_ns = std::max(sums.longest_ns, pause.duration_ns);
}

}  // namespace

CallTimes shown(const CallTimes& times, const View& view) {
    CallTimes result = times;
    if (!view.compensated) {
        result.total_ns = times.raw.total_ns;
        result.self_ns = times.raw.self_ns;
        result.cpu.total_ns += less(times.raw.total_ns, times.total_ns);
        result.cpu.self_ns += less(times.raw.self_ns, times.self_ns);
    }
    if (!view.pauses) {
        result.total_ns = less(result.total_ns, times.paused.total_ns);
        result.self_ns = less(result.self_ns, times.paused.self_ns);
        result.cpu.total_ns = std::min(result.cpu.total_ns, result.total_ns);
        result.cpu.self_ns = std::min(result.cpu.self_ns, result.self_ns);
    }
    return result;
}

HotList hot_list(const Profile& profile, const View& view) {
    const std::vector<uint64_t> inclusive_ns = inclusive_sums(profile, view);
    std::vector<HotFunction> called;
    double all = 0;
    for (const Function& function : profile.functions) {
        const CallTimes times = shown(function.times, view);
        all += share_value(times, view.sort);
        if (times.calls > 0) {
            const auto row = static_cast<std::size_t>(&function - profile.functions.data());
            called.push_back({.function = &function,
                              .name = function.name,
                              .module = module_name(profile, function),
                              .times = times,
                              .mean_ns = inclusive_ns[row] / times.calls});
        }
    }
    std::sort(called.begin(), called.end(), [&](const HotFunction& a, const HotFunction& b) {
        return std::tuple(sort_value(b.times, view.sort), a.name, a.function) <
               std::tuple(sort_value(a.times, view.sort), b.name, b.function);
    });

    HotList list;
    list.view = view;
    for (HotFunction& hot : called) {
        hot.share_percent = all > 0 ? 100 * share_value(hot.times, view.sort) / all : 0;
        if (list.functions.size() < view.top) {
            list.functions.push_back(hot);
        } else {
            ++list.left_out;
            list.left_out_percent += hot.share_percent;
        }
    }
    return list;
}

Sums sums(const Profile& profile) {
    Sums sums;
    for (const Function& function : profile.functions) {
        sums.unfinished += function.times.unfinished;
        sums.probe_cost_ns += less(function.times.raw.self_ns, function.times.self_ns);
    }
    for (const Thread& thread : profile.threads) {
        sums.repairs += thread.repairs;
        sums.unmatched_leaves += thread.unmatched_leaves;
        sums.decode_errors += thread.decode_errors;
    }
    return sums;
}

std::vector<PauseSums> pauses_by_reason(const Profile& profile) {
    std::map<std::string_view, PauseSums> by_reason;
    for (const Pause& pause : profile.pauses) {
        add(by_reason[pause.reason], pause);
    }
    std::vector<PauseSums> sums;
    for (auto& [reason, of_reason] : by_reason) {
        of_reason.reason = reason;
        sums.push_back(of_reason);
    }
    std::ranges::stable_sort(sums, std::greater<>(), &PauseSums::total_ns);
    return sums;
}

PauseSums all_pauses(const Profile& profile) {
    PauseSums all;
    for (const Pause& pause : profile.pauses) {
        add(all, pause);
    }
    return all;
}

CompilationSums compilation_sums(const Profile& profile) {
    CompilationSums sums;
    for (const Compilation& compilation : profile.compilations) {
        ++sums.count;
        sums.total_ns += compilation.duration_ns;
        if (compilation.thread >= profile.threads.size() ||
            profile.threads[compilation.thread].calls == 0) {
            ++sums.background_count;
            sums.background_ns += compilation.duration_ns;
        }
    }
    return sums;
}

}  // namespace umbra::profile
