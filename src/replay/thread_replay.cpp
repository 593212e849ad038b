// SPDX-License-Identifier: MIT
// The replay loop, and what control records do.
#include "src/replay/thread_replay.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "hotpath/record.h"

namespace umbra::replay {

using hotpath::ControlType;
using hotpath::Kind;

namespace {

bool is_wait(uint64_t slot) {
    return hotpath::slot_kind(slot) == Kind::kControl &&
           static_cast<ControlType>(hotpath::slot_index(slot)) == ControlType::kWaited;
}

}  // namespace

ThreadReplay::ThreadReplay(SharedTables& shared, uint32_t number, uint64_t start_ticks,
                           uint32_t inside)
    : shared_(&shared),
      number_(number),
      root_(shared.tree.add_root(number)),
      start_ticks_(start_ticks),
      last_ticks_(start_ticks),
      recorder_(shared.slowest.in_use()
                    ? std::make_unique<SlowCallRecorder>(shared.slowest, shared.pauses, number)
                    : nullptr),
      stack_(shared.tree, shared.frames, root_, shared.limits, shared.log.get(), recorder_.get()),
      exceptions_(stack_, shared.exceptions),
      arguments_(shared.arguments),
      overlays_(shared.pauses, start_ticks) {
    if (inside != 0) {
        stack_.begin_inside(inside, start_ticks);
    }
    enter_tables();
}

void ThreadReplay::enter_tables() {
    seat_ = shared_->threads.size();
    shared_->threads.push_back(this);
}

void ThreadReplay::leave_tables() {
    shared_->threads[seat_] = shared_->threads.back();
    shared_->threads[seat_]->seat_ = seat_;
    shared_->threads.pop_back();
}

void ThreadReplay::move_to(SharedTables& shared) {
    const CallTree& before = shared_->tree;
    CallTree& tree = shared.tree;
    root_ = tree.add_root(number_);
    stack_.move_to(tree, shared.frames, root_);
    exceptions_.move_to(shared.exceptions);
    arguments_.move_to(shared.arguments);
    if (recorder_) {
        recorder_->move_to(shared.slowest, shared.pauses);
    }
    move_async_to(shared);
    overlays_.move_to(shared.pauses);
    for (auto& [number, calls] : standing_) {
        calls.arc = tree.adopt(before, calls.arc, root_);
        for (uint32_t& edge : calls.edges) {
            const EdgeEnds& ends = before.edges()[edge];
            edge = tree.edge(ends.caller, ends.callee);
        }
    }
    leave_tables();
    shared_ = &shared;
    enter_tables();
}

size_t ThreadReplay::consume(std::span<const uint64_t> slots, bool complete) {
    waits_ = false;
    const uint64_t events_before = counts_.events;
    const uint64_t ticks_before = last_ticks_;
    RecordCursor cursor(slots, last_ticks_);
    look_ahead(cursor);
    with_constant(stack_.listeners(), [&](auto told) { replay_records<told()>(cursor); });
    last_ticks_ = cursor.ticks();
    counts_.decode_errors += cursor.errors();
    shared_->events += counts_.events - events_before;
    shared_->covered_ticks += last_ticks_ - ticks_before;
    stack_.expand();
    if (shared_->tree.crowded()) {
        shared_->prune_paths();
    }
    if (ended_) {
        shrink();
    }
    return complete && !waits_ ? slots.size() : cursor.consumed(false);
}

template <Listeners kListeners>
void ThreadReplay::replay_records(RecordCursor& records) {
    // Others get copies: what never has its address taken stays in registers.
    RecordCursor cursor = records;
    const ShadowStack::Hot hot = stack_.hot();
    const EventCosts& costs = shared_->costs;
    Frame* top = stack_.top();
    uint64_t cost = cost_;
    uint64_t events = 0;
    uint64_t next_overlay = this->next_overlay();
    for (uint64_t before = cursor.ticks(); cursor.next(); before = cursor.ticks()) {
        ++events;
        const uint64_t slot = cursor.slot();
        if (cursor.ticks() > next_overlay) [[unlikely]] {
            stack_.set_top(top);
            const RecordCursor here = cursor;
            next_overlay = book_overlays(before, here);
        }
        cost += costs.before(slot);
        const Lanes now = lanes(cursor.ticks(), cost);
        cost += costs.behind(slot);
        if (hotpath::slot_kind(slot) == Kind::kEnter) {
            bool goes_on = false;
            if constexpr ((kListeners & kAsync) != 0) {
                if ((top->key & Frame::kBottom) != 0 && !taken_.empty()) [[unlikely]] {
                    stack_.set_top(top);
                    goes_on = take_up(hotpath::slot_index(slot), cursor.ticks());
                }
            }
            Arc* arc = stack_.callee(top, slot, now, hot);
            if (arc == nullptr) [[unlikely]] {
                continue;
            }
            RecordCursor ahead = cursor;
            if (!goes_on && ShadowStack::ends_call_of(slot, ahead.peek()) && ahead.next() &&
                ahead.ticks() <= next_overlay) {
                // Most calls call nothing: they need no frame.
                cursor = ahead;
                ++events;
                cost += costs.before(cursor.slot());
                stack_.book_leaf<kListeners>(*top, *arc, slot, now, lanes(cursor.ticks(), cost),
                                             hot);
                cost += costs.behind(cursor.slot());
                continue;
            }
            top = stack_.push<kListeners>(top, *arc, slot, now);
            top->key |= goes_on ? Frame::kGoesOn : uint64_t{0};
        } else if (hotpath::slot_kind(slot) != Kind::kControl) [[likely]] {
            top = ShadowStack::ends(top->key, slot) ? stack_.close<kListeners>(top, now, hot)
                                                    : stack_.leave(top, slot, now);
        } else {
            stack_.set_top(top);
            records = cursor;
            cost_ = cost;
            control(records);
            cursor = records;
            cost = cost_;
            top = stack_.top();
            next_overlay = this->next_overlay();
        }
    }
    stack_.set_top(top);
    cost_ = cost;
    counts_.events += events;
    records = cursor;
}

void ThreadReplay::end(uint64_t ticks) {
    end_ticks_ = std::max(end_ticks_, ticks);
    shrink();
    ended_ = true;
}

void ThreadReplay::give_up(uint64_t cut_ticks) {
    if (stack_.depth() != 0) {
        overlays_.count_pauses(shared_->pauses, cut_ticks);
    }
    if (recorder_) {
        const Deduction untold = overlays_.up_to(cut_ticks);
        recorder_->give_up(lanes_at(cut_ticks), untold.off_cpu_ticks, untold.paused_ticks);
    }
    add_open_deductions(cut_ticks, shared_->deductions);
    exceptions_.add_unfinished(shared_->exceptions);
    arguments_.give_up();
}

void ThreadReplay::shrink() {
    stack_.shrink();
    if (recorder_) {
        recorder_->shrink();
    }
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
    look_ahead(cursor);
}

void ThreadReplay::look_ahead(RecordCursor& cursor) {
    if (!exceptions_.unsettled()) {
        return;
    }
    const uint64_t next = cursor.peek();
    if (!hotpath::slot_written(next)) {
        cursor.stop();
    } else if (hotpath::slot_kind(next) != Kind::kControl) {
        exceptions_.before_call(next, lanes(cursor.ticks(), cost_));
    }
}

void ThreadReplay::apply_control(RecordCursor& cursor) {
    const uint64_t now = cursor.ticks();
    const Lanes now_lanes = lanes(now, cost_);
    const uint32_t operand = hotpath::slot_operand(cursor.slot());
    const uint32_t function = shared_->tree.valid(operand) ? operand : 0;
    switch (static_cast<ControlType>(hotpath::slot_index(cursor.slot()))) {
        case ControlType::kUnwindFunctionEnter:
            return exceptions_.unwind_enter(function, now_lanes);
        case ControlType::kUnwindFunctionLeave:
            return exceptions_.unwind_leave(now_lanes);
        case ControlType::kUnwindFinallyEnter:
        case ControlType::kCatcherEnter:
        case ControlType::kFilterEnter:
            return block_begins(cursor, function, now_lanes);
        case ControlType::kUnwindFinallyLeave:
            return exceptions_.finally_leave(operand);
        case ControlType::kCatcherLeave:  // its exception was over when it began
        case ControlType::kSuspendStarted:
        case ControlType::kResumeFinished:  // clock readings; the pause ring tells of suspensions
            return;
        case ControlType::kFilterLeave:
            return exceptions_.filter_leave(operand, now_lanes);
        case ControlType::kExceptionThrown:
            if (async_) {
                async_->thrown(operand);
            }
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
            arguments_.note_loss();
            if (async_) {
                async_->lost(now);
            }
            return stack_.note_loss(now);
        case ControlType::kWaited: {
            uint64_t began = 0;
            if (cursor.payload(began)) {
                const uint64_t ticks = now - std::min(began, now);
                ++counts_.waits;
                counts_.wait_ticks += ticks;
                shared_->wait_ticks += ticks;
                cost_ += ticks * kCostUnits;
                if (recorder_) {
                    recorder_->waited(ticks);
                    recorder_->interval(Slice::kWaited, now - ticks, ticks);
                }
            }
            return;
        }
        case ControlType::kArgumentNumber:
        case ControlType::kArgumentText:
        case ControlType::kArgumentNull:
            return argument(cursor);
        case ControlType::kArgumentsEnd:
            counts_.decode_errors += function == 0 ? 1U : 0U;  // none that can be
            return arguments_.end(stack_, function, now_lanes, cursor.peek());
        case ControlType::kAsyncSuspended:
        case ControlType::kAsyncAwaits:
        case ControlType::kAsyncResumed:
        case ControlType::kAsyncResumeEnds:
        case ControlType::kAsyncCompleted:
        case ControlType::kAsyncFaulted:
        case ControlType::kAsyncSignalled:
        case ControlType::kWorkQueued:
        case ControlType::kWorkRuns:
        case ControlType::kWorkEnds:
        case ControlType::kTaskMade:
        case ControlType::kTaskRuns:
        case ControlType::kTaskEnds:
        case ControlType::kTaskCombines:
        case ControlType::kTaskWaits:
        case ControlType::kTaskWaitEnds:
        case ControlType::kAsyncStackSuspended:
            return async_control(cursor);
    }
    ++counts_.decode_errors;
}

void ThreadReplay::block_begins(RecordCursor& cursor, uint32_t function, Lanes now) {
    const auto type = static_cast<ControlType>(hotpath::slot_index(cursor.slot()));
    uint64_t stack_pointer = 0;
    if (!cursor.payload(stack_pointer)) {
        return;  // counted by the cursor
    }
    const auto sp = static_cast<uint32_t>(stack_pointer);
    if (type == ControlType::kCatcherEnter) {
        exceptions_.catcher_enter(function, sp, now);
    } else if (type == ControlType::kFilterEnter) {
        exceptions_.filter_enter(sp, now);
    } else {
        exceptions_.finally_enter(function, sp, now);
    }
}

void ThreadReplay::argument(RecordCursor& cursor) {
    const auto type = static_cast<ControlType>(hotpath::slot_index(cursor.slot()));
    std::array<uint64_t, hotpath::kMaxPayloadSlots> slots{};
    const std::span<uint64_t> payload(slots.data(), hotpath::control_payload_slots(type));
    if (!cursor.payload(payload)) {
        return;  // counted by the cursor
    }
    ArgumentContent content;
    if (type == ControlType::kArgumentNumber) {
        content.kind = ArgumentContent::kNumber;
        content.bits = slots[0];
    } else if (type == ControlType::kArgumentText) {
        content.kind = ArgumentContent::kText;
        content.bits = slots[0];
        const size_t bytes = hotpath::text_bytes(slots[0]);
        if (bytes > content.text.size()) {
            ++counts_.decode_errors;
            return;
        }
        std::memcpy(content.text.data(), &slots[1], bytes);
    }
    const uint32_t number = hotpath::slot_operand(cursor.slot());
    if (number == 0) {
        ++counts_.decode_errors;
        return;
    }
    arguments_.note(stack_, number, content, lanes(cursor.ticks(), cost_), cursor.peek());
    if (async_) {
        const ArgumentTracker::Noted noted = arguments_.noted();
        async_->argument(stack_.top_function(), noted.row, noted.is_first);
    }
}

void ThreadReplay::compile_finished(uint32_t function, uint64_t now) {
    const auto started = std::find_if(compiling_.rbegin(), compiling_.rend(),
                                      [&](const auto& open) { return open.function == function; });
    if (started == compiling_.rend()) {
        return;  // begun before umbra saw the thread
    }
    const uint64_t ticks = now - started->start_ticks;
    shared_->compilations.add({.function = function,
                               .thread = number_,
                               .start_ticks = started->start_ticks,
                               .duration_ticks = ticks});
    ++counts_.compilations;
    counts_.compiling_ticks += ticks;
    if (recorder_) {
        const bool nested = started.base() - 1 != compiling_.begin();
        recorder_->compiled(
            {.begin_ticks = started->start_ticks, .end_ticks = now, .function = function},
            nested ? std::prev(started.base(), 2)->start_ticks : 0);
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
    const Deduction waited = overlays_.attribute(now, stack_.depth() != 0);
    if (recorder_) {
        recorder_->paused(waited.paused_ticks);
    }
    if (windows_) {
        note_stall(began, now, true);
    }
    return next_overlay();
}

uint64_t ThreadReplay::book_overlays(uint64_t before, uint64_t now) {
    if (exceptions_.unsettled()) {
        exceptions_.booked_until(lanes(now, cost_));
    }
    const uint64_t from = overlays_.done_ticks();
    if (recorder_ && recorder_->recording()) {
        record_off_cpu(now);
    }
    Deduction deduction = overlays_.attribute(now, stack_.depth() != 0);
    if (recorder_) {
        recorder_->off_cpu(deduction.off_cpu_ticks);
        recorder_->paused(deduction.paused_ticks);
    }
    if (compiling_here()) {
        deduction.paused_ticks = now - std::min(from, now);  // a suspension in it counts once
    } else if (!compiling_.empty() && compiling_.back().depth > stack_.depth()) {
        compiling_.back().depth = kNoDepth;  // its call is gone, so it is over
    }
    add_deduction(deduction);
    if (windows_ && now - std::min(before, now) >= windows_->long_ticks()) {
        note_stall(before, now, false);
    } else if (windows_) {
        Deductions late;
        windows_->advance(now, late);
        book_late(late, shared_->deductions);
    }
    return next_overlay();
}

void ThreadReplay::record_off_cpu(uint64_t to) {
    std::vector<ThreadOverlays::OffCpuInterval> intervals;
    overlays_.off_cpu_intervals(overlays_.done_ticks(), to, intervals);
    for (const ThreadOverlays::OffCpuInterval& interval : intervals) {
        recorder_->interval(Slice::kOffCpu, interval.begin, interval.ticks);
    }
}

void ThreadReplay::add_open_slow_calls(uint64_t cut_ticks, SlowCallSums& sums) const {
    if (recorder_ && recorder_->recording()) {
        const Deduction untold = overlays_.up_to(cut_ticks);
        recorder_->add_unfinished(lanes_at(cut_ticks), untold.off_cpu_ticks, untold.paused_ticks,
                                  sums);
    }
}

void ThreadReplay::note_stall(uint64_t from, uint64_t to, bool waited) {
    if (!waited) {
        stack_.expand();
        standing_.emplace_back(next_standing_, stack_.open_calls());
    }
    Deductions late;
    windows_->add_piece(next_standing_++, from, to, late);
    book_late(late, shared_->deductions);
    while (!standing_.empty() && standing_.front().first < windows_->oldest_node()) {
        standing_.pop_front();
    }
}

void ThreadReplay::book_late(const Deductions& late, CallDeductions& deductions) const {
    for (const auto& [number, deduction] : late.rows()) {
        const auto place = std::ranges::lower_bound(standing_, number, {},
                                                    [](const auto& row) { return row.first; });
        if (place != standing_.end() && place->first == number) {
            deductions.add(number_, place->second, deduction);
        }
    }
}

void ThreadReplay::add_open_deductions(uint64_t cut_ticks, CallDeductions& deductions) const {
    const OpenCalls calls = stack_.open_calls();
    Deduction deduction = overlays_.up_to(cut_ticks);
    if (compiling_here()) {
        deduction.paused_ticks = cut_ticks - std::min(overlays_.done_ticks(), cut_ticks);
    }
    deductions.add(number_, calls, deduction);
    if (windows_) {
        constexpr uint32_t kNow = UINT32_MAX;
        Deductions late;
        CpuWindows(*windows_).finish(kNow, cut_ticks, late);
        book_late(late, deductions);
        const auto now = late.rows().find(kNow);
        if (now != late.rows().end()) {
            deductions.add(number_, calls, now->second);
        }
    }
}

}  // namespace umbra::replay
