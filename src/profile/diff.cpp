// SPDX-License-Identifier: MIT
#include "src/profile/diff.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/profile/call_sums.h"

namespace umbra::profile {
namespace {

/// Calls from which on a function's time is more than a few chance events.
constexpr uint64_t kOften = 16;
/// So many functions tell how runs differ; with fewer it is assumed.
constexpr std::size_t kEnough = 5;
constexpr double kLeastNoise = 0.01;
constexpr double kAssumedNoise = 0.03;
constexpr double kLeastNoiseSeldom = 0.1;
/// What one chance event adds: to wall time, a slice of the scheduler; to CPU time, interrupts.
constexpr double kWallEventNs = 4e6;
constexpr double kCpuEventNs = 1e6;
/// Widens a spread measured on n functions by 1 + 4 / n: on a handful it may be far too small.
constexpr double kWidening = 4;
/// A normal distribution's standard deviation, by its median absolute deviation.
constexpr double kOfMedian = 1.4826;
constexpr double kTellingCalls = 0.01;  ///< a smaller part more or fewer calls is passed over

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

bool often(const FunctionChange& change) {
    return std::min(change.before.times.calls, change.after.times.calls) >= kOften;
}

bool in_both(const FunctionChange& change) {
    return was_seen(change.before.times) && was_seen(change.after.times);
}

double own_ns(const CallTimes& times, bool cpu) {
    return static_cast<double>(cpu ? times.cpu.self_ns : times.self_ns);
}

double less(uint64_t a, uint64_t b) {
    return static_cast<double>(a - std::min(a, b));
}

/// Time off the processors.
double waited_ns(const CallTimes& times, bool inclusive) {
    return inclusive ? less(times.total_ns, times.cpu.total_ns)
                     : less(times.self_ns, times.cpu.self_ns);
}

double computed_ns(const CallTimes& times, bool inclusive) {
    return static_cast<double>(inclusive ? times.cpu.total_ns : times.cpu.self_ns);
}

bool waits(const CallTimes& times) {
    return waited_ns(times, false) > computed_ns(times, false);
}

double whole(const std::vector<FunctionChange>& functions, bool cpu) {
    double sum = 0;
    for (const FunctionChange& function : functions) {
        sum += own_ns(function.before.times, cpu);
    }
    return sum;
}

/// 0.1: a tenth more calls.
double more_calls(const FunctionChange& function) {
    return static_cast<double>(function.after.times.calls) /
               static_cast<double>(function.before.times.calls) -
           1;
}

bool as_many_calls(const FunctionChange& function) {
    return in_both(function) && std::abs(more_calls(function)) <= kTellingCalls;
}

/// Logarithms of new by old own time, of functions called as often as before and above `least_ns`.
std::vector<double> ratios(const std::vector<FunctionChange>& functions, bool cpu, double least_ns,
                           bool called_often) {
    std::vector<double> ratios;
    for (const FunctionChange& function : functions) {
        const double before = own_ns(function.before.times, cpu);
        const double after = own_ns(function.after.times, cpu);
        if (as_many_calls(function) && often(function) == called_often &&
            (before + after) / 2 > least_ns && std::min(before, after) > 0) {
            ratios.push_back(std::log(after / before));
        }
    }
    return ratios;
}

double spread(std::vector<double> values, double centre) {
    for (double& value : values) {
        value = std::abs(value - centre);
    }
    const double widening = 1 + kWidening / static_cast<double>(values.size());
    return widening * kOfMedian * median(std::move(values));
}

RunNoise noise_of(const std::vector<FunctionChange>& functions, bool cpu, bool absolute) {
    // What chance events make of shorter times tells nothing about the rest.
    const double least_ns = 2 * (cpu ? kCpuEventNs : kWallEventNs);
    const std::vector<double> many = ratios(functions, cpu, least_ns, true);
    const std::vector<double> few = ratios(functions, cpu, least_ns, false);
    RunNoise noise = {kAssumedNoise, kLeastNoiseSeldom, 0, 0};
    if (many.size() >= kEnough) {
        noise.often = std::max(kLeastNoise, spread(many, median(many)));
        noise.common = absolute ? 0 : std::exp(median(many)) - 1;
        noise.from = many.size();
    }
    noise.seldom = std::max(kLeastNoiseSeldom, noise.often);
    if (few.size() >= kEnough) {
        noise.seldom = std::max(noise.seldom, spread(few, median(few)));
    }
    return noise;
}

/// Of `values`, the one that a part of them does not exceed.
double quantile(std::vector<double> values, double part) {
    if (values.empty()) {
        return 0;
    }
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, place);
    return *place;
}

/// Time lost to other threads for each second of CPU time: of methods that compute, the median.
double lost(const std::vector<FunctionChange>& functions, HotFunction FunctionChange::*side) {
    std::vector<double> rates;
    for (const FunctionChange& function : functions) {
        const CallTimes& times = (function.*side).times;
        if (!waits(times) && computed_ns(times, false) > 5 * kCpuEventNs) {
            rates.push_back(waited_ns(times, false) / computed_ns(times, false));
        }
    }
    return rates.size() >= kEnough ? median(std::move(rates)) : 0;
}

/// What is waited beyond the usual loss; may be below 0.
double beyond_loss(const CallTimes& times, bool inclusive, double rate) {
    return waited_ns(times, inclusive) - rate * computed_ns(times, inclusive);
}

WaitNoise wait_noise_of(const std::vector<FunctionChange>& functions) {
    WaitNoise noise;
    noise.lost_before = lost(functions, &FunctionChange::before);
    noise.lost_after = lost(functions, &FunctionChange::after);
    std::vector<double> slices;
    std::vector<double> of_waits;
    for (const FunctionChange& function : functions) {
        const CallTimes& before = function.before.times;
        const CallTimes& after = function.after.times;
        const double both = waited_ns(before, false) + waited_ns(after, false);
        if (!in_both(function) || both < kWallEventNs / 4) {
            continue;
        }
        if (waits(before) && waits(after)) {
            of_waits.push_back(std::log(waited_ns(after, false) / waited_ns(before, false)));
        }
        const double difference = beyond_loss(after, false, noise.lost_after) -
                                  beyond_loss(before, false, noise.lost_before);
        slices.push_back(difference * difference / both);
    }
    // The variance of a sum of slices at random is a slice times the sum. 3.84 is the 95 % quantile
    // of the square of a standard normal variable.
    noise.slice_ns = kWallEventNs;
    if (slices.size() >= kEnough) {
        noise.slice_ns = std::max(noise.slice_ns, quantile(std::move(slices), 0.95) / 3.84);
    }
    noise.relative = of_waits.size() >= kEnough
                         ? std::max(kLeastNoiseSeldom, spread(of_waits, median(of_waits)))
                         : kLeastNoiseSeldom;
    return noise;
}

/// Where threads share work, who does what depends on chance. More than a twentieth of the
/// functions are not called more or less often by a change of the program alone.
bool calls_are_certain(const std::vector<FunctionChange>& functions) {
    std::vector<double> changes;
    for (const FunctionChange& function : functions) {
        if (often(function)) {
            changes.push_back(std::abs(more_calls(function)));
        }
    }
    return quantile(std::move(changes), 0.95) <= kTellingCalls;
}

class Judging {
  public:
    Judging(Diff& diff, const DiffOptions& options)
        : diff_(diff),
          least_wall_ns_(whole(diff.functions, false) * options.min_percent / 100),
          least_cpu_ns_(whole(diff.functions, true) * options.min_percent / 100) {}

