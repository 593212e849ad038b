// SPDX-License-Identifier: MIT
// Outputs: the profiles of a recording: their names, their writing, and what is shown in the end.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/cli/record/profile_writer.h"
#include "src/protocol/messages.h"

namespace umbra::cli {

/// Of every command that records.
struct OutputOptions {
    std::string output;   ///< of the first process; empty: a name is made
    bool force = false;   ///< `output` may be a profile that is there
    bool quiet = false;   ///< no progress line, no hot list
    bool profile = true;  ///< false: none is written, what is recorded is there to be watched
    std::vector<std::string>
        symbol_folders{};  ///< where PDBs lie that are not beside their modules
};

/// Whether the hot list of `other`, not of `kept`, is what somebody wants to see who has recorded
/// both: that of the process that took more processor time. One in which tests ran comes before
/// others, the SDK's own programs ('dotnet run' and the build before it) behind them.
[[nodiscard]] bool tells_more(const profile::Profile& kept, const profile::Profile& other);

/// One file for each process. On one thread, but for the writing.
class Outputs {
  public:
    /// `options` must outlive it. `last_seen`: see ProfileWriter.
    explicit Outputs(const OutputOptions& options,
                     std::function<void(const profile::Profile&)> last_seen = {});

    /// Whether a profile can be written at all: better known now than after hours of recording.
    [[nodiscard]] Status check() const;

    /// A new process: what takes its profiles, on any thread, quickly. The file of the first has
    /// the name the user gave. Null: nothing is to be written.
    std::function<void(Draft)> add(const protocol::Hello& hello);
    [[nodiscard]] bool empty() const { return paths_.empty(); }

    /// When all processes have ended: waits until everything is written, says what was not, and
    /// shows the hot list and the names of the files. False: a profile was not written.
    [[nodiscard]] bool conclude();

  private:
    /// Of a new process's profile, the last of paths_ then.
    std::string add_path(const protocol::Hello& hello);
    /// The hot list, and what was written.
    void show(const std::map<std::string, std::string>& failures) const;

    const OutputOptions& options_;
    ProfileWriter writer_;
    std::vector<std::string> paths_;  // in the order the processes came
    std::set<std::string> taken_;
};

}  // namespace umbra::cli
