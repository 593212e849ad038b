// SPDX-License-Identifier: MIT
// FunctionTrail: which function is on top of the stack, told from event codes alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "src/collector/interval_model.h"
#include "src/collector/shadow_stack.h"

namespace umbra::collector {

/// Follows enters and leaves without a branch, ahead of the shadow stack, which needs times. Knows
/// the innermost kFrames calls; further out, and where the stack repairs itself, it may name a
/// wrong function until the next restart. One thread.
class FunctionTrail {
  public:
    void restart(const ShadowStack& stack) {
        depth_ = 0;
        functions_[0] = 0;
        const size_t frames = std::min<size_t>(stack.depth(), kFrames - 1);
        for (size_t index = stack.depth() - frames; index < stack.depth(); ++index) {
            functions_[++depth_] = stack.frame(index).function();
        }
    }
    /// After an event that is no control record.
    void step(uint32_t code) {
        functions_[(depth_ + 1) % kFrames] = code >> hotpath::kIndexShift;
        depth_ += code_enters(code) ? 1U : ~0U;
    }
    [[nodiscard]] uint32_t top() const { return functions_[depth_ % kFrames]; }

  private:
    static constexpr uint32_t kFrames = 256;

    std::array<uint32_t, kFrames> functions_{};
    uint32_t depth_ = 0;
};

}  // namespace umbra::collector
