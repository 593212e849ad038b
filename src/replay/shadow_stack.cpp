// SPDX-License-Identifier: MIT
// The rare ways through the shadow stack: repairs, unmatched leaves, growing and the depth limit.
#include "src/replay/shadow_stack.h"

#include <algorithm>

namespace umbra::replay {
namespace {

constexpr size_t kFirstFrames = 64;
constexpr uint32_t kSpRoom = 1U << 30;  ///< half of what a signed difference can tell

uint64_t bottom_key(uint32_t caller_sp, uint32_t function) {
    return hotpath::make_slot(hotpath::Kind::kEnter, function, false, caller_sp) | Frame::kBottom;
}

}  // namespace

ShadowStack::ShadowStack(CallTree& tree, CallTreeNode& root, const Limits& limits, CallLog* log)
    : tree_(tree), log_(log), max_depth_(std::max<size_t>(limits.max_depth, 1)) {
    frames_.resize(1);
    frames_[0] = {.key = bottom_key(0, 0), .enter_ticks = 0, .node = &root, .guess = &root.first};
    top_ = resize(frames_.data(), std::min(kFirstFrames, max_depth_));
}

void ShadowStack::begin_inside(CallTreeNode& node, uint64_t now) {
    bottom_ = 1;
    top_ = bottom();
    *top_ = {.key = bottom_key(0, node.function),
             .enter_ticks = now,
             .node = &node,
             .guess = &node.first};
}

void ShadowStack::drop_to(size_t depth, uint64_t now) {
    while (this->depth() > std::max(depth, bottom_)) {
        top_ = repair(top_, now);
    }
}

void ShadowStack::note_loss(uint64_t now) {
    lost_ = true;
    lost_ticks_ = now;
}

void ShadowStack::shrink() {
    const size_t needed = std::max<size_t>(depth(), 1);
    if (frames_.size() - 1 > needed) {
        top_ = resize(top_, needed);
    }
}

Frame* ShadowStack::repair(Frame* top, uint64_t now) {
    const bool explained = top->unwinding() || (lost_ && top->enter_ticks <= lost_ticks_);
    if (!explained) {
        ++counts_.repairs;
    }
    return close(top, now);
}

Frame* ShadowStack::make_room(Frame* top, uint32_t caller_sp, uint64_t now) {
    while (top != bottom() && !above(top->caller_sp(), caller_sp)) {
        top = repair(top, now);
    }
    if (top == bottom()) {
        // It stays above whatever part of the stack the thread is running on.
        top->key = bottom_key(caller_sp + kSpRoom, top->function());
    }
    if (top == last_ && frames_.size() - 1 < max_depth_) {
        top = resize(top, std::min((frames_.size() - 1) * 2, max_depth_));
    }
    return top;
}

void ShadowStack::skip(Frame* top) {
    if ((top->key & Frame::kSkipping) == 0) {
        top->key |= Frame::kSkipping;
        skipped_ = 0;
    }
    ++skipped_;
    ++counts_.too_deep;
}

Frame* ShadowStack::leave(Frame* top, uint64_t slot, uint64_t now) {
    const uint64_t key = slot & ~Frame::kFlags;
    if (!tree_.valid(hotpath::slot_index(slot))) {
        ++counts_.bad_functions;
        return top;
    }
    // Whoever leaves at this caller SP, nothing deeper is alive any more.
    const uint32_t caller_sp = hotpath::slot_operand(slot);
    const bool deeper = top != bottom() && above(top->caller_sp(), caller_sp);
    while (top != bottom() && above(caller_sp, top->caller_sp())) {
        top = repair(top, now);
    }
    if (top != bottom() && top->caller_sp() == caller_sp) {
        if ((top->key & ~Frame::kFlags) == key) {
            return close(top, now);
        }
        top = repair(top, now);  // another call had this place before: it is dead as well
    }
    if (deeper && skipping(*top)) {
        --skipped_;
    } else if (bottom_ == 0) {
        ++counts_.unmatched_leaves;
    }  // else it ends a call the thread was in before
    return top;
}

CallTreeNode* ShadowStack::look_up(Frame& top, uint32_t function) {
    if (!tree_.valid(function)) {
        ++counts_.bad_functions;
        return nullptr;
    }
    // The next best guesses: the call expected was left out, or the calls begin anew (a loop).
    uint32_t number = tree_.at(*top.guess).next;
    if (tree_.at(number).function != function) {
        number = top.node->first;
    }
    if (tree_.at(number).function != function) {
        number = tree_.number(tree_.child(*top.node, function));
    }
    // The scratch node learns nothing: its guesses would lead other parents to a wrong child.
    if (number != 0 && top.guess != &tree_.scratch().next) {
        *top.guess = number;
    }
    return &tree_.at(number);
}

Frame* ShadowStack::resize(Frame* top, size_t frames) {
    const auto depth = static_cast<size_t>(top - frames_.data());
    std::vector<Frame> resized(frames + 1);
    std::copy_n(frames_.begin(), depth + 1, resized.begin());
    frames_.swap(resized);
    last_ = frames_.data() + frames;
    return frames_.data() + depth;
}

}  // namespace umbra::replay
