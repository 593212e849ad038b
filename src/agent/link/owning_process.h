// SPDX-License-Identifier: MIT
// OwningProcess: tells the process an object was made in from the children forked from it.
#pragma once

#include <unistd.h>

namespace umbra::agent {

/// A forked child has a copy of every object of ours, but none of our threads, and what the copies
/// name (sockets, files) is still its parent's. So whoever would use or remove it asks first.
class OwningProcess {
  public:
    /// The calling process owns it.
    OwningProcess() = default;
    /// False in the child of a fork. Any thread.
    [[nodiscard]] bool is_this() const noexcept { return getpid() == pid_; }

  private:
    pid_t pid_ = getpid();
};

}  // namespace umbra::agent
