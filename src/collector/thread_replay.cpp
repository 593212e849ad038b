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
constexpr uint64_t kLongestStretch = uint64_t{1} << 62;  // in ticks
constexpr size_t kLongestRun = IntervalEstimator::kMaxIntervals - 1;

bool is_wait(uint64_t slot) {
    return hotpath::slot_kind(slot) == Kind::kControl &&
           static_cast<ControlType>(hotpath::slot_index(slot)) == ControlType::kWaited;
}

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
        const uint64_t slot = cursor.slot();
        if (cursor.ticks() > next_overlay) [[unlikely]] {
            stack_.set_top(top);
            next_overlay = book_overlays(before, cursor);
            before_ = event_code(slot);  // not an interval to learn from
            top->node->clocked_ticks += kLearns ? cursor.ticks() - before : 0;
        } else if constexpr (kLearns) {
            learn(*top, event_code(slot), cursor.ticks() - before);
        }
        const Kind kind = hotpath::slot_kind(slot);
        if (kind == Kind::kEnter) {
            top = stack_.enter(top, slot, cursor.ticks());
            top->node->timed += kLearns ? 1U : 0U;
        } else if (kind != Kind::kControl) [[likely]] {
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

bool ThreadReplay::stretch(RecordCursor& cursor, uint64_t tail_before) {
    const std::span<const uint64_t> run = weigh(cursor.rest());
    const uint64_t begin = cursor.ticks();
    RecordCursor behind = cursor;
    behind.skip(run.size());
    behind.set_ticks(estimated_ ? reading_ : begin);
    const bool cut = run.size() == kLongestRun;
    const bool closed = !cut && behind.next();
    if (!closed && (run.empty() || (!cut && tail_before == 0))) {
        return false;
    }
    expect_end(run, closed ? event_code(behind.slot()) : 0);
    const uint64_t end = closed ? std::max(behind.ticks(), begin) : tail_end(begin, tail_before);
    const uint64_t reached = walk(run, begin, end);
    counts_.events += run.size();
    if (closed) {
        behind.set_ticks(end);
        timed_event(behind, reached);
    } else {
        reading_ = estimated_ ? reading_ : begin;
        behind.set_ticks(reached);
    }
    estimated_ = !closed;
    cursor = behind;
    return true;
}

std::span<const uint64_t> ThreadReplay::weigh(std::span<const uint64_t> slots) {
    IntervalModel& model = shared_.intervals;
    Expectation* out = shared_.estimator.intervals();
    uint32_t before = before_;
    const uint64_t* at = slots.data();
    const uint64_t* const end = at + std::min(slots.size(), kLongestRun);
    for (; at != end; ++at) {
        const uint64_t slot = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        if (!RecordCursor::is_untimed(slot)) {
            break;
        }
        const auto code = static_cast<uint32_t>(slot);
        *out++ = model.expect(IntervalModel::pair(before, code));
        before = code;
    }
    return {slots.data(), at};
}

void ThreadReplay::expect_end(std::span<const uint64_t> run, uint32_t closing) {
    IntervalModel& model = shared_.intervals;
    IntervalEstimator& estimator = shared_.estimator;
    if (!run.empty()) {
        before_ = event_code(__atomic_load_n(&run.back(), __ATOMIC_RELAXED));
    }
    size_t intervals = run.size();
    if (closing != 0) {
        estimator.intervals()[intervals++] = model.expect(IntervalModel::pair(before_, closing));
        before_ = closing;
    }
    estimator.begin(intervals, model.timed_extra());
}

uint64_t ThreadReplay::tail_end(uint64_t begin, uint64_t tail_before) {
    const uint64_t room = tail_before > begin ? tail_before - begin : 0;
    const uint64_t expected = static_cast<uint64_t>(shared_.estimator.mean_sum()) +
                              overlays_.absences(begin, begin + room, absences_);
    return begin + std::min(expected, room);
}

uint64_t ThreadReplay::share_out(uint64_t begin, uint64_t end) {
    IntervalEstimator& estimator = shared_.estimator;
    const bool stood = stood_until_ > begin;
    absences_.clear();
    uint64_t absent = 0;
    if (end > overlays_.next_ticks()) [[unlikely]] {
        absent = overlays_.absences(begin, end, absences_);
    }
    if (stood && absent == 0) {
        estimator.share_out_behind_stop(std::min(end - begin, kLongestStretch),
                                        stood_until_ - begin);
        return begin;
    }
    if (stood) {
        // Until then it was in interval 0. Then that goes on as long as such an interval does: when
        // the thread came back is known.
        begin = std::min(stood_until_, end);
        absent = overlays_.absences(begin, end, absences_);
    }
    const uint64_t total = std::min(end - begin - absent, kLongestStretch);
    estimator.share_out(total);
    if (!stood) {
        const double missed = static_cast<double>(total) - estimator.mean_sum();
        shared_.surprise.squares += missed * missed;
        shared_.surprise.variances += estimator.variance_sum();
    }
    return begin;
}

uint64_t ThreadReplay::walk(std::span<const uint64_t> run, uint64_t begin, uint64_t end) {
    IntervalEstimator& estimator = shared_.estimator;
    uint64_t base = share_out(begin, end);
    auto absence = absences_.cbegin();
    Frame* top = stack_.top();
    uint64_t next_overlay = this->next_overlay();
    uint64_t elapsed = 0;
    uint64_t now = begin;
    for (size_t index = 0; index < run.size(); ++index) {
        elapsed += estimator.units(index);
        const uint64_t last = now;
        now = std::min(base + estimator.ticks(elapsed), end);
        if (now > next_overlay) [[unlikely]] {
            for (; absence != absences_.cend() && now > absence->begin; ++absence) {
                base += absence->ticks;
                now = std::min(now + absence->ticks, end);
            }
            stack_.set_top(top);
            next_overlay = book_overlays(last, now);
        }
        const uint64_t slot = __atomic_load_n(&run[index], __ATOMIC_RELAXED);
        const Kind kind = hotpath::slot_kind(slot);
        if (kind == Kind::kEnter) {
            top = stack_.enter(top, slot, now);
        } else if (kind != Kind::kControl) [[likely]] {
            top = stack_.leave(top, slot, now);
        } else {
            ++counts_.decode_errors;  // control records are always timed
        }
    }
    stack_.set_top(top);
    return now;
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
        stack_.set_top(stack_.enter(stack_.top(), slot, cursor.ticks()));
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

}  // namespace umbra::collector
