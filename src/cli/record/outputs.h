// SPDX-License-Identifier: MIT
// Outputs: the profiles of a recording: their names, their writing, and what is shown in the end.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/cli/record/profile_writer.h"
#include "src/cli/record/recording.h"
#include "src/collector/session.h"
#include "src/protocol/messages.h"

namespace umbra::cli {

/// One file for each process. On one thread, but for the writing.
class Outputs {
  public:
    /// `options` must outlive it.
    explicit Outputs(const RecordingOptions& options)
        : options_(options), writer_(options.symbol_folders) {}

    /// Whether a profile can be written at all: better known now than after hours of recording.
    [[nodiscard]] Status check() const;

    /// A new process: the path of its profile. The first has the name the user gave.
    std::string add(const protocol::Hello& hello);
    [[nodiscard]] bool empty() const { return paths_.empty(); }

    /// What a session that writes to `path` is told; `watch`: somebody looks at its figures.
    collector::Session::Options session_options(const std::string& path,
                                                const protocol::Hello& hello, bool watch);

    /// When all sessions have ended: waits until everything is written, says what was not, and
    /// shows the hot list and the names of the files. False: a profile could not be written.
    [[nodiscard]] bool conclude();

  private:
    const RecordingOptions& options_;
    ProfileWriter writer_;
    std::vector<std::string> paths_;  // in the order the processes came
    std::set<std::string> taken_;
};

}  // namespace umbra::cli
