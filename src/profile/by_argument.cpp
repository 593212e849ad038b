// SPDX-License-Identifier: MIT
#include "src/profile/by_argument.h"

#include <algorithm>
#include <cstddef>

namespace umbra::profile {
namespace {

uint64_t key(const ArgumentValue& value, SortBy sort) {
    switch (sort) {
        case SortBy::kCalls:
            return value.calls;
        case SortBy::kMean:
            return mean_ns(value);
        case SortBy::kMax:
            return value.max_ns;
        default:
            return value.total_ns;
    }
}

bool has_times(const ArgumentValue& value) {
    return value.calls > value.unfinished;
}

ArgumentValue sum(const std::vector<ArgumentValue>& rows) {
    ArgumentValue rest = rows.front();
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
        if (has_times(*row)) {
            rest.min_ns = has_times(rest) ? std::min(rest.min_ns, row->min_ns) : row->min_ns;
            rest.max_ns = std::max(rest.max_ns, row->max_ns);
        }
        rest.calls += row->calls;
        rest.unfinished += row->unfinished;
        rest.total_ns += row->total_ns;
        rest.p50_ns = rest.p99_ns = 0;
    }
    rest.rest = true;
    rest.value.clear();
    return rest;
}

/// Puts the rows in order, and those beyond `view.top` into the rest.
void arrange(ArgumentCalls& calls, const View& view) {
    std::vector<ArgumentValue>& rows = calls.values;
    for (const ArgumentValue& row : rows) {
        calls.unfinished += row.unfinished;
        calls.total_ns += row.total_ns;
    }
    const auto first_rest = std::stable_partition(
        rows.begin(), rows.end(), [](const ArgumentValue& row) { return !row.rest; });
    std::stable_sort(rows.begin(), first_rest, [&](const auto& a, const auto& b) {
        return key(a, view.sort) > key(b, view.sort);
    });
    const auto named = static_cast<std::size_t>(first_rest - rows.begin());
    const std::size_t kept = std::min(named, view.top);
    calls.values_in_rest =
        calls.argument->values - std::min<uint64_t>(calls.argument->values, kept);
    if (rows.size() > kept) {
        const ArgumentValue rest =
            sum({rows.begin() + static_cast<std::ptrdiff_t>(kept), rows.end()});
        rows.resize(kept);
        rows.push_back(rest);
    }
}

}  // namespace

uint64_t mean_ns(const ArgumentValue& value) {
    return has_times(value) ? value.total_ns / (value.calls - value.unfinished) : 0;
}

ArgumentList by_argument(const Profile& profile, const View& view) {
    const std::vector<bool> taken = taken_functions(profile, view.filter);
    ArgumentList list;
    std::vector<std::size_t> place(profile.arguments.size(), SIZE_MAX);
    for (std::size_t row = 0; row < profile.arguments.size(); ++row) {
        const Argument& argument = profile.arguments[row];
        if (argument.function == kNone ? !view.filter.any_method() : !taken[argument.function]) {
            continue;
        }
        if (!argument.refusal.empty()) {
            list.refused.push_back(&argument);
        } else {
            place[row] = list.told.size();
            list.told.push_back({.argument = &argument, .values = {}});
        }
    }
    for (const ArgumentValue& value : profile.argument_values) {
        if (place[value.argument] < list.told.size()) {
            list.told[place[value.argument]].values.push_back(value);
        }
    }
    for (ArgumentCalls& calls : list.told) {
        arrange(calls, view);
    }
    std::ranges::stable_sort(list.told, std::ranges::greater(), &ArgumentCalls::total_ns);
    return list;
}

}  // namespace umbra::profile
