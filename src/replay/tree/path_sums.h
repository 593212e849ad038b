// SPDX-License-Identifier: MIT
// PathSums: what a call tree knows by arc, place and edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "src/replay/tree/arc.h"
#include "src/replay/tree/lanes.h"
#include "src/replay/tree/sparse_sums.h"

namespace umbra::replay {

/// A row of the tree.
struct Place {
    uint32_t parent;    ///< a smaller number; 0 for a root
    uint32_t function;  ///< index, or CallTree::kNoFunction for roots and the scratch place
    uint32_t thread;    ///< number of the thread, or CallTree::kAllThreads
};

/// Caller and callee.
struct EdgeEnds {
    uint32_t caller;  ///< function index, or CallTree::kNoFunction
    uint32_t callee;  ///< function index
};

/// Sums over calls that have no arc of a path, or none any more.
struct GoneCalls {
    uint64_t calls = 0;
    float min_ticks = std::numeric_limits<float>::infinity();
    float max_ticks = 0;
    Lanes self{};
    Lanes total{};  ///< as Arc::total

    void add_counts(const GoneCalls& more) {
        calls += more.calls;
        min_ticks = std::min(min_ticks, more.min_ticks);
        max_ticks = std::max(max_ticks, more.max_ticks);
    }
    GoneCalls& operator+=(const GoneCalls& more) {
        add_counts(more);
        self += more.self;
        total += more.total;
        return *this;
    }
};

/// By number of an arc, a place, an edge: all but the arcs themselves, which hot loops write. May
/// be copied.
struct PathSums {
    std::vector<uint32_t> targets;   ///< by arc; 0: its source is a common place
    std::vector<uint32_t> edges_of;  ///< by arc: numbers of edges, from 1; 0: the scratch arc's
    std::vector<Place> places;
    std::vector<EdgeEnds> edges;  ///< there is none 0
    /// What has no path. By edge, and where CallTree::gone_here() and gone_below() say.
    std::vector<GoneCalls> gone_by_edge;
    SparseSums<GoneCalls> gone_here;
    SparseSums<GoneCalls> gone_below;
    std::unordered_map<uint32_t, uint64_t> carried;  ///< by arc: overflows of Arc::calls

    /// Calls of an arc, by its number.
    [[nodiscard]] uint64_t calls(const Arc& arc, uint32_t number) const {
        const auto overflows = carried.find(number);
        return arc.calls + (overflows == carried.end() ? 0 : overflows->second << 32);
    }
    void add_calls(Arc& arc, uint32_t number, uint64_t more) {
        const uint64_t sum = calls(arc, number) + more;
        arc.calls = static_cast<uint32_t>(sum);
        if (sum >> 32 != 0) {
            carried[number] = sum >> 32;
        }
    }
};

/// All of a tree. Arcs of common places keep their numbers and have nothing: what has no path is in
/// `gone_by_edge`.
struct CopiedPaths : PathSums {
    std::vector<Arc> arcs;
};

}  // namespace umbra::replay
