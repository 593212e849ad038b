// SPDX-License-Identifier: MIT
#include "src/profile/diff/measure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/profile/diff/statistics.h"

namespace umbra::profile {
namespace {

/// What runs of a method differ by at least, as a part of its time, where it is called often or
/// seldom. How much more it is, the methods tell.
constexpr double kUnit = 0.01;
constexpr double kUnitSeldom = 0.1;
/// Degrees of freedom of a variance that is assumed, or measured on other methods alone.
constexpr double kAssumedFreedom = 4;
/// A distribution's median tells something from so many values upwards.
constexpr std::size_t kEnoughForMedian = 20;
/// Of the absolute value of a standard normal variable.
constexpr double kMedianOfNormal = 0.6745;
/// Widens a scale found with n values by 1 + 4 / n: on a handful it may be far too small.
constexpr double kWidening = 4;

std::vector<std::vector<double>> logarithms(const std::vector<std::vector<double>>& ns) {
    std::vector<std::vector<double>> logs = ns;
    for (std::vector<double>& run : logs) {
        for (double& value : run) {
            value = std::log(value + kOffsetNs);
        }
    }
    return logs;
}

class Comparing {
  public:
    Comparing(const Measure& measure, const Sides& sides)
        : measure_(measure), sides_(sides), logs_(logarithms(measure.ns)) {
        const std::vector<double> all = means(measure.ns, sides);
        result_.methods.resize(all.size());
        for (std::size_t method = 0; method < all.size(); ++method) {
            if (measure.tested[method]) {
                tested_.push_back(method);
                const double size = all[method] + kOffsetNs;
                events_.push_back(measure.event_variance[method] / (size * size));
                const double least = measure.seldom[method] ? kUnitSeldom : kUnit;
                units_.push_back(least * least + events_.back());
            }
        }
    }

    Comparison run() {
        set_changes();
        if (sides_.freedom() > 0) {
            set_errors_from_runs();
        } else {
            set_errors_from_methods();
        }
        widen();
        for (const std::size_t method : tested_) {
            Difference& one = result_.methods[method];
            one.chance = chance_of(one.log_change, kMargin, one.log_error, one.freedom);
        }
        return std::move(result_);
    }

  private:
    void set_changes() {
        for (const std::size_t method : tested_) {
            Difference& one = result_.methods[method];
            one.before_ns = mean_of(measure_.ns, method, 0, sides_.before);
            one.after_ns = mean_of(measure_.ns, method, sides_.before, sides_.runs());
            one.log_change = mean_of(logs_, method, sides_.before, sides_.runs()) -
                             mean_of(logs_, method, 0, sides_.before);
        }
        std::vector<double> changes;
        for (const std::size_t method : tested_) {
            changes.push_back(result_.methods[method].log_change);
        }
        common_ = median(std::move(changes));
    }

    void set_errors_from_runs() {
        const std::vector<double> within = variances_within(logs_, sides_);
        const auto freedom = static_cast<double>(sides_.freedom());
        std::vector<double> in_units;
        for (std::size_t i = 0; i < tested_.size(); ++i) {
            in_units.push_back(within[tested_[i]] / units_[i]);
        }
        const bool measured = tested_.size() >= kEnough;
        VariancePrior known =
            measured ? fit_variance_prior(in_units, freedom) : VariancePrior{0, kAssumedFreedom};
        if (measure_.together) {
            known.freedom = std::min(known.freedom, kAssumedFreedom);
        }
        std::vector<double> spreads;
        for (std::size_t i = 0; i < tested_.size(); ++i) {
            const double of_all =
                measured ? known.variance * units_[i] : assumed_noise() * assumed_noise();
            const double moderated =
                (known.freedom * of_all + freedom * within[tested_[i]]) / (known.freedom + freedom);
            const double whole = moderated + events_[i];
            set_error(tested_[i], std::sqrt(whole * sides_.of_means()),
                      whole * whole / (moderated * moderated) * (known.freedom + freedom));
            spreads.push_back(std::sqrt(whole));
        }
        result_.noise = {median(spreads), 1, measured ? tested_.size() : 0};
    }

