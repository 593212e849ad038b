// SPDX-License-Identifier: MIT
#include "src/profile/diff/diff.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/profile/call_sums.h"
#include "src/profile/diff/calls.h"
#include "src/profile/diff/machine.h"
#include "src/profile/diff/statistics.h"
#include "src/profile/diff/table.h"
#include "src/profile/report.h"

namespace umbra::profile {
namespace {

/// Methods below that are not called new, gone, or called more often, where they take no time.
constexpr double kLeastWallNs = 4e6;
constexpr double kLeastCpuNs = 1e6;
constexpr uint64_t kMany = 10'000;  ///< calls of one that is new or gone: no chance

/// Of the two tests of a method's own time, that with waits finds less on a busy machine.
constexpr double kWeightOfWaits = 0.1;

/// A mean of whole numbers, as one.
uint64_t rounded(double value) {
    return static_cast<uint64_t>(std::llround(std::clamp(value, 0.0, 9e18)));
}

class Judging {
  public:
    Judging(const std::vector<Run>& before, const std::vector<Run>& after,
            const DiffOptions& options)
        : table_(before, after), options_(options), calls_(table_.calls()) {
        diff_.sides = table_.sides();
        const auto all_runs = [&](auto holds) {
            return std::ranges::all_of(before, holds) && std::ranges::all_of(after, holds);
        };
        diff_.has_cpu = all_runs([](const Run& run) { return has_cpu_times(run.session); });
        counted_ = all_runs([](const Run& run) { return !is_sampled(run.session); });
        for (const std::vector<Run>* side : {&before, &after}) {
            for (const Run& run : *side) {
                mean_wall_ns_ += static_cast<double>(run.session.wall_ns) /
                                 static_cast<double>(diff_.sides.runs());
            }
        }
    }

    Diff run() {
        add_functions();
        const Machine machine(table_, calls_, diff_.has_cpu, options_.absolute);
        diff_.common = machine.common();
        diff_.common_from = machine.common_from();
        diff_.slice_ns = machine.slice_ns();
        const ByRun wall = table_.wall(Part::kSelf);
        const ByRun cpu = table_.cpu(Part::kSelf);
        least_wall_ns_ = whole(wall) * options_.min_percent / 100;
        least_cpu_ns_ = whole(cpu) * options_.min_percent / 100;
        const Judged own = judge(machine, Part::kSelf);
        const Judged inclusive = judge(machine, Part::kTotal);
        set_noise(own);
        diff_.calls_judged = counted_ && calls_are_certain();
        set_detectable(own);
        for (std::size_t method = 0; method < diff_.functions.size(); ++method) {
            FunctionChange& function = diff_.functions[method];
            function.self = change(own, method);
            function.total = change(inclusive, method);
            function.verdict =
                function.in_both ? verdict(function, method) : one_sided(function, method);
        }
        look_below();
        return std::move(diff_);
    }

  private:
    void add_functions() {
        const ByRun self_doubts = table_.doubts(Part::kSelf);
        const ByRun total_doubts = table_.doubts(Part::kTotal);
        const std::size_t middle = diff_.sides.before;
        const std::size_t end = diff_.sides.runs();
        for (std::size_t method = 0; method < table_.methods(); ++method) {
            FunctionChange& function = diff_.functions.emplace_back();
            function.name = table_.name(method);
            function.module = table_.module(method);
            function.before = mean_times(method, 0, middle);
            function.after = mean_times(method, middle, end);
            function.before_doubts = {mean_of(self_doubts, method, 0, middle),
                                      mean_of(total_doubts, method, 0, middle)};
            function.after_doubts = {mean_of(self_doubts, method, middle, end),
                                     mean_of(total_doubts, method, middle, end)};
            function.before_async = mean_calls(method, 0, middle);
            function.after_async = mean_calls(method, middle, end);
            function.in_both =
                table_.seen_before(method) == middle && table_.seen_after(method) == end - middle;
        }
    }

