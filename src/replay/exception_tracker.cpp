// SPDX-License-Identifier: MIT
// The rules by which exception callbacks end frames and dispatches.
#include "src/replay/exception_tracker.h"

#include <algorithm>

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
    // Between frames no managed code runs: an idle dispatch was caught by native code, unsaid.
    if (!dispatches_.empty() && dispatches_.back().unwinding == Unwinding::kNothing &&
        !dispatches_.back().in_filter) {
        retire(dispatches_.size() - 1, 0);
    }
    push({.type = type, .thrown_in = stack_.top_function(), .seen_thrown = true});
}

void ExceptionTracker::filter_enter(uint32_t function) {
    forget_vanished();
    Dispatch& dispatch = dispatches_.empty() ? push({}) : dispatches_.back();
    dispatch.in_filter = true;
    dispatch.filter_function = function;
    dispatch.filter_depth = stack_.depth();
}

void ExceptionTracker::filter_leave(Lanes now) {
    forget_vanished();
    const size_t index = innermost_filter();
    if (index < dispatches_.size()) {
        stack_.drop_to(dispatches_[index].filter_depth, now);
        retire_above(index);
        dispatches_[index].in_filter = false;
    }
}

void ExceptionTracker::unwind_enter(uint32_t function, Lanes now) {
    forget_vanished();
    if (dispatches_.empty()) {
        push({});
    }
    const bool filter = unwinds_filter(function);
    Dispatch& dispatch = dispatches_.back();
    if (dispatch.unwinding == Unwinding::kFrame) {
        if (dispatch.function == function) {
            return;  // said twice
        }
        unwind_leave(now);  // unwinding has gone on, so that frame is gone
    }
    if (!filter && function != 0 && !stack_.skipping()) {
        drop_neighbours(function, now);
    }
    dispatch.function = function;
    dispatch.place = stack_.depth();
    dispatch.unwinding = Unwinding::kOutside;
    if (filter) {
        dispatch.unwinding = Unwinding::kFilter;
    } else if (function != 0 && stack_.skipping()) {
        dispatch.unwinding = Unwinding::kSkipped;
    } else if (function != 0 && stack_.top_function() == function) {
        const size_t place = stack_.depth() - 1;
        if (being_removed(place)) {  // it escapes from a finally block of this very frame
            mark_neighbours(place);
        }
        dispatch.unwinding = Unwinding::kFrame;
        dispatch.place = place;
        stack_.frame(place).key |= Frame::kUnwinding;
    }
}

void ExceptionTracker::unwind_leave(Lanes now) {
    forget_vanished();
    // An idle dispatch is removing nothing: native code has caught it, unsaid, inside another.
    while (dispatches_.size() > 1 && dispatches_.back().unwinding == Unwinding::kNothing) {
        retire(dispatches_.size() - 1, 0);
    }
    if (dispatches_.empty()) {
        return;
    }
    Dispatch& dispatch = dispatches_.back();
    switch (dispatch.unwinding) {
        case Unwinding::kFrame:
            stack_.drop_to(dispatch.place + 1, now);
            stack_.pop_unwound(now);
            break;
        case Unwinding::kSkipped:
            stack_.pop_skipped();
            break;
        case Unwinding::kFilter:
            filter_leave(now);
            return;
        case Unwinding::kOutside:
        case Unwinding::kNothing:
            break;
    }
    dispatch.unwinding = Unwinding::kNothing;
}

void ExceptionTracker::catcher_enter(uint32_t function, Lanes now) {
    forget_vanished();
    if (!dispatches_.empty() && dispatches_.back().unwinding == Unwinding::kFilter) {
        filter_leave(now);  // what looked like the end of the filter was the catching frame
    }
    if (dispatches_.empty()) {
        return;
    }
    const Dispatch caught = dispatches_.back();
    retire(dispatches_.size() - 1, function);
    if (caught.unwinding == Unwinding::kFrame) {
        stack_.drop_to(caught.place + 1, now);
        unmark(caught.place);
        mark_neighbours(caught.place);
    }
    // Dispatches that were removing something deeper than the catching frame are over.
    forget_vanished();
    while (!dispatches_.empty() && dispatches_.back().unwinding == Unwinding::kOutside &&
           dispatches_.back().place >= stack_.depth() && caught.unwinding == Unwinding::kFrame) {
        retire(dispatches_.size() - 1, 0);
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

bool ExceptionTracker::marked(size_t place) const {
    return place < stack_.depth() && stack_.frame(place).unwinding();
}

bool ExceptionTracker::being_removed(size_t place) const {
    return std::ranges::any_of(dispatches_, [place](const Dispatch& dispatch) {
        return dispatch.unwinding == Unwinding::kFrame && dispatch.place == place;
    });
}

void ExceptionTracker::unmark(size_t place) {
    // Or it was caught inside a finally block of this very frame, which is still to go.
    if (place < stack_.depth() && !being_removed(place)) {
        stack_.frame(place).key &= ~Frame::kUnwinding;
    }
}

void ExceptionTracker::mark_neighbours(size_t place) {
    const uint32_t function = stack_.frame(place).function();
    if (place == 0 || stack_.frame(place - 1).function() != function) {
        return;
    }
    for (size_t end = place + 1; end > 0 && stack_.frame(end - 1).function() == function; --end) {
        stack_.frame(end - 1).key |= Frame::kUnwinding;
    }
}

void ExceptionTracker::drop_neighbours(uint32_t function, Lanes now) {
    const uint32_t top = stack_.top_function();
    if (top == function) {
        return;
    }
    size_t depth = stack_.depth();
    while (depth > 0 && stack_.frame(depth - 1).function() == top && marked(depth - 1) &&
           !being_removed(depth - 1)) {
        --depth;
    }
    if (depth > 0 && depth < stack_.depth() && stack_.frame(depth - 1).function() == function) {
        stack_.drop_to(depth, now);
    }
}

void ExceptionTracker::forget_vanished() {
    for (size_t index = dispatches_.size(); index-- > 0;) {
        const Dispatch& dispatch = dispatches_[index];
        // Somebody has left the frame it was removing, or one its filter was called by.
        const bool gone =
            (dispatch.unwinding == Unwinding::kFrame && !marked(dispatch.place)) ||
            (dispatch.unwinding == Unwinding::kOutside && dispatch.place > stack_.depth()) ||
            (dispatch.in_filter && dispatch.filter_depth > stack_.depth());
        if (gone) {
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

size_t ExceptionTracker::innermost_filter() const {
    for (size_t index = dispatches_.size(); index-- > 0;) {
        if (dispatches_[index].in_filter) {
            return index;
        }
    }
    return dispatches_.size();
}

bool ExceptionTracker::unwinds_filter(uint32_t function) {
    const size_t index = innermost_filter();
    if (function == 0 || index == dispatches_.size() ||
        stack_.depth() > dispatches_[index].filter_depth) {
        return false;
    }
    // No frame of the filter is left: either the filter is next, or its end was not told and the
    // outer exception goes on.
    const bool nested = index + 1 < dispatches_.size();
    if (nested && function == dispatches_[index].filter_function) {
        return true;
    }
    if (!nested || stack_.top_function() == function) {
        retire_above(index);
        dispatches_[index].in_filter = false;
    }
    return false;
}

}  // namespace umbra::replay
