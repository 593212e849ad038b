// SPDX-License-Identifier: MIT
#include "src/profile/async/async_view.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "src/profile/filter.h"
#include "src/profile/methods.h"

namespace umbra::profile {
namespace {

uint64_t rank(const AsyncRow& row, SortBy sort) {
    switch (sort) {
        case SortBy::kSelf:
        case SortBy::kCpu:
            return row.times().running_ns;
        case SortBy::kCalls:
            return row.method->counts.calls;
        case SortBy::kMean:
            return row.mean_ns;
        case SortBy::kMax:
            return row.method->max_ns;
        case SortBy::kAwaiting:
            return row.awaiting_ns();
        case SortBy::kQueued:
            return row.times().queued_ns;
        case SortBy::kTotal:
            break;
    }
    return row.times().wall_ns;
}

/// Instantiations of a generic method are awaited under one name.
std::vector<AsyncAwait> merged(std::vector<AsyncAwait> awaits) {
    std::map<std::pair<std::string, std::string>, AsyncAwait> by_name;
    for (AsyncAwait& await : awaits) {
        AsyncAwait& sum = by_name[{await.name, await.how}];
        sum.times += await.times;
        sum.total_ns += await.total_ns;
    }
    awaits.clear();
    for (auto& [key, sum] : by_name) {
        sum.name = key.first;
        sum.how = key.second;
        awaits.push_back(std::move(sum));
    }
    std::ranges::stable_sort(awaits, std::greater<>(), &AsyncAwait::total_ns);
    return awaits;
}

}  // namespace

std::vector<BlockedRow> blocked_view(const Profile& profile, const Filter& filter) {
    if (profile.blocked_waits.empty()) {
        return {};
    }
    const Methods methods = profile::methods(profile, true);
    const std::vector<bool> taken = taken_functions(profile, filter);
    std::map<std::pair<std::string, std::string>, BlockedRow> by_name;
    for (const BlockedWait& wait : profile.blocked_waits) {
        if (wait.function == kNone || profile.functions[wait.function].method == "<Main>") {
            continue;
        }
        const Row method = methods.method_of[wait.function];
        if (!taken[wait.function] && !taken[method]) {
            continue;
        }
        const std::string& awaited =
            wait.awaited_function == kNone
                ? wait.awaited
                : profile.functions[methods.method_of[wait.awaited_function]].name;
        BlockedRow& row = by_name[{profile.functions[method].name, awaited}];
        row.times += wait.times;
        row.total_ns += wait.total_ns;
    }
    std::vector<BlockedRow> rows;
    for (auto& [key, row] : by_name) {
        row.name = key.first;
        row.awaited = key.second;
        rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(rows, std::greater<>(), &BlockedRow::total_ns);
    return rows;
}

AsyncList async_view(const Profile& profile, const View& view) {
    const Methods methods = profile::methods(profile, true);
    const std::vector<bool> taken = taken_functions(profile, view.filter);
    const auto name_of = [&](Row function) -> const std::string& {
        return profile.functions[methods.method_of[function]].name;
    };
    std::unordered_map<Row, std::vector<AsyncAwait>> awaits;
    for (const AsyncWait& wait : profile.async_waits) {
        if (wait.function != kNone) {
            awaits[wait.function].push_back({.name = wait.awaited_function != kNone
                                                         ? name_of(wait.awaited_function)
                                                         : wait.awaited,
                                             .how = wait.how,
                                             .times = wait.times,
                                             .total_ns = wait.total_ns});
        }
    }
    AsyncList list;
    for (const AsyncMethod& method : profile.async_methods) {
        if (!taken[method.function] && !taken[methods.method_of[method.function]]) {
            continue;
        }
        const AsyncCounts& counts = method.counts;
        list.rows.push_back(
            {.method = &method,
             .name = name_of(method.function),
             .module = std::string(module_name(profile, profile.functions[method.function])),
             .mean_ns = counts.calls == 0 ? 0 : counts.times.wall_ns / counts.calls,
             .awaits = merged(std::move(awaits[method.function]))});
    }
    std::ranges::stable_sort(list.rows, [&](const AsyncRow& a, const AsyncRow& b) {
        const uint64_t rank_a = rank(a, view.sort);
        const uint64_t rank_b = rank(b, view.sort);
        return rank_a != rank_b ? rank_a > rank_b : a.name < b.name;
    });
    if (list.rows.size() > view.top) {
        list.left_out = list.rows.size() - view.top;
        list.rows.resize(view.top);
    }
    list.blocked = blocked_view(profile, view.filter);
    if (list.blocked.size() > view.top) {
        list.blocked_left_out = list.blocked.size() - view.top;
        list.blocked.resize(view.top);
    }
    return list;
}

}  // namespace umbra::profile
