// SPDX-License-Identifier: MIT
// The calls of functions by the values of their arguments, out of what the replay has added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/collector/state/name_tables.h"
#include "src/profile/profile.h"
#include "src/replay/argument_table.h"
#include "src/replay/linear_clock.h"

namespace umbra::collector {

/// Values of one argument with a row of their own in a profile, those with the longest total; the
/// others go to its rest.
inline constexpr size_t kMostArgumentValues = 1'000;

/// Tells the functions, by index, that arguments are of.
void for_each_argument_function(const NameTables& names, const replay::ArgumentSums& sums,
                                const std::function<void(uint32_t)>& visit);

/// Fills the profile's tables of arguments. Values that were told while another function was on top
/// of the stack (the begin of their call was lost) have no end: its time was not theirs.
/// `function_rows` by function index.
void add_arguments(const NameTables& names, const replay::ArgumentSums& sums,
                   std::span<const profile::Row> function_rows, const replay::LinearClock& clock,
                   profile::Profile& profile);

}  // namespace umbra::collector
