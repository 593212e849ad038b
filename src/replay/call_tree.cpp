// SPDX-License-Identifier: MIT
// Finding and making nodes of the call tree: the way taken when a guess was wrong.
#include "src/replay/call_tree.h"

#include <new>

#include "src/base/pair_hash.h"

namespace umbra::replay {
namespace {

constexpr size_t kFirstIndexSlots = 1024;

}  // namespace

CallTree::CallTree(const Limits& limits)
    : histograms_(limits.max_functions),
      nodes_(size_t{limits.max_nodes} + 1),
      index_(kFirstIndexSlots),
      max_functions_(limits.max_functions) {
    if (add_node(0, kNoFunction) == nullptr) {
        throw std::bad_alloc();
    }
}

CallTree::Node& CallTree::add_root() {
    Node* root = add_node(0, kNoFunction);
    return root == nullptr ? scratch() : *root;
}

CallTree::Node& CallTree::child(Node& parent, uint32_t function) {
    const uint32_t parent_number = number(parent);
    if (parent_number == 0) {
        ++lost_calls_;
        return scratch();
    }
    const uint64_t key = pair_hash(parent_number, function);
    const auto tag = static_cast<uint32_t>(key >> 32);
    size_t place = key & (index_.size() - 1);
    for (; index_[place].node != 0; place = (place + 1) & (index_.size() - 1)) {
        Node& node = nodes_[index_[place].node];
        if (index_[place].tag == tag && node.parent == parent_number && node.function == function) {
            return node;
        }
    }
    Node* node = add_node(parent_number, function);
    if (node == nullptr) {
        ++lost_calls_;
        return scratch();
    }
    index_[place] = {.tag = tag, .node = number(*node)};
    if (size_t{count_} * 3 > index_.size() * 2) {
        grow_index();
    }
    return *node;
}

size_t CallTree::bytes() const {
    return count_ * sizeof(Node) + index_.size() * sizeof(Slot);
}

CallTree::Node* CallTree::add_node(uint32_t parent, uint32_t function) {
    if (!histograms_.ensure(function) || !nodes_.ensure(size_t{count_} + 1)) {
        return nullptr;
    }
    Node& node = nodes_[count_++];
    node = {.parent = parent,
            .function = function,
            .first = 0,
            .next = 0,
            .calls = 0,
            .total_ticks = 0,
            .min_ticks = std::numeric_limits<uint64_t>::max(),
            .max_ticks = 0,
            .timed = 0,
            .clocked_ticks = 0};
    return &node;
}

void CallTree::grow_index() {
    std::vector<Slot> larger(index_.size() * 2);
    const size_t mask = larger.size() - 1;
    for (uint32_t number = 1; number < count_; ++number) {
        const Node& node = nodes_[number];
        if (node.function == kNoFunction) {
            continue;  // roots are never looked up
        }
        const uint64_t key = pair_hash(node.parent, node.function);
        size_t place = key & mask;
        while (larger[place].node != 0) {
            place = (place + 1) & mask;
        }
        larger[place] = {.tag = static_cast<uint32_t>(key >> 32), .node = number};
    }
    index_.swap(larger);
}

}  // namespace umbra::replay
