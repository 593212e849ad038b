// SPDX-License-Identifier: MIT
// The .NET processes of this machine, as `umbra ps` shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace umbra::cli {

struct ListedProcess {
    pid_t pid = 0;
    std::string user;
    bool own = false;     ///< its user is umbra's
    std::string runtime;  ///< ".NET" version; empty if it did not tell
    /// Each copy of the runtime, by its file. One has answered, which is not known.
    std::vector<std::string> runtime_libraries;
    std::string architecture;  ///< "x64"; empty if it did not tell
    /// none, dormant, recording, sampling, another, or unknown
    std::string_view profiler = "unknown";
    std::string library;  ///< of the profiler
    std::string
        recorder;  ///< "umbra start"; empty: nobody records it, or it cannot be seen from here
    pid_t recorder_pid = 0;  ///< 0: nobody, or not to be told
    std::string command_line;
    std::string obstacle;  ///< why umbra cannot profile it while it runs; empty: it can
};

/// Those umbra can talk to; with `all` also those it cannot, as far as they show. Asks each for its
/// version, and waits half a second at most for one that does not answer.
[[nodiscard]] std::vector<ListedProcess> list_processes(bool all);

/// Rows fitted to so many columns, or as long as they are if `columns` is 0.
[[nodiscard]] std::string process_table(const std::vector<ListedProcess>& processes, bool all,
                                        std::size_t columns);
[[nodiscard]] std::string process_json(const std::vector<ListedProcess>& processes);

}  // namespace umbra::cli
