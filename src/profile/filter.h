// SPDX-License-Identifier: MIT
// What of a profile a report shows: methods and threads by pattern, methods by runtime.
#pragma once

#include <string>
#include <vector>

#include "src/base/pattern.h"
#include "src/base/result.h"
#include "src/profile/profile.h"

namespace umbra::profile {

/// A pattern as reports take it.
class NamePattern {
  public:
    /// Characters that are not seen may be written as "\u202e". Implicit: it is what a text means.
    // NOLINTNEXTLINE(google-explicit-constructor): as the sentence above says
    NamePattern(std::string text);

    /// By row of functions: those it is the name of, as shown. If there are none, those whose name
    /// without arguments and parameters it matches, or the one in metadata; if there are none,
    /// those whose name it matches from a dot on ("RateOf", "TaxTable.*"); if there are none, the
    /// same whatever the case.
    [[nodiscard]] std::vector<bool> taken(const Profile& profile) const;
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
    Pattern pattern_;
};

struct Filter {
    std::vector<NamePattern> include;  ///< empty: every method
    std::vector<NamePattern> exclude;  ///< wins over include
    std::vector<std::string> threads;  ///< globs on names, or thread ids; empty: every thread
    Row runtime = kNone;               ///< methods of this one; kNone: of all

    [[nodiscard]] bool any_method() const {
        return include.empty() && exclude.empty() && runtime == kNone;
    }
};

/// The runtime that `which` means: its number, from 1, or its version or the beginning of it ("9",
/// "9.0"). An error names those there are.
[[nodiscard]] Result<Row> find_runtime(const Profile& profile, const std::string& which);

/// By row of functions: whether the filter takes it.
[[nodiscard]] std::vector<bool> taken_functions(const Profile& profile, const Filter& filter);
/// Names of methods of a profile that come nearest to one that is none of them, or to a pattern
/// that takes none: "HelloShop.*" for "HelloShp.*". Three at most.
[[nodiscard]] std::vector<std::string> nearest_methods(const Profile& profile,
                                                       const std::string& wanted);
/// By row of threads.
[[nodiscard]] std::vector<bool> taken_threads(const Profile& profile, const Filter& filter);
/// Whether `threads`, which taken_threads() made, takes a row of the call tree. Those of all
/// threads together are taken.
[[nodiscard]] inline bool takes(const std::vector<bool>& threads, const CallNode& node) {
    return node.thread == kNone || threads[node.thread];
}
/// What a thread is called in a report: name and id.
[[nodiscard]] std::string thread_label(const Thread& thread);
/// Threads that ran timed code, also those that are told in sum.
[[nodiscard]] uint64_t thread_count(const Profile& profile);

}  // namespace umbra::profile
