// SPDX-License-Identifier: MIT
// Which call a value belongs to, and when that is over.
#include "src/replay/argument_tracker.h"

#include <algorithm>
#include <utility>

namespace umbra::replay {
namespace {

using hotpath::ControlType;
using hotpath::Kind;

uint64_t key_of(const Frame& frame) {
    return frame.key & ~Frame::kFlags;
}

bool same(Lanes a, Lanes b) {
    return a[0] == b[0] && a[1] == b[1];
}

/// Whether a record tells something of the same call as the argument before it.
bool goes_on(uint64_t slot) {
    if (hotpath::slot_kind(slot) != Kind::kControl) {
        return false;
    }
    switch (static_cast<ControlType>(hotpath::slot_index(slot))) {
        case ControlType::kArgumentNumber:
        case ControlType::kArgumentText:
        case ControlType::kArgumentNull:
        case ControlType::kArgumentsEnd:
            return true;
        default:
            return false;
    }
}

bool is_leave_of(uint64_t slot, uint32_t function) {
    const Kind kind = hotpath::slot_kind(slot);
    return hotpath::slot_written(slot) && (kind == Kind::kLeave || kind == Kind::kTailcall) &&
           hotpath::slot_index(slot) == function;
}

}  // namespace

bool ArgumentTracker::is_top(const OpenCall& call, const ShadowStack& stack) {
    return call.depth == stack.depth() && call.key == key_of(*stack.top()) &&
           same(call.began, stack.began(*stack.top()));
}

bool ArgumentTracker::is_on(const OpenCall& call, const ShadowStack& stack) {
    if (call.depth == 0 || call.depth > stack.depth()) {
        return false;
    }
    const Frame& frame = stack.frame(call.depth - 1);
    return call.key == key_of(frame) && same(call.began, stack.began(frame));
}

void ArgumentTracker::give_up_last() {
    for (size_t value = open_.back().values; value < values_.size(); ++value) {
        table_->add_unfinished(values_[value]);
    }
    values_.resize(open_.back().values);
    open_.pop_back();
    open_at_loss_ = std::min(open_at_loss_, open_.size());
}

void ArgumentTracker::give_up() {
    while (!open_.empty()) {
        give_up_last();
    }
}

void ArgumentTracker::settle(const ShadowStack& stack) {
    while (!open_.empty() && open_.back().depth >= stack.depth() && !is_top(open_.back(), stack)) {
        give_up_last();
    }
}

void ArgumentTracker::push(uint32_t row) {
    const std::vector<ArgumentValue>& values = table_->sums().values;
    const auto known =
        std::find_if(values_.begin() + static_cast<std::ptrdiff_t>(open_.back().values),
                     values_.end(), [&](uint32_t other) {
                         return other != 0 && values[other].argument == values[row].argument;
                     });
    const bool again = row != 0 && known != values_.end();
    if (again || values_.size() - open_.back().values >= kMostValues) {
        table_->add_unfinished(row);
    } else {
        values_.push_back(row);
        ++group_;
    }
}

void ArgumentTracker::note(const ShadowStack& stack, uint32_t number,
                           const ArgumentContent& content, Lanes now, uint64_t next) {
    settle(stack);
    const bool known = !open_.empty() && is_top(open_.back(), stack);
    group_ = group_goes_on_ && known ? group_ : 0;
    group_goes_on_ = goes_on(next);
    const uint32_t row = table_->row(number, stack.top_function(), content);
    // Calls beyond the depth limit have no frame: whatever is on top, it is not theirs.
    if (stack.skipping() || (!known && open_.size() >= kMostOpen)) {
        table_->add_unfinished(row);
        noted_ = {};
        return;
    }
    noted_ = {.row = row, .is_first = !known};
    if (!known) {
        open_.push_back({.depth = stack.depth(),
                         .key = key_of(*stack.top()),
                         .began = stack.began(*stack.top()),
                         .told = now - stack.stood(),
                         .values = values_.size()});
    }
    push(row);
}

size_t ArgumentTracker::ending(const ShadowStack& stack, uint32_t function, uint64_t next) const {
    const bool leaves = is_leave_of(next, function);
    const size_t least = open_.size() - std::min(open_.size(), kMostLookedAt);
    for (size_t index = open_.size(); index-- > least;) {
        const OpenCall& call = open_[index];
        const bool is_it = leaves ? call.key == (next & ~Frame::kFlags)
                                  : hotpath::slot_index(call.key) == function &&
                                        (index >= open_at_loss_ || is_top(call, stack));
        if (is_it && (leaves || !stack.skipping()) && is_on(call, stack)) {
            return index;
        }
    }
    return open_.size();
}

std::vector<uint32_t> ArgumentTracker::take_group(uint32_t function) {
    std::vector<uint32_t> rows;
    const size_t most = open_.empty() ? 0 : values_.size() - open_.back().values;
    const size_t first = values_.size() - (group_goes_on_ ? std::min(group_, most) : 0);
    for (size_t value = first; value < values_.size(); ++value) {
        // A copy: the table grows.
        const ArgumentValue told = table_->sums().values[values_[value]];
        const uint32_t number =
            values_[value] == 0 ? 0 : table_->sums().arguments[told.argument].number;
        rows.push_back(number == 0 ? 0 : table_->row(number, function, told.content));
    }
    values_.resize(first);
    return rows;
}

void ArgumentTracker::end(const ShadowStack& stack, uint32_t function, Lanes now, uint64_t next) {
    settle(stack);
    const size_t index = ending(stack, function, next);
    const bool is_last = index + 1 == open_.size();
    if (!is_last) {
        // What was told last is of this call, not of the one on top.
        const std::vector<uint32_t> group = take_group(function);
        while (open_.size() > index + 1) {
            give_up_last();
        }
        for (const uint32_t row : group) {
            index < open_.size() ? push(row) : table_->add_unfinished(row);
        }
    }
    group_ = 0;
    group_goes_on_ = false;
    if (index >= open_.size()) {
        if (!open_.empty() && open_.back().values == values_.size()) {
            open_.pop_back();  // it had been taken for one that told something
            open_at_loss_ = std::min(open_at_loss_, open_.size());
        }
        return;
    }
    const OpenCall& call = open_.back();
    const Lanes length = now - stack.stood() - call.told;
    for (size_t value = call.values; value < values_.size(); ++value) {
        table_->add(values_[value], length);
    }
    values_.resize(call.values);
    open_.pop_back();
    open_at_loss_ = std::min(open_at_loss_, open_.size());
}

void ArgumentTracker::move_to(ArgumentTable& table) {
    const ArgumentSums& before = std::exchange(table_, &table)->sums();
    for (uint32_t& row : values_) {
        const ArgumentValue& value = before.values[row];
        const ArgumentOf* argument = row == 0 ? nullptr : &before.arguments[value.argument];
        row = row == 0 ? 0 : table.row(argument->number, argument->function, value.content);
    }
}

void ArgumentTracker::add_unfinished(ArgumentSums& sums) const {
    for (const uint32_t row : values_) {
        sums.add_unfinished(row);
    }
}

}  // namespace umbra::replay
