// SPDX-License-Identifier: MIT
// Says of each function in a profile how exact its times are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/collector/state/snapshot.h"
#include "src/profile/profile.h"
#include "src/replay/estimate/linear_clock.h"

namespace umbra::collector {

/// What the errors of one function's times are made of, in ticks.
struct ErrorTerms {
    double calls = 0;
    double timed = 0;          ///< of its enter and leave events: with a clock reading
    double intervals = 0;      ///< estimated ones in its own time
    double variance = 0;       ///< of their sum
    double clocked_ticks = 0;  ///< part of its own time between two clock readings
    double self_ticks = 0;     ///< own time as measured
    double probe_error = 0;    ///< standard error of what the probes cost in its own time
    double readings = 0;       ///< of the clock, at an end of a part of its own time
    double inclusive = 0;      ///< variance of all estimated intervals in it and below it

    ErrorTerms& operator+=(const ErrorTerms& other);
    [[nodiscard]] double untimed_share() const;
};

/// By function index, of all shards. Fills everything but `inclusive`. Each shard has learned its
/// own means, so the errors of two shards have nothing to do with each other.
[[nodiscard]] std::vector<ErrorTerms> error_terms(const Snapshot& snapshot);

/// Fills clocked_share, self_error_ns and total_error_ns of a function. Standard errors of
/// estimation and of compensation have nothing to do with each other, so their squares add up.
/// A reading is as far from the truth as a clock with steps makes it. `whole`: variance of all
/// estimated intervals of the session; 0: everything was timed. `resolution_ns`: the clock's step.
void set_errors(const ErrorTerms& terms, double whole, const replay::LinearClock& clock,
                double resolution_ns, profile::Function& function);

}  // namespace umbra::collector
