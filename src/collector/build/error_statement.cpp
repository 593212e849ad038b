// SPDX-License-Identifier: MIT
#include "src/collector/build/error_statement.h"

#include <algorithm>
#include <cmath>

#include "src/replay/estimation_error.h"

namespace umbra::collector {

using profile::kNone;
using profile::Row;

ErrorStatement::ErrorStatement(const Snapshot& snapshot, std::span<const uint64_t> self_ticks,
                               std::span<const Row> function_rows, size_t functions)
    : function_rows_(function_rows.begin(), function_rows.end()) {
    if (!snapshot.adaptive) {
        return;
    }
    doubts_.resize(functions);
    variances_ =
        replay::estimation_variances(snapshot.nodes, snapshot.spreads, snapshot.surprise.dispersion());
    size_t rows = 0;
    for (size_t index = 1; index < snapshot.nodes.size(); ++index) {
        const double variance = variances_[index];
        whole_ += variance;
        if (snapshot.nodes[index].function != replay::CallTree::kNoFunction) {
            add(snapshot.nodes[index], self_ticks[index], variance);
            variances_[rows++] = variance;
        }
    }
    variances_.resize(rows);
}

void ErrorStatement::add(const replay::CallTreeNode& node, uint64_t self_ticks, double variance) {
    Doubt& doubt = doubts_[function_rows_[node.function]];
    doubt.own_variance += variance;
    doubt.clocked_ticks += static_cast<double>(node.clocked_ticks);
    doubt.self_ticks += static_cast<double>(self_ticks);
    doubt.events += 2 * static_cast<double>(node.calls);
    doubt.untimed += static_cast<double>(replay::untimed_events(node, true));
}

void ErrorStatement::state(std::span<const double> inclusive,
                           std::span<const double> compensation_ticks, const replay::LinearClock& clock,
                           std::vector<profile::Function>& functions) const {
    for (size_t row = 0; row < doubts_.size(); ++row) {
        tell(doubts_[row], inclusive[row], clock, functions[row]);
    }
    for (size_t index = 0; index < compensation_ticks.size(); ++index) {
        const Row row = index < function_rows_.size() ? function_rows_[index] : kNone;
        if (row != kNone) {
            double& error = functions[row].self_error_ns;
            error = std::hypot(error, clock.exact_ns(compensation_ticks[index]));
        }
    }
}

void ErrorStatement::tell(const Doubt& doubt, double inclusive, const replay::LinearClock& clock,
                          profile::Function& function) const {
    if (doubt.self_ticks > 0) {
        function.clocked_share = std::min(1.0, doubt.clocked_ticks / doubt.self_ticks);
    }
    function.self_error_ns =
        clock.exact_ns(std::sqrt(replay::bridged_variance(doubt.own_variance, whole_)));
    // Only calls whose ends have no clock reading have an inclusive time in doubt.
    const double unread = doubt.events > 0 ? doubt.untimed / doubt.events : 0;
    function.total_error_ns =
        clock.exact_ns(std::sqrt(unread * replay::bridged_variance(inclusive, whole_)));
}

}  // namespace umbra::collector
