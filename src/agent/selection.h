// SPDX-License-Identifier: MIT
// Which methods get probes: the patterns of --include and --exclude, and what is decided by module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace umbra::agent {

/// True if `text` matches `glob`: '*' any run of characters, '?' one character; case counts.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text) noexcept;

/// One pattern on module!Namespace.Type.Method. Without '!' it is a pattern on the name in any
/// module, or, ending in ".dll" or ".exe", on the module. The module is matched with and without
/// its extension.
class Pattern {
  public:
    explicit Pattern(std::string_view text);

    [[nodiscard]] bool matches_module(std::string_view file_name) const noexcept;
    [[nodiscard]] bool matches_name(std::string_view qualified_name) const noexcept;
    /// Takes every method of the modules it matches.
    [[nodiscard]] bool any_name() const noexcept { return name_ == "*"; }

  private:
    std::string module_;
    std::string name_;
};

/// Immutable after construction; any thread.
class Selection {
  public:
    enum class Verdict { kNone, kAll, kByName };

    /// `framework`: without include patterns, framework modules count too.
    Selection(const std::vector<std::string>& include, const std::vector<std::string>& exclude,
              bool framework);

    /// What of a module is selected. kByName: ask `selects` for each method.
    [[nodiscard]] Verdict module(std::string_view file_name, bool is_framework) const;
    /// `qualified_name`: Namespace.Type.Method, nested types joined by '.', without generic
    /// arguments and parameters.
    [[nodiscard]] bool selects(std::string_view file_name, bool is_framework,
                               std::string_view qualified_name) const;

  private:
    std::vector<Pattern> include_;
    std::vector<Pattern> exclude_;
    bool framework_;
};

}  // namespace umbra::agent
