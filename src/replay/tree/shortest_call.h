// SPDX-License-Identifier: MIT
// How many calls rows have that are added up, and their shortest and longest.
#pragma once

#include <algorithm>

namespace umbra::replay {

/// Takes over the shortest of `more`, which is about to be added to `sum`; both have `calls`,
/// `unfinished` (how many of these have not ended) and `min_ticks`. That of calls none of which has
/// ended says no more than how long they have lasted: it stands only where nothing else does.
void add_shortest(auto& sum, const auto& more) {
    const bool ended = sum.calls != sum.unfinished;
    const bool more_ended = more.calls != more.unfinished;
    if (ended == more_ended) {
        sum.min_ticks = std::min(sum.min_ticks, more.min_ticks);
    } else if (more_ended) {
        sum.min_ticks = more.min_ticks;
    }
}

/// Adds the numbers of calls of `more` to those of `sum`, and takes over its shortest and longest.
void add_counts(auto& sum, const auto& more) {
    add_shortest(sum, more);
    sum.calls += more.calls;
    sum.unfinished += more.unfinished;
    sum.max_ticks = std::max(sum.max_ticks, more.max_ticks);
}

}  // namespace umbra::replay
