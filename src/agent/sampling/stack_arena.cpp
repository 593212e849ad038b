// SPDX-License-Identifier: MIT
#include "src/agent/sampling/stack_arena.h"

#include <algorithm>

namespace umbra::agent {
namespace {

constexpr size_t kFirstFrames = size_t{1} << 17;
constexpr size_t kFirstStacks = 256;

}  // namespace

void StackArena::reset() {
    if (frames_.empty() || (short_of_frames_ && frames_.size() < kMaxFrames)) {
        frames_.resize(std::max(kFirstFrames, frames_.size() * 2));
    }
    if (stacks_.capacity() == 0 || (short_of_stacks_ && stacks_.capacity() < kMaxStacks)) {
        stacks_.reserve(std::max(kFirstStacks, stacks_.capacity() * 2));
    }
    stacks_.clear();
    used_ = 0;
    short_of_frames_ = false;
    short_of_stacks_ = false;
}

bool StackArena::begin_stack(clr::ThreadID thread, uint32_t os_tid) noexcept {
    if (stacks_.size() == stacks_.capacity()) {
        short_of_stacks_ = true;
        return false;
    }
    const auto begin = static_cast<uint32_t>(used_);
    stacks_.push_back({thread, os_tid, begin, begin, false});
    return true;
}

bool StackArena::add_frame(clr::FunctionID function) noexcept {
    Stack& stack = stacks_.back();
    if (function == 0 && stack.end > stack.begin && frames_[stack.end - 1] == 0) {
        return true;
    }
    if (used_ == frames_.size() || stack.end - stack.begin == kMaxDepth) {
        short_of_frames_ = short_of_frames_ || used_ == frames_.size();
        return false;
    }
    frames_[used_++] = function;
    stack.end = static_cast<uint32_t>(used_);
    return true;
}

std::span<const clr::FunctionID> StackArena::frames(const Stack& stack) const {
    uint32_t end = stack.end;
    while (!stack.cut && end > stack.begin && frames_[end - 1] == 0) {
        --end;
    }
    return {frames_.data() + stack.begin, frames_.data() + end};
}

}  // namespace umbra::agent
