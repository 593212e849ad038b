// SPDX-License-Identifier: MIT
// Which methods get probes: the patterns of --include, --also and --exclude, and what is decided by
// module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/agent/methods/watched_methods.h"
#include "src/base/pattern.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// Immutable after construction; any thread.
class Selection {
  public:
    enum class Verdict { kNone, kAll, kByName };

    explicit Selection(const protocol::Welcome& settings);

    /// What of a module is selected. kByName: ask `selects` for each method.
    [[nodiscard]] Verdict module(std::string_view file_name, bool is_framework) const;
    /// `qualified_name`: Namespace.Type.Method, nested types joined by '.', without generic
    /// arguments and parameters.
    [[nodiscard]] bool selects(std::string_view file_name, bool is_framework,
                               std::string_view qualified_name) const;
    /// It is asked for by its own name, not as one of many: by a pattern, or a request for
    /// its arguments or its slowest calls.
    [[nodiscard]] bool names(std::string_view file_name, std::string_view qualified_name) const;
    /// names() may answer true.
    [[nodiscard]] bool names_any() const { return !names_.empty() || watched_.any(); }
    /// Which of the selected ones are watched.
    [[nodiscard]] const WatchedMethods& watched() const { return watched_; }

  private:
    /// Without patterns that say what else.
    [[nodiscard]] bool by_default(bool is_framework) const {
        return default_ && (framework_ || !is_framework);
    }

    std::vector<Pattern> include_;  // and what is to be timed besides
    std::vector<Pattern> exclude_;
    bool default_;
    bool framework_;
    std::vector<Pattern> names_;  // those written for methods of one name
    WatchedMethods watched_;
};

}  // namespace umbra::agent
