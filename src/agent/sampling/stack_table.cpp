// SPDX-License-Identifier: MIT
#include "src/agent/sampling/stack_table.h"

#include "src/base/pair_hash.h"

namespace umbra::agent {

size_t StackTable::place_of(uint32_t parent, uint32_t function) const {
    const size_t mask = places_.size() - 1;
    size_t place = (pair_hash(parent, function) >> 32) & mask;
    while (places_[place] != 0 &&
           nodes_[places_[place] - 1] != protocol::StackNode{parent, function}) {
        place = (place + 1) & mask;
    }
    return place;
}

uint32_t StackTable::child(uint32_t parent, uint32_t function) {
    size_t place = place_of(parent, function);
    if (places_[place] != 0) {
        return places_[place];
    }
    if (nodes_.size() >= capacity_) {
        ++lost_;
        return parent;
    }
    if ((nodes_.size() + 1) * 2 > places_.size()) {
        grow();
        place = place_of(parent, function);
    }
    nodes_.push_back({parent, function});
    places_[place] = size();
    return size();
}

void StackTable::grow() {
    std::vector<uint32_t> wider(places_.size() * 2);
    places_.swap(wider);
    for (uint32_t number = 1; number <= size(); ++number) {
        places_[place_of(nodes_[number - 1].parent, nodes_[number - 1].function)] = number;
    }
}

}  // namespace umbra::agent
