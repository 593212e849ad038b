// SPDX-License-Identifier: MIT
// Patterns on methods, as --include and --exclude take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/nearest.h"
#include "src/base/source_name.h"

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
///
/// A name as a report shows it is a pattern, too: parameters and generic arguments in it are passed
/// over, so that it stands for all overloads.
class Pattern {
  public:
    explicit Pattern(std::string_view text) {
        const size_t bang = text.find('!');
        // "Acme.Money.operator !=" is a name.
        if (bang != std::string_view::npos && !text.substr(0, bang).ends_with("operator ")) {
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
        written_ = written_name(name_);
        lower_ = lower_case(written_);
    }

    /// How near a name comes to the pattern; each takes what those before it take.
    enum class Fit : uint8_t {
        kExact,    ///< the whole name
        kPart,     ///< the name from one of its dots on: "Orders.*" for "Acme.Orders.Load"
        kAnyCase,  ///< the same, capital letters like small ones
    };

    [[nodiscard]] bool matches_module(std::string_view file_name) const noexcept {
        return glob_matches(module_, file_name) ||
               (is_module_name(file_name) &&
                glob_matches(module_, file_name.substr(0, file_name.size() - 4)));
    }
    /// Of a method, by its name in metadata and by that of its source, source_name() or
    /// written_name(): a pattern may be written for either, and be copied from a report.
    [[nodiscard]] bool takes(std::string_view in_metadata, std::string_view in_source,
                             Fit fit) const {
        if (glob_matches(name_, in_metadata) || glob_matches(name_, in_source) ||
            glob_matches(written_, in_source)) {
            return true;
        }
        if (fit == Fit::kExact) {
            return false;
        }
        if (ends_as(written_, in_metadata) || ends_as(written_, in_source)) {
            return true;
        }
        if (fit == Fit::kPart) {
            return false;
        }
        const std::string metadata = lower_case(in_metadata);
        const std::string source = lower_case(in_source);
        return glob_matches(lower_, metadata) || glob_matches(lower_, source) ||
               ends_as(lower_, metadata) || ends_as(lower_, source);
    }
    /// It is written for methods of one name: what stands behind its last dot has no wildcard.
    [[nodiscard]] bool names_a_method() const noexcept {
        return written_.find_first_of("*?", written_.rfind('.') + 1) == std::string::npos;
    }
    /// Takes every method of the modules it matches.
    [[nodiscard]] bool any_name() const noexcept { return name_ == "*"; }

  private:
    /// Whether the glob takes what stands behind one of the dots.
    static bool ends_as(std::string_view glob, std::string_view name) noexcept {
        for (size_t dot = name.find('.'); dot != std::string_view::npos;
             dot = name.find('.', dot + 1)) {
            if (glob_matches(glob, name.substr(dot + 1))) {
                return true;
            }
        }
        return false;
    }
    static bool is_module_name(std::string_view text) noexcept {
        return text.ends_with(".dll") || text.ends_with(".exe");
    }

    std::string module_;
    std::string name_;
    std::string written_;  ///< without what names in metadata have not
    std::string lower_;
};

}  // namespace umbra
