// SPDX-License-Identifier: MIT
#include "src/profile/probe_load.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "src/profile/report.h"

namespace umbra::profile {
namespace {

// A call that takes this many pairs of probes by itself tells more than it costs.
constexpr double kLongCall = 20;

uint64_t own_time_ns(const Profile& profile) {
    if (has_cpu_times(profile.session)) {
        return profile.session.cpu.on_ns;
    }
    uint64_t self_ns = 0;
    for (const Function& function : profile.functions) {
        self_ns += function.times.self_ns;
    }
    return self_ns;
}

}  // namespace

ProbeLoad probe_load(const Profile& profile, std::size_t most) {
    const auto own_ns = static_cast<double>(own_time_ns(profile));
    const auto cost_ns = static_cast<double>(sums(profile).probe_cost_ns);
    uint64_t calls = 0;
    for (const Function& function : profile.functions) {
        calls += function.times.calls;
    }
    if (!(own_ns > 0) || calls == 0) {
        return {};
    }
    const double pair_ns = cost_ns / static_cast<double>(calls);
    ProbeLoad load;
    for (Row row = 0; row < profile.functions.size(); ++row) {
        const CallTimes& times = profile.functions[row].times;
        if (times.calls > 0 && static_cast<double>(times.self_ns) <
                                   kLongCall * pair_ns * static_cast<double>(times.calls)) {
            load.costly.push_back(row);
        }
    }
    std::ranges::stable_sort(load.costly, std::greater<>(),
                             [&](Row row) { return profile.functions[row].times.calls; });
    double left_ns = cost_ns;
    std::size_t taken = 0;
    for (; taken < std::min(most, load.costly.size()) && left_ns > cost_ns / 2; ++taken) {
        const CallTimes& times = profile.functions[load.costly[taken]].times;
        left_ns -= pair_ns * static_cast<double>(times.calls);
    }
    load.costly.resize(taken);
    load.percent = 100 * cost_ns / own_ns;
    load.percent_without = 100 * left_ns / own_ns;
    return load;
}

std::string exclude_pattern(const Profile& profile, Row function) {
    const Function& its = profile.functions[function];
    std::string pattern = its.module == kNone ? "" : profile.modules[its.module].name + '!';
    for (std::size_t at = 0; at < its.raw_name.size(); ++at) {
        const char letter = its.raw_name[at];
        if (letter == '`') {  // patterns know nothing of how many type parameters there are
            while (at + 1 < its.raw_name.size() && its.raw_name[at + 1] >= '0' &&
                   its.raw_name[at + 1] <= '9') {
                ++at;
            }
        } else {
            pattern += letter == '/' || letter == '+' ? '.' : letter;
        }
    }
    return pattern;
}

}  // namespace umbra::profile
