// SPDX-License-Identifier: MIT
// The replay loop, and what control records do.
#include "src/collector/thread_replay.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "hotpath/record.h"

namespace umbra::collector {

using hotpath::ControlType;
using hotpath::Kind;

namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kLongestStretch = uint64_t{1} << 62;  // what a double turns back into an integer
// An interval is never estimated below this share of what was measured with two clock readings.
constexpr float kLeastShare = 0.125F;

}  // namespace

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

size_t ThreadReplay::consume(std::span<const uint64_t> slots, bool complete, uint64_t tail_before) {
    // What has no clock reading behind it in a complete chunk will never get one.
    const uint64_t tail = complete ? kNoLimit : tail_before;
    RecordCursor cursor(slots, last_ticks_);
    if (shared_.adaptive) {
        shared_.trail.restart(stack_);
        replay<true>(cursor, tail);
    } else {
        replay<false>(cursor, tail);
    }
    last_ticks_ = cursor.ticks();
    counts_.decode_errors += cursor.errors();
    if (ended_) {
        stack_.shrink();
    }
    return cursor.consumed(complete);
}

template <bool kLearns>
void ThreadReplay::replay(RecordCursor& records, uint64_t tail_before) {
    if (estimated_ && !stretch(records, tail_before)) {
        return;
    }
    // Two cursors: the loop's own never has its address taken and so stays in registers.
    RecordCursor cursor = records;
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
        if (cursor.ticks() > next_overlay) [[unlikely]] {
            stack_.set_top(top);
            next_overlay = book_overlays(cursor.ticks());
        }
        const uint64_t slot = cursor.slot();
        if constexpr (kLearns) {
            learn(event_code(slot), cursor.ticks() - before);
        }
        const Kind kind = hotpath::slot_kind(slot);
        if (kind == Kind::kEnter) {
            top = stack_.enter(top, slot, cursor.ticks());
        } else if (kind != Kind::kControl) [[likely]] {
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

void ThreadReplay::learn(uint32_t code, uint64_t ticks) {
    IntervalModel& model = shared_.intervals;
    model.learn(model.kind(before_, code, shared_.trail.top()), ticks);
    shared_.trail.step(code);
    before_ = code;
}

bool ThreadReplay::stretch(RecordCursor& cursor, uint64_t tail_before) {
    std::span<const uint64_t> run = cursor.untimed();
    const bool whole = run.size() < IntervalEstimator::kMaxIntervals;
    run = run.first(std::min(run.size(), IntervalEstimator::kMaxIntervals - 1));
    const uint64_t begin = cursor.ticks();
    RecordCursor behind = cursor;
    behind.skip(run.size());
    behind.set_ticks(estimated_ ? reading_ : begin);
    const bool closed = whole && behind.next();
    if (!closed && (run.empty() || (whole && tail_before == 0))) {
        return false;
    }
    weigh(run, closed ? event_code(behind.slot()) : 0);
    const uint64_t end = closed ? std::max(behind.ticks(), begin) : tail_end(begin, tail_before);
    const uint64_t reached = walk(run, begin, end);
    counts_.events += run.size();
    if (closed) {
        estimated_ = false;
        stack_.top()->node->estimated_ticks += end - reached;
        behind.set_ticks(end);
        timed_event(behind);
    } else {
        reading_ = estimated_ ? reading_ : begin;
        estimated_ = true;
        behind.set_ticks(reached);
    }
    cursor = behind;
    return true;
}

void ThreadReplay::weigh(std::span<const uint64_t> run, uint32_t closing) {
    IntervalModel& model = shared_.intervals;
    IntervalEstimator& estimator = shared_.estimator;
    FunctionTrail& trail = shared_.trail;
    estimator.clear();
    uint32_t before = before_;
    const auto add = [&](uint32_t code, float extra) {
        IntervalKind& kind = model.kind(before, code, trail.top());
        ++kind.estimated;
        estimator.add(std::max(kind.mean - extra, kind.mean * kLeastShare), kind.variance);
        trail.step(code);
        before = code;
    };
    float extra = model.timed_extra() / 2;  // the interval shares one timed event
    for (const uint64_t& slot : run) {
        add(event_code(__atomic_load_n(&slot, __ATOMIC_RELAXED)), extra);
        extra = model.timed_extra();
    }
    if (closing != 0) {
        add(closing, model.timed_extra() / 2);
    }
    before_ = before;
}

uint64_t ThreadReplay::tail_end(uint64_t begin, uint64_t tail_before) const {
    const double room = tail_before > begin
                            ? static_cast<double>(std::min(tail_before - begin, kLongestStretch))
                            : 0;
    return begin + static_cast<uint64_t>(std::min(shared_.estimator.mean_sum(), room));
}

uint64_t ThreadReplay::walk(std::span<const uint64_t> run, uint64_t begin, uint64_t end) {
    const IntervalEstimator& estimator = shared_.estimator;
    const uint64_t total = std::min(end - begin, kLongestStretch);
    const IntervalEstimator::Solution solution =
        stood_until_ <= begin
            ? estimator.solve(static_cast<double>(total))
            : estimator.solve_behind_stop(static_cast<double>(total),
                                          static_cast<double>(std::min(stood_until_, end) - begin));
    Frame* top = stack_.top();
    uint64_t next_overlay = this->next_overlay();
    double elapsed = solution.first;
    uint64_t before = begin;
    for (size_t index = 0; index < run.size(); ++index) {
        elapsed += index == 0 ? 0 : estimator.estimate(solution, index);
        const uint64_t now =
            std::clamp(begin + static_cast<uint64_t>(std::max(elapsed, 0.0)), before, end);
        if (now > next_overlay) [[unlikely]] {
            stack_.set_top(top);
            next_overlay = book_overlays(now);
        }
        top->node->estimated_ticks += now - before;
        before = now;
        const uint64_t slot = __atomic_load_n(&run[index], __ATOMIC_RELAXED);
        const Kind kind = hotpath::slot_kind(slot);
        if (kind == Kind::kEnter) {
            top = stack_.enter(top, slot, now);
            ++top->node->untimed;
        } else if (kind != Kind::kControl) [[likely]] {
            ++top->node->untimed;
            top = stack_.leave(top, slot, now);
        } else {
            ++counts_.decode_errors;  // control records are always timed
        }
    }
    stack_.set_top(top);
    return before;
}

void ThreadReplay::timed_event(RecordCursor& cursor) {
    ++counts_.events;
    ++counts_.timed_events;
    if (cursor.ticks() > next_overlay()) [[unlikely]] {
        book_overlays(cursor.ticks());
    }
    const uint64_t slot = cursor.slot();
    const Kind kind = hotpath::slot_kind(slot);
    if (kind == Kind::kEnter) {
        stack_.set_top(stack_.enter(stack_.top(), slot, cursor.ticks()));
    } else if (kind != Kind::kControl) {
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
    apply_control(cursor);
    if (shared_.adaptive) {
        shared_.trail.restart(stack_);
    }
}

void ThreadReplay::apply_control(RecordCursor& cursor) {
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
