// SPDX-License-Identifier: MIT
// Logical async calls, out of what the replay has added up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "src/collector/state/name_tables.h"
#include "src/profile/methods.h"
#include "src/profile/profile.h"
#include "src/replay/async/async_sums.h"
#include "src/replay/linear_clock.h"

namespace umbra::collector {

/// Times of calls; the parts add up to the wall time.
[[nodiscard]] profile::AsyncTimes times_of(const replay::AsyncTimes& ticks,
                                           const replay::LinearClock& clock);
/// What calls waited for that is no timed call: "Task.Delay". Empty: not known, or such a call.
[[nodiscard]] std::string awaited_of(uint64_t type, const NameTables& names);
[[nodiscard]] std::string awaited_of(const replay::AsyncWait& wait, const NameTables& names);

/// Tells the functions, by index, that calls are of. No sums: none.
void for_each_async_function(const std::optional<replay::AsyncSums>& sums,
                             const std::function<void(uint32_t)>& visit);

/// What called the calls of a path on their thread, async or not: not what starts the state
/// machine, which bears their own name. kNone: nothing that was timed. `function_rows`: by function
/// index. `methods`: pieces folded.
[[nodiscard]] profile::Row caller_of(const replay::AsyncNode& node,
                                     std::span<const profile::Row> function_rows,
                                     const profile::Methods& methods);

/// How many methods that the runtime suspends are timed in pieces alone: nothing tells when they
/// are suspended. A method's functions are one. `function_rows`: by function index.
uint64_t runtime_async_methods(const NameTables& names, std::span<const profile::Row> function_rows,
                               const std::vector<profile::Function>& functions);

/// Fills the profile's tables of async calls. Each part of a time is rounded for itself, and a wall
/// time is their sum. Functions whose suspensions are told get the number of their calls. `told`:
/// none: nothing is known. `function_rows` by function index.
void add_async_calls(const NameTables& names, const std::optional<replay::AsyncSums>& told,
                     std::span<const profile::Row> function_rows, const replay::LinearClock& clock,
                     profile::Profile& profile);

}  // namespace umbra::collector
