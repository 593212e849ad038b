// SPDX-License-Identifier: MIT
#include "src/collector/build/compensation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace umbra::collector {
namespace {

/// Probe costs in one node's own time.
struct Cost {
    double timed = 0;    ///< of pairs that read the clock
    double untimed = 0;  ///< of pairs that do not

    [[nodiscard]] double ticks() const { return timed + untimed; }
};

constexpr double kMostTicks = 9.2e18;

uint64_t rounded(double ticks) {
    return static_cast<uint64_t>(std::llround(ticks));
}

/// What one function has before and after.
struct FunctionSum {
    double measured = 0;
    double cost = 0;
    double left = 0;  ///< sum of what its nodes have left, those below 0 counted as 0
};

class Compensation {
  public:
    Compensation(NodeTimes times, const hotpath::ProbeCosts& costs)
        : times_(std::move(times)), nodes_(times_.nodes), costs_(costs), cost_(nodes_.size()) {}

    Compensated run() {
        for (size_t index = 1; index < nodes_.size(); ++index) {
            charge(index);
        }
        sum_functions();
        take_out();
        cost_ = {};
        add_up();
        for (size_t function = 0; function < sums_.size(); ++function) {
            const FunctionSum& sum = sums_[function];
            result_.cost_ticks += std::min(sum.cost, sum.measured);
            if (sum.cost > sum.measured) {
                result_.clamped.push_back(static_cast<uint32_t>(function));
            }
        }
        return std::move(result_);
    }

  private:
    [[nodiscard]] bool is_root(size_t index) const {
        return nodes_[index].function == replay::CallTree::kNoFunction;
    }

    /// Charges a node's pairs of probes to the node and to its caller.
    void charge(size_t index) {
        const replay::CallTreeNode& node = nodes_[index];
        if (is_root(index)) {
            return;
        }
        const double untimed_pairs = static_cast<double>(replay::untimed_events(node, times_.adaptive)) / 2;
        const double timed_pairs = static_cast<double>(node.calls) - untimed_pairs;
        const double untimed = untimed_pairs * costs_.untimed / 2;
        cost_[index].timed += timed_pairs * costs_.timed_inside;
        cost_[index].untimed += untimed;
        cost_[node.parent].timed += timed_pairs * costs_.timed_outside;
        cost_[node.parent].untimed += untimed;
        // How a pair that costs more or less than it should is split nobody knows: both may bear
        // all of it.
        const double error =
            timed_pairs * costs_.timed_error + untimed_pairs * costs_.untimed_error;
        add_error(node.function, error);
        if (!is_root(node.parent)) {
            add_error(nodes_[node.parent].function, error);
        }
    }

    void add_error(uint32_t function, double ticks) {
        if (result_.error_ticks.size() <= function) {
            result_.error_ticks.resize(size_t{function} + 1);
        }
        result_.error_ticks[function] += ticks;
    }

    void sum_functions() {
        sums_.resize(result_.error_ticks.size());  // charge() has seen every function
        for (size_t index = 1; index < nodes_.size(); ++index) {
            if (is_root(index)) {
                continue;
            }
            const uint32_t function = nodes_[index].function;
            FunctionSum& sum = sums_[function];
            sum.measured += static_cast<double>(times_.self_ticks[index]);
            sum.cost += cost_[index].ticks();
            sum.left += left(index);
        }
    }

    [[nodiscard]] double left(size_t index) const {
        return std::max(0.0, static_cast<double>(times_.self_ticks[index]) - cost_[index].ticks());
    }

    /// Turns self times as measured into those without probes.
    void take_out() {
        for (size_t index = 0; index < nodes_.size(); ++index) {
            times_.self_ticks[index] = index == 0 || is_root(index) ? 0 : self_ticks(index);
        }
        result_.self_ticks = std::move(times_.self_ticks);
    }

    [[nodiscard]] uint64_t self_ticks(size_t index) const {
        const uint64_t measured = times_.self_ticks[index];
        const FunctionSum& sum = sums_[nodes_[index].function];
        const double wanted = std::max(0.0, sum.measured - sum.cost);
        const double self = sum.left > 0 ? left(index) * std::min(1.0, wanted / sum.left) : 0;
        // Whole ticks are taken out, so that what costs nothing stays exact.
        const double cost = std::max(0.0, static_cast<double>(measured) - self);
        return cost < kMostTicks ? measured - std::min(measured, rounded(cost)) : 0;
    }

    /// Fills the totals.
    void add_up() {
        std::vector<uint64_t>& totals = result_.total_ticks;
        std::vector<uint64_t>& cpu = result_.cpu_total_ticks;
        totals = result_.self_ticks;
        cpu = result_.self_ticks;
        for (const auto& [index, extra] : times_.extras) {
            cpu[index] -= std::min(cpu[index], extra.off_cpu_ticks);
        }
        for (size_t index = nodes_.size(); index-- > 1;) {
            totals[nodes_[index].parent] += totals[index];
            cpu[nodes_[index].parent] += cpu[index];
        }
    }

    NodeTimes times_;
    std::span<const replay::CallTreeNode> nodes_;
    const hotpath::ProbeCosts& costs_;
    std::vector<Cost> cost_;
    std::vector<FunctionSum> sums_;  ///< by function index
    Compensated result_;
};

}  // namespace

Compensated compensate(NodeTimes times, const hotpath::ProbeCosts& costs) {
    return Compensation(std::move(times), costs).run();
}

hotpath::ProbeCosts believable(const hotpath::ProbeCosts& costs) {
    constexpr float kMost = 1e5F;  // a system call takes less
    const hotpath::ProbeCosts copy = costs;
    for (const float value : {copy.timed_inside, copy.timed_outside, copy.untimed, copy.timed_error,
                              copy.untimed_error}) {
        if (!(value >= 0 && value <= kMost)) {
            return {};
        }
    }
    return copy;
}

}  // namespace umbra::collector
