// SPDX-License-Identifier: MIT
#include "src/collector/compensation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

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
    Compensation(std::span<const NodeSelf> nodes, const hotpath::ProbeCosts& costs)
        : nodes_(nodes), costs_(costs), cost_(nodes.size()) {
        const double pair = static_cast<double>(costs.timed_inside) + costs.timed_outside;
        timed_error_ = pair > 0 ? costs.timed_error / pair : 0;
        untimed_error_ = costs.untimed > 0 ? costs.untimed_error / costs.untimed : 0;
    }

    Compensated run() {
        for (size_t index = 1; index < nodes_.size(); ++index) {
            charge(index);
        }
        sum_functions();
        result_.nodes.resize(nodes_.size());
        for (size_t index = 1; index < nodes_.size(); ++index) {
            take_out(index);
        }
        for (size_t index = nodes_.size(); index-- > 1;) {
            Compensated::Node& node = result_.nodes[index];
            node.total_ticks += node.self_ticks;
            node.cpu_total_ticks += node.cpu_self_ticks;
            Compensated::Node& parent = result_.nodes[nodes_[index].parent];
            parent.total_ticks += node.total_ticks;
            parent.cpu_total_ticks += node.cpu_total_ticks;
        }
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
    /// Charges a node's pairs of probes to the node and to its caller.
    void charge(size_t index) {
        const NodeSelf& node = nodes_[index];
        if (node.function == NodeSelf::kRoot) {
            return;
        }
        const double untimed_pairs =
            static_cast<double>(std::min(node.untimed, 2 * node.calls)) / 2;
        const double timed_pairs = static_cast<double>(node.calls) - untimed_pairs;
        const double untimed = untimed_pairs * costs_.untimed / 2;
        cost_[index].timed += timed_pairs * costs_.timed_inside;
        cost_[index].untimed += untimed;
        cost_[node.parent].timed += timed_pairs * costs_.timed_outside;
        cost_[node.parent].untimed += untimed;
    }

    void sum_functions() {
        uint32_t end = 0;
        for (const NodeSelf& node : nodes_) {
            end = node.function == NodeSelf::kRoot ? end : std::max(end, node.function + 1);
        }
        sums_.resize(end);
        result_.error_ticks.resize(end);
        for (size_t index = 1; index < nodes_.size(); ++index) {
            const NodeSelf& node = nodes_[index];
            if (node.function == NodeSelf::kRoot) {
                continue;
            }
            FunctionSum& sum = sums_[node.function];
            sum.measured += static_cast<double>(node.self_ticks);
            sum.cost += cost_[index].ticks();
            sum.left += left(index);
            result_.error_ticks[node.function] +=
                cost_[index].timed * timed_error_ + cost_[index].untimed * untimed_error_;
        }
    }

    [[nodiscard]] double left(size_t index) const {
        return std::max(0.0, static_cast<double>(nodes_[index].self_ticks) - cost_[index].ticks());
    }

    void take_out(size_t index) {
        const NodeSelf& node = nodes_[index];
        if (node.function == NodeSelf::kRoot) {
            return;
        }
        const FunctionSum& sum = sums_[node.function];
        const double wanted = std::max(0.0, sum.measured - sum.cost);
        const double self = sum.left > 0 ? left(index) * std::min(1.0, wanted / sum.left) : 0;
        // Whole ticks are taken out, so that what costs nothing stays exact.
        const double cost = std::max(0.0, static_cast<double>(node.self_ticks) - self);
        Compensated::Node& out = result_.nodes[index];
        out.self_ticks =
            cost < kMostTicks ? node.self_ticks - std::min(node.self_ticks, rounded(cost)) : 0;
        out.cpu_self_ticks = out.self_ticks - std::min(out.self_ticks, node.off_ticks);
    }

    std::span<const NodeSelf> nodes_;
    const hotpath::ProbeCosts& costs_;
    double timed_error_ = 0;  ///< relative
    double untimed_error_ = 0;
    std::vector<Cost> cost_;
    std::vector<FunctionSum> sums_;  ///< by function index
    Compensated result_;
};

}  // namespace

Compensated compensate(std::span<const NodeSelf> nodes, const hotpath::ProbeCosts& costs) {
    return Compensation(nodes, costs).run();
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
