// SPDX-License-Identifier: MIT
#include "src/profile/filter.h"

#include <algorithm>
#include <utility>

#include "src/base/runtime_choice.h"
#include "src/base/utf8.h"
#include "src/profile/methods.h"

namespace umbra::profile {
namespace {

bool any_takes(const std::vector<NamePattern>& patterns, const Profile& profile,
               const Function& function) {
    return std::ranges::any_of(
        patterns, [&](const NamePattern& one) { return one.takes(profile, function); });
}

}  // namespace

NamePattern::NamePattern(std::string text)
    : text_(std::move(text)), pattern_(read_code_points(text_)) {
}

bool NamePattern::takes(const Profile& profile, const Function& function) const {
    return text_ == function.name ||
           (pattern_.matches_module(read_code_points(module_name(profile, function))) &&
            (pattern_.matches_name(read_code_points(qualified_name(function))) ||
             pattern_.matches_name(read_code_points(qualified_raw_name(function)))));
}

Result<Row> find_runtime(const Profile& profile, const std::string& which) {
    const Result<RuntimeChoice> choice = RuntimeChoice::parse("one:" + which);
    std::string all;
    for (Row row = 0; row < profile.runtimes.size(); ++row) {
        const std::string& version = profile.runtimes[row].version;
        if (choice && choice->takes(row + 1, version.substr(version.rfind(' ') + 1))) {
            return row;
        }
        all += (row == 0 ? "" : ", ") + std::to_string(row + 1) + " (" + version + ')';
    }
    return fail(ErrorCode::kNotFound,
                "the profile has no runtime '" + which + "', but " +
                    (all.empty() ? "does not name any: umbra wrote it before it told them" : all));
}

std::vector<bool> taken_functions(const Profile& profile, const Filter& filter) {
    std::vector<bool> taken(profile.functions.size(), true);
    if (filter.any_method()) {
        return taken;
    }
    for (Row row = 0; row < profile.functions.size(); ++row) {
        const Function& function = profile.functions[row];
        taken[row] = (filter.runtime == kNone || filter.runtime == function.runtime) &&
                     (filter.include.empty() || any_takes(filter.include, profile, function)) &&
                     !any_takes(filter.exclude, profile, function);
    }
    return taken;
}

std::vector<bool> taken_threads(const Profile& profile, const Filter& filter) {
    std::vector<bool> taken;
    for (const Thread& thread : profile.threads) {
        taken.push_back(filter.threads.empty() ||
                        std::ranges::any_of(filter.threads, [&](const std::string& wanted) {
                            return wanted == std::to_string(thread.os_tid) ||
                                   glob_matches(wanted, thread.name);
                        }));
    }
    return taken;
}

uint64_t thread_count(const Profile& profile) {
    uint64_t count = 0;
    for (const Thread& thread : profile.threads) {
        count += thread.threads;
    }
    return count;
}

std::string thread_label(const Thread& thread) {
    const std::string name = thread.name.empty() ? "thread" : thread.name;
    return thread.threads == 1 ? name + " " + std::to_string(thread.os_tid)
                               : name + " (" + std::to_string(thread.threads) + " threads)";
}

}  // namespace umbra::profile
