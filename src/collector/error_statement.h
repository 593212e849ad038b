// SPDX-License-Identifier: MIT
// Says of each function in a profile how exact its times are.
#pragma once

#include <cstdint>
#include <span>

#include "src/collector/snapshot.h"
#include "src/profile/profile.h"

namespace umbra::collector {

/// What the statement is made from, beside the snapshot.
struct ErrorSources {
    std::span<const uint64_t> in_children;        ///< by node: ticks of its callees
    std::span<const profile::Row> function_rows;  ///< by function index
    std::span<const double> compensation_ticks;   ///< Compensated::error_ticks
};

/// Fills clocked_share, self_error_ns and total_error_ns of all functions. Standard errors of
/// estimation and of compensation have nothing to do with each other, so their squares add up.
///
/// To be called when the call tree is made: a row for each node but scratch and roots, in order.
void state_errors(const Snapshot& snapshot, const ErrorSources& sources, const LinearClock& clock,
                  profile::Profile& profile);

}  // namespace umbra::collector
