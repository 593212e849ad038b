// SPDX-License-Identifier: MIT
// StackArena: room for the stacks of one round, so that nothing is allocated while threads stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/clr/types.h"

namespace umbra::agent {

/// Frames of all threads one behind the other, each stack from its top down. Grows between rounds
/// to what the last one lacked. One thread.
class StackArena {
  public:
    struct Stack {
        clr::ThreadID thread = 0;
        uint32_t os_tid = 0;
        uint32_t begin = 0;  ///< of its frames
        uint32_t end = 0;
        bool cut = false;  ///< frames at its foot are missing
    };
    static constexpr size_t kMaxFrames = size_t{1} << 21;  ///< of all threads
    static constexpr uint32_t kMaxDepth = 1U << 14;        ///< of one
    static constexpr size_t kMaxStacks = size_t{1} << 14;

    /// Forgets the last round and makes room for the next. May throw std::bad_alloc.
    void reset();

    /// False: no room for another thread. These three allocate nothing.
    bool begin_stack(clr::ThreadID thread, uint32_t os_tid) noexcept;
    /// The next frame of the stack begun last; native ones in a row become one. False: no room.
    bool add_frame(clr::FunctionID function) noexcept;
    void cut_stack() noexcept { stacks_.back().cut = true; }

    [[nodiscard]] const std::vector<Stack>& stacks() const { return stacks_; }
    /// Without native frames at the foot: every thread begins in them.
    [[nodiscard]] std::span<const clr::FunctionID> frames(const Stack& stack) const;

  private:
    std::vector<clr::FunctionID> frames_;
    std::vector<Stack> stacks_;
    size_t used_ = 0;
    bool short_of_frames_ = false;
    bool short_of_stacks_ = false;
};

}  // namespace umbra::agent
