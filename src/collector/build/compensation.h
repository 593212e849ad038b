// SPDX-License-Identifier: MIT
// Compensation: takes the probes' own cost out of measured times.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hotpath/segment.h"
#include "src/replay/call_tree.h"
#include "src/replay/overlays.h"

namespace umbra::collector {

/// Call tree nodes as the compensation sees them. A root has no time of its own.
struct NodeTimes {
    std::span<const replay::CallTreeNode> nodes;
    std::vector<uint64_t> self_ticks;  ///< by node: as measured; of roots not looked at
    /// By node, in ascending order: of it, not on a processor (probes always are).
    std::span<const std::pair<uint32_t, replay::NodeExtra>> extras;
    bool adaptive = false;  ///< events without a clock reading are possible
};

/// Times without probes.
struct Compensated {
    // By node:
    std::vector<uint64_t> self_ticks;
    std::vector<uint64_t> total_ticks;      ///< self and that of all callees
    std::vector<uint64_t> cpu_total_ticks;  ///< likewise, without what was off the processors
    /// By function index: standard error of the cost taken out of its self time, in ticks.
    std::vector<double> error_ticks;
    /// Functions whose probes seem to have cost more than their whole self time: theirs is 0.
    std::vector<uint32_t> clamped;
    double cost_ticks = 0;  ///< taken out in all
};

/// A pair of probes costs `inside` ticks between its two clock readings, which lie in the callee's
/// time, and `outside` ticks around them, in the caller's; a pair without readings costs `untimed`,
/// half of it on either side. So a node's own time contains, with n pairs of its own calls and m of
/// its callees, n inside + m outside; that is subtracted.
///
/// Where that is more than a node's time, the node gets 0 and the other nodes of the same function
/// bear the rest, in proportion to what they have left: the sum over a function stays right as long
/// as it is above 0. Totals are sums along the tree, so they hold as well.
///
/// Nodes come parents first; node 0 is not looked at.
[[nodiscard]] Compensated compensate(NodeTimes times, const hotpath::ProbeCosts& costs);

/// The costs if they can be true, else zeros: they come from the target.
[[nodiscard]] hotpath::ProbeCosts believable(const hotpath::ProbeCosts& costs);

}  // namespace umbra::collector
