// SPDX-License-Identifier: MIT
#include "src/profile/filter.h"

#include <algorithm>
#include <utility>

#include "src/base/nearest_patterns.h"
#include "src/base/runtime_choice.h"
#include "src/base/source_name.h"
#include "src/base/utf8.h"
#include "src/profile/methods.h"

namespace umbra::profile {
namespace {

/// By row of functions: one of the patterns takes it.
std::vector<bool> taken_by_any(const std::vector<NamePattern>& patterns, const Profile& profile) {
    std::vector<bool> any(profile.functions.size(), false);
    for (const NamePattern& pattern : patterns) {
        const std::vector<bool> taken = pattern.taken(profile);
        for (std::size_t row = 0; row < any.size(); ++row) {
            any[row] = any[row] || taken[row];
        }
    }
    return any;
}

}  // namespace

NamePattern::NamePattern(std::string text)
    : text_(std::move(text)), pattern_(read_code_points(text_)) {
}

std::vector<bool> NamePattern::taken(const Profile& profile) const {
    const std::vector<Function>& functions = profile.functions;
    std::vector<bool> taken(functions.size(), false);
    bool any = false;
    const auto take = [&](const auto& fits) {
        for (std::size_t row = 0; row < taken.size(); ++row) {
            taken[row] = fits(row);
            any = any || taken[row];
        }
        return any;
    };
    if (take([&](std::size_t row) { return text_ == functions[row].name; })) {
        return taken;
    }
    struct Names {
        bool in_module = false;
        MatchedNames shown;    // as a report shows it
        MatchedNames written;  // without what a report adds
    };
    std::vector<Names> names;
    names.reserve(functions.size());
    for (const Function& function : functions) {
        const std::string metadata = read_code_points(qualified_raw_name(function));
        const std::string source = read_code_points(qualified_name(function));
        names.push_back(
            {.in_module = pattern_.matches_module(read_code_points(module_name(profile, function))),
             .shown = {metadata, source},
             .written = {metadata, written_name(source)}});
    }
    for (const Pattern::Fit fit :
         {Pattern::Fit::kExact, Pattern::Fit::kPart, Pattern::Fit::kAnyCase}) {
        const auto fits = [&](std::size_t row) {
            const Names& one = names[row];
            return one.in_module &&
                   (pattern_.takes(one.shown, fit) || pattern_.takes(one.written, fit));
        };
        if (take(fits)) {
            break;
        }
    }
    return taken;
}

std::vector<std::string> nearest_methods(const Profile& profile, const std::string& wanted) {
    std::vector<std::string> names;
    for (const Function& function : profile.functions) {
        names.push_back(qualified_name(function));
    }
    return nearest_patterns(wanted, names);
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
    const std::vector<bool> included = taken_by_any(filter.include, profile);
    const std::vector<bool> excluded = taken_by_any(filter.exclude, profile);
    for (Row row = 0; row < profile.functions.size(); ++row) {
        const Row runtime = profile.functions[row].runtime;
        taken[row] = (filter.runtime == kNone || filter.runtime == runtime) &&
                     (filter.include.empty() || included[row]) && !excluded[row];
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
