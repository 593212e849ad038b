// SPDX-License-Identifier: MIT
// The slowest calls of chosen methods, from ticks and numbers to rows of a profile.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "src/collector/state/snapshot.h"
#include "src/profile/profile.h"
#include "src/replay/linear_clock.h"
#include "src/replay/slowest/slow_call_table.h"

namespace umbra::collector {

/// Tells the functions, by index, that stand in slow calls.
void for_each_slow_function(const Snapshot& snapshot, const std::function<void(uint32_t)>& visit);

/// Fills the profile's tables of slow calls, and says in the settings by what calls are slow.
/// `function_rows` by function index, `thread_rows` by number.
void add_slow_calls(const Snapshot& snapshot, std::span<const profile::Row> function_rows,
                    const std::unordered_map<uint32_t, profile::Row>& thread_rows,
                    const replay::LinearClock& clock, profile::Profile& profile);

}  // namespace umbra::collector
