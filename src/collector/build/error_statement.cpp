// SPDX-License-Identifier: MIT
// Sums over arcs, by function.
#include "src/collector/build/error_statement.h"

#include <algorithm>
#include <cmath>

#include "src/replay/estimate/estimation_error.h"

namespace umbra::collector {
namespace {

using replay::Arc;
using replay::CallTree;

/// Calls `visit` with each arc's terms, those of its caller (null: a thread's), and its calls.
template <typename Visit>
void for_each_arc(const ShardSnapshot& shard, std::vector<ErrorTerms>& terms, Visit visit) {
    for (size_t arc = 1; arc < shard.tree.arcs.size(); ++arc) {
        const uint32_t source = CallTree::source(shard.tree.arcs[arc]);
        const uint32_t caller = shard.tree.places[source].function;
        visit(shard.tree.arcs[arc], terms[CallTree::function(shard.tree.arcs[arc])],
              caller == CallTree::kNoFunction ? nullptr : &terms[caller],
              static_cast<double>(shard.tree.calls[arc]));
    }
}

void add_calls(const ShardSnapshot& shard, std::vector<ErrorTerms>& terms) {
    for_each_arc(shard, terms,
                 [](const Arc& arc, ErrorTerms& callee, const ErrorTerms*, double calls) {
                     callee.calls += calls;
                     callee.self_ticks += static_cast<double>(replay::ticks_of(arc.self));
                 });
    for (size_t function = 0; function < terms.size(); ++function) {
        ErrorTerms& term = terms[function];
        term.timed = 2 * term.calls;
        term.clocked_ticks = term.self_ticks;
        if (function < shard.estimation.events.size()) {
            const replay::EstimatedEvents& estimated = shard.estimation.events[function];
            term.timed -= std::min(term.timed, static_cast<double>(estimated.untimed));
            term.clocked_ticks -=
                std::min(term.clocked_ticks, static_cast<double>(estimated.ticks));
        }
    }
}

std::vector<ErrorTerms> terms_of(const ShardSnapshot& shard, const hotpath::ProbeCosts& costs) {
    uint32_t functions = 0;
    for (size_t arc = 1; arc < shard.tree.arcs.size(); ++arc) {
        functions = std::max(functions, CallTree::function(shard.tree.arcs[arc]) + 1);
    }
    std::vector<ErrorTerms> terms(functions);
    add_calls(shard, terms);
    for_each_arc(shard, terms,
                 [&](const Arc&, ErrorTerms& callee, ErrorTerms* caller, double calls) {
                     // Every event without a reading lies between two intervals, one of its own
                     // function and one of the caller, and makes half an estimated interval of
                     // either.
                     const double untimed = calls * callee.untimed_share();
                     // How a pair that costs more or less than it should is split nobody knows:
                     // both may bear all of it.
                     const double error = untimed * double{costs.untimed_error} +
                                          (calls - untimed) * double{costs.timed_error};
                     const double readings = 2 * (calls - untimed);
                     callee.intervals += untimed;
                     callee.probe_error += error;
                     callee.readings += readings;
                     if (caller != nullptr) {
                         caller->intervals += untimed;
                         caller->probe_error += error;
                         caller->readings += readings;
                     }
                 });
    std::vector<double> intervals;
    intervals.reserve(terms.size());
    for (const ErrorTerms& term : terms) {
        intervals.push_back(term.intervals);
    }
    const std::vector<double> variances = estimation_variances(
        intervals, shard.estimation.spreads, shard.estimation.residuals.dispersion());
    for (size_t function = 0; function < terms.size(); ++function) {
        terms[function].variance = variances[function];
    }
    return terms;
}

}  // namespace

ErrorTerms& ErrorTerms::operator+=(const ErrorTerms& other) {
    calls += other.calls;
    timed += other.timed;
    intervals += other.intervals;
    variance += other.variance;
    clocked_ticks += other.clocked_ticks;
    self_ticks += other.self_ticks;
    probe_error += other.probe_error;
    readings += other.readings;
    inclusive += other.inclusive;
    return *this;
}

double ErrorTerms::untimed_share() const {
    return calls > 0 ? 1 - timed / (2 * calls) : 0;
}

std::vector<ErrorTerms> error_terms(const Snapshot& snapshot) {
    std::vector<ErrorTerms> sums;
    for (const ShardSnapshot& shard : snapshot.shards) {
        const std::vector<ErrorTerms> terms = terms_of(shard, snapshot.probe_costs);
        sums.resize(std::max(sums.size(), terms.size()));
        for (size_t function = 0; function < terms.size(); ++function) {
            sums[function] += terms[function];
        }
    }
    return sums;
}

void set_errors(const ErrorTerms& terms, double whole, const replay::LinearClock& clock,
                double resolution_ns, profile::Function& function) {
    // Where in its step the clock stood is anybody's guess: a uniform distribution.
    const double step_variance_ns2 = resolution_ns * resolution_ns / 12;
    double self_variance = terms.probe_error * terms.probe_error;
    if (whole > 0) {
        if (terms.self_ticks > 0) {
            function.clocked_share = std::min(1.0, terms.clocked_ticks / terms.self_ticks);
        }
        self_variance += replay::bridged_variance(terms.variance, whole);
        // Only calls whose ends have no clock reading have an inclusive time in doubt.
        function.total_error_ns = clock.exact_ns(
            std::sqrt(terms.untimed_share() * replay::bridged_variance(terms.inclusive, whole)));
    }
    function.self_error_ns = std::hypot(clock.exact_ns(std::sqrt(self_variance)),
                                        std::sqrt(terms.readings * step_variance_ns2));
}

}  // namespace umbra::collector
