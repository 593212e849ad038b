// SPDX-License-Identifier: MIT
// One pass over the arcs after the other.
#include "src/collector/live/function_sums.h"

#include <algorithm>
#include <mutex>

namespace umbra::collector {

FunctionSum& FunctionSum::operator-=(const FunctionSum& other) {
    calls -= other.calls;
    total_ticks -= other.total_ticks;
    self_ticks -= other.self_ticks;
    probe_ticks -= other.probe_ticks;
    return *this;
}

bool FunctionSums::add_slice(const SessionState& state, size_t slice) {
    const Shard& shard = state.shards()[shard_];
    const std::lock_guard gate(shard.gate);
    if (shard_ == 0 && next_ == 1) {
        pass_.assign(done_.size(), {});
    }
    if (next_ == 1) {
        end_ = shard.tables.tree.arcs().size();
    }
    add_arcs(shard.tables.tree, std::min(end_, next_ + slice));
    if (next_ < end_) {
        return false;
    }
    next_ = 1;
    if (++shard_ < state.shards().size()) {
        return false;
    }
    end_pass();
    return true;
}

void FunctionSums::add_arcs(const replay::CallTree& tree, size_t stop) {
    const std::span<const replay::Arc> arcs = tree.arcs();
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
}

void FunctionSums::end_pass() {
    covered_ticks_ = 0;
    for (const FunctionSum& sum : pass_) {
        covered_ticks_ += sum.self_ticks;
    }
    shard_ = 0;
    done_.swap(pass_);
}

}  // namespace umbra::collector
