// SPDX-License-Identifier: MIT
#include "src/replay/async/slow_async_calls.h"

#include <algorithm>
#include <utility>

namespace umbra::replay {
namespace {

/// What a call does until `ticks` as a slice of its own. No ticks: another call's slice tells.
Slice doing(const Call& call, uint32_t parent, uint64_t ticks) {
    Slice slice{.begin_ticks = call.mark_ticks,
                .ticks = without(ticks, call.mark_ticks),
                .function = 0,
                .parent = parent,
                .calls = 1,
                .kind = Slice::kRunning};
    switch (call.part) {
        case AsyncPart::kRunning:
            slice.function = call.thread;
            break;
        case AsyncPart::kOthers:
        case AsyncPart::kOutside:
            slice.kind = Slice::kAwaiting;
            slice.function = call.wait;
            break;
        case AsyncPart::kQueued:
            slice.kind = Slice::kQueued;
            break;
        case AsyncPart::kChildren:
            slice.ticks = 0;
            break;
    }
    return slice;
}

}  // namespace

const SlowAsyncCalls::Record* SlowAsyncCalls::find(const SlowPlace& place) const {
    if (place.none() || place.record >= records_.size()) {
        return nullptr;
    }
    const Record& record = records_[place.record];
    return record.live && record.generation == place.generation ? &record : nullptr;
}

SlowAsyncCalls::Record* SlowAsyncCalls::find(const SlowPlace& place) {
    return std::as_const(*this).find(place) == nullptr ? nullptr : &records_[place.record];
}

SlowPlace SlowAsyncCalls::begin(const Call& call, const SlowPlace& parent) {
    const Record* around = find(parent);
    if (around != nullptr) {
        return add_member(parent.record, parent.member, call);
    }
    return call.compared ? begin_record(call) : SlowPlace{};
}

SlowPlace SlowAsyncCalls::begin_record(const Call& call) {
    if ((free_.empty() && records_.size() >= kMostRecords) || !table_.take_room(kFirstRoom)) {
        return {};
    }
    auto number = static_cast<uint32_t>(records_.size());
    if (free_.empty()) {
        records_.emplace_back();
    } else {
        number = free_.back();
        free_.pop_back();
    }
    Record& record = records_[number];
    record.generation = std::max(record.generation + 1, 1U);
    record.live = true;
    record.room = kFirstRoom;
    return add_member(number, 0, call);
}

void SlowAsyncCalls::end_record(uint32_t number) {
    Record& record = records_[number];
    table_.give_room_back(record.room);
    record = Record{.generation = record.generation};
    free_.push_back(number);
}

SlowPlace SlowAsyncCalls::add_member(uint32_t number, uint32_t parent, const Call& call) {
    Record& record = records_[number];
    const uint32_t slice = append(record,
                                  {.begin_ticks = call.begin_ticks,
                                   .ticks = Slice::kOpen,
                                   .function = call.function,
                                   .parent = kNoSlice,
                                   .calls = 1,
                                   .kind = Slice::kCall},
                                  parent);
    record.left_out += slice == kNoSlice ? 1U : 0U;
    record.compared += call.compared ? 1U : 0U;
    auto member = static_cast<uint32_t>(record.members.size());
    if (record.free.empty()) {
        record.members.push_back(slice);
    } else {
        member = record.free.back();
        record.free.pop_back();
        record.members[member] = slice;
    }
    return {.record = number, .generation = record.generation, .member = member};
}

uint32_t SlowAsyncCalls::append(Record& record, Slice slice, uint32_t parent) {
    const bool outermost = record.members.empty();
    // A call without a slice has none inside either.
    if (!outermost && record.members[parent] == kNoSlice) {
        return kNoSlice;
    }
    if (record.slices.size() >= record.room && !make_room(record)) {
        return kNoSlice;
    }
    // Where room was made it may have another number by now.
    slice.parent = outermost ? kNoSlice : record.members[parent];
    record.slices.push_back(slice);
    return static_cast<uint32_t>(record.slices.size() - 1);
}

bool SlowAsyncCalls::make_room(Record& record) {
    const size_t size = record.slices.size();
    const size_t most = std::max<size_t>(table_.limits().call_slices, SlowestLimits::kLeast);
    const size_t more = std::min(size, most - std::min(size, most));
    if (more != 0 && table_.take_room(more)) {
        record.room += more;
        return true;
    }
    // Where nothing could be merged it is tried again when as many calls may have ended.
    if (record.refused++ % size != 0) {
        return false;
    }
    shortener_.shorten(record.slices, size / 2);
    for (uint32_t& slice : record.members) {
        slice = slice == kNoSlice ? kNoSlice : shortener_.moved(slice);
    }
    const bool room = record.slices.size() < record.room;
    record.refused = room ? 0 : record.refused;
    return room;
}

void SlowAsyncCalls::spent(const Call& call, uint64_t ticks) {
    Record* record = find(call.slow);
    if (record == nullptr || record->members[call.slow.member] == kNoSlice) {
        return;
    }
    const Slice slice = doing(call, record->members[call.slow.member], ticks);
    if (slice.ticks == 0) {
        return;
    }
    Slice& last = record->slices.back();
    if (last.parent == slice.parent && last.kind == slice.kind && last.calls == 1 &&
        last.function == slice.function && last.begin_ticks + last.ticks == slice.begin_ticks) {
        last.ticks += slice.ticks;
    } else {
        append(*record, slice, call.slow.member);
    }
}

void SlowAsyncCalls::take_back(const Call& call, uint64_t since_ticks) {
    Record* record = find(call.slow);
    if (record == nullptr) {
        return;
    }
    const uint32_t own = record->members[call.slow.member];
    for (auto slice = record->slices.rbegin(); slice != record->slices.rend(); ++slice) {
        if (slice->parent != own || slice->kind != Slice::kRunning || slice->calls != 1 ||
            slice->begin_ticks + slice->ticks <= since_ticks) {
            return;
        }
        slice->ticks = without(since_ticks, slice->begin_ticks);
    }
}

SlowCall SlowAsyncCalls::call_of(const Call& call, AsyncOutcome outcome, uint64_t ticks) const {
    SlowCall slow;
    slow.function = call.function;
    slow.thread = call.first_thread;
    slow.unfinished = outcome == AsyncOutcome::kOpen;
    slow.begin_ticks = call.begin_ticks;
    slow.ticks = slow.net_ticks = without(ticks, call.begin_ticks);
    slow.async = AsyncCourse{.outcome = outcome, .times = call.times, .node = call.node};
    slow.rank_ticks =
        table_.limits().by == SlowestBy::kCpu ? call.times[AsyncPart::kRunning] : slow.ticks;
    return slow;
}

std::vector<Slice> SlowAsyncCalls::alone(const Call& call, uint64_t ticks) {
    return {{.begin_ticks = call.begin_ticks,
             .ticks = without(ticks, call.begin_ticks),
             .function = call.function,
             .parent = kNoSlice,
             .calls = 1,
             .kind = Slice::kCall}};
}

std::vector<Slice> SlowAsyncCalls::part_of(std::span<const Slice> slices, uint32_t first,
                                           uint64_t now_ticks) {
    std::vector<Slice> part;
    std::vector<uint32_t> numbers(slices.size() - first, kNoSlice);
    for (size_t number = first; number < slices.size(); ++number) {
        Slice slice = slices[number];
        const bool inside = slice.parent != kNoSlice && slice.parent >= first;
        if (number != first && (!inside || numbers[slice.parent - first] == kNoSlice)) {
            continue;
        }
        slice.parent = number == first ? kNoSlice : numbers[slice.parent - first];
        slice.ticks = slice.open() ? without(now_ticks, slice.begin_ticks) : slice.ticks;
        numbers[number - first] = static_cast<uint32_t>(part.size());
        part.push_back(slice);
    }
    return part;
}

namespace {

/// Calls begun in the one of the first slice.
uint64_t calls_in(std::span<const Slice> slices) {
    uint64_t calls = 0;
    for (const Slice& slice : slices.subspan(slices.empty() ? 0 : 1)) {
        calls += slice.kind == Slice::kCall ? slice.calls : 0;
    }
    return calls;
}

}  // namespace

void SlowAsyncCalls::end(const Call& call, AsyncOutcome outcome, uint64_t ticks) {
    const uint32_t request = call.compared ? table_.request_of(call.function) : 0;
    Record* record = find(call.slow);
    const uint32_t own = record == nullptr ? kNoSlice : record->members[call.slow.member];
    if (own != kNoSlice) {
        std::vector<Slice>& slices = record->slices;
        slices[own].ticks = without(ticks, slices[own].begin_ticks);
        // Of a call that has run on one thread all the time that says nothing, unless it may be
        // known what it has called there.
        if (table_.request_of(call.function) == 0 && slices.size() == own + 2 &&
            slices.back().kind == Slice::kRunning && slices.back().parent == own &&
            slices.back().ticks == slices[own].ticks) {
            slices.pop_back();
        }
    }
    if (request != 0) {
        SlowCall slow = call_of(call, outcome, ticks);
        if (table_.offer(request, slow)) {
            slow.slices =
                own == kNoSlice ? alone(call, ticks) : part_of(record->slices, own, ticks);
            slow.calls = calls_in(slow.slices) +
                         (record != nullptr && call.slow.member == 0 ? record->left_out : 0);
            table_.add(request, std::move(slow));
        }
    }
    if (record == nullptr) {
        return;
    }
    record->compared -= call.compared ? 1U : 0U;
    if (record->compared == 0) {
        return end_record(call.slow.record);
    }
    record->members[call.slow.member] = kNoSlice;
    if (call.slow.member != 0) {
        record->free.push_back(call.slow.member);
    }
}

void SlowAsyncCalls::add_unfinished(const Call& call, uint64_t now_ticks, const Calls& live,
                                    SlowCallSums& sums) const {
    const uint32_t request = table_.request_of(call.function);
    if (request == 0) {
        return;
    }
    SlowCall slow = call_of(call, AsyncOutcome::kOpen, now_ticks);
    if (SlowCallTable::is_slow(slow, request, table_.limits(), sums)) {
        slow.slices = alone(call, now_ticks);
        const Record* record = find(call.slow);
        if (record != nullptr && record->members[call.slow.member] != kNoSlice) {
            std::vector<Slice> slices = record->slices;
            for (const Call& other : live) {
                const bool is_here = other.live && find(other.slow) == record;
                const uint32_t parent = is_here ? record->members[other.slow.member] : kNoSlice;
                const Slice now = doing(other, parent, now_ticks);
                if (parent != kNoSlice && now.ticks != 0) {
                    slices.push_back(now);
                }
            }
            slow.slices = part_of(slices, record->members[call.slow.member], now_ticks);
        }
        slow.calls = calls_in(slow.slices);
    }
    SlowCallTable::add_unfinished(sums, table_.limits(), request, std::move(slow));
}

size_t SlowAsyncCalls::kept_slices() const {
    size_t slices = table_.kept_slices();
    for (const Record& record : records_) {
        slices += record.slices.size();
    }
    return slices;
}

void SlowAsyncCalls::for_each_thread(const std::function<void(uint32_t)>& visit) const {
    const auto visit_all = [&](std::span<const Slice> slices) {
        for (const Slice& slice : slices) {
            if (slice.kind == Slice::kRunning) {
                visit(slice.function);
            }
        }
    };
    for (const SlowFunction& function : table_.sums().functions) {
        for (const auto& call : function.kept) {
            visit(call->thread);
            visit_all(call->slices);
        }
    }
    for (const Record& record : records_) {
        visit_all(record.slices);
    }
}

}  // namespace umbra::replay
