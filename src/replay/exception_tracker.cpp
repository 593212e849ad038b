// SPDX-License-Identifier: MIT
// The rules by which exception callbacks end frames and dispatches.
#include "src/replay/exception_tracker.h"

#include <algorithm>

#include "hotpath/record.h"

namespace umbra::replay {

void ExceptionCounts::add(const Key& key, uint64_t count) {
    const auto row = rows_.find(key);
    if (row != rows_.end()) {
        row->second += count;
    } else if (rows_.size() < max_rows_) {
        rows_.emplace(key, count);
    } else {
        rows_[Key{}] += count;
    }
}

void ExceptionTracker::thrown(uint32_t type) {
    forget_vanished();
    // Nothing managed runs between frames: what was removing them was caught by native code,
    // unsaid. Which have gone the next stack pointer tells.
    if (!dispatches_.empty() && dispatches_.back().state < State::kFinally) {
        retire(dispatches_.size() - 1, 0);
    }
    const size_t alive = std::max(alive_by_name(), stack_.never_left());
    push({.type = type,
          .thrown_in = alive == 0 ? 0 : stack_.frame(alive - 1).function(),
          .seen_thrown = true});
}

void ExceptionTracker::filter_enter(uint32_t sp, Lanes now) {
    forget_vanished();
    if (const std::optional<size_t> stand = leave_filters(sp)) {
        settle(*stand, now);
    } else {
        // What has called the frame stands, however often its functions were told to have gone.
        settle(std::max(alive_by_name(), sp == 0 ? 0 : stack_.alive_above(sp)), now);
    }
    Dispatch& dispatch = innermost();
    dispatch.state = State::kFilter;
    dispatch.sp = sp;
    dispatch.depth = stack_.depth();
}

void ExceptionTracker::filter_leave(uint32_t sp, Lanes now) {
    forget_vanished();
    const size_t index = running(State::kFilter, sp);
    if (index == dispatches_.size()) {
        return;
    }
    const size_t depth = dispatches_[index].depth;
    if (index + 1 < dispatches_.size() || !gone_.empty()) {
        settle(depth, now);  // an exception has left it
    } else {
        stack_.drop_to(depth, now);
    }
    leave_filter(index);
}

void ExceptionTracker::unwind_enter(uint32_t function, Lanes now) {
    forget_vanished();
    Dispatch& dispatch = innermost();
    if (dispatch.state == State::kUnwinding && dispatch.function != function) {
        note_gone(dispatch.function, now);  // unwinding has gone on
    }
    dispatch.state = State::kUnwinding;
    dispatch.function = function;
}

void ExceptionTracker::unwind_leave(Lanes now) {
    forget_vanished();
    if (dispatches_.empty() || dispatches_.back().state != State::kUnwinding) {
        return;
    }
    note_gone(dispatches_.back().function, now);
    dispatches_.back().state = State::kIdle;
}

void ExceptionTracker::finally_enter(uint32_t function, uint32_t sp, Lanes now) {
    forget_vanished();
    leave_filters(sp);
    settle_below(sp, now);
    Dispatch& dispatch = innermost();
    dispatch.state = State::kFinally;
    dispatch.function = function;
    dispatch.sp = sp;
    dispatch.depth = stack_.depth();
}

void ExceptionTracker::finally_leave(uint32_t sp) {
    forget_vanished();
    const size_t index = running(State::kFinally, sp);
    if (index < dispatches_.size()) {
        retire_above(index);  // caught by native code that the block called, unsaid
        dispatches_[index].state = State::kUnwinding;
    }
}

void ExceptionTracker::catcher_enter(uint32_t function, uint32_t sp, Lanes now) {
    forget_vanished();
    leave_filters(sp);
    settle_below(sp, now);
    if (dispatches_.empty()) {
        return;
    }
    retire(dispatches_.size() - 1, function);
    // It has left the finally blocks of deeper frames, and ended what was running them.
    while (!dispatches_.empty() && dispatches_.back().state == State::kFinally &&
           ShadowStack::above(sp, dispatches_.back().sp)) {
        retire(dispatches_.size() - 1, 0);
    }
}

void ExceptionTracker::before_call(uint64_t slot, Lanes now) {
    const uint32_t caller_sp = hotpath::slot_operand(slot);
    const bool begins = hotpath::slot_kind(slot) == hotpath::Kind::kEnter;
    const size_t alive = stack_.alive_above(begins ? caller_sp : caller_sp - 1);
    // A call from deeper than the dead: an untold block makes it.
    const bool untold = begins && alive == stack_.depth();
    settle(untold ? alive_by_name() : alive, now);
    if (!dispatches_.empty() && dispatches_.back().state == State::kUnwinding) {
        dispatches_.back().state = State::kIdle;
    }
}

void ExceptionTracker::booked_until(Lanes now) {
    for (Gone& gone : gone_) {
        gone.when = now;
    }
}

void ExceptionTracker::add_unfinished(ExceptionCounts& counts) const {
    for (const Dispatch& dispatch : dispatches_) {
        if (dispatch.seen_thrown) {
            counts.add({.type = dispatch.type, .thrown_in = dispatch.thrown_in, .caught_in = 0});
        }
    }
}

ExceptionTracker::Dispatch& ExceptionTracker::push(const Dispatch& dispatch) {
    if (dispatches_.size() == kMaxDispatches) {
        retire(0, 0);
    }
    return dispatches_.emplace_back(dispatch);
}

void ExceptionTracker::note_gone(uint32_t function, Lanes now) {
    if (gone_.size() < kMaxGone) {
        gone_.push_back({function, now});
    }
}

void ExceptionTracker::settle(size_t alive, Lanes now) {
    alive = std::max(alive, stack_.never_left());
    uint32_t last = 0;
    Lanes when = now;
    for (const Gone& gone : gone_) {
        if (gone.function != 0 && stack_.skipping()) {
            stack_.pop_skipped();
            continue;
        }
        size_t place = stack_.depth();
        // Neighbours of one function, told as one call, may stand between.
        while (place > alive && stack_.frame(place - 1).function() != gone.function &&
               stack_.frame(place - 1).function() == last) {
            --place;
        }
        if (place <= alive || stack_.frame(place - 1).function() != gone.function) {
            last = 0;  // it has no frame
            continue;
        }
        while (stack_.depth() > place) {
            stack_.pop_unwound(when);
        }
        last = gone.function;
        when = gone.when;
        stack_.pop_unwound(when);
    }
    gone_.clear();
    while (stack_.depth() > alive) {
        last = stack_.top_function() == last ? last : 0;
        stack_.pop_unwound(last == 0 ? now : when);
    }
}

void ExceptionTracker::settle_below(uint32_t sp, Lanes now) {
    settle(sp == 0 ? alive_by_name() : stack_.alive_above(sp), now);
}

size_t ExceptionTracker::alive_by_name() const {
    const size_t filter = running(State::kFilter, 0);
    const size_t least = filter < dispatches_.size() ? dispatches_[filter].depth : 0;
    size_t alive = stack_.depth();
    for (const Gone& gone : gone_) {
        if (alive > least && stack_.frame(alive - 1).function() == gone.function) {
            --alive;
        }
    }
    return alive;
}

std::optional<size_t> ExceptionTracker::leave_filters(uint32_t sp) {
    for (size_t index = 0; index < dispatches_.size() && sp != 0; ++index) {
        const Dispatch& dispatch = dispatches_[index];
        if (dispatch.state == State::kFilter &&
            (!ShadowStack::above(dispatch.sp, sp) || stack_.alive_above(sp) < dispatch.depth)) {
            leave_filter(index);
            return dispatch.depth;
        }
    }
    return std::nullopt;
}

void ExceptionTracker::leave_filter(size_t index) {
    retire_above(index);
    dispatches_[index].state = State::kIdle;
}

void ExceptionTracker::forget_vanished() {
    for (size_t index = dispatches_.size(); index-- > 0;) {
        const Dispatch& dispatch = dispatches_[index];
        // Somebody has left the frame whose block it was running, or a caller of that.
        if (dispatch.state >= State::kFinally && dispatch.depth > stack_.depth()) {
            retire(index, 0);
        }
    }
}

void ExceptionTracker::retire(size_t index, uint32_t caught_in) {
    const Dispatch& dispatch = dispatches_[index];
    if (dispatch.seen_thrown) {
        counts_->add(
            {.type = dispatch.type, .thrown_in = dispatch.thrown_in, .caught_in = caught_in});
    }
    dispatches_.erase(dispatches_.begin() + static_cast<std::ptrdiff_t>(index));
}

void ExceptionTracker::retire_above(size_t index) {
    while (dispatches_.size() > index + 1) {
        retire(dispatches_.size() - 1, 0);
    }
}

size_t ExceptionTracker::running(State block, uint32_t sp) const {
    for (size_t index = dispatches_.size(); index-- > 0;) {
        const Dispatch& dispatch = dispatches_[index];
        if (dispatch.state == block && (sp == 0 || dispatch.sp == 0 || dispatch.sp == sp)) {
            return index;
        }
    }
    return dispatches_.size();
}

}  // namespace umbra::replay
