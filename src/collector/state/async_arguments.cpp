// SPDX-License-Identifier: MIT
#include "src/collector/state/async_arguments.h"

#include <algorithm>
#include <cstddef>

#include "src/replay/async/async_fact.h"

namespace umbra::collector {

void set_async_calls(const replay::AsyncSums& async, uint32_t shard, replay::ArgumentSums& sums) {
    for (const auto& [value_of, lengths] : async.arguments) {
        const auto row = static_cast<size_t>(value_of - replay::make_value_of(shard, 0));
        if (row == 0 || row >= sums.values.size()) {
            continue;  // another shard's
        }
        replay::ArgumentValue& value = sums.values[row];
        // What is merged a moment later may have ended by now.
        value.calls = std::max(value.calls, lengths.calls);
        value.unfinished = value.calls - lengths.calls;
        value.total = replay::lanes(lengths.total_ticks, 0);
        value.min_ticks = lengths.min_ticks;
        value.max_ticks = lengths.max_ticks;
        value.cells = 0;
        for (const auto& [bucket, calls] : lengths.buckets) {
            sums.cells.push_back({.bucket = bucket, .next = value.cells, .calls = calls});
            value.cells = static_cast<uint32_t>(sums.cells.size() - 1);
        }
    }
}

}  // namespace umbra::collector
