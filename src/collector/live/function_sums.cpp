// SPDX-License-Identifier: MIT
// One pass over the arcs after the other.
#include "src/collector/live/function_sums.h"

#include <algorithm>

namespace umbra::collector {

FunctionSum& FunctionSum::operator-=(const FunctionSum& other) {
    calls -= other.calls;
    untimed_events -= other.untimed_events;
    total_ticks -= other.total_ticks;
    self_ticks -= other.self_ticks;
    probe_ticks -= other.probe_ticks;
    return *this;
}

bool FunctionSums::add_slice(const replay::SharedTables& tables, size_t slice) {
    const replay::CallTree& tree = tables.tree;
    const std::span<const replay::Arc> arcs = tree.arcs();
    if (next_ == 1) {
        end_ = arcs.size();
        pass_.assign(done_.size(), {});
    }
    const size_t stop = std::min(end_, next_ + slice);
    for (; next_ < stop; ++next_) {
        const replay::Arc& arc = arcs[next_];
        const uint32_t function = replay::CallTree::function(arc);
        if (function >= pass_.size()) {
            pass_.resize(size_t{function} + 1);
        }
        FunctionSum& sum = pass_[function];
        sum.calls += tree.calls(static_cast<uint32_t>(next_));
        sum.total_ticks += replay::ticks_of(arc.total);
        sum.self_ticks += replay::ticks_of(arc.self);
        sum.probe_ticks += static_cast<uint64_t>(replay::cost_of(arc.self));
    }
    if (next_ < end_) {
        return false;
    }
    end_pass(tables);
    return true;
}

void FunctionSums::end_pass(const replay::SharedTables& tables) {
    covered_ticks_ = 0;
    for (size_t function = 0; function < pass_.size(); ++function) {
        FunctionSum& sum = pass_[function];
        covered_ticks_ += sum.self_ticks;
        sum.untimed_events = std::min(2 * sum.calls, tables.estimated[function].untimed);
    }
    next_ = 1;
    done_.swap(pass_);
}

}  // namespace umbra::collector
