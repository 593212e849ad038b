// SPDX-License-Identifier: MIT
#include "src/base/nearest_patterns.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>

#include "src/base/nearest.h"
#include "src/base/source_name.h"

namespace umbra {
namespace {

constexpr size_t kMostNamed = 3;

size_t dots_of(std::string_view text) {
    return static_cast<size_t>(std::ranges::count(text, '.'));
}

/// The end of `name` that has so many dots; all of it where it has fewer.
std::string_view end_of(std::string_view name, size_t dots) {
    size_t at = name.size();
    for (size_t i = 0; i <= dots && at != std::string_view::npos; ++i) {
        at = at == 0 ? std::string_view::npos : name.rfind('.', at - 1);
    }
    return at == std::string_view::npos ? name : name.substr(at + 1);
}

}  // namespace

std::vector<std::string> nearest_patterns(std::string_view wanted,
                                          const std::vector<std::string>& names) {
    wanted = wanted.substr(wanted.find('!') + 1);  // npos + 1 is 0
    std::string text = written_name(wanted);
    // What stands before the first wildcard has to be a name; the rest is anybody's.
    const size_t wildcard = text.find_first_of("*?");
    const bool is_prefix = wildcard != std::string::npos;
    if (is_prefix) {
        text.resize(wildcard);
        text.resize(text.find_last_not_of('.') + 1);  // npos + 1 is 0
    }
    if (text.empty()) {
        return {};
    }
    const size_t dots = dots_of(text);
    std::set<std::string, std::less<>> candidates;
    for (const std::string& name : names) {
        std::string_view rest = name;
        if (!is_prefix) {
            candidates.emplace(end_of(rest, dots));
            continue;
        }
        // Namespaces and types around it, each from any dot on.
        for (size_t end = rest.rfind('.'); end != std::string_view::npos && end > 0;
             end = rest.rfind('.', end - 1)) {
            candidates.emplace(end_of(rest.substr(0, end), dots));
        }
    }
    std::vector<std::string> found =
        nearest(text, std::vector<std::string>(candidates.begin(), candidates.end()), kMostNamed);
    if (is_prefix) {
        for (std::string& one : found) {
            one += ".*";
        }
    }
    return found;
}

}  // namespace umbra