    void run() {
        for (FunctionChange& function : diff_.functions) {
            function.verdict = in_both(function) ? verdict(function) : one_sided(function);
        }
    }

  private:
    [[nodiscard]] bool telling(const TimeChange& change) const {
        const double least_ns = change.by == JudgedBy::kCpu ? least_cpu_ns_ : least_wall_ns_;
        return std::abs(change.deviations) >= diff_.deviations &&
               std::abs(change.deviations * change.error_ns) >= least_ns;
    }

    /// By time computed, or by wall time where nothing else is known.
    [[nodiscard]] TimeChange by_time(const FunctionChange& function, bool inclusive,
                                     double stated_ns) const {
        const auto time_ns = [&](const CallTimes& times) {
            return diff_.has_cpu ? computed_ns(times, inclusive)
                                 : static_cast<double>(inclusive ? times.total_ns : times.self_ns);
        };
        const double noise = often(function) ? diff_.noise.often : diff_.noise.seldom;
        const double event_ns = diff_.has_cpu ? kCpuEventNs : kWallEventNs;
        const double expected = time_ns(function.before.times) * (1 + diff_.noise.common);
        const double actual = time_ns(function.after.times);
        TimeChange change;
        change.by = diff_.has_cpu ? JudgedBy::kCpu : JudgedBy::kWall;
        change.error_ns = std::hypot(stated_ns, noise * (expected + actual) / 2, event_ns);
        change.deviations = (actual - expected) / change.error_ns;
        change.relative = expected > 0 ? (actual - expected) / expected : 0;
        return change;
    }

