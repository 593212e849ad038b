// SPDX-License-Identifier: MIT
// Making arcs and places: which path ends where.
#include "src/replay/tree/call_tree.h"

#include <algorithm>
#include <new>

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
      arcs_(size_t{std::min(limits.max_arcs, kMostArcs)} + 1),
      edge_ends_(1),
      crowd_(limits.folded_arcs) {
    if (!arcs_.ensure(1) || !histograms_.ensure(kNoFunction)) {
        throw std::bad_alloc();
    }
    arcs_[0] = new_arc(key(0, kNoFunction));
    targets_.push_back(0);
    edges_of_.push_back(0);
    places_.push_back({.parent = 0, .function = kNoFunction, .thread = 0});
}

uint32_t CallTree::add_root(uint32_t thread) {
    const bool shared = folded() || thread == kLaterThreads;
    if (shared && shared_root_ != 0) {
        return shared_root_;
    }
    if (places_.size() > limits_.max_arcs) {
        return 0;
    }
    const auto number = static_cast<uint32_t>(places_.size());
    places_.push_back(
        {.parent = 0, .function = kNoFunction, .thread = folded() ? kAllThreads : thread});
    shared_root_ = shared ? number : shared_root_;
    return number;
}

uint32_t CallTree::add(uint32_t place, uint32_t function, bool perhaps_above) {
    const size_t count = targets_.size();
    const uint32_t edge = place == 0 ? 0 : this->edge(function_at(place), function);
    if (edge == 0 || count > limits_.max_arcs || !arcs_.ensure(count + 1) ||
        !histograms_.ensure(function)) {
        ++lost_calls_;
        return 0;
    }
    const auto number = static_cast<uint32_t>(count);
    Arc& arc = arcs_[number] = new_arc(key(place, function));
    edges_of_.push_back(edge);
    if (is_common(place)) {
        targets_.push_back(0);
        arc.inside = kCommon | function;
    } else {
        const uint32_t same = folded() && perhaps_above ? ancestor(place, function) : 0;
        const uint32_t target = same != 0 ? same : add_place(place, function);
        targets_.push_back(target);
        arc.inside = same == 0 && collapses_ ? kCommon | function : target;
    }
    index_.at(place, function) = number;
    function_end_ = std::max(function_end_, function + 1);
    return number;
}

uint32_t CallTree::edge(uint32_t caller, uint32_t callee) {
    if (edge_ends_.size() > limits_.max_edges) {
        return edges_.find(caller, callee);
    }
    uint32_t& edge = edges_.at(caller, callee);
    if (edge == 0) {
        edge = static_cast<uint32_t>(edge_ends_.size());
        edge_ends_.push_back({.caller = caller, .callee = callee});
    }
    return edge;
}

uint32_t CallTree::adopt(const CallTree& other, uint32_t arc, uint32_t root) {
    if (arc == 0) {
        return 0;
    }
    std::vector<uint32_t> path{function(other.at(arc))};
    for (uint32_t place = source(other.at(arc)); other.place(place).parent != 0;
         place = other.place(place).parent) {
        path.push_back(other.place(place).function);
    }
    uint32_t adopted = 0;
    for (uint32_t place = root; !path.empty(); path.pop_back()) {
        adopted = find_or_add(place, path.back());
        place = targets_[adopted];
    }
    return adopted;
}

void CallTree::add_collapsed(uint32_t arc, Lanes callees) {
    const uint32_t place = targets_[arc];
    if (place >= gone_below_.size()) {
        gone_below_.resize(places_.size());
    }
    GoneCalls& below = gone_below_[place];
    below.self += callees;
    below.calls += ticks_of(callees) != 0 ? 1U : 0U;
    if (is_worth(below.self)) {
        expand(arc);
    }
}

uint32_t CallTree::ancestor(uint32_t place, uint32_t function) const {
    for (; place != 0; place = places_[place].parent) {
        if (places_[place].function == function) {
            return place;
        }
    }
    return 0;
}

uint32_t CallTree::add_place(uint32_t parent, uint32_t function) {
    const auto number = static_cast<uint32_t>(places_.size());
    places_.push_back({.parent = parent, .function = function, .thread = places_[parent].thread});
    return number;
}

uint64_t CallTree::calls(uint32_t arc) const {
    const auto carried = carried_.find(arc);
    return arcs_[arc].calls + (carried == carried_.end() ? 0 : carried->second << 32);
}

GoneCalls CallTree::calls_along(uint32_t arc) const {
    const Arc& row = arcs_[arc];
    return {.calls = calls(arc),
            .min_ticks = row.min_ticks,
            .max_ticks = row.max_ticks,
            .self = row.self,
            .total = row.total};
}

std::vector<GoneCalls> CallTree::gone_by_edge() const {
    std::vector<GoneCalls> sums = gone_by_edge_;
    for (uint32_t arc = 1; arc < targets_.size(); ++arc) {
        if (is_common(source(arcs_[arc]))) {
            const uint32_t edge = edges_of_[arc];
            sums.resize(std::max<size_t>(sums.size(), size_t{edge} + 1));
            sums[edge] += calls_along(arc);
        }
    }
    return sums;
}

size_t CallTree::bytes() const {
    return arcs().size() * (sizeof(Arc) + 2 * sizeof(uint32_t)) + places_.size() * sizeof(Place) +
           index_.bytes() + edges_.bytes() + edge_ends_.size() * sizeof(EdgeEnds) +
           (gone_by_edge_.size() + gone_here_.size() + gone_below_.size()) * sizeof(GoneCalls);
}

}  // namespace umbra::replay
