// SPDX-License-Identifier: MIT
// CallTree::prune: a folded tree loses the paths that took least, and keeps their sums.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/replay/tree/call_tree.h"

namespace umbra::replay {
namespace {

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
    std::vector<uint64_t> ticks(sums_.places.size());
    for (size_t arc = 1; arc < sums_.targets.size(); ++arc) {
        // What was called on collapsed paths is in sums_.gone_below.
        ticks[sums_.targets[arc]] += sums_.targets[arc] == 0 ? 0 : ticks_of(arcs_[arc].self);
    }
    for (const auto* gone : {&sums_.gone_here, &sums_.gone_below}) {
        gone->for_each(
            [&](uint32_t place, const GoneCalls& sum) { ticks[place] += ticks_of(sum.self); });
    }
    for (size_t place = sums_.places.size(); place-- > 1;) {
        ticks[sums_.places[place].parent] += ticks[place];
    }
    return ticks;
}

std::vector<bool> CallTree::staying(std::vector<bool> needed,
                                    const std::vector<uint64_t>& ticks) const {
    needed.resize(sums_.places.size());
    needed[0] = true;
    std::vector<uint64_t> others;
    others.reserve(sums_.places.size());
    for (size_t place = sums_.places.size(); place-- > 1;) {
        needed[place] = needed[place] || sums_.places[place].function == kNoFunction;
        if (needed[place]) {
            needed[sums_.places[place].parent] = true;
        } else {
            others.push_back(ticks[place]);
        }
    }
    if (others.empty()) {
        return needed;
    }
    const size_t going = sums_.places.size() - std::min(sums_.places.size() / 2, half(limits_));
    const auto last = others.begin() + static_cast<ptrdiff_t>(std::min(going, others.size() - 1));
    std::ranges::nth_element(others, last);
    const double worth = limits_.least_share * static_cast<double>(ticks[0]);
    for (size_t place = 1; place < sums_.places.size(); ++place) {
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
    crowd_ = std::max<size_t>(limits_.folded_arcs, sums_.targets.size() + half(limits_));
    collapses_ = true;
    worth_ticks_ =
        static_cast<uint64_t>(kWorth * limits_.least_share * static_cast<double>(ticks[0]));
    return pruned;
}

void CallTree::move_places(Pruned& pruned) {
    const std::vector<bool>& stays = pruned.stays;
    pruned.places.resize(sums_.places.size());
    uint32_t next = 1;
    for (uint32_t place = 1; place < sums_.places.size(); ++place) {
        const uint32_t parent = pruned.places[sums_.places[place].parent];
        pruned.places[place] = stays[place] ? next : parent;
        if (stays[place]) {
            sums_.places[next] = sums_.places[place];
            sums_.places[next++].parent = parent;
        }
    }
    sums_.places.resize(next);
    move_gone(pruned);
    shared_root_ = pruned.places[shared_root_];
}

void CallTree::move_gone(const Pruned& pruned) {
    const auto here = std::exchange(sums_.gone_here, {});
    const auto below = std::exchange(sums_.gone_below, {});
    for (const auto* before : {&here, &below}) {
        before->for_each([&](uint32_t place, const GoneCalls& sum) {
            const bool stays = pruned.stays[place];
            auto& sums = stays && before == &here ? sums_.gone_here : sums_.gone_below;
            GoneCalls& moved = sums.at(pruned.places[place]);
            moved.self += sum.self;
            if (stays) {
                moved.add_counts(sum);
            }
        });
    }
}

void CallTree::move_arcs(Pruned& pruned) {
    const std::vector<bool>& stays = pruned.stays;
    pruned.arcs.resize(sums_.targets.size());
    std::unordered_map<uint32_t, uint64_t> carried;
    uint32_t next = 1;
    for (uint32_t arc = 1; arc < sums_.targets.size(); ++arc) {
        Arc& row = arcs_[arc];
        const uint32_t from = row.source();
        const bool common = is_common(from);
        if (!common && (!stays[from] || !stays[sums_.targets[arc]])) {
            add_gone(arc, pruned);
            continue;
        }
        if (const auto overflows = sums_.carried.find(arc); overflows != sums_.carried.end()) {
            carried.emplace(next, overflows->second);
        }
        row.key = common ? row.key : Arc::key_of(pruned.places[from], row.function());
        sums_.targets[next] = pruned.places[sums_.targets[arc]];
        sums_.edges_of[next] = sums_.edges_of[arc];
        row.inside = is_common(row.inside) ? row.inside : sums_.targets[next];
        pruned.arcs[arc] = next;
        arcs_[next++] = row;
    }
    for (uint32_t arc = 1; arc < next; ++arc) {
        for (uint32_t* one : {&arcs_[arc].first, &arcs_[arc].next}) {
            *one = ArcGuess::of(pruned.arcs[ArcGuess::arc(*one)], *one);
        }
    }
    for (size_t arc = next; arc < sums_.targets.size(); ++arc) {
        arcs_[arc] = arcs_[0];  // guesses may still lead here, and no call has this key
    }
    sums_.targets.resize(next);
    sums_.edges_of.resize(next);
    sums_.carried.swap(carried);
}

void CallTree::add_gone(uint32_t arc, Pruned& pruned) {
    const std::vector<bool>& stays = pruned.stays;
    const Arc& row = arcs_[arc];
    const uint32_t target = sums_.targets[arc];
    const uint32_t edge = sums_.edges_of[arc];
    const GoneCalls calls = calls_along(arc);
    sums_.gone_by_edge.resize(std::max<size_t>(sums_.gone_by_edge.size(), size_t{edge} + 1));
    sums_.gone_by_edge[edge] += calls;
    const uint32_t place = pruned.places[target];
    GoneCalls& sum = (stays[target] ? sums_.gone_here : sums_.gone_below).at(place);
    sum.self += row.self;
    if (stays[target] || stays[row.source()]) {
        sum.add_counts(calls);
    }
    pruned.gone.push_back({.arc = arc, .edge = edge, .place = place, .own = stays[target]});
}

void CallTree::find_again() {
    index_.begin_again(arcs_.data(), static_cast<uint32_t>(sums_.targets.size() - 1));
    std::ranges::fill(recent_, 0U);
}

}  // namespace umbra::replay
