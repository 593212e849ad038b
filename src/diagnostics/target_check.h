// SPDX-License-Identifier: MIT
// Whether a process can be profiled while it runs, and if not, why.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"

namespace umbra::diagnostics {

/// The profiler a process has loaded, as its mapped files and its environment tell.
struct LoadedProfiler {
    enum class Kind { kNone, kUmbra, kOther };
    Kind kind = Kind::kNone;
    std::string library;  ///< as the process sees it; empty: none
};

[[nodiscard]] LoadedProfiler loaded_profiler(pid_t pid);

/// Why a process has no diagnostics socket this user can talk to, in one sentence: no such process,
/// another user's, 32-bit or of another architecture, not .NET, diagnostics switched off, or the
/// socket is gone. For processes of which find_endpoint() has found none.
[[nodiscard]] Error why_unreachable(pid_t pid);

/// Why no agent of umbra takes commands in a process, in one sentence: all that why_unreachable()
/// knows but the missing socket, another profiler, profilers switched off. kNotListening: it is
/// loaded and may begin to listen this moment; kUnprepared: nothing is in the way of an attach.
[[nodiscard]] Error why_no_agent(pid_t pid);

/// kInvalid unless `library` is an absolute path; kNotFound unless the process sees a file there:
/// in a container it may not.
[[nodiscard]] Status check_library(pid_t pid, const std::string& library);

/// Whether a .NET runtime is mapped as a library of its own (in a single-file program it is not).
[[nodiscard]] bool has_runtime_library(pid_t pid);
/// Each copy of the runtime that has been loaded, by its file.
[[nodiscard]] std::vector<std::string> runtime_libraries(pid_t pid);

}  // namespace umbra::diagnostics
