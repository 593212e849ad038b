// SPDX-License-Identifier: MIT
// Whoever knows places of a call tree by their numbers follows when it is pruned.
#include <utility>
#include <vector>

#include "src/replay/thread_replay.h"

namespace umbra::replay {
namespace {

void renumber_place(AsyncPlace& suspended, const Pruned& pruned) {
    suspended.place = pruned.places[suspended.place];
    suspended.own = pruned.places[suspended.own];
}

}  // namespace

void SharedTables::prune_paths() {
    std::vector<bool> needed(tree.places().size());
    for (const ThreadReplay* thread : threads) {
        thread->mark_places(needed);
    }
    for (const auto& [arc, calls] : cut_calls) {
        needed[tree.at(arc).source()] = true;
        needed[tree.target(arc)] = true;
    }
    const Pruned pruned = tree.prune(std::move(needed));
    deductions.renumber(pruned);
    for (const auto& [arc, calls] : std::exchange(cut_calls, {})) {
        cut_calls[pruned.arcs[arc]] += calls;
    }
    async.for_each_place([&](AsyncPlace& suspended) { renumber_place(suspended, pruned); });
    for (ThreadReplay* thread : threads) {
        thread->renumber(pruned);
    }
}

void ThreadReplay::mark_places(std::vector<bool>& needed) const {
    stack_.mark_places(needed);
    for (const auto& [number, calls] : standing_) {
        needed[shared_->tree.at(calls.arc).source()] = true;
        needed[shared_->tree.target(calls.arc)] = true;
    }
}

void ThreadReplay::renumber(const Pruned& pruned) {
    root_ = pruned.places[root_];
    stack_.renumber(pruned);
    for (TakenStack& taken : taken_) {
        for (AsyncPlace& suspended : taken.stack) {
            renumber_place(suspended, pruned);
        }
    }
    for (auto& [number, calls] : standing_) {
        calls.arc = pruned.arcs[calls.arc];
    }
}

}  // namespace umbra::replay
