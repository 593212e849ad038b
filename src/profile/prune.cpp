// SPDX-License-Identifier: MIT
#include "src/profile/prune.h"

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace

void drop_small(Profile& profile, double share) {
    std::vector<CallNode>& tree = profile.calltree;
    std::vector<uint64_t> inclusive(tree.size());
    uint64_t whole = 0;
    for (size_t row = tree.size(); row-- > 0;) {
        inclusive[row] += tree[row].times.self_ns;
        (tree[row].parent == kNone ? whole : inclusive[tree[row].parent]) += inclusive[row];
    }
    const double least = share * static_cast<double>(whole);
    // Where a row goes; that of a dropped one is its nearest caller's that stays.
    std::vector<Row> rows(tree.size());
    size_t kept = 0;
    for (size_t row = 0; row < tree.size(); ++row) {
        CallNode node = tree[row];
        if (node.parent != kNone) {
            node.parent = rows[node.parent];
            if (static_cast<double>(inclusive[row]) < least) {
                rows[row] = node.parent;
                give(tree[node.parent].times, node.times);
                continue;
            }
        }
        rows[row] = static_cast<Row>(kept);
        tree[kept++] = node;
    }
    tree.resize(kept);
}

}  // namespace umbra::profile