    [[nodiscard]] CallTimes mean_times(std::size_t method, std::size_t from, std::size_t to) const {
        const auto mean = [&](auto of) {
            return rounded(mean_of_runs(from, to, [&](std::size_t run) {
                const MethodTimes* times = table_.at(run, method);
                return times == nullptr ? 0 : static_cast<double>(of(times->times));
            }));
        };
        CallTimes times;
        times.calls = mean([](const CallTimes& one) { return one.calls; });
        times.total_ns = mean([](const CallTimes& one) { return one.total_ns; });
        times.self_ns = mean([](const CallTimes& one) { return one.self_ns; });
        times.cpu.total_ns = mean([](const CallTimes& one) { return one.cpu.total_ns; });
        times.cpu.self_ns = mean([](const CallTimes& one) { return one.cpu.self_ns; });
        return times;
    }

    [[nodiscard]] AsyncMeans mean_calls(std::size_t method, std::size_t from,
                                        std::size_t to) const {
        AsyncCounts sums;
        for (std::size_t run = from; run < to; ++run) {
            if (const MethodTimes* times = table_.at(run, method); times != nullptr) {
                sums.calls += times->async.calls;
                sums.times.wall_ns += times->async.times.wall_ns;
                sums.times.outside_ns += own_awaiting_ns(times->async.times);
            }
        }
        const uint64_t calls = std::max<uint64_t>(sums.calls, 1);
        return {sums.calls / (to - from), sums.times.wall_ns / calls,
                sums.times.outside_ns / calls};
    }

    /// Of all functions of OLD.
    [[nodiscard]] double whole(const ByRun& own) const {
        double sum = 0;
        for (std::size_t method = 0; method < table_.methods(); ++method) {
            sum += mean_of(own, method, 0, diff_.sides.before);
        }
        return sum;
    }

    /// Which methods are large enough for a change that matters. It takes the mean of both sides,
    /// which does not depend on whether they differ: R. Bourgon, R. Gentleman and W. Huber,
    /// Independent filtering increases detection power for high-throughput experiments, PNAS 107
    /// (2010).
    [[nodiscard]] std::vector<bool> tested(const ByRun& ns, double least_ns) const {
        std::vector<bool> tested;
        const std::vector<double> sizes = means(ns, diff_.sides);
        for (std::size_t method = 0; method < sizes.size(); ++method) {
            tested.push_back(diff_.functions[method].in_both && sizes[method] > 0 &&
                             sizes[method] >= least_ns / 2);
        }
        return tested;
    }

    [[nodiscard]] Judged judge(const Machine& machine, Part part) const {
        Judged judged;
        Measure measure{machine.time(part), table_.doubts(part), {}, {}, machine.seldom(), false};
        measure.event_variance.assign(table_.methods(), std::pow(event_ns(diff_.sides) / 2, 2));
        measure.tested = tested(measure.ns, diff_.has_cpu ? least_cpu_ns_ : least_wall_ns_);
        if (!diff_.has_cpu && part == Part::kTotal) {
            leave_out_async(measure.tested);
        }
        // Waits with callees are waits of some callee's own, and often for other threads.
        const bool waits = diff_.has_cpu && part == Part::kSelf;
        judged.add(diff_.has_cpu ? JudgedBy::kCpu : JudgedBy::kWall, waits ? 1 - kWeightOfWaits : 1,
                   compare(measure, diff_.sides));
        if (waits) {
            measure.ns = machine.own_with_waits();
            measure.event_variance = machine.wait_variance();
            measure.tested = tested(measure.ns, least_wall_ns_);
            judged.add(JudgedBy::kWaiting, kWeightOfWaits, compare(measure, diff_.sides));
        }
        judged.add(JudgedBy::kAsyncWall, 1, compare(async_measure(part), diff_.sides));
        judged.decide();
        return judged;
    }

