// SPDX-License-Identifier: MIT
#include "src/collector/live/worker_balance.h"

#include <algorithm>
#include <optional>

namespace umbra::collector {
namespace {

bool can_be_helped(const WorkerLoad& load) {
    return load.busy >= WorkerBalance::kSaturated && load.active() > 1;
}

/// The one with the greatest load of those that have too much.
std::optional<size_t> saturated(std::span<const WorkerLoad> loads) {
    std::optional<size_t> found;
    for (size_t worker = 0; worker < loads.size(); ++worker) {
        if (can_be_helped(loads[worker]) &&
            (!found || loads[worker].chunks() > loads[*found].chunks())) {
            found = worker;
        }
    }
    return found;
}

/// The one with the least load of those that have room.
std::optional<size_t> free_one(std::span<const WorkerLoad> loads) {
    std::optional<size_t> found;
    for (size_t worker = 0; worker < loads.size(); ++worker) {
        if (loads[worker].busy < WorkerBalance::kFree &&
            (!found || loads[worker].chunks() < loads[*found].chunks())) {
            found = worker;
        }
    }
    return found;
}

}  // namespace

uint64_t WorkerLoad::chunks() const {
    uint64_t sum = 0;
    for (const Ring& ring : rings) {
        sum += ring.chunks;
    }
    return sum;
}

size_t WorkerLoad::active() const {
    return static_cast<size_t>(
        std::ranges::count_if(rings, [](const Ring& ring) { return ring.chunks != 0; }));
}

std::vector<ThreadMove> WorkerBalance::moves(std::vector<WorkerLoad> loads) {
    std::vector<ThreadMove> moves;
    while (moves.size() < kMostMoves) {
        const std::optional<size_t> from = saturated(loads);
        const std::optional<size_t> to = free_one(loads);
        if (!from || !to) {
            break;
        }
        std::vector<WorkerLoad::Ring>& rings = loads[*from].rings;
        const uint64_t before = loads[*from].chunks();
        const uint64_t there = loads[*to].chunks();
        const auto longer = [&](const WorkerLoad::Ring& ring) {
            return ring.chunks == 0 ? before : std::max(before - ring.chunks, there + ring.chunks);
        };
        const auto best = std::ranges::min_element(rings, {}, longer);
        if (static_cast<double>(longer(*best)) > (1 - kWorthwhile) * static_cast<double>(before)) {
            break;
        }
        moves.push_back({.from = *from, .to = *to, .slot = best->slot});
        loads[*to].rings.push_back(*best);
        rings.erase(best);
    }
    return moves;
}

bool WorkerBalance::wants_another(std::span<const WorkerLoad> loads, double idle_processors) {
    const bool wanted = saturated(loads) && !free_one(loads) && idle_processors >= kIdleProcessors;
    saturated_windows_ = wanted ? saturated_windows_ + 1 : 0;
    if (saturated_windows_ < kWindowsBefore) {
        return false;
    }
    saturated_windows_ = 0;
    return true;
}

}  // namespace umbra::collector
