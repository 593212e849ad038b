// SPDX-License-Identifier: MIT
#include "src/collector/live/function_sums.h"

#include <algorithm>

namespace umbra::collector {
FunctionSum& FunctionSum::operator-=(const FunctionSum& other) {
    calls -= other.calls;
    untimed_events -= other.untimed_events;
    total_ticks -= other.total_ticks;
    callee_calls -= other.callee_calls;
    callee_untimed_events -= other.callee_untimed_events;
    callee_ticks -= other.callee_ticks;
    return *this;
}

FunctionSum& FunctionSums::at(uint32_t function) {
    const size_t place = function == replay::CallTree::kNoFunction ? 0 : function;
    if (place >= pass_.size()) {
        pass_.resize(place + 1);
    }
    return pass_[place];
}

bool FunctionSums::add_slice(const replay::CallTree& tree, size_t slice) {
    const std::span<const replay::CallTreeNode> nodes = tree.nodes();
    if (next_ == 1) {
        end_ = nodes.size();
        pass_.assign(done_.size(), {});
    }
    const size_t stop = std::min(end_, next_ + slice);
    for (; next_ < stop; ++next_) {
        const replay::CallTreeNode& node = nodes[next_];
        if (node.calls == 0) {
            continue;  // a root, or nothing has ended here
        }
        FunctionSum& own = at(node.function);
        own.calls += node.calls;
        const uint64_t untimed = replay::untimed_events(node, adaptive_);
        own.untimed_events += untimed;
        own.total_ticks += node.total_ticks;
        FunctionSum& caller = at(nodes[node.parent].function);
        caller.callee_calls += node.calls;
        caller.callee_untimed_events += untimed;
        caller.callee_ticks += node.total_ticks;
    }
    if (next_ < end_) {
        return false;
    }
    next_ = 1;
    done_.swap(pass_);
    return true;
}

}  // namespace umbra::collector
