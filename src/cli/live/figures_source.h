// SPDX-License-Identifier: MIT
// FiguresSource: the live figures of a process, by whomever it is recorded.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/cli/live/own_capture.h"
#include "src/cli/live/recorders.h"
#include "src/protocol/messages.h"

namespace umbra::cli {

/// Finds who records the process, and watches; where nobody does, opens a capture of its own. One
/// thread.
class FiguresSource {
  public:
    /// `start_options`: of a capture of its own.
    FiguresSource(pid_t named, std::vector<std::string> start_options)
        : named_(named), start_options_(std::move(start_options)) {}

    /// To be called when descriptor() is readable, and some times a second. What is new; none:
    /// nothing. After figures that have `ended`, and after an error, no more come. Errors: there is
    /// nothing to watch (any more); the context says why.
    [[nodiscard]] Result<std::optional<protocol::LiveFigures>> poll();
    /// -1: none yet.
    [[nodiscard]] int descriptor() const { return watch_ ? watch_->descriptor() : -1; }
    /// Who records, as far as is known: "umbra start, process 4800".
    [[nodiscard]] const std::string& recorder() const { return recorder_; }
    /// What is being waited for while there are no figures.
    [[nodiscard]] const std::string& waiting() const { return waiting_; }
    /// The capture of its own, if there is one: to be told to end, and waited for.
    [[nodiscard]] OwnCapture* own_capture() { return own_ ? &*own_ : nullptr; }

  private:
    Status look();
    [[nodiscard]] Result<std::optional<Target>> target();
    Status open_own_capture();

    const pid_t named_;
    const std::vector<std::string> start_options_;
    std::vector<SeenRecorder> seen_;
    std::optional<LiveWatch> watch_;
    std::optional<OwnCapture> own_;
    std::string recorder_;
    std::string waiting_;
    std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace umbra::cli
