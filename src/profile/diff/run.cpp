// SPDX-License-Identifier: MIT
#include "src/profile/diff/run.h"

#include <limits>
#include <map>
#include <string>
#include <utility>

#include "src/base/name_marks.h"
#include "src/profile/call_sums.h"
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

}  // namespace

Run run_of(const Profile& profile, const RunOptions& options) {
    const View view = {.top = std::numeric_limits<std::size_t>::max(),
                       .pauses = options.pauses,
                       .filter = options.filter};
    std::map<std::pair<std::string, std::string>, MethodTimes> by_name;
    for (const HotFunction& hot : hot_list(profile, view).functions) {
        merge(by_name[{name_in_module(hot.name, hot.function->module_mark), hot.module}], hot);
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
