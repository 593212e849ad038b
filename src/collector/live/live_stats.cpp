// SPDX-License-Identifier: MIT
#include "src/collector/live/live_stats.h"

#include <algorithm>
#include <utility>

namespace umbra::collector {
namespace {

uint64_t lost_events(const replay::ThreadCounts& counts) {
    return counts.lost_events + counts.stack.too_deep + counts.decode_errors;
}

int64_t ticks_between(uint64_t begin, uint64_t end) {
    return end > begin ? static_cast<int64_t>(end - begin) : 0;
}

}  // namespace

LiveStatsTracker::LiveStatsTracker(const SessionState& state, uint64_t start_ticks,
                                   std::function<bool(uint32_t)> sleeps)
    : state_(state), sleeps_(std::move(sleeps)), last_look_ticks_(start_ticks) {
}

bool LiveStatsTracker::step(Clock::time_point now, uint64_t now_ticks) {
    if (begun_ == Clock::time_point{}) {
        begun_ = now;
    }
    if (!sums_.add_slice(state_, kSlice)) {
        next_ = now + kRest;
        return false;
    }
    next_ = std::max(begun_ + kPeriod, now + kRest);
    begun_ = {};
    stats_ = {};
    self_.assign(std::max(sums_.sums().size(), previous_.size()), 0);
    for (uint32_t function = 1; function < sums_.sums().size(); ++function) {
        const FunctionSum& sum = sums_.sums()[function];
        self_[function] = static_cast<int64_t>(sum.self_ticks);
        stats_.calls += sum.calls;
    }
    look_at_threads(now_ticks);
    find_hottest(now_ticks);
    return true;
}

int64_t& LiveStatsTracker::self_at(uint32_t function) {
    if (function >= self_.size()) {
        self_.resize(function + size_t{1}, 0);
    }
    return self_[function];
}

void LiveStatsTracker::look_at_threads(uint64_t now_ticks) {
    for (; known_threads_ < state_.threads().size(); ++known_threads_) {
        watched_.push_back({.thread = &state_.threads()[known_threads_]});
    }
    frames_left_ = kFrames;
    asked_ = 0;
    const SessionState::AllGates gates = state_.lock_all();
    stats_.lost = 0;
    for (const Shard& shard : state_.shards()) {
        stats_.lost += shard.lost_without_thread() + shard.tables.tree.lost_calls();
    }
    std::erase_if(watched_, [&](Watched& watched) {
        const replay::ThreadReplay& thread = watched.thread->replay();
        const replay::ThreadCounts counts = thread.counts();
        if (thread.ended()) {
            ended_waits_ += counts.waits;
            ended_lost_ += lost_events(counts);
            return true;
        }
        stats_.waits += counts.waits;
        stats_.lost += lost_events(counts);
        stats_.calls += thread.stack().depth();
        add_open_calls(thread.stack(), now_ticks);
        leave_out_sleep(watched, now_ticks);
        return false;
    });
    stats_.waits += ended_waits_;
    stats_.lost += ended_lost_;
}

// The calls inside one another share the time since the outermost began: each has what lies between
// its own begin and that of the call inside it, less the calls that have ended, which are in the
// sums already.
void LiveStatsTracker::add_open_calls(const replay::ShadowStack& stack, uint64_t now_ticks) {
    const size_t depth = stack.depth();
    const size_t shown = std::min({depth, kFramesOfThread, frames_left_});
    frames_left_ -= shown;
    for (size_t index = depth - shown; index < depth; ++index) {
        const replay::Frame& frame = stack.frame(index);
        const uint64_t end = index + 1 < depth ? stack.frame(index + 1).enter_ticks() : now_ticks;
        self_at(frame.function()) += ticks_between(frame.enter_ticks(), end) -
                                     static_cast<int64_t>(replay::ticks_of(frame.children));
    }
}

void LiveStatsTracker::leave_out_sleep(Watched& watched, uint64_t now_ticks) {
    const replay::ThreadReplay& thread = watched.thread->replay();
    const uint64_t last = thread.cut_ticks(0);
    const bool silent = last == std::exchange(watched.last_ticks, last);
    const uint32_t function = thread.stack().top_function();
    if (!silent || function == 0) {
        return;
    }
    if (asked_++ < kAsked && !sleeps_(watched.thread->os_tid())) {
        return;
    }
    if (function >= slept_.size()) {
        slept_.resize(function + size_t{1}, 0);
    }
    slept_[function] += ticks_between(std::max(last, last_look_ticks_), now_ticks);
}

void LiveStatsTracker::find_hottest(uint64_t now_ticks) {
    const int64_t window = std::max<int64_t>(ticks_between(last_look_ticks_, now_ticks), 1);
    last_look_ticks_ = now_ticks;
    for (size_t function = 0; function < std::min(slept_.size(), self_.size()); ++function) {
        self_[function] -= slept_[function];
    }
    previous_.resize(self_.size(), 0);
    // What a thread deeper than was looked at returns to is no news.
    const int64_t most = window * static_cast<int64_t>(watched_.size() + 1);
    int64_t sum = 0;
    int64_t greatest = 0;
    for (uint32_t function = 1; function < self_.size(); ++function) {
        const int64_t grown = std::clamp<int64_t>(self_[function] - previous_[function], 0, most);
        sum += grown;
        if (grown > greatest) {
            greatest = grown;
            stats_.hottest = function;
        }
    }
    if (sum > 0) {
        stats_.share = static_cast<double>(greatest) / static_cast<double>(sum);
        stats_.load = static_cast<double>(greatest) / static_cast<double>(window);
    }
    previous_.swap(self_);
}

}  // namespace umbra::collector
