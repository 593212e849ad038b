// SPDX-License-Identifier: MIT
// The replay loop, and what control records do.
#include "src/replay/thread_replay.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "hotpath/record.h"

namespace umbra::replay {

using hotpath::ControlType;
using hotpath::Kind;

namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

bool is_wait(uint64_t slot) {
    return hotpath::slot_kind(slot) == Kind::kControl &&
           static_cast<ControlType>(hotpath::slot_index(slot)) == ControlType::kWaited;
}

}  // namespace

ThreadReplay::ThreadReplay(SharedTables& shared, uint32_t number, uint64_t start_ticks,
                           uint32_t inside)
    : shared_(shared),
      number_(number),
      root_(0),
      start_ticks_(start_ticks),
      last_ticks_(start_ticks),
      stack_(shared.tree, shared.tree.add_root(), shared.limits, shared.log.get()),
      exceptions_(stack_, shared.exceptions),
      overlays_(shared.pauses, start_ticks) {
    CallTreeNode& root = *stack_.top()->node;
    root_ = shared.tree.number(root);
    if (inside != 0) {
        stack_.begin_inside(shared.tree.child(root, inside), start_ticks);
    }
}

size_t ThreadReplay::consume(std::span<const uint64_t> slots, bool complete, uint64_t tail_before) {
    // What has no clock reading behind it in a complete chunk will never get one.
    const uint64_t tail = complete ? kNoLimit : tail_before;
    RecordCursor cursor(slots, last_ticks_);
    if (shared_.log != nullptr) {
        shared_.adaptive ? replay<true, true>(cursor, tail) : replay<false, true>(cursor, tail);
    } else {
        shared_.adaptive ? replay<true, false>(cursor, tail) : replay<false, false>(cursor, tail);
    }
    last_ticks_ = cursor.ticks();
    counts_.decode_errors += cursor.errors();
    if (ended_) {
        stack_.shrink();
    }
    return cursor.consumed(complete);
}

template <bool kLearns, bool kLogs>
void ThreadReplay::replay(RecordCursor& records, uint64_t tail_before) {
    if (estimated_ && !stretch(records, tail_before)) {
        return;
    }
    // Two cursors: the loop's own never has its address taken and so stays in registers.
    RecordCursor cursor = records;
    const ShadowStack::Hot hot = stack_.hot();
    Frame* top = stack_.top();
    uint64_t events = 0;
    uint64_t next_overlay = this->next_overlay();
    for (;;) {
        const uint64_t before = cursor.ticks();
        if (!cursor.next()) [[unlikely]] {
            stack_.set_top(top);
            records = cursor;
            const bool moved = stretch(records, tail_before);
            cursor = records;
            top = stack_.top();
            next_overlay = this->next_overlay();
            if (!moved) {
                break;
            }
            continue;
        }
        ++events;
        const uint64_t slot = cursor.slot();
        if (cursor.ticks() > next_overlay) [[unlikely]] {
            stack_.set_top(top);
            next_overlay = book_overlays(before, cursor);
            before_ = event_code(slot);  // not an interval to learn from
            top->node->clocked_ticks += kLearns ? cursor.ticks() - before : 0;
        } else if constexpr (kLearns) {
            learn(*top, event_code(slot), cursor.ticks() - before);
        }
        if (hotpath::slot_kind(slot) == Kind::kEnter) {
            top = stack_.enter(top, slot, cursor.ticks(), hot);
            top->node->timed += kLearns ? 1U : 0U;
        } else if (ShadowStack::ends<true>(top->key, slot)) [[likely]] {
            top->node->timed += kLearns ? 1U : 0U;
            top = stack_.close<kLogs>(top, cursor.ticks(), hot);
        } else if (hotpath::slot_kind(slot) != Kind::kControl) {
            top->node->timed += kLearns ? 1U : 0U;
            top = stack_.leave(top, slot, cursor.ticks());
        } else {
            stack_.set_top(top);
            records = cursor;
            control(records);
            cursor = records;
            top = stack_.top();
            next_overlay = this->next_overlay();
        }
    }
    stack_.set_top(top);
    counts_.events += events;
    counts_.timed_events += events;
    records = cursor;
}

