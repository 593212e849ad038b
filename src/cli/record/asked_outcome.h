// SPDX-License-Identifier: MIT
// AskedOutcome: what the user has asked for by pattern, against what the profiles have.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/profile/profile.h"
#include "src/protocol/messages.h"
#include "src/symbols/asked_methods.h"

namespace umbra::cli {

/// What the user has asked for by pattern; exclusions are not among it: of a method that is left
/// out no profile knows.
[[nodiscard]] std::vector<symbols::AskedPattern> asked_patterns(const protocol::Welcome& settings);

/// One thread at a time.
class AskedOutcome {
  public:
    /// `command`: of the program, with its arguments; empty: nobody knows where its assemblies are.
    AskedOutcome(const protocol::Welcome& settings, const std::vector<std::string>& command);

    /// Of each profile of the recording, the last one of each process at least.
    void look_at(const profile::Profile& profile);
    /// Says on standard error which patterns matched nothing and which arguments no method could
    /// tell. True: every pattern matched a method, and every argument that one was found for was
    /// told.
    [[nodiscard]] bool tell() const;

  private:
    void look_at_methods(const profile::Profile& profile);
    void look_at_arguments(const profile::Profile& profile);
    [[nodiscard]] bool tell_unmet() const;
    [[nodiscard]] bool tell_refused() const;

    std::vector<symbols::AskedPattern> asked_;
    const std::string folder_;  ///< of the program's assemblies; empty: nobody knows
    using MethodArgument = std::pair<std::string, std::string>;  // Namespace.Type.Method, name
    std::map<MethodArgument, std::string> refused_;              // why it was not told
    std::set<MethodArgument> told_;
};

}  // namespace umbra::cli
