// SPDX-License-Identifier: MIT
#include "src/profile/diff/run.h"

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/name_marks.h"
#include "src/profile/call_sums.h"
#include "src/profile/methods.h"
#include "src/profile/report.h"

namespace umbra::profile {
namespace {

/// Methods of one name and module in one: another run may load assemblies more or less often.
void merge(MethodTimes& sum, const HotFunction& one) {
    add_own(sum.times, one.times, true);
    add_inclusive(sum.times, one.times);
    add_extremes(sum.times, one.times);
    sum.self_doubt_ns += one.self_doubt_ns;
    sum.total_doubt_ns += one.total_doubt_ns;
}

void merge(AsyncCounts& sum, const AsyncCounts& one) {
    sum.calls += one.calls;
    sum.open += one.open;
    sum.unknown += one.unknown;
    sum.before += one.before;
    sum.times.wall_ns += one.times.wall_ns;
    sum.times.others_ns += one.times.others_ns;
    sum.times.outside_ns += one.times.outside_ns;
    sum.times.queued_ns += one.times.queued_ns;
}

/// Name and module of a method, as another run has them.
std::pair<std::string, std::string> key_of(const std::string& name, const Function& function,
                                           std::string_view module) {
    return {name_in_module(name, function.module_mark), std::string(module)};
}

}  // namespace

Run run_of(const Profile& profile, const RunOptions& options) {
    const View view = {.top = std::numeric_limits<std::size_t>::max(),
                       .pauses = options.pauses,
                       .filter = options.filter};
    std::map<std::pair<std::string, std::string>, MethodTimes> by_name;
    for (const HotFunction& hot : hot_list(profile, view).functions) {
        merge(by_name[key_of(hot.name, *hot.function, hot.module)], hot);
    }
    const Methods methods = profile::methods(profile, true);
    for (const AsyncMethod& method : profile.async_methods) {
        const Function& function = profile.functions[methods.method_of[method.function]];
        const auto known =
            by_name.find(key_of(function.name, function, module_name(profile, function)));
        if (known != by_name.end()) {  // else the filter has left it out
            merge(known->second.async, method.counts);
        }
    }
    Run run{profile.session, {}};
    run.methods.reserve(by_name.size());
    for (auto& [name, method] : by_name) {
        method.name = name.first;
        method.module = name.second;
        run.methods.push_back(std::move(method));
    }
    return run;
}

}  // namespace umbra::profile