    [[nodiscard]] TimeChange by_waiting(const FunctionChange& function, bool inclusive,
                                        double stated_ns) const {
        const CallTimes& before = function.before.times;
        const CallTimes& after = function.after.times;
        const WaitNoise& noise = diff_.waiting;
        const double both = waited_ns(before, inclusive) + waited_ns(after, inclusive);
        const double difference = beyond_loss(after, inclusive, noise.lost_after) -
                                  beyond_loss(before, inclusive, noise.lost_before);
        const double chance_ns = std::sqrt(noise.slice_ns * (both + noise.slice_ns));
        const auto wall_ns = static_cast<double>(inclusive ? before.total_ns : before.self_ns);
        TimeChange change;
        change.by = JudgedBy::kWaiting;
        change.error_ns = std::hypot(stated_ns, chance_ns, noise.relative * both / 2);
        change.deviations = difference / change.error_ns;
        change.relative = wall_ns > 0 ? difference / wall_ns : 0;
        return change;
    }

    [[nodiscard]] TimeChange judged(const FunctionChange& function, bool inclusive) const {
        const double stated_ns =
            inclusive ? std::hypot(function.before.total_error_ns, function.after.total_error_ns)
                      : std::hypot(function.before.self_error_ns, function.after.self_error_ns);
        const TimeChange time = by_time(function, inclusive, stated_ns);
        if (!diff_.has_cpu) {
            return time;
        }
        const TimeChange waiting = by_waiting(function, inclusive, stated_ns);
        const bool waiting_tells = telling(waiting);
        if (telling(time) != waiting_tells) {
            return waiting_tells ? waiting : time;
        }
        return std::abs(waiting.deviations) > std::abs(time.deviations) ? waiting : time;
    }

    [[nodiscard]] Verdict verdict(FunctionChange& function) const {
        function.self = judged(function, false);
        function.total = judged(function, true);
        const double calls = more_calls(function);
        if (telling(function.self)) {
            return by_own_time(function, calls);
        }
        if (telling(function.total)) {
            return function.total.deviations > 0 ? Verdict::kSlowerBelow : Verdict::kFasterBelow;
        }
        if (diff_.calls_judged && !as_many_calls(function) && computes(function)) {
            return calls > 0 ? Verdict::kMoreCalls : Verdict::kFewerCalls;
        }
        return Verdict::kSame;
    }

    /// More time by more calls alone is no slower method.
    [[nodiscard]] Verdict by_own_time(const FunctionChange& function, double calls) const {
        const double noise = often(function) ? diff_.noise.often : diff_.noise.seldom;
        const double a_call = (1 + function.self.relative) / (1 + calls) - 1;
        if (!as_many_calls(function) && calls * function.self.relative > 0 &&
            std::abs(a_call) < diff_.deviations * noise) {
            return calls > 0 ? Verdict::kMoreCalls : Verdict::kFewerCalls;
        }
        return function.self.deviations > 0 ? Verdict::kSlower : Verdict::kFaster;
    }

    /// Its own time is worth a line, whatever it waited.
    [[nodiscard]] bool computes(const FunctionChange& function) const {
        if (!diff_.has_cpu) {
            return matters(function);
        }
        return std::max(computed_ns(function.before.times, false),
                        computed_ns(function.after.times, false)) >=
               std::max(least_cpu_ns_, kCpuEventNs);
    }

    [[nodiscard]] bool matters(const FunctionChange& function) const {
        return static_cast<double>(
                   std::max(function.before.times.self_ns, function.after.times.self_ns)) >=
               std::max(least_wall_ns_, kWallEventNs);
    }

    [[nodiscard]] Verdict one_sided(const FunctionChange& function) const {
        if (!matters(function)) {
            return Verdict::kSame;
        }
        return was_seen(function.after.times) ? Verdict::kNew : Verdict::kGone;
    }

