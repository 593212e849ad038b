// SPDX-License-Identifier: MIT
// Runs side by side: a row for each method of any of them, a column for each run.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "src/profile/diff/measure.h"
#include "src/profile/diff/run.h"

namespace umbra::profile {

enum class Part { kSelf, kTotal };

/// Values by run, then by method.
using ByRun = std::vector<std::vector<double>>;

class RunTable {
  public:
    /// `before` and `after` must outlive it.
    RunTable(const std::vector<Run>& before, const std::vector<Run>& after);

    [[nodiscard]] const Sides& sides() const { return sides_; }
    [[nodiscard]] std::size_t methods() const { return names_.size(); }
    [[nodiscard]] std::string_view name(std::size_t method) const { return names_[method].first; }
    [[nodiscard]] std::string_view module(std::size_t method) const {
        return names_[method].second;
    }
    /// Null where the run has not called it.
    [[nodiscard]] const MethodTimes* at(std::size_t run, std::size_t method) const {
        return rows_[run][method];
    }

    [[nodiscard]] ByRun calls() const;
    [[nodiscard]] ByRun wall(Part part) const;
    [[nodiscard]] ByRun cpu(Part part) const;
    [[nodiscard]] ByRun doubts(Part part) const;
    /// Of async methods a call's wall time from begin to result, or as its own what it awaited that
    /// was no timed call of its own making; in nanoseconds, times the mean of the runs' calls. So
    /// more calls are no longer ones, as where clients ask as fast as they are answered. 0 of
    /// others.
    [[nodiscard]] ByRun async_wall(Part part) const;
    [[nodiscard]] ByRun async_calls() const;
    /// By method: the calls are known in all runs, from begin to result but for a twentieth. One
    /// that goes on at the end of a run lasts as long as the run does.
    [[nodiscard]] std::vector<bool> has_whole_calls() const;

    /// Runs of OLD or of NEW that have called a method.
    [[nodiscard]] std::size_t seen_before(std::size_t method) const;
    [[nodiscard]] std::size_t seen_after(std::size_t method) const;

  private:
    [[nodiscard]] ByRun values(double (*of)(const MethodTimes&)) const;
    [[nodiscard]] std::size_t seen(std::size_t method, std::size_t from, std::size_t to) const;

    Sides sides_;
    std::vector<std::pair<std::string_view, std::string_view>> names_;  ///< in their order
    std::vector<std::vector<const MethodTimes*>> rows_;                 ///< by run, then method
};

}  // namespace umbra::profile
