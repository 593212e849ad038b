// SPDX-License-Identifier: MIT
#include "src/agent/selection.h"

#include <algorithm>
#include <cstddef>

namespace umbra::agent {
namespace {

bool is_module_name(std::string_view text) {
    return text.ends_with(".dll") || text.ends_with(".exe");
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) noexcept {
    // Greedy with one point to come back to: linear in practice, never exponential.
    size_t g = 0;
    size_t t = 0;
    size_t star = std::string_view::npos;
    size_t resume = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            resume = t;
        } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g;
            ++t;
        } else if (star != std::string_view::npos) {
            g = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*') {
        ++g;
    }
    return g == glob.size();
}

Pattern::Pattern(std::string_view text) {
    const size_t bang = text.find('!');
    if (bang != std::string_view::npos) {
        module_ = text.substr(0, bang);
        name_ = text.substr(bang + 1);
    } else if (is_module_name(text)) {
        module_ = text;
        name_ = "*";
    } else {
        module_ = "*";
        name_ = text;
    }
    if (name_.empty()) {
        name_ = "*";
    }
}

bool Pattern::matches_module(std::string_view file_name) const noexcept {
    if (glob_matches(module_, file_name)) {
        return true;
    }
    return is_module_name(file_name) &&
           glob_matches(module_, file_name.substr(0, file_name.size() - 4));
}

bool Pattern::matches_name(std::string_view qualified_name) const noexcept {
    return glob_matches(name_, qualified_name);
}

Selection::Selection(const std::vector<std::string>& include,
                     const std::vector<std::string>& exclude, bool framework)
    : include_(include.begin(), include.end()),
      exclude_(exclude.begin(), exclude.end()),
      framework_(framework) {
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
    bool all = false;
    bool some = false;
    if (include_.empty()) {
        all = framework_ || !is_framework;
    }
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
    const auto hit = [&](const Pattern& pattern) {
        return pattern.matches_module(file_name) && pattern.matches_name(qualified_name);
    };
    if (std::any_of(exclude_.begin(), exclude_.end(), hit)) {
        return false;
    }
    if (include_.empty()) {
        return framework_ || !is_framework;
    }
    return std::any_of(include_.begin(), include_.end(), hit);
}

}  // namespace umbra::agent
