// SPDX-License-Identifier: MIT
// One time of many methods (such as their CPU time) in the runs of two sides: which of the
// differences between the sides are more than how runs of one side differ.
#pragma once

#include <cstddef>
#include <vector>

namespace umbra::profile {

/// The runs of two sides, at least one each: those of OLD come first.
struct Sides {
    std::size_t before = 1;
    std::size_t after = 1;

    [[nodiscard]] std::size_t runs() const { return before + after; }
    /// What the runs tell of how they differ: degrees of freedom of a variance within the sides.
    [[nodiscard]] std::size_t freedom() const { return runs() - 2; }
    /// Variance of the difference of both means, in times of that of a run.
    [[nodiscard]] double of_means() const {
        return 1 / static_cast<double>(before) + 1 / static_cast<double>(after);
    }
};

/// Added to a time before its logarithm is taken: below it, noise does not shrink with the time.
inline constexpr double kOffsetNs = 4e6;
/// A change of less than that part is none, however certain it is.
inline constexpr double kMargin = 0.01;
/// As many methods tell how runs differ; with fewer it is assumed.
inline constexpr std::size_t kEnough = 5;
inline constexpr double kAssumedNoise = 0.03;
inline constexpr double kAssumedNoiseTogether = 0.06;  ///< see Measure::together

/// The longest event that by chance falls on a run or does not, whichever method it meets: loading
/// of types, first calls of framework code, a processor taken away by the host.
inline constexpr double kLongestEventNs = 12e6;

/// Such events in the smaller side's runs: that several runs have them and none of the other side
/// does is less likely the more runs there are.
[[nodiscard]] double event_ns(const Sides& sides);

/// Times in nanoseconds by run, then by method; all runs have all methods.
struct Measure {
    std::vector<std::vector<double>> ns;
    std::vector<std::vector<double>> doubt_ns;  ///< by the probes' cost: see doubt_ns()
    std::vector<double> event_variance;  ///< by method: of a run's time, by chance events, in ns^2
    std::vector<bool> tested;            ///< by method; of the others nothing is said
    std::vector<bool> seldom;  ///< by method: too few calls for what happens to average out
    /// What makes a run's times longer makes those of all methods longer, as where threads wake up
    /// late, and is not taken out. Of how much runs differ, many methods tell little more than one.
    bool together = false;
};

/// What the runs say of one method.
struct Difference {
    double log_change = 0;  ///< of time and offset
    double log_error = 0;   ///< its standard error
    double freedom = 0;     ///< with which the error is known
    double chance = 1;      ///< the probability of such a change where there is none
    double before_ns = 0;   ///< means of the runs
    double after_ns = 0;
};

/// How runs of one side differ.
struct Noise {
    double typical = 0;    ///< standard deviation of a run's time, as a part of it: the median
    double inflation = 1;  ///< the differences between the sides are so many times larger than that
    std::size_t from = 0;  ///< methods it was measured on; 0: assumed
};

struct Comparison {
    std::vector<Difference> methods;
    Noise noise;
};

/// The mean of what `value_of` says of the runs `from` to `to`.
double mean_of_runs(std::size_t from, std::size_t to, const auto& value_of) {
    double sum = 0;
    for (std::size_t run = from; run < to; ++run) {
        sum += value_of(run);
    }
    return sum / static_cast<double>(to - from);
}
/// The mean over runs of the values of a method, which stand by run, then method.
[[nodiscard]] inline double mean_of(const std::vector<std::vector<double>>& values,
                                    std::size_t method, std::size_t from, std::size_t to) {
    return mean_of_runs(from, to, [&](std::size_t run) { return values[run][method]; });
}

/// By method: the mean of a measure over the runs of both sides, each side as one.
[[nodiscard]] std::vector<double> means(const std::vector<std::vector<double>>& ns,
                                        const Sides& sides);

/// The variance of each method's `values`, by run, then method, within the sides. Needs
/// sides.freedom() above 0.
[[nodiscard]] std::vector<double> variances_within(const std::vector<std::vector<double>>& values,
                                                   const Sides& sides);

/// Differences of the means of log(time + offset). Their errors:
///
/// - With several runs on a side, a moderated t statistic (Smyth 2004, see statistics.h): a
///   method's variance within the sides, and that of all methods, weighted by what either tells.
///   Chance events are added as a variance that is known; the degrees of freedom of the sum are
///   those of F. E. Satterthwaite, An approximate distribution of estimates of variance
///   components, Biometrics Bulletin 2 (1946).
/// - With one run each, the variance is that of the differences themselves, most of which are no
///   changes: 1.4826 times the median of their absolute values, taken for the scale of a Student
///   distribution with few degrees of freedom, as the tails of such noise are long.
/// - Never less than the difference between what the probes' cost leaves in doubt on either side.
/// It
///   is no chance: where a call has as many probes on both sides, both are wrong by as much.
/// - Where the sides differ in most methods by more than that (other machine, other day), all
/// errors
///   are widened until the median is what chance makes of it: B. Devlin and K. Roeder, Genomic
///   control for association studies, Biometrics 55 (1999).
[[nodiscard]] Comparison compare(const Measure& measure, const Sides& sides);

}  // namespace umbra::profile
