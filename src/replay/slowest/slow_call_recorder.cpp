// SPDX-License-Identifier: MIT
// What is written down of the calls of chosen methods, and what becomes of it at their end.
#include "src/replay/slowest/slow_call_recorder.h"

#include <algorithm>
#include <utility>

namespace umbra::replay {
namespace {

/// Memory for more slices than this is given back when other threads may need it.
constexpr size_t kMuch = 8'192;
/// Of its room a list fills this part before what has been added is merged.
constexpr size_t kMergedAtOnce = 16;

}  // namespace

bool SlowCallRecorder::is_recorded(uint32_t function) const {
    return std::ranges::find(recorded_, function, &Recorded::function) != recorded_.end();
}

SlowCallRecorder::Recorded SlowCallRecorder::recorded(uint32_t function, uint32_t caller,
                                                      uint32_t request, Lanes begun) const {
    return {.depth = open_.size(),
            .function = function,
            .caller = caller,
            .request = request,
            .begun = begun,
            .calls = calls_,
            .off_ticks = off_ticks_,
            .waited_ticks = waited_ticks_,
            .paused_ticks = paused_ticks_};
}

void SlowCallRecorder::begin(uint32_t function, uint32_t caller, Lanes now) {
    const uint32_t request = table_->request_of(function);
    calls_ += recording() ? 1U : 0U;
    if (request != 0 && recorded_.size() < kMostRecorded && !is_recorded(function)) {
        recorded_.push_back(recorded(function, caller, request, now));
    }
    open_.push_back(append(function, ticks_of(now), Slice::kOpen, Slice::kCall));
}

void SlowCallRecorder::end(Lanes now) {
    const uint32_t slice = open_.back();
    if (slice != kNoSlice) {
        slices_[slice].ticks = without(ticks_of(now), slices_[slice].begin_ticks);
    }
    if (recorded_.back().depth + 1 == open_.size()) {
        finish(recorded_.back(), now);
        recorded_.pop_back();
    }
    open_.pop_back();
    if (recorded_.empty()) {
        forget();
    }
}

void SlowCallRecorder::chosen_leaf(uint32_t function, uint32_t caller, Lanes begun, Lanes now) {
    const uint32_t request = table_->request_of(function);
    const bool inside = recording();
    calls_ += inside ? 1U : 0U;
    const uint64_t ticks = ticks_of(now - begun);
    if (inside) {
        append_ended(function, ticks_of(begun), ticks, Slice::kCall);
    }
    if (request == 0 || is_recorded(function)) {
        return;
    }
    const Recorded itself = recorded(function, caller, request, begun);
    SlowCall call = call_of(itself, now);
    if (table_->offer(request, call)) {
        call.slices.push_back({.begin_ticks = ticks_of(begun),
                               .ticks = ticks,
                               .function = function,
                               .parent = Slice::kNoParent,
                               .calls = 1,
                               .kind = Slice::kCall});
        add_runtime_work(itself, call);
        table_->add(request, std::move(call));
    }
}

void SlowCallRecorder::interval(Slice::Kind kind, uint64_t begin_ticks, uint64_t ticks) {
    if (recording() && ticks != 0) {
        append_ended(0, begin_ticks, ticks, kind);
    }
}

SlowCall SlowCallRecorder::call_of(const Recorded& recorded, Lanes now) const {
    const Lanes length = now - recorded.begun;
    SlowCall call;
    call.function = recorded.function;
    call.caller = recorded.caller;
    call.thread = thread_;
    call.begin_ticks = ticks_of(recorded.begun);
    call.ticks = ticks_of(length);
    call.net_ticks = net_ticks(length);
    call.off_ticks = off_ticks_ - recorded.off_ticks;
    call.waited_ticks = waited_ticks_ - recorded.waited_ticks;
    call.calls = calls_ - recorded.calls;
    call.paused_ticks = paused_ticks_ - recorded.paused_ticks;
    call.compiling_ticks = recorded.compiling_ticks;
    call.rank_ticks = table_->limits().by == SlowestBy::kCpu
                          ? without(call.net_ticks, call.off_ticks)
                          : call.net_ticks;
    return call;
}

std::vector<Slice> SlowCallRecorder::slices_of(const Recorded& recorded, uint64_t now_ticks) const {
    const uint32_t first = open_[recorded.depth];
    if (first == kNoSlice) {
        return {{.begin_ticks = ticks_of(recorded.begun),
                 .ticks = without(now_ticks, ticks_of(recorded.begun)),
                 .function = recorded.function,
                 .parent = Slice::kNoParent,
                 .calls = 1,
                 .kind = Slice::kCall}};
    }
    std::vector<Slice> slices(slices_.begin() + static_cast<std::ptrdiff_t>(first), slices_.end());
    for (Slice& slice : slices) {
        slice.parent = slice.parent == Slice::kNoParent || slice.parent < first
                           ? Slice::kNoParent
                           : slice.parent - first;
        slice.ticks = slice.open() ? without(now_ticks, slice.begin_ticks) : slice.ticks;
    }
    return slices;
}

void SlowCallRecorder::finish(const Recorded& recorded, Lanes now) {
    SlowCall call = call_of(recorded, now);
    if (table_->offer(recorded.request, call)) {
        call.slices = slices_of(recorded, ticks_of(now));
        add_runtime_work(recorded, call);
        table_->add(recorded.request, std::move(call));
    }
}

void SlowCallRecorder::compiled(const RuntimeInterval& compilation, uint64_t inside) {
    for (Recorded& recorded : recorded_) {
        const uint64_t begun = ticks_of(recorded.begun);
        if (compilation.begin_ticks >= begun && inside < begun) {
            recorded.compiling_ticks += compilation.end_ticks - compilation.begin_ticks;
            if (recorded.compilations.size() < SlowestLimits::kMostIntervals) {
                recorded.compilations.push_back(compilation);
            }
        }
    }
}

void SlowCallRecorder::add_runtime_work(const Recorded& recorded, SlowCall& call) const {
    const uint64_t end = call.begin_ticks + call.ticks;
    for (const PauseTicks& pause :
         pauses_->between(call.begin_ticks, end, SlowestLimits::kMostIntervals)) {
        call.pauses.push_back({.begin_ticks = std::max(pause.begin_ticks, call.begin_ticks),
                               .end_ticks = std::min(pause.end_ticks, end)});
    }
    call.compilations = recorded.compilations;
}

void SlowCallRecorder::forget() {
    slices_.clear();
    open_.clear();
    left_out_ = 0;
    merged_below_ = 0;
    merged_ = 0;
    set_full_at();
    if (room_ > kMuch && !table_->has_room_to_spare()) {
        shrink();
    }
}

uint32_t SlowCallRecorder::append(uint32_t function, uint64_t begin_ticks, uint64_t ticks,
                                  Slice::Kind kind) {
    // A call without a slice has none inside either.
    const bool inside = !open_.empty();
    if (inside && open_.back() == kNoSlice) {
        ++left_out_;
        return kNoSlice;
    }
    if (slices_.size() >= full_at_ && !make_room()) {
        return kNoSlice;
    }
    const uint32_t parent = inside ? open_.back() : Slice::kNoParent;
    slices_.push_back({.begin_ticks = begin_ticks,
                       .ticks = ticks,
                       .function = function,
                       .parent = parent,
                       .calls = 1,
                       .kind = kind});
    return static_cast<uint32_t>(slices_.size() - 1);
}

bool SlowCallRecorder::make_room() {
    if (slices_.size() < SlowestLimits::kLeast + room_) {
        // While they are few they are in the processor's cache.
        shortener_.merge_from(slices_, merged_, merged_below_);
        renumber_open();
        return true;
    }
    const size_t most = std::max<size_t>(table_->limits().call_slices, SlowestLimits::kLeast);
    const size_t more = std::min(slices_.size(), most - std::min(slices_.size(), most));
    if (more != 0 && table_->take_room(more)) {
        room_ += more;
        set_full_at();
        return true;
    }
    // Where nothing could be merged it is tried again when as many calls may have ended.
    if (left_out_++ % slices_.size() != 0) {
        return false;
    }
    shortener_.shorten(slices_, slices_.size() / 2);
    merged_below_ = shortener_.least_ticks();
    renumber_open();
    if (slices_.size() < SlowestLimits::kLeast + room_) {
        left_out_ = 0;
        return true;
    }
    return false;
}

void SlowCallRecorder::renumber_open() {
    for (uint32_t& slice : open_) {
        slice = slice == kNoSlice ? kNoSlice : shortener_.moved(slice);
    }
    merged_ = slices_.size();
    set_full_at();
}

void SlowCallRecorder::set_full_at() {
    const size_t room = SlowestLimits::kLeast + room_;
    full_at_ = merged_below_ == 0 ? room : std::min(room, merged_ + room / kMergedAtOnce);
}

void SlowCallRecorder::move_to(SlowCallTable& table, const PauseTimeline& pauses) {
    pauses_ = &pauses;
    table_->give_room_back(room_);
    table_ = &table;
    table_->bring_room(room_);
}

void SlowCallRecorder::shrink() {
    if (slices_.empty()) {
        slices_ = {};
        open_ = {};
        shortener_ = {};
        table_->give_room_back(std::exchange(room_, 0));
        set_full_at();
    }
}

SlowCall SlowCallRecorder::unfinished(const Recorded& recorded, Lanes now, uint64_t off_ticks,
                                      uint64_t paused_ticks) const {
    SlowCall call = call_of(recorded, now);
    call.unfinished = true;
    call.off_ticks += off_ticks;
    call.paused_ticks += paused_ticks;
    if (table_->limits().by == SlowestBy::kCpu) {
        call.rank_ticks = without(call.rank_ticks, off_ticks);
    }
    return call;
}

void SlowCallRecorder::give_up(Lanes now, uint64_t off_ticks, uint64_t paused_ticks) {
    for (const Recorded& recorded : recorded_) {
        SlowCall call = unfinished(recorded, now, off_ticks, paused_ticks);
        if (table_->offer(recorded.request, call)) {
            call.slices = slices_of(recorded, ticks_of(now));
            add_runtime_work(recorded, call);
            table_->add(recorded.request, std::move(call));
        }
    }
    recorded_.clear();
    forget();
}

void SlowCallRecorder::add_unfinished(Lanes now, uint64_t off_ticks, uint64_t paused_ticks,
                                      SlowCallSums& sums) const {
    for (const Recorded& recorded : recorded_) {
        SlowCall call = unfinished(recorded, now, off_ticks, paused_ticks);
        if (SlowCallTable::is_slow(call, recorded.request, table_->limits(), sums)) {
            call.slices = slices_of(recorded, ticks_of(now));
            add_runtime_work(recorded, call);
        }
        SlowCallTable::add_unfinished(sums, table_->limits(), recorded.request, std::move(call));
    }
}

}  // namespace umbra::replay
