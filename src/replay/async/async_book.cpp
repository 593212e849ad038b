// SPDX-License-Identifier: MIT
#include "src/replay/async/async_book.h"

#include <algorithm>
#include <utility>

#include "hotpath/record.h"
#include "src/replay/tree/histogram.h"

namespace umbra::replay {

AsyncBook::AsyncBook(const AsyncLimits& limits, const SlowestLimits& slowest)
    : limits_(limits), slow_(slowest) {
    sums_.waits[0].kind = AsyncWait::kRest;
}

const Call* AsyncBook::find(CallRef call) const {
    if (call.index >= calls_.size()) {
        return nullptr;
    }
    const Call& there = calls_[call.index];
    return there.live && there.generation == call.generation ? &there : nullptr;
}

Call* AsyncBook::find(CallRef call) {
    return std::as_const(*this).find(call) == nullptr ? nullptr : &calls_[call.index];
}

CallRef AsyncBook::of_key(uint32_t key) const {
    const uint32_t* index = keys_.find(key);
    return index == nullptr ? CallRef{} : CallRef{*index, calls_[*index].generation};
}

void AsyncBook::bind(CallRef call, uint32_t key) {
    Call* known = find(call);
    if (known == nullptr || known->key == key) {
        return;
    }
    if (known->key != 0) {
        keys_.erase(known->key);
    }
    known->key = key;
    keys_[key] = call.index;
}

CallRef AsyncBook::begin(uint32_t function, CallRef parent, uint32_t parent_node, AsyncHow how,
                         const Moment& now, uint64_t callers) {
    if (function >= limits_.functions) {
        return {};
    }
    if (free_.empty() && calls_.size() >= limits_.calls) {
        sums_.lost_calls += function == 0 ? 0U : 1U;
        return {};
    }
    uint32_t index = static_cast<uint32_t>(calls_.size());
    if (free_.empty()) {
        calls_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    const uint32_t generation = std::max(calls_[index].generation + 1, 1U);
    Call& call = calls_[index];
    call = Call();
    call.generation = generation;
    call.live = true;
    call.begin_ticks = call.mark_ticks = now.ticks;
    call.first_thread = call.thread = now.thread;
    call.function = function;
    call.how = how;
    call.parent = parent;
    call.node = function == 0 ? parent_node : node(parent_node, function, how, callers);
    if (Call* above = find(parent); above != nullptr && function != 0) {
        if (++above->children == 1 && above->state == Call::State::kWaiting && above->by_children) {
            turn(*above, AsyncPart::kChildren, now.ticks);
        }
    }
    if (slow_.in_use() && function != 0) {
        const Call* above = find(parent);
        call.compared = slow_.request_of(function) != 0 && !is_inside_itself(call);
        call.slow = slow_.begin(call, above == nullptr ? SlowPlace{} : above->slow);
    }
    return {index, generation};
}

void AsyncBook::began_before(CallRef begun) {
    if (Call* call = find(begun)) {
        call->how = AsyncHow::kBefore;
        call->node = node(0, call->function, AsyncHow::kBefore, 0);
        arguments_.erase(begun.index);
    }
}

void AsyncBook::end(CallRef ended, AsyncOutcome outcome, uint64_t ticks) {
    Call* call = find(ended);
    if (call == nullptr) {
        return;
    }
    if (call->state == Call::State::kWaiting) {
        stop_waiting(*call, ticks);
    }
    turn(*call, call->part, ticks);
    if (call->function != 0) {
        add(*call, outcome, sums_);
        add_arguments(ended.index, outcome);
        if (slow_.in_use()) {
            slow_.end(*call, outcome, call->mark_ticks);
        }
        Call* above = find(call->parent);
        if (above != nullptr && above->children != 0 && --above->children == 0 &&
            above->state == Call::State::kWaiting && above->by_children) {
            turn(*above, AsyncPart::kOutside, ticks);
        }
    }
    if (call->key != 0) {
        keys_.erase(call->key);
    }
    call->live = false;
    free_.push_back(ended.index);
}

void AsyncBook::book_time(Call& call, uint64_t ticks) {
    if (ticks > call.mark_ticks) {
        call.times[call.part] += ticks - call.mark_ticks;
        call.mark_ticks = ticks;
    }
}

void AsyncBook::turn(Call& call, AsyncPart part, uint64_t ticks) {
    if (!call.slow.none()) {
        slow_.spent(call, ticks);
    }
    book_time(call, ticks);
    call.part = part;
}

bool AsyncBook::is_inside_itself(const Call& call) const {
    constexpr size_t kFarthest = 4'096;
    const Call* above = find(call.parent);
    for (size_t steps = 0; above != nullptr && steps < kFarthest; ++steps) {
        if (above->function == call.function) {
            return true;
        }
        above = find(above->parent);
    }
    return false;
}

void AsyncBook::suspend(Call& call, uint64_t ticks) {
    if (call.state != Call::State::kOnThread) {
        return;
    }
    turn(call, call.children != 0 ? AsyncPart::kChildren : AsyncPart::kOutside, ticks);
    call.state = Call::State::kWaiting;
    call.by_children = true;
    if (call.function != 0) {
        call.suspended_or_type = ticks;
    }
    call.wait = 0;
    ++call.suspensions;
}

void AsyncBook::await(Call& call, AsyncWait::Kind kind, uint32_t function, uint64_t type) {
    if (call.function == 0) {
        return;
    }
    const auto key = std::tuple(call.function, kind, function, type);
    const auto known = waits_.find(key);
    if (known != waits_.end()) {
        call.wait = known->second;
        return;
    }
    if (sums_.waits.size() >= limits_.waits) {
        call.wait = 0;
        return;
    }
    call.wait = static_cast<uint32_t>(sums_.waits.size());
    waits_.emplace(key, call.wait);
    sums_.waits.push_back(
        {.method = call.function, .kind = kind, .function = function, .type = type});
}

void AsyncBook::stop_waiting(Call& call, uint64_t ticks) {
    if (call.function == 0) {
        return;
    }
    if (call.wait == 0) {
        await(call, AsyncWait::kUntold, 0, 0);
    }
    AsyncWait& wait = sums_.waits[call.wait];
    ++wait.times;
    wait.ticks += ticks - std::min(ticks, call.suspended_or_type);
}

void AsyncBook::ready(Call& call, uint64_t ticks) {
    stop_waiting(call, ticks);
    queue_again(call, ticks);
}

void AsyncBook::queue_again(Call& call, uint64_t ticks) {
    turn(call, AsyncPart::kQueued, ticks);
    call.state = Call::State::kQueued;
}

void AsyncBook::resume(Call& call, const Moment& now) {
    if (call.state == Call::State::kWaiting) {
        stop_waiting(call, now.ticks);
    }
    turn(call, AsyncPart::kRunning, now.ticks);
    call.thread = now.thread;
    call.state = Call::State::kOnThread;
}

void AsyncBook::take_back(Call& call, uint64_t since_ticks) {
    if (!call.slow.none()) {
        slow_.take_back(call, since_ticks);
    }
    take_back_time(call, since_ticks);
}

void AsyncBook::take_back_time(Call& call, uint64_t since_ticks) {
    uint64_t too_much = call.mark_ticks - std::min(call.mark_ticks, since_ticks);
    for (const AsyncPart part : {AsyncPart::kRunning, AsyncPart::kChildren}) {
        const uint64_t taken = std::min(too_much, call.times[part]);
        call.times[part] -= taken;
        too_much -= taken;
        call.mark_ticks -= taken;
    }
}

uint32_t AsyncBook::node(uint32_t parent, uint32_t function, AsyncHow how, uint64_t callers) {
    const uint32_t made_in = sums_.tree[parent].function;
    if (const uint32_t outermost = sums_.tree[parent].outermost; outermost != 0) {
        parent = outermost;
    }
    if (const auto known = nodes_.find(std::tuple(parent, function, how, callers));
        known != nodes_.end()) {
        return known->second;
    }
    for (uint32_t above = parent; above != 0; above = sums_.tree[above].parent) {
        if (sums_.tree[above].function == function) {
            return node_beside(above, how,
                               callers == 0 ? hotpath::make_async_keys(made_in, 0) : callers);
        }
    }
    return add_node({.parent = parent, .function = function, .how = how, .counts = {}}, callers);
}

uint32_t AsyncBook::node_beside(uint32_t outermost, AsyncHow how, uint64_t callers) {
    AsyncNode made = sums_.tree[outermost];
    made.how = made.how == AsyncHow::kBefore ? how : made.how;
    made.outermost = outermost;
    made.counts = {};
    const uint32_t number = add_node(made, callers);
    return number == 0 ? outermost : number;
}

uint32_t AsyncBook::add_node(const AsyncNode& made, uint64_t callers) {
    const auto key = std::tuple(made.parent, made.function, made.how, callers);
    if (const auto known = nodes_.find(key); known != nodes_.end()) {
        return known->second;
    }
    if (sums_.tree.size() >= limits_.nodes) {
        return 0;
    }
    const auto number = static_cast<uint32_t>(sums_.tree.size());
    sums_.tree.push_back(made);
    sums_.tree.back().starter = hotpath::first_key(callers);
    sums_.tree.back().caller = hotpath::second_key(callers);
    nodes_.emplace(key, number);
    return number;
}

namespace {

void count(const Call& call, AsyncOutcome outcome, AsyncCounts& counts) {
    ++counts.calls;
    ++counts.outcomes[static_cast<size_t>(outcome)];
    counts.never_suspended += call.suspensions == 0 && outcome != AsyncOutcome::kOpen ? 1U : 0U;
    counts.before += call.how == AsyncHow::kBefore ? 1U : 0U;
    counts.suspensions += call.suspensions;
    counts.times += call.times;
}

}  // namespace

bool AsyncBook::is_timed(const Call& call, AsyncOutcome outcome) {
    return outcome != AsyncOutcome::kOpen && outcome != AsyncOutcome::kUnknown &&
           call.how != AsyncHow::kBefore;
}

void AsyncBook::note_arguments(CallRef call, std::vector<uint64_t> values) {
    if (find(call) == nullptr) {
        return;
    }
    for (const uint64_t value : values) {
        sums_.arguments.try_emplace(value);
    }
    arguments_.insert_or_assign(call.index, std::move(values));
}

void AsyncBook::add_arguments(uint32_t index, AsyncOutcome outcome) {
    const auto told = arguments_.find(index);
    if (told == arguments_.end()) {
        return;
    }
    const Call& call = calls_[index];
    for (const uint64_t value : told->second) {
        if (is_timed(call, outcome)) {
            const uint64_t ticks = call.times.wall();
            AsyncLengths& sum = sums_.arguments[value];
            ++sum.calls;
            sum.total_ticks += ticks;
            sum.min_ticks = std::min(sum.min_ticks, ticks);
            sum.max_ticks = std::max(sum.max_ticks, ticks);
            ++sum.buckets[static_cast<uint32_t>(HistogramBuckets::bucket(ticks))];
        }
    }
    arguments_.erase(told);
}

void AsyncBook::add(const Call& call, AsyncOutcome outcome, AsyncSums& sums) const {
    count(call, outcome, sums.tree[call.node].counts);
    if (sums.methods.size() >= limits_.methods && !sums.methods.contains(call.function)) {
        ++sums.lost_calls;
        return;
    }
    AsyncMethodSums& method = sums.methods[call.function];
    method.iterator = method.iterator || call.iterator;
    count(call, outcome, method.counts);
    if (!is_timed(call, outcome)) {
        return;
    }
    const uint64_t ticks = call.times.wall();
    ++method.timed;
    method.min_ticks = std::min(method.min_ticks, ticks);
    method.max_ticks = std::max(method.max_ticks, ticks);
    method.lengths.resize(AsyncBuckets::kBuckets);
    ++method.lengths[AsyncBuckets::bucket(ticks)];
}

AsyncSums AsyncBook::sums(uint64_t now_ticks,
                          const std::unordered_map<uint32_t, AsyncEnd>& ended) const {
    AsyncSums sums = sums_;
    std::unordered_map<uint32_t, size_t> untold;  // rows by function
    for (uint32_t index = 0; index < calls_.size(); ++index) {
        Call call = calls_[index];
        if (!call.live || call.function == 0) {
            continue;
        }
        if (const auto known = ended.find(index); known != ended.end()) {
            book_time(call, known->second.ticks);
            take_back_time(call, known->second.ticks);
            add(call, known->second.outcome, sums);
            continue;
        }
        if (call.state == Call::State::kWaiting) {
            size_t row = call.wait;
            if (row == 0) {
                const auto known =
                    waits_.find(std::tuple(call.function, AsyncWait::kUntold, 0U, uint64_t{0}));
                const size_t next = sums.waits.size() < limits_.waits ? sums.waits.size() : 0;
                row =
                    untold.try_emplace(call.function, known == waits_.end() ? next : known->second)
                        .first->second;
                if (row == sums.waits.size()) {
                    sums.waits.push_back({.method = call.function, .kind = AsyncWait::kUntold});
                }
            }
            AsyncWait& wait = sums.waits[row];
            ++wait.times;
            wait.ticks += now_ticks - std::min(now_ticks, call.suspended_or_type);
        }
        book_time(call, now_ticks);
        add(call, AsyncOutcome::kOpen, sums);
    }
    return sums;
}

SlowCallSums AsyncBook::slowest(uint64_t now_ticks) const {
    SlowCallSums sums = slow_.sums();
    std::vector<const Call*> open;
    for (const Call& call : calls_) {
        if (call.live && call.compared) {
            open.push_back(&call);
        }
    }
    // The slowest first, so that few have to be looked at closely.
    std::ranges::stable_sort(open, {}, &Call::begin_ticks);
    for (const Call* live : open) {
        Call call = *live;
        book_time(call, now_ticks);
        slow_.add_unfinished(call, now_ticks, calls_, sums);
    }
    return sums;
}

}  // namespace umbra::replay
