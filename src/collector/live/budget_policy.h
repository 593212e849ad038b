// SPDX-License-Identifier: MIT
// BudgetPolicy: which functions' probes cost more than they tell, when all cost more than allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "hotpath/segment.h"

namespace umbra::collector {

/// What one function did in a window.
struct FunctionLoad {
    uint32_t function = 0;
    uint64_t calls = 0;        ///< ended in the window
    uint64_t total_ticks = 0;  ///< inclusive time of these calls, as measured
    uint64_t self_ticks = 0;   ///< exclusive time, without the probes' own and without waits
};

/// What all threads did in a window.
struct WindowLoad {
    uint64_t covered_ticks = 0;  ///< inside instrumented calls, probes included
    uint64_t wait_ticks = 0;     ///< of them: waited for the collector
    /// Of them: waited for a processor that the collector had.
    uint64_t displaced_ticks = 0;
};

/// Estimates the overhead of one window after the other, as
///
///     (cost of all pairs of probes + waits for the collector and for processors it had)
///         / (time covered without them),
///
/// where a pair costs what was measured on this machine (hotpath::ProbeCosts). Waits are charged to
/// the functions in proportion to the cost of their probes.
///
/// Two windows in succession above the budget name functions: the fewest that bring the estimate
/// to the budget, and among equally few those that tell least for what they cost. Only functions
/// whose own cost exceeds the budget's share of their own self time can be named. That is enough:
/// if no function exceeded its share, the sum would not either. It also leaves every function with
/// long calls alone, whatever the others do.
///
/// Any numbers are allowed in. One thread.
class BudgetPolicy {
  public:
    /// A function with a longer mean call (as a multiple of a pair's cost) is never named.
    static constexpr double kLongCall = 2000;
    /// A function is asked for at most so often; then it counts as not to be had.
    static constexpr uint32_t kMaxRequests = 2;
    static constexpr size_t kMaxNamed = 256;  ///< at once, the costliest first

    /// `percent`: the budget, above 0. `costs` in ticks of the windows.
    BudgetPolicy(double percent, const hotpath::ProbeCosts& costs)
        : budget_(percent / 100), costs_(costs) {}

    /// The next window. Returns the functions whose hooks are to be taken out, mostly none.
    [[nodiscard]] std::vector<uint32_t> decide(std::span<const FunctionLoad> functions,
                                               const WindowLoad& window);
    /// The next window follows a gap: what was seen before says nothing about it.
    void restart() { windows_above_ = 0; }

    /// Of the last window, as a share: 0.05 = 5 %.
    [[nodiscard]] double overhead() const { return overhead_; }
    /// Ticks that the probes of so many calls took.
    [[nodiscard]] double cost(uint64_t calls) const;

  private:
    struct Candidate {
        uint32_t function;
        double cost;
        double self;
    };

    /// `scale`, `displaced`: all that was spent, and what of it threads waited for a processor, as
    /// multiples of the probes' cost.
    [[nodiscard]] std::vector<Candidate> candidates(std::span<const FunctionLoad> functions,
                                                    double scale, double displaced,
                                                    double least) const;
    std::vector<uint32_t> choose(std::vector<Candidate> candidates, double excess);

    double budget_;
    hotpath::ProbeCosts costs_;
    double overhead_ = 0;
    uint32_t windows_above_ = 0;
    std::unordered_map<uint32_t, uint32_t> requests_;  ///< by function
};

/// What the target says its stubs cost, where that can be true; else 20 ns for a pair, at
/// `ticks_hz`.
[[nodiscard]] hotpath::ProbeCosts plausible_costs(const hotpath::ProbeCosts& told, double ticks_hz);

}  // namespace umbra::collector
