// SPDX-License-Identifier: MIT
// Which methods get probes: the patterns of --include and --exclude, and what is decided by module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/agent/methods/watched_methods.h"
#include "src/base/pattern.h"

namespace umbra::agent {

/// Immutable after construction; any thread.
class Selection {
  public:
    enum class Verdict { kNone, kAll, kByName };

    /// `framework`: without include patterns, framework modules count too. `slowest`: requests.
    Selection(const std::vector<std::string>& include, const std::vector<std::string>& exclude,
              bool framework, const std::vector<std::string>& slowest = {});

    /// What of a module is selected. kByName: ask `selects` for each method.
    [[nodiscard]] Verdict module(std::string_view file_name, bool is_framework) const;
    /// `qualified_name`: Namespace.Type.Method, nested types joined by '.', without generic
    /// arguments and parameters.
    [[nodiscard]] bool selects(std::string_view file_name, bool is_framework,
                               std::string_view qualified_name) const;
    /// Which of the selected ones are watched.
    [[nodiscard]] const WatchedMethods& watched() const { return watched_; }

  private:
    std::vector<Pattern> include_;
    std::vector<Pattern> exclude_;
    bool framework_;
    WatchedMethods watched_;
};

}  // namespace umbra::agent
