// SPDX-License-Identifier: MIT
// CallTree::prune: a folded tree loses the paths that took least, and keeps their sums.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/replay/tree/call_tree.h"

namespace umbra::replay {
namespace {

GoneCalls& sum_at(std::vector<GoneCalls>& sums, uint32_t number) {
    if (number >= sums.size()) {
        sums.resize(size_t{number} + 1);
    }
    return sums[number];
}

/// What there is of a number, of which there is nothing then.
GoneCalls take(std::vector<GoneCalls>& sums, uint32_t number) {
    return number < sums.size() ? std::exchange(sums[number], GoneCalls{}) : GoneCalls{};
}

/// A collapsed path is expanded when what it has called took so much of Limits::least_share of what
/// the whole took when the tree was last pruned. Most paths that are taken once stay below it, and
/// what one that is kept has lost then, call by call on the way to it, is next to nothing of it.
constexpr double kWorth = 3e-3;

/// Of the arcs of a folded tree, as many are left room for when it is pruned, however many have to
/// stay.
size_t half(const Limits& limits) {
    return std::max<size_t>(limits.folded_arcs / 2, 1);
}

}  // namespace

std::vector<uint64_t> CallTree::inclusive_ticks() const {
    std::vector<uint64_t> ticks(places_.size());
    for (size_t arc = 1; arc < targets_.size(); ++arc) {
        // What was called on collapsed paths is in gone_below_.
        ticks[targets_[arc]] += targets_[arc] == 0 ? 0 : ticks_of(arcs_[arc].self);
    }
    for (size_t place = places_.size(); place-- > 1;) {
        ticks[place] += place < gone_here_.size() ? ticks_of(gone_here_[place].self) : 0;
        ticks[place] += place < gone_below_.size() ? ticks_of(gone_below_[place].self) : 0;
        ticks[places_[place].parent] += ticks[place];
    }
    return ticks;
}

std::vector<bool> CallTree::staying(std::vector<bool> needed,
                                    const std::vector<uint64_t>& ticks) const {
    needed.resize(places_.size());
    needed[0] = true;
    std::vector<uint64_t> others;
    others.reserve(places_.size());
    for (size_t place = places_.size(); place-- > 1;) {
        needed[place] = needed[place] || places_[place].function == kNoFunction;
        if (needed[place]) {
            needed[places_[place].parent] = true;
        } else {
            others.push_back(ticks[place]);
        }
    }
    if (others.empty()) {
        return needed;
    }
    const size_t going = places_.size() - std::min(places_.size() / 2, half(limits_));
    const auto last = others.begin() + static_cast<ptrdiff_t>(std::min(going, others.size() - 1));
    std::ranges::nth_element(others, last);
    const double worth = limits_.least_share * static_cast<double>(ticks[0]);
    for (size_t place = 1; place < places_.size(); ++place) {
        // What takes as long as the last one goes, too: else nothing might. Whatever is below a
        // place took no more than it did.
        needed[place] = needed[place] || ticks[place] > *last ||
                        (static_cast<double>(ticks[place]) >= worth && ticks[place] != 0);
    }
    return needed;
}

Pruned CallTree::prune(std::vector<bool> needed) {
    Pruned pruned;
    const std::vector<uint64_t> ticks = inclusive_ticks();
    pruned.stays = staying(std::move(needed), ticks);
    move_places(pruned);
    move_arcs(pruned);
    find_again();
    crowd_ = std::max<size_t>(limits_.folded_arcs, targets_.size() + half(limits_));
    collapses_ = true;
    worth_ticks_ =
        static_cast<uint64_t>(kWorth * limits_.least_share * static_cast<double>(ticks[0]));
    return pruned;
}

void CallTree::move_places(Pruned& pruned) {
    const std::vector<bool>& stays = pruned.stays;
    pruned.places.resize(places_.size());
    uint32_t next = 1;
    for (uint32_t place = 1; place < places_.size(); ++place) {
        const uint32_t parent = pruned.places[places_[place].parent];
        pruned.places[place] = stays[place] ? next : parent;
        if (stays[place]) {
            places_[next] = places_[place];
            places_[next++].parent = parent;
        }
        // Numbers become no greater: what is moved here has been taken already.
        const uint32_t to = pruned.places[place];
        for (auto* sums : {&gone_here_, &gone_below_}) {
            const GoneCalls sum = take(*sums, place);
            if ((sum.self[0] | sum.self[1] | sum.calls) == 0) {
                continue;
            }
            GoneCalls& moved = sum_at(stays[place] ? *sums : gone_below_, to);
            moved.self += sum.self;
            if (stays[place]) {
                moved.add_counts(sum);
            }
        }
    }
    places_.resize(next);
    gone_here_.resize(std::min<size_t>(gone_here_.size(), next));
    gone_below_.resize(std::min<size_t>(gone_below_.size(), next));
    shared_root_ = pruned.places[shared_root_];
}

void CallTree::move_arcs(Pruned& pruned) {
    const std::vector<bool>& stays = pruned.stays;
    pruned.arcs.resize(targets_.size());
    std::unordered_map<uint32_t, uint64_t> carried;
    uint32_t next = 1;
    for (uint32_t arc = 1; arc < targets_.size(); ++arc) {
        Arc& row = arcs_[arc];
        const uint32_t from = source(row);
        const bool common = is_common(from);
        if (!common && (!stays[from] || !stays[targets_[arc]])) {
            add_gone(arc, pruned);
            continue;
        }
        if (const auto overflows = carried_.find(arc); overflows != carried_.end()) {
            carried.emplace(next, overflows->second);
        }
        row.key = common ? row.key : key(pruned.places[from], function(row));
        targets_[next] = pruned.places[targets_[arc]];
        edges_of_[next] = edges_of_[arc];
        row.inside = is_common(row.inside) ? row.inside : targets_[next];
        pruned.arcs[arc] = next;
        arcs_[next++] = row;
    }
    for (uint32_t arc = 1; arc < next; ++arc) {
        for (uint32_t* one : {&arcs_[arc].first, &arcs_[arc].next}) {
            *one = guess(pruned.arcs[guessed(*one)], *one);
        }
    }
    for (size_t arc = next; arc < targets_.size(); ++arc) {
        arcs_[arc] = arcs_[0];  // guesses may still lead here, and no call has this key
    }
    targets_.resize(next);
    edges_of_.resize(next);
    carried_.swap(carried);
}

void CallTree::add_gone(uint32_t arc, Pruned& pruned) {
    const std::vector<bool>& stays = pruned.stays;
    const Arc& row = arcs_[arc];
    const uint32_t target = targets_[arc];
    const uint32_t edge = edges_of_[arc];
    const GoneCalls calls = calls_along(arc);
    sum_at(gone_by_edge_, edge) += calls;
    const uint32_t place = pruned.places[target];
    GoneCalls& sum = sum_at(stays[target] ? gone_here_ : gone_below_, place);
    sum.self += row.self;
    if (stays[target] || stays[source(row)]) {
        sum.add_counts(calls);
    }
    pruned.gone.push_back({.arc = arc, .edge = edge, .place = place, .own = stays[target]});
}

void CallTree::find_again() {
    index_.clear();
    for (uint32_t arc = 1; arc < targets_.size(); ++arc) {
        index_.at(source(arcs_[arc]), function(arcs_[arc])) = arc;
    }
    std::ranges::fill(recent_, 0U);
}

}  // namespace umbra::replay
