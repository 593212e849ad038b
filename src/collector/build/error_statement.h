// SPDX-License-Identifier: MIT
// Says of each function in a profile how exact its times are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/collector/build/snapshot.h"
#include "src/profile/profile.h"

namespace umbra::collector {

/// Two steps, as the second needs what is made of the profile in between.
class ErrorStatement {
  public:
    /// `self_ticks` by node: as measured. `function_rows`: by function index, of `functions` rows.
    /// Refers to nothing afterwards.
    ErrorStatement(const Snapshot& snapshot, std::span<const uint64_t> self_ticks,
                   std::span<const profile::Row> function_rows, size_t functions);

    /// For each row of the call tree (each node but scratch and roots, in order): variance of its
    /// estimated own time, in ticks^2. Empty if nothing was estimated.
    [[nodiscard]] std::vector<double> take_variances() { return std::move(variances_); }

    /// Fills clocked_share, self_error_ns and total_error_ns of all functions. Standard errors of
    /// estimation and of compensation have nothing to do with each other, so their squares add up.
    /// `inclusive`: TreeShape::inclusive_sums of the variances; `compensation_ticks`:
    /// Compensated::error_ticks.
    void state(std::span<const double> inclusive, std::span<const double> compensation_ticks,
               const replay::LinearClock& clock, std::vector<profile::Function>& functions) const;

  private:
    /// What the error of one function is made of.
    struct Doubt {
        double own_variance = 0;  ///< of estimated intervals of its own, in ticks^2
        double clocked_ticks = 0;
        double self_ticks = 0;
        double events = 0;
        double untimed = 0;
    };

    void add(const replay::CallTreeNode& node, uint64_t self_ticks, double variance);
    void tell(const Doubt& doubt, double inclusive, const replay::LinearClock& clock,
              profile::Function& function) const;

    std::vector<profile::Row> function_rows_;
    std::vector<Doubt> doubts_;  ///< by row of functions; none: nothing was estimated
    std::vector<double> variances_;
    double whole_ = 0;  ///< sum of all variances
};

}  // namespace umbra::collector
