// SPDX-License-Identifier: MIT
#include "src/collector/error_statement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "src/collector/estimation_error.h"
#include "src/profile/derive.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;

/// What the error of one function is made of, by row of functions.
struct Doubt {
    double own_variance = 0;  ///< of estimated intervals of its own, in ticks^2
    double clocked_ticks = 0;
    double self_ticks = 0;
    double events = 0;
    double untimed = 0;
};

class Statement {
  public:
    Statement(const Snapshot& snapshot, const ErrorSources& sources, const LinearClock& clock,
              profile::Profile& profile)
        : snapshot_(snapshot),
          sources_(sources),
          clock_(clock),
          profile_(profile),
          doubts_(profile.functions.size()) {}

    void of_estimation() {
        const std::vector<double> variances = estimation_variances(
            snapshot_.nodes, snapshot_.spreads, snapshot_.surprise.dispersion());
        std::vector<double> of_rows;  // of the call tree
        of_rows.reserve(profile_.calltree.size());
        double whole = 0;
        for (size_t index = 1; index < snapshot_.nodes.size(); ++index) {
            whole += variances[index];
            if (snapshot_.nodes[index].function != CallTree::kNoFunction) {
                of_rows.push_back(variances[index]);
                add(index, variances[index]);
            }
        }
        const std::vector<double> inclusive = profile::inclusive_sums(profile_, of_rows);
        for (size_t row = 0; row < doubts_.size(); ++row) {
            tell(doubts_[row], inclusive[row], whole, profile_.functions[row]);
        }
    }

    void of_compensation() {
        for (size_t index = 0; index < sources_.compensation_ticks.size(); ++index) {
            const Row row =
                index < sources_.function_rows.size() ? sources_.function_rows[index] : kNone;
            if (row != kNone) {
                double& error = profile_.functions[row].self_error_ns;
                error = std::hypot(error, clock_.exact_ns(sources_.compensation_ticks[index]));
            }
        }
    }

  private:
    void add(size_t index, double variance) {
        const CallTreeNode& node = snapshot_.nodes[index];
        Doubt& doubt = doubts_[sources_.function_rows[node.function]];
        doubt.own_variance += variance;
        doubt.clocked_ticks += static_cast<double>(node.clocked_ticks);
        doubt.self_ticks += static_cast<double>(node.total_ticks - sources_.in_children[index]);
        doubt.events += 2 * static_cast<double>(node.calls);
        doubt.untimed += static_cast<double>(untimed_events(node, true));
    }

    void tell(const Doubt& doubt, double inclusive, double whole,
              profile::Function& function) const {
        if (doubt.self_ticks > 0) {
            function.clocked_share = std::min(1.0, doubt.clocked_ticks / doubt.self_ticks);
        }
        function.self_error_ns =
            clock_.exact_ns(std::sqrt(bridged_variance(doubt.own_variance, whole)));
        // Only calls whose ends have no clock reading have an inclusive time in doubt.
        const double unread = doubt.events > 0 ? doubt.untimed / doubt.events : 0;
        function.total_error_ns =
            clock_.exact_ns(std::sqrt(unread * bridged_variance(inclusive, whole)));
    }

    const Snapshot& snapshot_;
    const ErrorSources& sources_;
    const LinearClock& clock_;
    profile::Profile& profile_;
    std::vector<Doubt> doubts_;
};

}  // namespace

void state_errors(const Snapshot& snapshot, const ErrorSources& sources, const LinearClock& clock,
                  profile::Profile& profile) {
    Statement statement(snapshot, sources, clock, profile);
    if (snapshot.adaptive) {
        statement.of_estimation();
    }
    statement.of_compensation();
}

}  // namespace umbra::collector
