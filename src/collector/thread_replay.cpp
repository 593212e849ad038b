// SPDX-License-Identifier: MIT
// The replay loop, and what control records do.
#include "src/collector/thread_replay.h"

#include <algorithm>
#include <iterator>

#include "hotpath/record.h"

namespace umbra::collector {

using hotpath::ControlType;
using hotpath::Kind;

ThreadReplay::ThreadReplay(SharedTables& shared, uint32_t number, uint64_t start_ticks)
    : shared_(shared),
      number_(number),
      root_(0),
      start_ticks_(start_ticks),
      last_ticks_(start_ticks),
      stack_(shared.tree, shared.tree.add_root(), shared.limits),
      exceptions_(stack_, shared.exceptions),
      overlays_(shared.pauses, start_ticks) {
    root_ = shared.tree.number(*(stack_.top()->node));
}

size_t ThreadReplay::consume(std::span<const uint64_t> slots, bool complete) {
    // Two cursors: the loop's own never has its address taken and so stays in registers.
    RecordCursor cursor(slots, last_ticks_);
    Frame* top = stack_.top();
    uint64_t events = 0;
    uint64_t next_overlay = this->next_overlay();
    while (cursor.next()) {
        ++events;
        if (cursor.ticks() > next_overlay) [[unlikely]] {
            stack_.set_top(top);
            next_overlay = book_overlays(cursor.ticks());
        }
        const uint64_t slot = cursor.slot();
        const Kind kind = hotpath::slot_kind(slot);
        if (kind == Kind::kEnter) {
            top = stack_.enter(top, slot, cursor.ticks());
        } else if (kind != Kind::kControl) [[likely]] {
            top = stack_.leave(top, slot, cursor.ticks());
        } else {
            stack_.set_top(top);
            RecordCursor at_control = cursor;
            control(at_control);
            cursor = at_control;
            top = stack_.top();
            next_overlay = this->next_overlay();
        }
    }
    stack_.set_top(top);
    last_ticks_ = cursor.ticks();
    counts_.events += events;
    counts_.decode_errors += cursor.errors();
    if (ended_) {
        stack_.shrink();
    }
    return cursor.consumed(complete);
}

void ThreadReplay::end(uint64_t ticks) {
    ended_ = true;
    end_ticks_ = std::max(end_ticks_, ticks);
    stack_.shrink();
}

uint64_t ThreadReplay::cut_ticks(uint64_t now_ticks) const {
    return std::max(last_ticks_, ended_ ? end_ticks_ : now_ticks);
}

ThreadCounts ThreadReplay::counts() const {
    ThreadCounts counts = counts_;
    counts.stack = stack_.counts();
    counts.decode_errors += counts.stack.bad_functions;
    return counts;
}

void ThreadReplay::control(RecordCursor& cursor) {
    const uint64_t now = cursor.ticks();
    const uint32_t operand = hotpath::slot_operand(cursor.slot());
    const uint32_t function = shared_.tree.valid(operand) ? operand : 0;
    switch (static_cast<ControlType>(hotpath::slot_index(cursor.slot()))) {
        case ControlType::kUnwindFunctionEnter:
            return exceptions_.unwind_enter(function, now);
        case ControlType::kUnwindFunctionLeave:
            return exceptions_.unwind_leave(now);
        case ControlType::kUnwindFinallyEnter:
        case ControlType::kUnwindFinallyLeave:
        case ControlType::kCatcherLeave:
            return;  // they lie inside what the other callbacks tell
        case ControlType::kTick:
        case ControlType::kSuspendStarted:
        case ControlType::kResumeFinished:
            return;  // clock readings; suspensions stand in the pause ring
        case ControlType::kCatcherEnter:
            return exceptions_.catcher_enter(function, now);
        case ControlType::kFilterEnter:
            return exceptions_.filter_enter(function);
        case ControlType::kFilterLeave:
            return exceptions_.filter_leave(now);
        case ControlType::kExceptionThrown:
            return exceptions_.thrown(operand);
        case ControlType::kCompileStarted:
            if (compiling_.size() < kMaxOpenCompilations) {
                book_overlays(now);
                compiling_.push_back(
                    {.function = function, .start_ticks = now, .depth = stack_.depth()});
            }
            return;
        case ControlType::kCompileFinished:
            return compile_finished(function, now);
        case ControlType::kLost:
            counts_.lost_events += operand;
            for (OpenCompilation& open : compiling_) {
                open.depth = kNoDepth;
            }
            return stack_.note_loss(now);
        case ControlType::kWaited: {
            uint64_t began = 0;
            if (cursor.payload(began)) {
                ++counts_.waits;
                counts_.wait_ticks += now - std::min(began, now);
            }
            return;
        }
    }
    ++counts_.decode_errors;
}

void ThreadReplay::compile_finished(uint32_t function, uint64_t now) {
    const auto started = std::find_if(compiling_.rbegin(), compiling_.rend(),
                                      [&](const auto& open) { return open.function == function; });
    if (started == compiling_.rend()) {
        return;  // begun before umbra saw the thread
    }
    if (shared_.compilations.size() < shared_.limits.max_compilations) {
        shared_.compilations.push_back({.function = function,
                                        .thread = number_,
                                        .start_ticks = started->start_ticks,
                                        .duration_ticks = now - started->start_ticks});
    } else {
        ++shared_.compilations_lost;
    }
    // What was begun later has ended with it, untold.
    compiling_.erase(std::prev(started.base()), compiling_.end());
}

uint64_t ThreadReplay::book_overlays(uint64_t now) {
    const uint64_t from = overlays_.done_ticks();
    NodeExtra extra = overlays_.attribute(now, stack_.depth() != 0);
    if (compiling_here()) {
        extra.paused_ticks = now - std::min(from, now);  // a suspension in it counts once
    } else if (!compiling_.empty() && compiling_.back().depth > stack_.depth()) {
        compiling_.back().depth = kNoDepth;  // its call is gone, so it is over
    }
    shared_.extras.add(top_node(), extra);
    return next_overlay();
}

uint32_t ThreadReplay::top_node() const {
    const Frame* frame = stack_.top();
    // Calls that found no room in the tree stand on its scratch node: their time is the caller's.
    for (size_t depth = stack_.depth(); depth > 0 && shared_.tree.number(*frame->node) == 0;
         --depth) {
        --frame;
    }
    return shared_.tree.number(*frame->node);
}

ThreadReplay::OpenExtra ThreadReplay::open_extra(uint64_t cut_ticks) const {
    OpenExtra open{.node = top_node(), .extra = overlays_.up_to(cut_ticks)};
    if (compiling_here()) {
        const uint64_t from = std::min(overlays_.done_ticks(), cut_ticks);
        open.extra.paused_ticks = cut_ticks - from;
    }
    return open;
}

}  // namespace umbra::collector