    void set_errors_from_methods() {
        // The common shift may be no change, and nothing else tells how large that is.
        const double common = measure_.together ? 0 : common_;
        std::vector<double> in_units;
        for (std::size_t i = 0; i < tested_.size(); ++i) {
            in_units.push_back(std::abs(result_.methods[tested_[i]].log_change - common) /
                               std::sqrt(units_[i] * sides_.of_means()));
        }
        const bool measured = tested_.size() >= kEnough;
        const double widening = 1 + kWidening / static_cast<double>(tested_.size());
        const double scale =
            measured ? widening * std::max(1.0, median(in_units) / kMedianOfNormal) : 1;
        std::vector<double> spreads;
        for (std::size_t i = 0; i < tested_.size(); ++i) {
            const double assumed = assumed_noise() * assumed_noise() + events_[i];
            const double variance =
                measured ? scale * scale * units_[i] : std::max(units_[i], assumed);
            set_error(tested_[i], std::sqrt(variance * sides_.of_means()), kAssumedFreedom);
            spreads.push_back(std::sqrt(variance));
        }
        result_.noise = {median(spreads), 1, measured ? tested_.size() : 0};
    }

    [[nodiscard]] double assumed_noise() const {
        return measure_.together ? kAssumedNoiseTogether : kAssumedNoise;
    }

    void set_error(std::size_t method, double error, double freedom) {
        const auto doubt = [&](std::size_t from, std::size_t to) {
            return mean_of_runs(from, to, [&](std::size_t run) {
                return measure_.doubt_ns[run][method] / (measure_.ns[run][method] + kOffsetNs);
            });
        };
        Difference& one = result_.methods[method];
        one.log_error = std::max(
            error, std::abs(doubt(sides_.before, sides_.runs()) - doubt(0, sides_.before)));
        one.freedom = freedom;
    }

    void widen() {
        if (tested_.size() < kEnoughForMedian) {
            return;
        }
        std::vector<double> sizes;
        for (const std::size_t method : tested_) {
            const Difference& one = result_.methods[method];
            sizes.push_back(std::abs(one.log_change - common_) / one.log_error);
        }
        result_.noise.inflation = std::max(1.0, median(sizes) / kMedianOfNormal);
        for (const std::size_t method : tested_) {
            result_.methods[method].log_error *= result_.noise.inflation;
        }
    }

    const Measure& measure_;
    const Sides sides_;
    const std::vector<std::vector<double>> logs_;
    std::vector<std::size_t> tested_;
    std::vector<double> events_;  ///< by tested method: variance of the logarithm by chance events
    std::vector<double> units_;   ///< by tested method: the least variance of a run
    double common_ = 0;           ///< median of the changes: 0 but where that was to be left in
    Comparison result_;
};

}  // namespace

double event_ns(const Sides& sides) {
    return kLongestEventNs / static_cast<double>(std::min(sides.before, sides.after));
}

std::vector<double> means(const std::vector<std::vector<double>>& ns, const Sides& sides) {
    std::vector<double> result;
    for (std::size_t method = 0; method < ns.front().size(); ++method) {
        result.push_back((mean_of(ns, method, 0, sides.before) +
                          mean_of(ns, method, sides.before, sides.runs())) /
                         2);
    }
    return result;
}

std::vector<double> variances_within(const std::vector<std::vector<double>>& values,
                                     const Sides& sides) {
    std::vector<double> result;
    for (std::size_t method = 0; method < values.front().size(); ++method) {
        double squares = 0;
        for (const auto& [from, to] :
             {std::pair(std::size_t{0}, sides.before), std::pair(sides.before, sides.runs())}) {
            const double mean = mean_of(values, method, from, to);
            for (std::size_t run = from; run < to; ++run) {
                squares += (values[run][method] - mean) * (values[run][method] - mean);
            }
        }
        result.push_back(squares / static_cast<double>(sides.freedom()));
    }
    return result;
}

Comparison compare(const Measure& measure, const Sides& sides) {
    return Comparing(measure, sides).run();
}

}  // namespace umbra::profile
