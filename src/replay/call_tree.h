// SPDX-License-Identifier: MIT
// The calling-context tree: one node for each distinct path of calls in each thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "src/replay/histogram.h"
#include "src/replay/limits.h"
#include "src/replay/reserved_array.h"

namespace umbra::replay {

/// 64 bytes, one cache line, and 12 to 24 bytes of index: 76 to 88 bytes a node.
struct alignas(64) CallTreeNode {
    uint32_t parent;    ///< node number, smaller than its own; 0 for a root
    uint32_t function;  ///< index, or CallTree::kNoFunction for roots and the scratch node
    /// Guesses, node numbers or 0. A call mostly repeats what happened last time at this place:
    uint32_t first;        ///< the child this node called first
    uint32_t next;         ///< the sibling its parent called after this node
    uint64_t calls;        ///< calls ended
    uint64_t total_ticks;  ///< inclusive, of the calls ended
    uint64_t min_ticks;    ///< all ones before the first call ends
    uint64_t max_ticks;    ///< of one call
    // Of adaptive sessions only; elsewhere every event is timed.
    uint64_t timed;          ///< enter and leave events of its calls with a clock reading
    uint64_t clocked_ticks;  ///< part of its self time between two clock readings
};
static_assert(sizeof(CallTreeNode) == 64);

/// Enter and leave events of a node's calls without a clock reading.
inline uint64_t untimed_events(const CallTreeNode& node, bool adaptive) {
    const uint64_t events = 2 * node.calls;
    return adaptive ? events - std::min(events, node.timed) : 0;
}

/// All nodes of a session, of all threads. Self time is not kept: it is the total of a node
/// without the totals of its children, and those lie inside it.
///
/// Node 0 is scratch: calls that find no room (the tree is full) are booked there and forgotten,
/// so that their time stays with the caller and the hot path needs no case for them.
///
/// One thread. Nodes never move.
class CallTree {
  public:
    using Node = CallTreeNode;
    static constexpr uint32_t kNoFunction = Histograms::kNobody;

    explicit CallTree(const Limits& limits);

    /// The root of a new thread; the scratch node when the tree is full.
    Node& add_root();

    /// The child of `parent` for `function`, made if need be. The scratch node when the tree is
    /// full (counted in lost_calls). `function` must be valid.
    Node& child(Node& parent, uint32_t function);

    /// Books one ended call; `histogram_base` is histogram_base(), which loops keep in a register.
    void close(Node& node, uint64_t duration_ticks, uint32_t* histogram_base) {
        ++node.calls;
        node.total_ticks += duration_ticks;
        // Branches: a new extreme is rare, and storing the old one again is not free.
        if (duration_ticks < node.min_ticks) [[unlikely]] {
            node.min_ticks = duration_ticks;
        }
        if (duration_ticks > node.max_ticks) [[unlikely]] {
            node.max_ticks = duration_ticks;
        }
        histograms_.add(histogram_base, node.function, duration_ticks);
    }
    /// Both good for life.
    [[nodiscard]] uint32_t* histogram_base() const { return histograms_.base(); }
    [[nodiscard]] Node* base() const { return nodes_.data(); }

    [[nodiscard]] bool valid(uint32_t function) const { return function - 1 < max_functions_; }
    [[nodiscard]] Node& at(uint32_t number) const { return nodes_[number]; }
    [[nodiscard]] uint32_t number(const Node& node) const {
        return static_cast<uint32_t>(&node - nodes_.data());
    }
    [[nodiscard]] Node& scratch() const { return nodes_[0]; }
    [[nodiscard]] std::span<const Node> nodes() const { return {nodes_.data(), count_}; }
    [[nodiscard]] const Histograms& histograms() const { return histograms_; }
    [[nodiscard]] uint64_t lost_calls() const { return lost_calls_; }
    /// Memory in use for nodes and their index, without histograms.
    [[nodiscard]] size_t bytes() const;

  private:
    /// A node (0 = free) and the upper half of its hash, so that most misses touch no node.
    struct Slot {
        uint32_t tag;
        uint32_t node;
    };

    Node* add_node(uint32_t parent, uint32_t function);
    void grow_index();

    Histograms histograms_;
    ReservedArray<Node> nodes_;
    std::vector<Slot> index_;  ///< open addressing, linear probing, at most two thirds full
    uint32_t max_functions_;
    uint32_t count_ = 0;
    uint64_t lost_calls_ = 0;
};

}  // namespace umbra::replay
