// SPDX-License-Identifier: MIT
// Target: a program of ours on the stand-in runtime, run with the agent in a process of its own.
#pragma once

#include <string>

#include <sys/types.h>

#include "src/base/unique_fd.h"

namespace umbra::testing {

/// Talks with the program line by line through its standard input and output.
class Target {
  public:
    /// Starts `program scenario` as `umbra run` starts a program. Throws std::runtime_error.
    Target(const std::string& program, const std::string& scenario, const std::string& agent,
           const std::string& socket);
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    /// Kills it if it still runs.
    ~Target();

    /// Tells the program to go on (one empty line).
    void go_on();
    /// The next line it prints, without its end; empty when there is no more.
    [[nodiscard]] std::string read_line();
    /// Waits for its end: exit code, or minus the signal that killed it.
    [[nodiscard]] int wait();
    void kill(int signal);
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    pid_t pid_ = 0;
    UniqueFd input_;
    UniqueFd output_;
    std::string read_;
};

}  // namespace umbra::testing
