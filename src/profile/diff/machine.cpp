// SPDX-License-Identifier: MIT
#include "src/profile/diff/machine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/profile/diff/statistics.h"

namespace umbra::profile {
namespace {

/// Shorter times tell of chance events more than of the machine.
constexpr double kLeastComparedCpuNs = 2e6;
constexpr double kLeastComparedWallNs = 8e6;
constexpr double kAsOften = 0.01;  ///< calls of all runs differ by that part at most
/// A method that computes for less does not tell how often processors are lost.
constexpr double kLeastComputedNs = 5e6;
constexpr double kLeastWaitedNs = 1e6;

}  // namespace

Machine::Machine(const RunTable& table, const ByRun& calls, bool cpu, bool absolute)
    : table_(table),
      has_cpu_(cpu),
      factors_(table.sides().runs(), 1),
      lost_(table.sides().runs(), 0) {
    for (std::size_t method = 0; method < table.methods(); ++method) {
        seldom_.push_back(std::ranges::any_of(calls, [&](const std::vector<double>& run) {
            return run[method] < static_cast<double>(kOftenCalls);
        }));
    }
    set_factors(has_cpu_ ? table_.cpu(Part::kSelf) : table_.wall(Part::kSelf), calls, absolute);
    if (has_cpu_) {
        set_losses();
        set_slice();
    }
}

bool Machine::in_all_runs(std::size_t method) const {
    return table_.seen_before(method) == table_.sides().before &&
           table_.seen_after(method) == table_.sides().after;
}

std::vector<std::size_t> Machine::comparable(const ByRun& ns, const ByRun& calls,
                                             bool as_often) const {
    std::vector<std::size_t> methods;
    const std::vector<double> sizes = means(ns, table_.sides());
    for (std::size_t method = 0; method < table_.methods(); ++method) {
        if (!in_all_runs(method) || seldom_[method] ||
            sizes[method] < (has_cpu_ ? kLeastComparedCpuNs : kLeastComparedWallNs)) {
            continue;
        }
        double least = calls.front()[method];
        double most = least;
        for (const std::vector<double>& run : calls) {
            least = std::min(least, run[method]);
            most = std::max(most, run[method]);
        }
        if (!as_often || most - least <= kAsOften * most) {
            methods.push_back(method);
        }
    }
    return methods;
}

void Machine::set_factors(const ByRun& ns, const ByRun& calls, bool absolute) {
    std::vector<std::size_t> methods = comparable(ns, calls, true);
    if (methods.size() < kEnough) {
        methods = comparable(ns, calls, false);
    }
    if (methods.size() < kEnough) {
        return;
    }
    // The median of ratios to the method's mean: S. Anders and W. Huber, Differential expression
    // analysis for sequence count data, Genome Biology 11 (2010), section 2.2.
    std::vector<std::vector<double>> ratios(ns.size());
    for (const std::size_t method : methods) {
        double mean = 0;
        for (const std::vector<double>& run : ns) {
            mean += std::log(run[method] + kOffsetNs) / static_cast<double>(ns.size());
        }
        for (std::size_t run = 0; run < ns.size(); ++run) {
            ratios[run].push_back(std::log(ns[run][method] + kOffsetNs) - mean);
        }
    }
    std::vector<double> logs;
    logs.reserve(ratios.size());
    for (std::vector<double>& of_run : ratios) {
        logs.push_back(median(std::move(of_run)));
    }
    const std::size_t middle = table_.sides().before;
    const auto log_of = [&](std::size_t run) { return logs[run]; };
    const double before = mean_of_runs(0, middle, log_of);
    const double after = mean_of_runs(middle, logs.size(), log_of);
    for (std::size_t run = 0; run < logs.size(); ++run) {
        const double kept = !absolute ? 0 : run < middle ? before : after;
        factors_[run] = std::exp(logs[run] - kept);
    }
    common_ = std::expm1(after - before);
    common_from_ = methods.size();
}

void Machine::set_losses() {
    const ByRun wall = table_.wall(Part::kSelf);
    const ByRun cpu = table_.cpu(Part::kSelf);
    for (std::size_t run = 0; run < wall.size(); ++run) {
        std::vector<double> rates;
        for (std::size_t method = 0; method < table_.methods(); ++method) {
            const double computed = cpu[run][method];
            if (computed > kLeastComputedNs) {
                rates.push_back(std::max(0.0, wall[run][method] - computed) / computed);
            }
        }
        // Methods that wait for something lose more than the others: those are left out.
        const double most = 2 * quantile(rates, 0.25);
        std::erase_if(rates, [&](double rate) { return rate > most; });
        lost_[run] = rates.size() >= kEnough ? median(std::move(rates)) : 0;
    }
}

ByRun Machine::time(Part part) const {
    ByRun times = has_cpu_ ? table_.cpu(part) : table_.wall(part);
    for (std::size_t run = 0; run < times.size(); ++run) {
        for (double& ns : times[run]) {
            ns /= factors_[run];
        }
    }
    return times;
}

ByRun Machine::own_with_waits() const {
    ByRun times = time(Part::kSelf);
    const ByRun wall = table_.wall(Part::kSelf);
    const ByRun cpu = table_.cpu(Part::kSelf);
    for (std::size_t run = 0; run < times.size(); ++run) {
        for (std::size_t method = 0; method < table_.methods(); ++method) {
            const double computed = cpu[run][method];
            times[run][method] +=
                std::max(0.0, wall[run][method] - computed - lost_[run] * computed);
        }
    }
    return times;
}

std::vector<double> Machine::wait_variance() const {
    const std::vector<double> wall = means(table_.wall(Part::kSelf), table_.sides());
    const std::vector<double> cpu = means(table_.cpu(Part::kSelf), table_.sides());
    std::vector<double> variances;
    for (std::size_t method = 0; method < wall.size(); ++method) {
        const double waited = std::max(0.0, wall[method] - cpu[method]);
        variances.push_back(slice_ns_ * (waited + slice_ns_));
    }
    return variances;
}

void Machine::set_slice() {
    const ByRun times = own_with_waits();
    const std::vector<double> wall = means(table_.wall(Part::kSelf), table_.sides());
    const std::vector<double> cpu = means(table_.cpu(Part::kSelf), table_.sides());
    const bool several = table_.sides().freedom() > 0;
    const std::vector<double> within =
        several ? variances_within(times, table_.sides()) : std::vector<double>();
    std::vector<double> slices;
    for (std::size_t method = 0; method < table_.methods(); ++method) {
        const double waited = wall[method] - cpu[method];
        if (in_all_runs(method) && waited >= kLeastWaitedNs) {
            const double apart = times.back()[method] - times.front()[method];
            slices.push_back((several ? within[method] : apart * apart / 2) / waited);
        }
    }
    slice_ns_ = event_ns(table_.sides());
    if (slices.size() >= kEnough) {
        const double freedom = std::max(1.0, static_cast<double>(table_.sides().freedom()));
        slice_ns_ =
            std::max(slice_ns_, quantile(std::move(slices), 0.95) / mean_square_95(freedom));
    }
}

}  // namespace umbra::profile
