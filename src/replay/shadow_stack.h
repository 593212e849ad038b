// SPDX-License-Identifier: MIT
// The calls a thread is in, rebuilt from its enter, leave and tailcall records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hotpath/record.h"
#include "src/replay/call_log.h"
#include "src/replay/call_tree.h"
#include "src/replay/limits.h"

namespace umbra::replay {

/// One call that has begun and not ended.
struct Frame {
    /// Slot 0 of the enter record without its kind: caller SP and function, compared as one word.
    /// The three low bits, zero in a record, hold flags.
    uint64_t key;
    uint64_t enter_ticks;
    CallTreeNode* node;
    uint32_t* guess;  ///< where the number of the node probably called next stands

    static constexpr uint64_t kUnwinding = 1;  ///< by an exception: may vanish without a word
    static constexpr uint64_t kSkipping = 2;   ///< stands at the depth limit, calls above it too
    static constexpr uint64_t kBottom = 4;     ///< not a call; equal to no record, so never left
    static constexpr uint64_t kFlags = kUnwinding | kSkipping | kBottom;

    [[nodiscard]] uint32_t caller_sp() const { return static_cast<uint32_t>(key >> 32); }
    [[nodiscard]] uint32_t function() const { return hotpath::slot_index(key); }
    [[nodiscard]] bool unwinding() const { return (key & kUnwinding) != 0; }
};
static_assert(sizeof(Frame) == 32);

/// What did not go as a sound stream goes.
struct StackCounts {
    uint64_t repairs = 0;           ///< frames closed by caller SP, nothing explains it
    uint64_t unmatched_leaves = 0;  ///< leaves of calls whose enter was not seen
    uint64_t too_deep = 0;          ///< calls beyond the greatest depth
    uint64_t bad_functions = 0;     ///< records with a function index that cannot be
};

/// A stack that repairs itself by caller SP. It grows down, so of two live frames the inner one
/// has the smaller caller SP: at an enter, frames with a caller SP not above the new one are dead,
/// at a leave those with a smaller one. (Differences of the low 32 bits are taken as signed:
/// stacks are smaller than 2 GiB.) A frame closed this way is a repair, unless a loss or an
/// exception explains it.
///
/// The top frame is passed in and handed back, so that the replay loop keeps it in a register;
/// between runs of the loop it lies in top(). One thread.
class ShadowStack {
  public:
    /// `root` is the thread's node; tree and log must outlive the stack. `log` (null: none) gets
    /// the calls that end.
    ShadowStack(CallTree& tree, CallTreeNode& root, const Limits& limits, CallLog* log = nullptr);
    ~ShadowStack() = default;
    ShadowStack(const ShadowStack&) = delete;  // frames are pointed at
    ShadowStack(ShadowStack&&) = delete;
    ShadowStack& operator=(const ShadowStack&) = delete;
    ShadowStack& operator=(ShadowStack&&) = delete;

    /// Something the thread was in already goes on for the whole of its life: a call at the bottom,
    /// never left, that begins with the thread. Before any record; at most once.
    void begin_inside(CallTreeNode& node, uint64_t now);

    [[nodiscard]] Frame* top() const { return top_; }
    void set_top(Frame* top) { top_ = top; }

    /// What a replay loop keeps in registers besides the top; good for the tree's life.
    struct Hot {
        CallTreeNode* nodes;
        uint32_t* histograms;
    };
    [[nodiscard]] Hot hot() const { return {tree_.base(), tree_.histogram_base()}; }

    /// Begins the call of an enter record. Returns the new top.
    Frame* enter(Frame* top, uint64_t slot, uint64_t now, Hot hot) {
        CallTreeNode* node = callee(top, slot, now, hot);
        return node == nullptr ? top : push(top, *node, slot, now);
    }
    /// The node of the call that an enter record begins on `top`, which may move; null when it is
    /// not to be booked. It has to be pushed, or booked if the next record ends it.
    CallTreeNode* callee(Frame*& top, uint64_t slot, uint64_t now, Hot hot) {
        // Of two keys the upper halves decide, the caller SPs: above(), for multiples of 8.
        const auto room = static_cast<int64_t>(top->key - slot);
        if (room < kOneHigher || top == last_) [[unlikely]] {
            top = make_room(top, hotpath::slot_operand(slot), now);
            if (top == last_) {
                skip(top);
                return nullptr;
            }
        }
        const uint32_t function = hotpath::slot_index(slot);
        CallTreeNode* node = hot.nodes + *top->guess;
        if (node->function != function) {
            node = look_up(*top, function);
            if (node == nullptr) [[unlikely]] {
                return nullptr;
            }
        }
        top->guess = &node->next;
        return node;
    }
    static Frame* push(Frame* top, CallTreeNode& node, uint64_t slot, uint64_t now) {
        ++top;
        *top = {
            .key = slot & ~Frame::kFlags, .enter_ticks = now, .node = &node, .guess = &node.first};
        return top;
    }
    /// Books a call that was not pushed. kLogs: there is a log.
    template <bool kLogs>
    void book(CallTreeNode& node, uint64_t begun, uint64_t now, Hot hot) {
        if constexpr (kLogs) {
            log_->add(tree_.number(node), begun, now);
        }
        tree_.close(node, now - begun, hot.histograms);
    }

