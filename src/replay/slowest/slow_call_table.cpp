// SPDX-License-Identifier: MIT
// Which calls are kept, and in how much room.
#include "src/replay/slowest/slow_call_table.h"

#include <utility>

namespace umbra::replay {
namespace {

using Kept = std::vector<std::shared_ptr<const SlowCall>>;

/// Orders a heap that has the fastest call first. Of calls that are as slow the later is faster, so
/// that what is kept does not depend on who replays it.
bool is_slower(const SlowCall& a, const SlowCall& b) {
    if (a.rank_ticks != b.rank_ticks) {
        return a.rank_ticks > b.rank_ticks;
    }
    return a.begin_ticks != b.begin_ticks ? a.begin_ticks < b.begin_ticks : a.thread < b.thread;
}

bool slower(const std::shared_ptr<const SlowCall>& a, const std::shared_ptr<const SlowCall>& b) {
    return is_slower(*a, *b);
}

void keep(Kept& kept, size_t most, std::shared_ptr<const SlowCall> call) {
    kept.push_back(std::move(call));
    std::push_heap(kept.begin(), kept.end(), slower);
    if (kept.size() > most) {
        std::pop_heap(kept.begin(), kept.end(), slower);
        kept.pop_back();
    }
}

}  // namespace

SlowFunction& SlowCallSums::of(uint32_t function, uint32_t request) {
    if (function >= rows.size()) {
        rows.resize(size_t{function} + 1, 0);
    }
    if (rows[function] == 0) {
        functions.push_back(
            {.function = function, .request = request, .calls = 0, .lost = 0, .kept = {}});
        rows[function] = static_cast<uint32_t>(functions.size());
    }
    return functions[rows[function] - 1];
}

bool SlowCallTable::offer(uint32_t request, const SlowCall& call) {
    SlowFunction& row = sums_.of(call.function, request);
    ++row.calls;
    const size_t most = limits_->keep[request - 1];
    if (row.kept.size() >= most) {
        return most != 0 && is_slower(call, *row.kept.front());
    }
    if (kept_calls_ >= limits_->kept_calls) {
        ++row.lost;
        return false;
    }
    return true;
}

void SlowCallTable::add(uint32_t request, SlowCall call) {
    SlowFunction& row = sums_.of(call.function, request);
    kept_slices_ += call.slices.size();
    ++kept_calls_;
    row.kept.push_back(std::make_shared<const SlowCall>(std::move(call)));
    std::push_heap(row.kept.begin(), row.kept.end(), slower);
    if (row.kept.size() > limits_->keep[request - 1]) {
        drop_fastest(row);
    }
    if (kept_slices_ > limits_->kept_slices) {
        // Some more, so that it does not come to this at every call.
        kept_slices_ = make_room(sums_, limits_->kept_slices - limits_->kept_slices / 8);
    }
}

void SlowCallTable::drop_fastest(SlowFunction& row) {
    std::pop_heap(row.kept.begin(), row.kept.end(), slower);
    kept_slices_ -= row.kept.back()->slices.size();
    --kept_calls_;
    row.kept.pop_back();
}

size_t make_room(SlowCallSums& sums, size_t most) {
    // The longest last.
    std::vector<std::shared_ptr<const SlowCall>*> calls;
    size_t slices = 0;
    for (SlowFunction& row : sums.functions) {
        for (std::shared_ptr<const SlowCall>& call : row.kept) {
            calls.push_back(&call);
            slices += call->slices.size();
        }
    }
    const auto shorter_than = [](const auto* a, const auto* b) {
        return (*a)->slices.size() < (*b)->slices.size();
    };
    std::ranges::make_heap(calls, shorter_than);
    SliceShortener shortener;
    while (slices > most && !calls.empty() && (*calls.front())->slices.size() > 1) {
        std::ranges::pop_heap(calls, shorter_than);
        SlowCall shorter = **calls.back();
        const size_t before = shorter.slices.size();
        shortener.shorten(shorter.slices, before / 2);
        if (shorter.slices.size() > before / 2) {
            shorter.slices.resize(1);  // nothing of it can be merged any more
        }
        shorter.slices.shrink_to_fit();
        slices -= before - shorter.slices.size();
        *calls.back() = std::make_shared<const SlowCall>(std::move(shorter));
        std::ranges::push_heap(calls, shorter_than);
    }
    return slices;
}

bool SlowCallTable::is_slow(const SlowCall& call, uint32_t request, const SlowestLimits& limits,
                            SlowCallSums& sums) {
    const SlowFunction& row = sums.of(call.function, request);
    const size_t most = limits.keep[request - 1];
    return most != 0 && (row.kept.size() < most || is_slower(call, *row.kept.front()));
}

void SlowCallTable::add_unfinished(SlowCallSums& sums, const SlowestLimits& limits,
                                   uint32_t request, SlowCall call) {
    const bool slow = is_slow(call, request, limits, sums);
    SlowFunction& row = sums.of(call.function, request);
    ++row.calls;
    if (!slow) {
        return;
    }
    const size_t room = limits.kept_slices - std::min(sums.unfinished_slices, limits.kept_slices);
    if (call.slices.size() > std::max(room, SlowestLimits::kLeast)) {
        call.slices.resize(1);
    }
    sums.unfinished_slices += call.slices.size();
    keep(row.kept, limits.keep[request - 1], std::make_shared<const SlowCall>(std::move(call)));
}

void merge(SlowCallSums& sums, const SlowCallSums& more, const SlowestLimits& limits) {
    for (const SlowFunction& other : more.functions) {
        SlowFunction& row = sums.of(other.function, other.request);
        row.calls += other.calls;
        row.lost += other.lost;
        const size_t most = row.request - 1 < limits.keep.size() ? limits.keep[row.request - 1] : 0;
        for (const std::shared_ptr<const SlowCall>& call : other.kept) {
            keep(row.kept, most, call);
        }
    }
}

}  // namespace umbra::replay