    /// What is awaited does not scale with how fast the machine is: nothing is taken out of it.
    [[nodiscard]] Measure async_measure(Part part) const {
        Measure measure{table_.async_wall(part), {}, {}, {}, {}, true};
        measure.doubt_ns.assign(diff_.sides.runs(), std::vector<double>(table_.methods(), 0));
        measure.tested = tested(measure.ns, least_wall_ns_);
        const std::vector<bool> whole = table_.has_whole_calls();
        const std::vector<double> sizes = means(measure.ns, diff_.sides);
        const ByRun calls = table_.async_calls();
        for (std::size_t method = 0; method < table_.methods(); ++method) {
            measure.tested[method] = measure.tested[method] && whole[method];
            measure.seldom.push_back(std::ranges::any_of(calls, [&](const auto& run) {
                return run[method] < static_cast<double>(kOftenCalls);
            }));
            // What happens once happens to all calls that wait at that time.
            const double at_once =
                mean_wall_ns_ > 0 ? std::max(1.0, sizes[method] / mean_wall_ns_) : 1;
            measure.event_variance.push_back(std::pow(at_once * event_ns(diff_.sides) / 2, 2));
        }
        return measure;
    }

    /// Of async methods inclusive wall times are those of whole calls, if these were followed, and
    /// are judged as such.
    void leave_out_async(std::vector<bool>& tested) const {
        for (const std::vector<double>& run : table_.async_calls()) {
            for (std::size_t method = 0; method < run.size(); ++method) {
                tested[method] = tested[method] && run[method] == 0;
            }
        }
    }

    [[nodiscard]] TimeChange change(const Judged& judged, std::size_t method) const {
        const Difference& one = judged.difference(method);
        TimeChange change;
        change.by = judged.by(method);
        if (one.freedom <= 0) {
            return change;
        }
        const double difference_ns = one.after_ns - one.before_ns;
        change.relative = one.before_ns > 0 ? difference_ns / one.before_ns : 0;
        change.error_ns = one.log_error * ((one.before_ns + one.after_ns) / 2 + kOffsetNs);
        change.deviations = one.log_change / one.log_error;
        change.chance = judged.chance(method);
        const double least_ns = change.by == JudgedBy::kCpu ? least_cpu_ns_ : least_wall_ns_;
        change.real = judged.real(method) && std::abs(difference_ns) >= least_ns;
        return change;
    }

    [[nodiscard]] Verdict verdict(const FunctionChange& function, std::size_t method) const {
        const double calls = more_calls(function);
        if (function.self.real && !takes_as_long(function)) {
            return by_own_time(function, calls);
        }
        if (diff_.calls_judged && calls_differ(calls_, diff_.sides, method) && computes(function)) {
            return calls > 0 ? Verdict::kMoreCalls : Verdict::kFewerCalls;
        }
        return Verdict::kSame;
    }

    /// Names those whose inclusive time changed, where a method that changed itself tells why.
    /// Without one it is chance more often than not: which thread does the work that all wait for.
    void look_below() {
        const auto any = [&](std::initializer_list<Verdict> verdicts) {
            return std::ranges::any_of(diff_.functions, [&](const FunctionChange& function) {
                return std::ranges::find(verdicts, function.verdict) != verdicts.end();
            });
        };
        const bool more = any({Verdict::kSlower, Verdict::kMoreCalls, Verdict::kNew});
        const bool less = any({Verdict::kFaster, Verdict::kFewerCalls, Verdict::kGone});
        for (FunctionChange& function : diff_.functions) {
            const bool longer = function.total.deviations > 0;
            if (function.in_both && function.verdict == Verdict::kSame && function.total.real &&
                (longer ? more : less)) {
                function.verdict = longer ? Verdict::kSlowerBelow : Verdict::kFasterBelow;
            }
        }
    }

    /// 0.1: a tenth more calls.
    [[nodiscard]] static double more_calls(const FunctionChange& function) {
        const auto before = static_cast<double>(std::max<uint64_t>(function.before.calls, 1));
        return static_cast<double>(function.after.calls) / before - 1;
    }

