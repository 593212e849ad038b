// SPDX-License-Identifier: MIT
// Making arcs and places: which path ends where.
#include "src/replay/tree/call_tree.h"

#include <algorithm>
#include <new>
#include <utility>

namespace umbra::replay {
namespace {

Arc new_arc(uint64_t key) {
    Arc arc{};
    arc.key = key;
    arc.min_ticks = std::numeric_limits<float>::infinity();
    return arc;
}

}  // namespace

CallTree::CallTree(const Limits& limits)
    : limits_(limits),
      max_functions_(limits.max_functions),
      histograms_(limits.max_functions),
      arcs_(size_t{std::min(limits.max_arcs, ArcGuess::kMostArcs)} + 1),
      crowd_(limits.folded_arcs) {
    if (!arcs_.ensure(1) || !histograms_.ensure(kNoFunction)) {
        throw std::bad_alloc();
    }
    sums_.edges.emplace_back();
    arcs_[0] = new_arc(Arc::key_of(0, kNoFunction));
    sums_.targets.push_back(0);
    sums_.edges_of.push_back(0);
    sums_.places.push_back({.parent = 0, .function = kNoFunction, .thread = 0});
}

uint32_t CallTree::add_root(uint32_t thread) {
    const bool shared = folded() || thread == kLaterThreads;
    if (shared && shared_root_ != 0) {
        return shared_root_;
    }
    if (sums_.places.size() > limits_.max_arcs) {
        return 0;
    }
    const auto number = static_cast<uint32_t>(sums_.places.size());
    sums_.places.push_back(
        {.parent = 0, .function = kNoFunction, .thread = folded() ? kAllThreads : thread});
    shared_root_ = shared ? number : shared_root_;
    return number;
}

uint32_t CallTree::add(uint32_t place, uint32_t function, bool perhaps_above) {
    const size_t count = sums_.targets.size();
    const uint32_t edge = place == 0 ? 0 : this->edge(function_at(place), function);
    if (edge == 0 || count > limits_.max_arcs || !arcs_.ensure(count + 1) ||
        !histograms_.ensure(function)) {
        ++lost_calls_;
        return 0;
    }
    const auto number = static_cast<uint32_t>(count);
    Arc& arc = arcs_[number] = new_arc(Arc::key_of(place, function));
    sums_.edges_of.push_back(edge);
    if (is_common(place)) {
        sums_.targets.push_back(0);
        arc.inside = kCommon | function;
    } else {
        const uint32_t same = folded() && perhaps_above ? ancestor(place, function) : 0;
        const uint32_t target = same != 0 ? same : add_place(place, function);
        sums_.targets.push_back(target);
        arc.inside = same == 0 && collapses_ ? kCommon | function : target;
    }
    index_.add(arcs_.data(), number);
    return number;
}

uint32_t CallTree::edge(uint32_t caller, uint32_t callee) {
    if (sums_.edges.size() > limits_.max_edges) {
        return edges_.find(caller, callee);
    }
    uint32_t& edge = edges_.at(caller, callee);
    if (edge == 0) {
        edge = static_cast<uint32_t>(sums_.edges.size());
        sums_.edges.push_back({.caller = caller, .callee = callee});
    }
    return edge;
}

uint32_t CallTree::adopt(const CallTree& other, uint32_t arc, uint32_t root) {
    if (arc == 0) {
        return 0;
    }
    std::vector<uint32_t> path{other.at(arc).function()};
    for (uint32_t place = other.at(arc).source(); other.place(place).parent != 0;
         place = other.place(place).parent) {
        path.push_back(other.place(place).function);
    }
    uint32_t adopted = 0;
    for (uint32_t place = root; !path.empty(); path.pop_back()) {
        adopted = find_or_add(place, path.back());
        place = sums_.targets[adopted];
    }
    return adopted;
}

void CallTree::add_collapsed(uint32_t arc, Lanes callees) {
    if ((callees[0] | callees[1]) == 0) {
        return;
    }
    GoneCalls& below = sums_.gone_below.at(sums_.targets[arc]);
    below.self += callees;
    below.calls += ticks_of(callees) != 0 ? 1U : 0U;
    if (is_worth(below.self)) {
        expand(arc);
    }
}

uint32_t CallTree::ancestor(uint32_t place, uint32_t function) const {
    for (; place != 0; place = sums_.places[place].parent) {
        if (sums_.places[place].function == function) {
            return place;
        }
    }
    return 0;
}

uint32_t CallTree::add_place(uint32_t parent, uint32_t function) {
    const auto number = static_cast<uint32_t>(sums_.places.size());
    sums_.places.push_back(
        {.parent = parent, .function = function, .thread = sums_.places[parent].thread});
    return number;
}

GoneCalls CallTree::calls_along(uint32_t arc) const {
    const Arc& row = arcs_[arc];
    return {.calls = calls(arc),
            .min_ticks = row.min_ticks,
            .max_ticks = row.max_ticks,
            .self = row.self,
            .total = row.total};
}

CopiedPaths CallTree::copy() const {
    CopiedPaths copy{sums_, {}};
    copy.arcs.reserve(arcs().size());
    for (const Arc& arc : arcs()) {
        copy.arcs.push_back(arc);
        if (is_common(arc.source())) {
            const uint32_t number = this->number(arc);
            const uint32_t edge = std::exchange(copy.edges_of[number], 0U);
            copy.gone_by_edge.resize(std::max<size_t>(copy.gone_by_edge.size(), size_t{edge} + 1));
            copy.gone_by_edge[edge] += calls_along(number);
            copy.carried.erase(number);
            copy.arcs.back() = arcs_[0];
            copy.arcs.back().key = Arc::key_of(0, arc.function());
        }
    }
    return copy;
}

size_t CallTree::bytes() const {
    return arcs().size() * (sizeof(Arc) + 2 * sizeof(uint32_t)) +
           sums_.places.size() * sizeof(Place) + index_.bytes() + edges_.bytes() +
           sums_.edges.size() * sizeof(EdgeEnds) + sums_.gone_by_edge.size() * sizeof(GoneCalls) +
           sums_.gone_here.bytes() + sums_.gone_below.bytes();
}

}  // namespace umbra::replay
