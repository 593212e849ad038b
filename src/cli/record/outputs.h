// SPDX-License-Identifier: MIT
// Outputs: the profiles of a recording: their names, their writing, and what is shown in the end.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/cli/record/profile_writer.h"
#include "src/cli/record/recording.h"
#include "src/collector/session.h"
#include "src/protocol/messages.h"
#include "src/symbols/asked_methods.h"

namespace umbra::cli {

/// What the user has asked for by pattern; exclusions are not among it: of a method that is left
/// out no profile knows.
[[nodiscard]] std::vector<symbols::AskedPattern> asked_patterns(const protocol::Welcome& settings);

/// One file for each process. On one thread, but for the writing.
class Outputs {
  public:
    /// `options` must outlive it.
    explicit Outputs(const RecordingOptions& options);

    /// Whether a profile can be written at all: better known now than after hours of recording.
    [[nodiscard]] Status check() const;

    /// A new process: the path of its profile. The first has the name the user gave.
    std::string add(const protocol::Hello& hello);
    [[nodiscard]] bool empty() const { return paths_.empty(); }

    /// What a session that writes to `path` is told; `watch`: somebody looks at its figures.
    collector::Session::Options session_options(const std::string& path,
                                                const protocol::Hello& hello, bool watch);

    /// When all sessions have ended: waits until everything is written, says what was not, and
    /// shows the hot list and the names of the files, and says which patterns matched nothing and
    /// which arguments no method could tell. False: any of that, or a profile was not written.
    [[nodiscard]] bool conclude();

  private:
    /// The hot list, and what was written.
    void show(const std::map<std::string, std::string>& failures) const;
    void look_at(const profile::Profile& profile);
    void look_at_methods(const profile::Profile& profile);
    void look_at_arguments(const profile::Profile& profile);
    /// True: every pattern matched a method.
    bool tell_unmet();
    /// True: every argument that a method was found for was told.
    [[nodiscard]] bool tell_refused() const;

    const RecordingOptions& options_;
    std::vector<symbols::AskedPattern> asked_;  // the writer's thread's, then conclude()'s
    using MethodArgument = std::pair<std::string, std::string>;  // Namespace.Type.Method, name
    std::map<MethodArgument, std::string> refused_;              // why it was not told; as asked_
    std::set<MethodArgument> told_;
    /// Place in paths_ of the one whose hot list is shown.
    std::atomic<size_t> shown_ = 0;
    std::vector<std::string> tests_;  // paths of processes that run tests
    ProfileWriter writer_;
    std::vector<std::string> paths_;  // in the order the processes came
    std::set<std::string> taken_;
};

}  // namespace umbra::cli
