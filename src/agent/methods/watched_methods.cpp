// SPDX-License-Identifier: MIT
#include "src/agent/methods/watched_methods.h"

#include <algorithm>
#include <cstddef>

#include "src/base/slowest_request.h"
#include "src/base/source_name.h"

namespace umbra::agent {

WatchedMethods::WatchedMethods(const std::vector<std::string>& requests) {
    for (const std::string& text : requests) {
        if (patterns_.size() < kMaxSlowestRequests) {
            const auto request = parse_slowest_request(text);
            // A place for each: the collector counts them too.
            patterns_.emplace_back(request ? request->methods : "/!/");
        }
    }
}

bool WatchedMethods::names(std::string_view module, std::string_view name) const {
    if (patterns_.empty()) {
        return false;
    }
    const MatchedNames names(std::string(name), source_name(name));
    return std::ranges::any_of(patterns_, [&](const Pattern& pattern) {
        return pattern.names_a_method() && pattern.matches_module(module) &&
               pattern.takes(names, Pattern::Fit::kAnyCase);
    });
}

uint8_t WatchedMethods::request_of(std::string_view module, std::string_view name) const {
    const MatchedNames names(std::string(name), source_name(name));
    for (size_t number = 0; number < patterns_.size(); ++number) {
        const Pattern& pattern = patterns_[number];
        if (pattern.matches_module(module) && pattern.takes(names, Pattern::Fit::kAnyCase)) {
            return static_cast<uint8_t>(number + 1);
        }
    }
    return 0;
}

}  // namespace umbra::agent