    /// A call of an async method that awaits what it was blocked by, or the other way round: of the
    /// difference of what it awaits its wall time has less than half.
    [[nodiscard]] static bool takes_as_long(const FunctionChange& function) {
        const auto difference = [&](uint64_t AsyncMeans::*of) {
            return static_cast<double>(function.after_async.*of) -
                   static_cast<double>(function.before_async.*of);
        };
        const double awaiting = difference(&AsyncMeans::awaiting_ns);
        const double wall = std::copysign(1.0, awaiting) * difference(&AsyncMeans::wall_ns);
        return function.self.by != JudgedBy::kWall && function.self.by != JudgedBy::kCpu &&
               awaiting != 0 && wall < std::abs(awaiting) / 2;
    }

    /// More time by more calls alone is no slower method.
    [[nodiscard]] static Verdict by_own_time(const FunctionChange& function, double calls) {
        const TimeChange& self = function.self;
        if (self.by == JudgedBy::kAsyncWall) {  // that is of a call
            return self.deviations > 0 ? Verdict::kSlower : Verdict::kFaster;
        }
        const double of_a_call =
            std::log1p(std::max(self.relative, -0.999)) - std::log1p(std::max(calls, -0.999));
        const double error = self.error_ns / std::max(1.0, mean_ns(function, self.by));
        if (std::abs(calls) > kTellingCalls && calls * self.relative > 0 &&
            std::abs(of_a_call) < 3 * error + kMargin) {
            return calls > 0 ? Verdict::kMoreCalls : Verdict::kFewerCalls;
        }
        return self.deviations > 0 ? Verdict::kSlower : Verdict::kFaster;
    }

    [[nodiscard]] static double mean_ns(const FunctionChange& function, JudgedBy by) {
        return by == JudgedBy::kCpu
                   ? static_cast<double>(function.before.cpu.self_ns + function.after.cpu.self_ns) /
                         2
                   : static_cast<double>(function.before.self_ns + function.after.self_ns) / 2;
    }

    /// Where threads share work, who does what depends on chance. More than a twentieth of the
    /// functions that take time are not called more or less often from run to run, or by a change
    /// of the program alone.
    [[nodiscard]] bool calls_are_certain() const {
        std::vector<double> changes;
        for (std::size_t method = 0; method < table_.methods(); ++method) {
            const FunctionChange& function = diff_.functions[method];
            if (!function.in_both || !computes(function) ||
                std::min(function.before.calls, function.after.calls) < kOftenCalls) {
                continue;
            }
            changes.push_back(calls_differ_by(calls_, diff_.sides, method));
        }
        return quantile(std::move(changes), 0.95) <= kTellingCalls;
    }

    /// What its calls themselves await, all of them in sum, is worth a line.
    [[nodiscard]] bool awaits(const FunctionChange& function) const {
        const auto all = [](const AsyncMeans& side) {
            return static_cast<double>(side.calls) * static_cast<double>(side.awaiting_ns);
        };
        return std::max(all(function.before_async), all(function.after_async)) >=
               std::max(least_wall_ns_, kLeastWallNs);
    }

    /// Its own time is worth a line, whatever it waited on its threads.
    [[nodiscard]] bool computes(const FunctionChange& function) const {
        if (!diff_.has_cpu || awaits(function)) {
            return matters(function);
        }
        return static_cast<double>(
                   std::max(function.before.cpu.self_ns, function.after.cpu.self_ns)) >=
               std::max(least_cpu_ns_, kLeastCpuNs);
    }

    [[nodiscard]] bool matters(const FunctionChange& function) const {
        return awaits(function) ||
               static_cast<double>(std::max(function.before.self_ns, function.after.self_ns)) >=
                   std::max(least_wall_ns_, kLeastWallNs);
    }

