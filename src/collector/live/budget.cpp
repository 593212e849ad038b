// SPDX-License-Identifier: MIT
#include "src/collector/live/budget.h"

#include <algorithm>
#include <utility>

namespace umbra::collector {
namespace {

uint64_t positive(uint64_t difference) {
    return static_cast<int64_t>(difference) > 0 ? difference : 0;
}

/// Inside the open calls of a thread, but for the calls in them that have ended.
uint64_t open_self_ticks(const replay::ShadowStack& stack, uint64_t now_ticks) {
    if (stack.depth() == 0) {
        return 0;
    }
    uint64_t ticks = positive(now_ticks - stack.frame(0).enter_ticks());
    for (size_t index = 0; index < stack.depth(); ++index) {
        ticks -= replay::ticks_of(stack.frame(index).children);
    }
    return positive(ticks);
}

}  // namespace

uint64_t displaced_ns(const ProcessorUse& before, const ProcessorUse& after, uint64_t length_ns) {
    constexpr double kIdleShare = 0.1;
    const auto collector = static_cast<double>(positive(after.collector_ns - before.collector_ns));
    const auto program = static_cast<double>(positive(after.program_ns - before.program_ns));
    const double all = static_cast<double>(length_ns) * after.processors;
    const double idle = std::max(all - program - collector, 0.0);
    const double share = all > 0 ? std::max(1 - idle / (kIdleShare * all), 0.0) : 0;
    return static_cast<uint64_t>(share * collector);
}

Budget::Budget(double percent, const hotpath::ProbeCosts& told_costs, const SessionState& state,
               std::function<void(protocol::RemoveHooks)> request,
               std::function<ProcessorUse()> use)
    : percent_(percent),
      told_costs_(told_costs),
      state_(state),
      request_(std::move(request)),
      use_(std::move(use)) {
}

void Budget::step(Clock::time_point now, double ticks_hz) {
    if (now < next_) {
        return;
    }
    if (!policy_) {
        if (!(ticks_hz > 0)) {
            next_ = now + kWindow;
            return;
        }
        ticks_hz_ = ticks_hz;
        policy_.emplace(percent_, plausible_costs(told_costs_, ticks_hz));
    }
    if (sums_.add_slice(state_, LiveSums::kSlice)) {
        end_window(now);
        next_ = now + kWindow;
    }
}

void Budget::end_window(Clock::time_point now) {
    const Totals totals = look_at_threads();
    if (answers_missing(now)) {
        begin_.reset();
        policy_->restart();
        return;
    }
    if (begin_) {
        judge(now, totals, now - *begin_);
    }
    begin_ = now;
    sums_at_begin_.assign(sums_.sums().begin(), sums_.sums().end());
    totals_at_begin_ = totals;
}

void Budget::judge(Clock::time_point now, const Totals& totals, std::chrono::nanoseconds length) {
    const double ticks_per_ns = ticks_hz_ * 1e-9;
    const auto length_ticks =
        static_cast<uint64_t>(static_cast<double>(length.count()) * ticks_per_ns);
    WindowLoad window;
    // A thread that had waited long in a call tells of it in one window: no thread covers more
    // than the window's length.
    window.covered_ticks = std::min(positive(totals.covered_ticks - totals_at_begin_.covered_ticks),
                                    totals.moved * length_ticks);
    window.wait_ticks =
        std::min(positive(totals.wait_ticks - totals_at_begin_.wait_ticks), window.covered_ticks);
    const uint64_t displaced =
        displaced_ns(totals_at_begin_.use, totals.use, static_cast<uint64_t>(length.count()));
    // Nor have threads waited longer than they did not run.
    const double ran =
        static_cast<double>(positive(totals.use.program_ns - totals_at_begin_.use.program_ns)) *
        ticks_per_ns;
    const double stood = static_cast<double>(window.covered_ticks - window.wait_ticks) - ran;
    window.displaced_ticks = static_cast<uint64_t>(
        std::clamp(stood, 0.0, static_cast<double>(displaced) * ticks_per_ns));
    const std::vector<uint32_t> named = policy_->decide(loads(), window);
    if (named.empty()) {
        return;
    }
    waiting_for_.insert(named.begin(), named.end());
    wait_end_ = now + kTimeout;
    request_(protocol::RemoveHooks{named});
}

bool Budget::answers_missing(Clock::time_point now) {
    if (waiting_for_.empty()) {
        return false;
    }
    if (now >= wait_end_) {
        waiting_for_.clear();
    }
    return true;  // this window still saw some of their calls
}

Budget::Totals Budget::look_at_threads() {
    Totals totals;
    totals.use = use_();
    totals.covered_ticks = sums_.covered_ticks();
    totals.wait_ticks = state_.ended().counts().wait_ticks;
    const std::unordered_map<uint32_t, uint64_t> before = std::exchange(thread_ticks_, {});
    const SessionState::AllGates gates = state_.lock_all();
    for (const auto& [number, thread] : state_.threads()) {
        const uint64_t last = thread.replay().cut_ticks(0);
        const auto known = before.find(number);
        totals.moved += last != (known == before.end() ? 0 : known->second) ? 1U : 0U;
        thread_ticks_[number] = last;
        totals.wait_ticks += thread.replay().counts().wait_ticks;
        totals.covered_ticks += open_self_ticks(thread.replay().stack(), last);
    }
    return totals;
}

std::vector<FunctionLoad> Budget::loads() const {
    std::vector<FunctionLoad> loads;
    for (uint32_t function = 1; function < sums_.sums().size(); ++function) {
        const LiveSum& now = sums_.sums()[function];
        const LiveSum before =
            function < sums_at_begin_.size() ? sums_at_begin_[function] : LiveSum{};
        if (now.calls <= before.calls) {
            continue;
        }
        const replay::Lanes self = now.self - before.self;
        const double net =
            static_cast<double>(positive(replay::ticks_of(self))) - replay::cost_of(self);
        loads.push_back({.function = function,
                         .calls = now.calls - before.calls,
                         .total_ticks = positive(replay::ticks_of(now.total - before.total)),
                         .self_ticks = static_cast<uint64_t>(std::max(net, 0.0))});
    }
    return loads;
}

}  // namespace umbra::collector
