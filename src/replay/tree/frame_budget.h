// SPDX-License-Identifier: MIT
// FrameBudget: memory of shadow stacks, of all threads that are replayed together.
#pragma once

#include <cstddef>

namespace umbra::replay {

/// A thread may be in millions of calls, and a process may have thousands of such threads: what one
/// stack may hold bounds nothing. Counts the frames there is room for in all stacks, also of
/// threads that have ended in the middle of their calls lately. One thread.
class FrameBudget {
  public:
    explicit FrameBudget(size_t most) : most_(most) {}

    /// A stack wants room for `frames` frames instead of `before`. False: there is none.
    [[nodiscard]] bool allows(size_t before, size_t frames) const {
        return frames <= before || frames - before <= most_ - (held_ < most_ ? held_ : most_);
    }
    /// A stack has room for `frames` frames instead of `before`, allowed or not.
    void resized(size_t before, size_t frames) { held_ = held_ - before + frames; }

  private:
    size_t most_;
    size_t held_ = 0;
};

}  // namespace umbra::replay
