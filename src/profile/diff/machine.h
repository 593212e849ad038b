// SPDX-License-Identifier: MIT
// What the machine did to the times of all methods of a run alike: how fast it was, how often it
// took processors away. It is taken out before anything is judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/profile/diff/table.h"

namespace umbra::profile {

/// Calls from which on a method's time is more than a few chance events.
inline constexpr uint64_t kOftenCalls = 16;

class Machine {
  public:
    /// `calls` are the table's. `cpu`: all runs have CPU times. `absolute`: what the sides differ
    /// by as a whole stays.
    Machine(const RunTable& table, const ByRun& calls, bool cpu, bool absolute);

    /// CPU times, or wall times without them, as they were on the machine of the average run.
    [[nodiscard]] ByRun time(Part part) const;
    /// Own CPU times, and the time a method was off the processors but for what it usually loses.
    [[nodiscard]] ByRun own_with_waits() const;
    /// By method: variance of a run's own_with_waits() by losses of a processor at random, in ns^2.
    /// The variance of a sum of slices at random is a slice times the sum.
    [[nodiscard]] std::vector<double> wait_variance() const;

    /// By method: fewer than kOftenCalls calls in a run.
    [[nodiscard]] const std::vector<bool>& seldom() const { return seldom_; }
    /// NEW against OLD: 0.02 is 2 % longer. As many methods as common_from() say so; 0: too few to
    /// tell, nothing is taken out.
    [[nodiscard]] double common() const { return common_; }
    [[nodiscard]] std::size_t common_from() const { return common_from_; }
    /// The length of a loss of the processor, in ns; 0 without CPU times.
    [[nodiscard]] double slice_ns() const { return slice_ns_; }

  private:
    [[nodiscard]] bool in_all_runs(std::size_t method) const;
    [[nodiscard]] std::vector<std::size_t> comparable(const ByRun& ns, const ByRun& calls,
                                                      bool as_often) const;
    void set_factors(const ByRun& ns, const ByRun& calls, bool absolute);
    void set_losses();
    void set_slice();

    const RunTable& table_;
    const bool has_cpu_;
    std::vector<bool> seldom_;
    std::vector<double> factors_;  ///< by run: how much longer than on average all took
    std::vector<double> lost_;     ///< by run: time off the processors for each of CPU time
    double common_ = 0;
    std::size_t common_from_ = 0;
    double slice_ns_ = 0;
};

}  // namespace umbra::profile
