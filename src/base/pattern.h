// SPDX-License-Identifier: MIT
// Patterns on methods, as --include and --exclude take them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace umbra {

/// True if `text` matches `glob`: '*' any run of characters, '?' one character; case counts.
[[nodiscard]] inline bool glob_matches(std::string_view glob, std::string_view text) noexcept {
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

/// One pattern on module!Namespace.Type.Method. Without '!' it is a pattern on the name in any
/// module, or, ending in ".dll" or ".exe", on the module. The module is matched with and without
/// its extension.
class Pattern {
  public:
    explicit Pattern(std::string_view text) {
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

    [[nodiscard]] bool matches_module(std::string_view file_name) const noexcept {
        return glob_matches(module_, file_name) ||
               (is_module_name(file_name) &&
                glob_matches(module_, file_name.substr(0, file_name.size() - 4)));
    }
    [[nodiscard]] bool matches_name(std::string_view qualified_name) const noexcept {
        return glob_matches(name_, qualified_name);
    }
    /// It is written for methods of one name: what stands behind its last dot has no wildcard.
    [[nodiscard]] bool names_a_method() const noexcept {
        return name_.find_first_of("*?", name_.rfind('.') + 1) == std::string::npos;
    }
    /// Takes every method of the modules it matches.
    [[nodiscard]] bool any_name() const noexcept { return name_ == "*"; }

  private:
    static bool is_module_name(std::string_view text) noexcept {
        return text.ends_with(".dll") || text.ends_with(".exe");
    }

    std::string module_;
    std::string name_;
};

}  // namespace umbra