void ThreadReplay::learn(const Frame& top, uint32_t code, uint64_t ticks) {
    IntervalModel& model = shared_.intervals;
    model.learn(model.kind(IntervalModel::pair(before_, code)), ticks, top.function());
    before_ = code;
    top.node->clocked_ticks += ticks;
}

void ThreadReplay::timed_event(RecordCursor& cursor, uint64_t before) {
    ++counts_.events;
    ++counts_.timed_events;
    if (cursor.ticks() > next_overlay()) [[unlikely]] {
        book_overlays(before, cursor);
    }
    const uint64_t slot = cursor.slot();
    const Kind kind = hotpath::slot_kind(slot);
    if (kind == Kind::kEnter) {
        stack_.set_top(stack_.enter(stack_.top(), slot, cursor.ticks(), stack_.hot()));
        ++stack_.top()->node->timed;
    } else if (kind != Kind::kControl) {
        ++stack_.top()->node->timed;
        stack_.set_top(stack_.leave(stack_.top(), slot, cursor.ticks()));
    } else {
        control(cursor);
    }
}

size_t ThreadReplay::stand_still(std::span<const uint64_t> slots, uint64_t first_seen,
                                 uint64_t last_seen) {
    const size_t used = consume(slots, false, std::max(first_seen, uint64_t{1}));
    stood_until_ = std::max(stood_until_, last_seen);
    return used;
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
        case ControlType::kCatcherLeave:  // these lie inside what the other callbacks tell
        case ControlType::kTick:
        case ControlType::kSuspendStarted:
        case ControlType::kResumeFinished:  // clock readings; the pause ring tells of suspensions
            return;
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
                book_overlays(now, now);
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
                const uint64_t ticks = now - std::min(began, now);
                ++counts_.waits;
                counts_.wait_ticks += ticks;
                shared_.extras.add(top_node(), {.waited_ticks = ticks});
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

uint64_t ThreadReplay::next_overlay() const {
    if (!compiling_.empty() && compiling_.back().depth != kNoDepth) {
        return 0;
    }
    const uint64_t next = overlays_.next_ticks();
    // No interval longer than that ends before it.
    return windows_ ? std::min(next, overlays_.done_ticks() + windows_->long_ticks() - 1) : next;
}

uint64_t ThreadReplay::book_overlays(uint64_t before, const RecordCursor& cursor) {
    const uint64_t now = cursor.ticks();
    if (!is_wait(cursor.slot())) {
        return book_overlays(before, now);
    }
    // The wait is told by its end; what was before it belongs to the program.
    const uint64_t began = std::clamp(cursor.peek(), std::min(before, now), now);
    book_overlays(before, began);
    const uint64_t off_ticks = overlays_.attribute(now, stack_.depth() != 0).off_cpu_ticks;
    shared_.extras.add(top_node(), {.off_cpu_ticks = off_ticks,
                                    .waited_off_ticks = windows_ ? now - began : off_ticks});
    if (windows_) {
        windows_->add_piece(top_node(), began, now, shared_.extras);
    }
    return next_overlay();
}

uint64_t ThreadReplay::book_overlays(uint64_t before, uint64_t now) {
    const uint64_t from = overlays_.done_ticks();
    NodeExtra extra = overlays_.attribute(now, stack_.depth() != 0);
    if (compiling_here()) {
        extra.paused_ticks = now - std::min(from, now);  // a suspension in it counts once
    } else if (!compiling_.empty() && compiling_.back().depth > stack_.depth()) {
        compiling_.back().depth = kNoDepth;  // its call is gone, so it is over
    }
    const uint32_t node = top_node();
    shared_.extras.add(node, extra);
    if (windows_ && now - std::min(before, now) >= windows_->long_ticks()) {
        windows_->add_piece(node, before, now, shared_.extras);
    } else if (windows_) {
        windows_->advance(now, shared_.extras);
    }
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

void ThreadReplay::add_open_extras(uint64_t cut_ticks, NodeExtras& extras) const {
    const uint32_t node = top_node();
    NodeExtra extra = overlays_.up_to(cut_ticks);
    if (compiling_here()) {
        extra.paused_ticks = cut_ticks - std::min(overlays_.done_ticks(), cut_ticks);
    }
    extras.add(node, extra);
    if (windows_) {
        CpuWindows(*windows_).finish(node, cut_ticks, extras);
    }
}

}  // namespace umbra::replay
