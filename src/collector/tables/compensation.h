// SPDX-License-Identifier: MIT
// Compensation: takes what was umbra's, the probes' cost and waits, out of measured times.
#pragma once

#include <cstdint>
#include <vector>

namespace umbra::collector {

/// The own time of the calls along one arc, as measured.
struct MeasuredSelf {
    uint32_t function;  ///< any number below the greatest row of a table one would make
    uint64_t ticks;
    double cost_ticks;  ///< of these, what is to be taken out
    /// What is left at least, be the cost what it may: the calls have run.
    uint64_t least_ticks = 0;
};

/// Takes the cost out of a table's rows one by one. Where it is more than an arc's time, the arc
/// gets the least that can be and the other arcs of the same function bear the rest, in proportion
/// to what they have beyond theirs: the sum over a function stays right as long as it is above the
/// least. One thread.
class Compensation {
  public:
    /// First, of every row.
    void add(const MeasuredSelf& self);
    /// Then, of the same rows in the same order: the ticks that are left.
    uint64_t take_out(const MeasuredSelf& self);
    /// The next row that is taken out is the first one again.
    void begin_again();
    /// Functions whose probes seem to have cost more than their whole self time, ascending: they
    /// have the least that can be.
    [[nodiscard]] std::vector<uint32_t> clamped() const;

  private:
    /// What one function has before and after.
    struct FunctionSum {
        double measured = 0;
        double cost = 0;
        double least = 0;   ///< sum of what its arcs have at least
        double beyond = 0;  ///< sum of what they have left beyond that
        double owed = 0;    ///< cost of arcs done with that was rounded off

        [[nodiscard]] double most_cost() const { return measured - least; }
    };

    std::vector<FunctionSum> sums_;  ///< by function
};

}  // namespace umbra::collector
