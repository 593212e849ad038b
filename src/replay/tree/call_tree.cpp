// SPDX-License-Identifier: MIT
// Making arcs and places: which path ends where.
#include "src/replay/tree/call_tree.h"

#include <algorithm>
#include <new>

namespace umbra::replay {
namespace {

Arc new_arc(uint64_t key, uint32_t edge) {
    Arc arc{};
    arc.key = key;
    arc.edge = edge;
    arc.min_ticks = std::numeric_limits<float>::infinity();
    return arc;
}

}  // namespace

CallTree::CallTree(const Limits& limits)
    : limits_(limits),
      max_functions_(limits.max_functions),
      histograms_(limits.max_functions),
      arcs_(size_t{limits.max_arcs} + 1) {
    if (!arcs_.ensure(1) || !histograms_.ensure(kNoFunction)) {
        throw std::bad_alloc();
    }
    arcs_[0] = new_arc(key(0, kNoFunction), 0);
    targets_.push_back(0);
    places_.push_back(
        {.parent = 0, .function = kNoFunction, .context = 0, .thread = 0, .merged = 0});
}

uint32_t CallTree::add_root(uint32_t thread) {
    const bool shared = folded() || thread == kLaterThreads;
    if (shared && shared_root_ != 0) {
        return shared_root_;
    }
    if (places_.size() > most_arcs()) {
        return 0;
    }
    const auto number = static_cast<uint32_t>(places_.size());
    places_.push_back({.parent = 0,
                       .function = kNoFunction,
                       .context = number,
                       .thread = folded() ? kAllThreads : thread & kAllThreads,
                       .merged = 0});
    shared_root_ = shared ? number : shared_root_;
    return number;
}

uint32_t CallTree::add(uint32_t place, uint32_t function) {
    const size_t count = targets_.size();
    if (place == 0 || count > most_arcs() || !arcs_.ensure(count + 1) ||
        !histograms_.ensure(function)) {
        ++lost_calls_;
        return 0;
    }
    const auto number = static_cast<uint32_t>(count);
    const uint32_t target = resolve(place, function);
    arcs_[number] = new_arc(key(place, function), edge(places_[place].function, function));
    targets_.push_back(target);
    index_.at(place, function) = number;
    function_end_ = std::max(function_end_, function + 1);
    if (kept(place) && !kept(target)) {
        candidates_.push_back(number);
    }
    return number;
}

uint32_t CallTree::find_or_add(uint32_t place, uint32_t function) {
    if (const uint32_t known = find(place, function)) {
        return known;
    }
    const uint32_t other = lookup_place(place);
    if (const uint32_t known = other == place ? 0 : find(other, function)) {
        return known;
    }
    return add(other, function);
}

uint32_t CallTree::edge(uint32_t caller, uint32_t callee) {
    uint32_t& edge = edges_.at(caller, callee);
    edge = edge == 0 ? ++edge_count_ : edge;
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

uint32_t CallTree::resolve(uint32_t place, uint32_t function) {
    if (!folded()) {
        return add_place(place, function, true);
    }
    const uint32_t path = kept(place) ? place : places_[place].parent;
    if (const uint32_t same = ancestor(path, function)) {
        return same;
    }
    if (path == place && !lazy()) {
        return add_place(place, function, true);
    }
    return merged_place(places_[place].context, function);
}

uint32_t CallTree::ancestor(uint32_t place, uint32_t function) const {
    for (; place != 0; place = places_[place].parent) {
        if (places_[place].function == function) {
            return place;
        }
    }
    return 0;
}

uint32_t CallTree::add_place(uint32_t parent, uint32_t function, bool kept) {
    const auto number = static_cast<uint32_t>(places_.size());
    places_.push_back({.parent = parent,
                       .function = function,
                       .context = kept ? places_[parent].context : parent,
                       .thread = places_[parent].thread,
                       .merged = kept ? 0U : 1U});
    kept_ += kept ? 1U : 0U;
    return number;
}

uint32_t CallTree::merged_place(uint32_t context, uint32_t function) {
    uint32_t& known = merged_.at(context, function);
    if (known == 0) {
        known = add_place(context, function, false);
    }
    return known;
}

uint32_t CallTree::root(uint32_t place) const {
    while (places_[place].parent != 0) {
        place = places_[place].parent;
    }
    return place;
}

uint32_t CallTree::lookup_place(uint32_t place) {
    if (!folded() || targets_.size() <= limits_.max_folded_arcs || places_[place].parent == 0) {
        return place;
    }
    return merged_place(root(place), places_[place].function);
}

void CallTree::keep_hot(double ticks) {
    std::erase_if(candidates_, [&](uint32_t arc) {
        const auto taken = static_cast<double>(ticks_of(arcs_[arc].total));
        return taken >= ticks && keep(arc, taken);
    });
}

bool CallTree::keep(uint32_t arc, double ticks) {
    const uint32_t parent = source(arcs_[arc]);
    if (kept_ >= limits_.max_places || targets_.size() > limits_.max_folded_arcs || !kept(parent) ||
        kept(targets_[arc])) {
        return false;
    }
    const uint32_t place = add_place(parent, function(arcs_[arc]), true);
    if (ticks >= context_ticks_ && contexts_ < limits_.max_contexts) {
        places_[place].context = place;
        ++contexts_;
    }
    targets_[arc] = place;
    return true;
}

uint64_t CallTree::calls(uint32_t arc) const {
    const auto carried = carried_.find(arc);
    return arcs_[arc].calls + (carried == carried_.end() ? 0 : carried->second << 32);
}

size_t CallTree::bytes() const {
    return arcs().size() * (sizeof(Arc) + sizeof(uint32_t)) + places_.size() * sizeof(Place) +
           index_.bytes() + merged_.bytes() + edges_.bytes();
}

}  // namespace umbra::replay
