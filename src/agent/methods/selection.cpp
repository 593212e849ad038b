// SPDX-License-Identifier: MIT
#include "src/agent/methods/selection.h"

#include <algorithm>
#include <iterator>

#include "src/base/argument_request.h"
#include "src/base/source_name.h"
#include "src/base/utf8.h"

namespace umbra::agent {
namespace {

/// Characters that are not seen may be written as "\u202e", as reports write them.
std::vector<Pattern> patterns(const std::vector<std::string>& texts) {
    std::vector<Pattern> patterns;
    patterns.reserve(texts.size());
    for (const std::string& text : texts) {
        patterns.emplace_back(read_code_points(text));
    }
    return patterns;
}

/// What else there will be is not known while methods come one by one: whatever comes near is
/// taken.
bool takes(const Pattern& pattern, std::string_view module, const MatchedNames& names) {
    return pattern.matches_module(module) && pattern.takes(names, Pattern::Fit::kAnyCase);
}

}  // namespace

Selection::Selection(const protocol::Welcome& settings)
    : include_(patterns(settings.include)),
      exclude_(patterns(settings.exclude)),
      default_(settings.include.empty()),
      framework_(settings.framework),
      watched_(settings.slowest) {
    std::ranges::move(patterns(settings.also), std::back_inserter(include_));
    std::ranges::copy_if(include_, std::back_inserter(names_), &Pattern::names_a_method);
    for (const std::string& text : settings.arguments) {
        const auto request = parse_argument_request(text);
        if (request && request->methods.names_a_method()) {
            names_.push_back(request->methods);
        }
    }
}

Selection::Verdict Selection::module(std::string_view file_name, bool is_framework) const {
    bool some_excluded = false;
    for (const Pattern& pattern : exclude_) {
        if (pattern.matches_module(file_name)) {
            if (pattern.any_name()) {
                return Verdict::kNone;
            }
            some_excluded = true;
        }
    }
    bool all = by_default(is_framework);
    bool some = false;
    for (const Pattern& pattern : include_) {
        if (pattern.matches_module(file_name)) {
            some = true;
            all = all || pattern.any_name();
        }
    }
    if (!all && !some) {
        return Verdict::kNone;
    }
    return all && !some_excluded ? Verdict::kAll : Verdict::kByName;
}

bool Selection::selects(std::string_view file_name, bool is_framework,
                        std::string_view qualified_name) const {
    if (exclude_.empty() && (by_default(is_framework) || include_.empty())) {
        return by_default(is_framework);
    }
    const MatchedNames method(std::string(qualified_name), source_name(qualified_name));
    const auto hit = [&](const Pattern& pattern) { return takes(pattern, file_name, method); };
    if (std::any_of(exclude_.begin(), exclude_.end(), hit)) {
        return false;
    }
    return by_default(is_framework) || std::any_of(include_.begin(), include_.end(), hit);
}

bool Selection::names(std::string_view file_name, std::string_view qualified_name) const {
    if (!names_.empty()) {
        const MatchedNames method(std::string(qualified_name), source_name(qualified_name));
        if (std::ranges::any_of(names_, [&](const Pattern& pattern) {
                return takes(pattern, file_name, method);
            })) {
            return true;
        }
    }
    return watched_.names(file_name, qualified_name);
}

}  // namespace umbra::agent
