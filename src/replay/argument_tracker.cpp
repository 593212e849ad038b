// SPDX-License-Identifier: MIT
// Which call a value belongs to, and when that is over.
#include "src/replay/argument_tracker.h"

#include <algorithm>
#include <utility>

namespace umbra::replay {
namespace {

uint64_t key_of(const ShadowStack& stack) {
    return stack.top()->key & ~Frame::kFlags;
}

}  // namespace

bool ArgumentTracker::is_top(const OpenCall& call, const ShadowStack& stack) {
    const Lanes& enter = stack.top()->enter;
    return call.depth == stack.depth() && call.key == key_of(stack) && call.enter[0] == enter[0] &&
           call.enter[1] == enter[1];
}

void ArgumentTracker::give_up_last() {
    for (size_t value = open_.back().values; value < values_.size(); ++value) {
        table_->add_unfinished(values_[value]);
    }
    values_.resize(open_.back().values);
    open_.pop_back();
}

void ArgumentTracker::settle(const ShadowStack& stack) {
    while (!open_.empty() && open_.back().depth >= stack.depth() && !is_top(open_.back(), stack)) {
        give_up_last();
    }
}

void ArgumentTracker::note(const ShadowStack& stack, uint32_t number,
                           const ArgumentContent& content, const ArgumentMoment& moment) {
    settle(stack);
    const uint32_t row = table_->row(number, stack.top_function(), content);
    const bool known = !open_.empty() && is_top(open_.back(), stack);
    // Calls beyond the depth limit have no frame: whatever is on top, it is not theirs.
    if (stack.skipping() || (!known && open_.size() >= kMostOpen) ||
        (known && values_.size() - open_.back().values >= kMostValues)) {
        table_->add_unfinished(row);
        return;
    }
    if (!known) {
        open_.push_back({.depth = stack.depth(),
                         .key = key_of(stack),
                         .enter = stack.top()->enter,
                         .begun = moment,
                         .values = values_.size()});
    }
    const std::vector<ArgumentValue>& values = table_->sums().values;
    const auto before = std::find_if(
        values_.begin() + static_cast<std::ptrdiff_t>(open_.back().values), values_.end(),
        [&](uint32_t other) { return values[other].argument == values[row].argument; });
    if (row != 0 && before != values_.end()) {
        table_->add_unfinished(std::exchange(*before, row));
    } else {
        values_.push_back(row);
    }
}

void ArgumentTracker::end(const ShadowStack& stack, uint32_t function,
                          const ArgumentMoment& moment) {
    settle(stack);
    if (open_.empty() || stack.skipping() || stack.top_function() != function ||
        !is_top(open_.back(), stack)) {
        return;
    }
    const OpenCall& call = open_.back();
    const ArgumentTime time{.length = moment.now - call.begun.now,
                            .waited_ticks = moment.waited_ticks - call.begun.waited_ticks};
    for (size_t value = call.values; value < values_.size(); ++value) {
        table_->add(values_[value], time);
    }
    values_.resize(call.values);
    open_.pop_back();
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
