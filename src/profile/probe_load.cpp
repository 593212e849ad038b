// SPDX-License-Identifier: MIT
#include "src/profile/probe_load.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "src/base/pattern_name.h"
#include "src/profile/report.h"

namespace umbra::profile {
namespace {

// A call that takes this many pairs of probes by itself tells more than it costs.
constexpr double kLongCall = 20;
constexpr std::size_t kMostMethods = 3;
constexpr std::size_t kMostModules = 2;
constexpr double kLeastSaved = 0.25;

/// Something to leave out, and how many of the calls are its.
using Candidates = std::vector<std::pair<Row, uint64_t>>;

uint64_t time_in_calls_ns(const Profile& profile) {
    uint64_t self_ns = 0;
    for (const Function& function : profile.functions) {
        self_ns += is_before_start(function) ? 0 : function.times.self_ns;
    }
    return self_ns;
}

Candidates short_calls(const Profile& profile, double pair_ns) {
    Candidates found;
    for (Row row = 0; row < profile.functions.size(); ++row) {
        const CallTimes& times = profile.functions[row].times;
        if (times.calls > 0 && static_cast<double>(times.self_ns) <
                                   kLongCall * pair_ns * static_cast<double>(times.calls)) {
            found.emplace_back(row, times.calls);
        }
    }
    return found;
}

Candidates by_module(const Profile& profile, const Candidates& functions) {
    std::map<Row, uint64_t> modules;
    for (const auto& [function, calls] : functions) {
        if (profile.functions[function].module != kNone) {
            modules[profile.functions[function].module] += calls;
        }
    }
    return {modules.begin(), modules.end()};
}

/// The fewest that have half of the calls, `most` at most. Returns what share of the calls is left.
double keep_fewest(Candidates& candidates, std::size_t most, uint64_t calls) {
    std::ranges::stable_sort(candidates, std::greater<>(), &Candidates::value_type::second);
    uint64_t left = calls;
    std::size_t taken = 0;
    for (; taken < std::min(most, candidates.size()) && left > calls / 2; ++taken) {
        left -= candidates[taken].second;
    }
    candidates.resize(taken);
    return static_cast<double>(left) / static_cast<double>(calls);
}

}  // namespace

ProbeLoad probe_load(const Profile& profile) {
    const auto in_calls_ns = static_cast<double>(time_in_calls_ns(profile));
    const double own_ns = has_cpu_times(profile.session)
                              ? static_cast<double>(profile.session.cpu.on_ns)
                              : in_calls_ns;
    const Sums taken = sums(profile);
    const auto cost_ns = static_cast<double>(taken.taken_out_ns);
    const auto probes_ns = static_cast<double>(taken.probe_cost_ns);
    uint64_t calls = 0;
    for (const Function& function : profile.functions) {
        calls += function.times.calls;
    }
    if (!(own_ns > 0) || calls == 0) {
        return {};
    }
    ProbeLoad load;
    load.probes_percent = 100 * probes_ns / own_ns;
    load.slower = (1 + probes_ns / own_ns) *
                  (1 + (cost_ns - probes_ns) / std::max(in_calls_ns + probes_ns, 1.0));
    Candidates methods = short_calls(profile, cost_ns / static_cast<double>(calls));
    Candidates modules = by_module(profile, methods);
    double left = keep_fewest(methods, kMostMethods, calls);
    if (left <= 1 - kLeastSaved) {
        for (const auto& [function, of_function] : methods) {
            load.excludes.push_back(exclude_pattern(profile, function));
        }
    } else {
        left = keep_fewest(modules, kMostModules, calls);
        for (const auto& [module, of_module] : modules) {
            load.excludes.push_back(profile.modules[module].name + "!*");
        }
    }
    if (left <= 1 - kLeastSaved) {
        load.left_percent = 100 * left;
    } else {
        load.excludes.clear();
    }
    return load;
}

double budget_percent(const Profile& profile) {
    const auto own_ns = static_cast<double>(time_in_calls_ns(profile));
    const auto cost_ns = static_cast<double>(sums(profile).taken_out_ns);
    return own_ns > 0 ? 100 * cost_ns / own_ns : 0;
}

std::string exclude_pattern(const Profile& profile, Row function) {
    const Function& its = profile.functions[function];
    std::string name = its.raw_name;
    std::replace(name.begin(), name.end(), '/', '.');
    return (its.module == kNone ? "" : profile.modules[its.module].name + '!') + pattern_name(name);
}

}  // namespace umbra::profile
