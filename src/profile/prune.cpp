// SPDX-License-Identifier: MIT
#include "src/profile/prune.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/profile/tree_walk.h"

namespace umbra::profile {
namespace {

void give(Span& caller, const Span& span) {
    caller.self_ns += span.self_ns;
}

void give(CallTimes& caller, const CallTimes& times) {
    caller.self_ns += times.self_ns;
    give(caller.raw, times.raw);
    give(caller.cpu, times.cpu);
    give(caller.paused, times.paused);
}

/// By row of the call tree: wall time of it and of everything below it.
std::vector<uint64_t> inclusive_ns(const std::vector<CallNode>& tree) {
    return inclusive_of(tree, [](const CallNode& node) { return node.times.self_ns; });
}

/// Drops the rows for which `small` says true of their inclusive time.
void drop(Profile& profile, const std::vector<uint64_t>& inclusive, auto small) {
    std::vector<CallNode>& tree = profile.calltree;
    // Where a row goes; that of a dropped one is its nearest caller's that stays.
    std::vector<Row> rows(tree.size());
    std::vector<bool> dropped(tree.size());
    size_t kept = 0;
    for (size_t row = 0; row < tree.size(); ++row) {
        CallNode node = tree[row];
        if (node.parent != kNone) {
            node.parent = rows[node.parent];
            if (small(inclusive[row])) {
                rows[row] = node.parent;
                dropped[row] = true;
                give(tree[node.parent].times, node.times);
                continue;
            }
        }
        rows[row] = static_cast<Row>(kept);
        tree[kept++] = node;
    }
    tree.resize(kept);
    std::erase_if(profile.timeline, [&](const TimedCall& call) { return dropped[call.node]; });
    for (TimedCall& call : profile.timeline) {
        call.node = rows[call.node];
    }
}

}  // namespace

void drop_small(Profile& profile, double share) {
    const std::vector<uint64_t> inclusive = inclusive_ns(profile.calltree);
    uint64_t whole = 0;
    for (size_t row = 0; row < inclusive.size(); ++row) {
        whole += profile.calltree[row].parent == kNone ? inclusive[row] : 0;
    }
    const double least = share * static_cast<double>(whole);
    drop(profile, inclusive, [&](uint64_t ns) { return static_cast<double>(ns) < least; });
}

void keep_largest(Profile& profile, size_t rows) {
    if (profile.calltree.size() <= rows) {
        return;
    }
    const std::vector<uint64_t> inclusive = inclusive_ns(profile.calltree);
    std::vector<uint64_t> sorted = inclusive;
    const auto first_out = sorted.begin() + static_cast<std::ptrdiff_t>(rows);
    std::nth_element(sorted.begin(), first_out, sorted.end(), std::greater<>());
    drop(profile, inclusive, [&](uint64_t ns) { return ns <= *first_out; });
}

}  // namespace umbra::profile