    [[nodiscard]] Verdict one_sided(const FunctionChange& function, std::size_t method) const {
        const std::size_t before = table_.seen_before(method);
        const std::size_t after = table_.seen_after(method);
        if (!matters(function) &&
            (!counted_ || std::max(function.before.calls, function.after.calls) < kMany)) {
            return Verdict::kSame;
        }
        return before == 0 && after == diff_.sides.after    ? Verdict::kNew
               : after == 0 && before == diff_.sides.before ? Verdict::kGone
                                                            : Verdict::kSame;
    }

    [[nodiscard]] JudgedBy first_measure() const {
        return diff_.has_cpu ? JudgedBy::kCpu : JudgedBy::kWall;
    }

    void set_noise(const Judged& own) {
        diff_.noise = own.found(first_measure())->noise;
        if (const Comparison* waiting = own.found(JudgedBy::kWaiting); waiting != nullptr) {
            diff_.waiting = waiting->noise;
        }
        const Comparison& awaiting = *own.found(JudgedBy::kAsyncWall);
        diff_.awaiting = awaiting.noise;
        diff_.async_judged = static_cast<std::size_t>(std::ranges::count_if(
            awaiting.methods, [](const Difference& one) { return one.freedom > 0; }));
    }

    void set_detectable(const Judged& own) {
        const std::vector<Difference>& methods = own.found(first_measure())->methods;
        std::size_t tests = 0;
        const Difference* largest = nullptr;
        double weight = 1;
        for (std::size_t method = 0; method < methods.size(); ++method) {
            const Difference& one = methods[method];
            tests += one.freedom > 0 ? 1 : 0;
            if (one.freedom > 0 && (largest == nullptr || one.before_ns > largest->before_ns)) {
                largest = &one;
                weight = own.weight(first_measure(), method);
                diff_.detectable.name = diff_.functions[method].name;
            }
        }
        if (largest == nullptr || largest->before_ns <= 0) {
            diff_.detectable = {};
            return;
        }
        const double chance = kFalseDiscoveries / static_cast<double>(tests) * weight;
        const double log_change =
            kMargin + distance_of(chance, largest->log_error, largest->freedom);
        diff_.detectable.time_ns = largest->before_ns;
        diff_.detectable.relative =
            std::expm1(log_change) * (largest->before_ns + kOffsetNs) / largest->before_ns;
    }

    const RunTable table_;
    const DiffOptions& options_;
    const ByRun calls_;
    Diff diff_;
    bool counted_ = true;  ///< no run is sampled
    double least_wall_ns_ = 0;
    double least_cpu_ns_ = 0;
    double mean_wall_ns_ = 0;  ///< that a run lasts
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

/// How much more or less time, by what it was judged by.
double size_ns(const FunctionChange& function) {
    const TimeChange& change = rank(function.verdict) == 3 ? function.total : function.self;
    if (function.in_both && change.real) {
        return std::abs(change.deviations * change.error_ns);
    }
    return std::abs(static_cast<double>(function.after.self_ns) -
                    static_cast<double>(function.before.self_ns));
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::kSame:
            return "same";
        case Verdict::kSlower:
            return "slower";
        case Verdict::kFaster:
            return "faster";
        case Verdict::kSlowerBelow:
            return "slower below";
        case Verdict::kFasterBelow:
            return "faster below";
        case Verdict::kMoreCalls:
            return "more calls";
        case Verdict::kFewerCalls:
            return "fewer calls";
        case Verdict::kNew:
            return "new";
        case Verdict::kGone:
            return "gone";
    }
    return "";
}

Diff diff(const std::vector<Run>& before, const std::vector<Run>& after,
          const DiffOptions& options) {
    Diff diff = Judging(before, after, options).run();
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
            function.self.real) {
            worst = std::max(worst, function.self.relative);
        }
        if (function.verdict == Verdict::kSlowerBelow) {
            worst = std::max(worst, function.total.relative);
        }
    }
    return worst;
}

}  // namespace umbra::profile
