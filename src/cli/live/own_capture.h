// SPDX-License-Identifier: MIT
// OwnCapture: an `umbra start` that lives as long as somebody watches.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/base/unique_fd.h"

namespace umbra::cli {

/// A child process, in a process group of its own, so that what the terminal sends does not reach
/// it; it is told to end when this process does, whatever its end. One thread.
class OwnCapture {
  public:
    /// `arguments`: of `umbra start`, the process among them. Errors: kSystem.
    [[nodiscard]] static Result<OwnCapture> start(const std::vector<std::string>& arguments);
    OwnCapture(OwnCapture&&) = default;
    OwnCapture& operator=(OwnCapture&&) = delete;
    OwnCapture(const OwnCapture&) = delete;
    OwnCapture& operator=(const OwnCapture&) = delete;
    /// Tells it to end, and does not wait.
    ~OwnCapture();

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// It has ended. Takes what it says meanwhile; does not wait.
    [[nodiscard]] bool ended();
    /// 0 until it has ended, and if it did in order.
    [[nodiscard]] int status() const { return status_; }
    /// Tells it to end the capture. Again: to go without an answer of the process.
    void end() const;
    /// What it has said last that is for the user, without "umbra: "; empty: nothing.
    [[nodiscard]] const std::string& said() const { return said_; }

  private:
    OwnCapture(pid_t pid, UniqueFd errors) : pid_(pid), errors_(std::move(errors)) {}
    void read_errors();

    pid_t pid_;
    UniqueFd errors_;
    std::string line_;  ///< that has no end yet
    std::string said_;
    bool over_ = false;
    int status_ = 0;
};

}  // namespace umbra::cli
