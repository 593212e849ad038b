// SPDX-License-Identifier: MIT
// Recording: starts a program under umbra and sees it, and what it starts, through to their files.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/cli/record/asked_outcome.h"
#include "src/cli/record/outputs.h"
#include "src/collector/recording_spec.h"
#include "src/collector/session.h"
#include "src/collector/state/event_sink.h"
#include "src/diagnostics/c_library.h"
#include "src/protocol/messages.h"

namespace umbra::cli {

struct RecordingOptions : OutputOptions {
    std::vector<std::string> arguments;  ///< the program and its arguments
    std::string agent;                   ///< path of libumbra_agent.so
    collector::RecordingSpec spec;
    bool os_clock = false;  ///< the system's clock, even where the counter would do
    bool follow = true;     ///< processes the program starts are profiled too
    /// Makes what sees the records of a new session; none: nobody does.
    std::function<std::shared_ptr<collector::EventSink>(const protocol::Hello&)> sink{};
};

/// Runs the program to its end and answers the exit status umbra should have. Talks to the user on
/// standard error only: standard output is the program's.
[[nodiscard]] Result<int> record(const RecordingOptions& options);

// What run and start share besides.

/// Of a new process. `watch`: somebody looks at its figures.
[[nodiscard]] collector::Session::Options session_options(const RecordingOptions& options,
                                                          Outputs& outputs,
                                                          const protocol::Hello& hello, bool watch);
/// When all sessions have ended: see there. False: a profile was not written, or lacks what was
/// asked for.
[[nodiscard]] bool conclude(Outputs& outputs, const AskedOutcome& asked);

/// The agent that belongs to this umbra, for programs of that C library: beside the executable, or
/// where an installation puts it.
[[nodiscard]] Result<std::string> find_agent(
    diagnostics::CLibrary library = diagnostics::CLibrary::kGlibc);

}  // namespace umbra::cli