    Diff& diff_;
    double least_wall_ns_;
    double least_cpu_ns_;
};

int rank(Verdict verdict) {
    switch (verdict) {
        case Verdict::kSlower:
        case Verdict::kFaster:
            return 0;
        case Verdict::kMoreCalls:
        case Verdict::kFewerCalls:
            return 1;
        case Verdict::kNew:
        case Verdict::kGone:
            return 2;
        case Verdict::kSlowerBelow:
        case Verdict::kFasterBelow:
            return 3;
        case Verdict::kSame:
            break;
    }
    return 4;
}

/// How much more or less time, as shown.
double size_ns(const FunctionChange& function) {
    const bool below = rank(function.verdict) == 3;
    const CallTimes& before = function.before.times;
    const CallTimes& after = function.after.times;
    return std::abs(below
                        ? static_cast<double>(after.total_ns) - static_cast<double>(before.total_ns)
                        : static_cast<double>(after.self_ns) - static_cast<double>(before.self_ns));
}

/// Functions of one name and module in one: assemblies can be loaded more than once.
void merge(HotFunction& sum, const HotFunction& one) {
    if (!was_seen(sum.times)) {
        sum = one;
        return;
    }
    add_own(sum.times, one.times, true);
    add_inclusive(sum.times, one.times);
    add_extremes(sum.times, one.times);
    sum.self_error_ns = std::hypot(sum.self_error_ns, one.self_error_ns);
    sum.total_error_ns = std::hypot(sum.total_error_ns, one.total_error_ns);
    sum.limited = sum.limited || one.limited;
}

/// Errors are any numbers in a made-up file.
void tame(HotFunction& hot) {
    for (double* error : {&hot.self_error_ns, &hot.total_error_ns}) {
        *error = std::isfinite(*error) ? std::abs(*error) : 0;
    }
}

std::vector<FunctionChange> matched(const Profile& before, const Profile& after,
                                    const DiffOptions& options) {
    const View view = {.top = std::numeric_limits<std::size_t>::max(),
                       .pauses = options.pauses,
                       .filter = options.filter};
    std::map<std::pair<std::string, std::string>, FunctionChange> by_name;
    for (HotFunction& hot : hot_list(before, view).functions) {
        tame(hot);
        merge(by_name[{hot.name, hot.module}].before, hot);
    }
    for (HotFunction& hot : hot_list(after, view).functions) {
        tame(hot);
        merge(by_name[{hot.name, hot.module}].after, hot);
    }
    std::vector<FunctionChange> functions;
    functions.reserve(by_name.size());
    for (auto& [name, change] : by_name) {
        functions.push_back(std::move(change));
    }
    return functions;
}

}  // namespace

Diff diff(const Profile& before, const Profile& after, const DiffOptions& options) {
    Diff diff;
    diff.functions = matched(before, after, options);
    diff.has_cpu = has_cpu_times(before.session) && has_cpu_times(after.session);
    diff.noise = noise_of(diff.functions, diff.has_cpu, options.absolute);
    diff.calls_judged = !is_sampled(before.session) && !is_sampled(after.session) &&
                        calls_are_certain(diff.functions);
    if (diff.has_cpu) {
        diff.waiting = wait_noise_of(diff.functions);
    }
    // About the greatest of so many deviations that chance alone makes.
    const double compared = std::max(1.0, static_cast<double>(diff.functions.size()));
    diff.deviations = std::max(3.0, std::sqrt(2 * std::log(compared)));
    Judging(diff, options).run();
    // They come by name, which stays the order of equals.
    std::ranges::stable_sort(diff.functions, [](const FunctionChange& a, const FunctionChange& b) {
        return std::tuple(rank(a.verdict), -size_ns(a)) < std::tuple(rank(b.verdict), -size_ns(b));
    });
    diff.changed = static_cast<std::size_t>(std::ranges::count_if(
        diff.functions,
        [](const FunctionChange& function) { return function.verdict != Verdict::kSame; }));
    return diff;
}

double worst_increase(const Diff& diff) {
    double worst = 0;
    for (const FunctionChange& function : diff.functions) {
        // Of methods called more often, only those whose time changed as well.
        if ((function.verdict == Verdict::kSlower || function.verdict == Verdict::kMoreCalls) &&
            function.self.deviations >= diff.deviations) {
            worst = std::max(worst, function.self.relative);
        }
        if (function.verdict == Verdict::kSlowerBelow) {
            worst = std::max(worst, function.total.relative);
        }
    }
    return worst;
}

}  // namespace umbra::profile