    /// Whether a record is the leave or tailcall of the call with a key: the same, but for kind and
    /// timed bit, and no flag.
    template <bool kTimed>
    static bool ends(uint64_t key, uint64_t slot) {
        constexpr uint64_t kFirst = static_cast<uint64_t>(hotpath::Kind::kLeave) |
                                    (kTimed ? uint64_t{hotpath::kTimedBit} : 0);
        return slot - key - kFirst <= 1;
    }
    /// Ends the call on top. Returns the new top.
    template <bool kLogs>
    Frame* close(Frame* top, uint64_t now, Hot hot) {
        book<kLogs>(*top->node, top->enter_ticks, now, hot);
        return top - 1;
    }
    /// Ends the call of a leave or tailcall record, whichever it is. Returns the new top.
    Frame* leave(Frame* top, uint64_t slot, uint64_t now);

    /// Calls the thread is in; frame(0) is the outermost. Calls beyond the depth limit are not in.
    [[nodiscard]] size_t depth() const { return static_cast<size_t>(top_ - frames_.data()); }
    [[nodiscard]] Frame& frame(size_t index) { return frames_[index + 1]; }
    [[nodiscard]] const Frame& frame(size_t index) const { return frames_[index + 1]; }
    /// Function of the innermost call; 0 when there is none.
    [[nodiscard]] uint32_t top_function() const { return depth() == 0 ? 0 : top_->function(); }

    /// Ends the calls with an index >= `depth`: the program has left them without a word.
    void drop_to(size_t depth, uint64_t now);
    /// Ends the innermost call; an exception has removed it.
    void pop_unwound(uint64_t now) { top_ = close(top_, now); }

    /// Records were lost: calls now open may have ended unseen.
    void note_loss(uint64_t now);

    /// Calls open beyond the depth limit; an estimate when exceptions run through them.
    [[nodiscard]] bool skipping() const { return skipping(*top_); }
    void pop_skipped() { skipped_ -= skipping() ? 1U : 0U; }

    /// Gives back the room for calls that are not open: nothing much is expected any more.
    void shrink();

    [[nodiscard]] const StackCounts& counts() const { return counts_; }

  private:
    static constexpr int64_t kOneHigher = int64_t{1} << 32;  ///< a caller SP, in a key

    static bool above(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }
    [[nodiscard]] bool skipping(const Frame& top) const {
        return (top.key & Frame::kSkipping) != 0 && skipped_ != 0;
    }

    Frame* close(Frame* top, uint64_t now) {
        return log_ == nullptr ? close<false>(top, now, hot()) : close<true>(top, now, hot());
    }
    /// What is never left: the thread itself, or the call it was in.
    [[nodiscard]] Frame* bottom() { return frames_.data() + bottom_; }
    Frame* repair(Frame* top, uint64_t now);
    Frame* make_room(Frame* top, uint32_t caller_sp, uint64_t now);
    void skip(Frame* top);
    CallTreeNode* look_up(Frame& top, uint32_t function);
    /// Makes room for `frames` frames and the bottom one; returns the new address of `top`.
    Frame* resize(Frame* top, size_t frames);

    CallTree& tree_;
    CallLog* log_;
    std::vector<Frame> frames_;  ///< frames_[0] is the thread itself, never closed
    size_t bottom_ = 0;          ///< index of the innermost frame that is never closed
    Frame* top_;
    Frame* last_;  ///< the last frame there is room for
    size_t max_depth_;
    uint64_t skipped_ = 0;  ///< of the frame marked kSkipping
    bool lost_ = false;
    uint64_t lost_ticks_ = 0;  ///< calls begun up to here are excused
    StackCounts counts_;
};

}  // namespace umbra::replay
