// SPDX-License-Identifier: MIT
#include "src/replay/async/blocked_waits.h"

#include <algorithm>

namespace umbra::replay {

uint32_t BlockedWaits::row(uint32_t function, uint32_t awaited_function, uint64_t type) {
    const auto key = std::tuple(function, awaited_function, type);
    if (const auto known = numbers_.find(key); known != numbers_.end()) {
        return known->second;
    }
    if (rows_.size() >= limits_.waits) {
        return 0;
    }
    const auto number = static_cast<uint32_t>(rows_.size());
    rows_.push_back({.function = function, .awaited_function = awaited_function, .type = type});
    numbers_.emplace(key, number);
    return number;
}

void BlockedWaits::add(const Open& wait, uint64_t ticks, std::vector<BlockedWait>& rows) {
    BlockedWait& sum = rows[wait.row];
    ++sum.times;
    sum.ticks += ticks - std::min(ticks, wait.begin_ticks);
}

void BlockedWaits::pop_to(Stack& stack, uint32_t sp, uint64_t ticks) {
    while (!stack.empty() && static_cast<int32_t>(stack.back().sp - sp) <= 0) {
        add(stack.back(), ticks, rows_);
        stack.pop_back();
        --open_;
    }
}

void BlockedWaits::begin(const AsyncFact& fact, uint32_t awaited_function, uint64_t type) {
    if (fact.function == 0 || fact.function >= limits_.functions) {
        return;  // in no timed method
    }
    Stack& stack = threads_[fact.thread];
    pop_to(stack, fact.sp, fact.ticks);
    if (open_ < limits_.blocked) {
        stack.push_back({.sp = fact.sp,
                         .row = row(fact.function, awaited_function, type),
                         .begin_ticks = fact.ticks});
        ++open_;
    }
}

void BlockedWaits::end(const AsyncFact& fact) {
    const auto stack = threads_.find(fact.thread);
    if (stack == threads_.end()) {
        return;
    }
    pop_to(stack->second, fact.sp, fact.ticks);
    if (stack->second.empty()) {
        threads_.erase(stack);
    }
}

std::vector<BlockedWait> BlockedWaits::sums(uint64_t now_ticks) const {
    std::vector<BlockedWait> rows = rows_;
    for (const auto& [thread, stack] : threads_) {
        for (const Open& wait : stack) {
            add(wait, now_ticks, rows);
        }
    }
    return rows;
}

}  // namespace umbra::replay
