// SPDX-License-Identifier: MIT
#include "src/collector/tables/async_pieces.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace umbra::collector {

using replay::RuntimeInterval;
using replay::Slice;

AsyncPieces::AsyncPieces(const replay::SlowCallSums& on_threads, std::vector<bool> told)
    : told_(std::move(told)) {
    for (const replay::SlowFunction& function : on_threads.functions) {
        for (const auto& call : function.kept) {
            pieces_[{function.function, call->thread}].push_back(call.get());
        }
    }
    for (auto& [key, pieces] : pieces_) {
        std::ranges::sort(pieces, {}, &replay::SlowCall::begin_ticks);
    }
}

void AsyncPieces::for_each(const Slice& running, uint32_t function, const auto& visit) const {
    const auto known = pieces_.find({function, running.function});
    if (known == pieces_.end()) {
        return;
    }
    for (const replay::SlowCall* piece : known->second) {
        if (piece->begin_ticks < running.begin_ticks + running.ticks &&
            piece->begin_ticks + piece->ticks > running.begin_ticks) {
            visit(*piece);
        }
    }
}

AsyncPieces::Stretch AsyncPieces::in(const Slice& running, uint32_t function) const {
    Stretch stretch;
    stretch.slices.push_back(running);
    stretch.slices[0].parent = Slice::kNoParent;
    for_each(running, function, [&](const replay::SlowCall& piece) { add(piece, stretch); });
    return stretch;
}

void AsyncPieces::add(const replay::SlowCall& piece, Stretch& stretch) const {
    const uint64_t start = stretch.slices[0].begin_ticks;
    const uint64_t end = start + stretch.slices[0].ticks;
    std::vector<uint32_t> numbers(piece.slices.size(), Slice::kNoParent);
    for (size_t number = 0; number < piece.slices.size(); ++number) {
        Slice slice = piece.slices[number];
        const bool is_call = slice.kind == Slice::kCall;
        if (slice.parent == Slice::kNoParent) {
            numbers[number] = 0;
            continue;
        }
        if (is_call && slice.function < told_.size() && told_[slice.function]) {
            numbers[number] = numbers[slice.parent];
            continue;
        }
        const uint64_t begin = std::max(slice.begin_ticks, start);
        const uint64_t last = std::min(slice.begin_ticks + slice.ticks, end);
        if (numbers[slice.parent] == Slice::kNoParent || begin >= last) {
            continue;
        }
        stretch.calls += is_call && begin == slice.begin_ticks ? slice.calls : 0;
        slice.parent = numbers[slice.parent];
        slice.begin_ticks = begin;
        slice.ticks = last - begin;
        numbers[number] = static_cast<uint32_t>(stretch.slices.size());
        stretch.slices.push_back(slice);
    }
}

std::vector<RuntimeInterval> AsyncPieces::compilations(const replay::SlowCall& call) const {
    std::set<const replay::SlowCall*> pieces;
    for (const Slice& slice : call.slices) {
        if (slice.kind == Slice::kRunning && slice.calls == 1 && slice.parent == 0) {
            for_each(slice, call.function,
                     [&](const replay::SlowCall& piece) { pieces.insert(&piece); });
        }
    }
    std::vector<RuntimeInterval> found;
    for (const replay::SlowCall* piece : pieces) {
        for (RuntimeInterval one : piece->compilations) {
            one.begin_ticks = std::max(one.begin_ticks, call.begin_ticks);
            one.end_ticks = std::min(one.end_ticks, call.begin_ticks + call.ticks);
            if (one.begin_ticks < one.end_ticks) {
                found.push_back(one);
            }
        }
    }
    std::ranges::sort(found, {}, &RuntimeInterval::begin_ticks);
    found.resize(std::min(found.size(), replay::SlowestLimits::kMostIntervals));
    return found;
}

}  // namespace umbra::collector
