// SPDX-License-Identifier: MIT
#include "src/collector/live/live_stats.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/collector/live/first_rows.h"
#include "src/profile/profile.h"

namespace umbra::collector {
namespace {

int64_t ticks_between(uint64_t begin, uint64_t end) {
    return end > begin ? static_cast<int64_t>(end - begin) : 0;
}

uint64_t less(uint64_t a, uint64_t b) {
    return a - std::min(a, b);
}

// The sums of a pass are older than what is seen of open calls: what these lack of each other may
// be below 0 for a moment.
uint64_t at_least_0(uint64_t lane) {
    return static_cast<int64_t>(lane) < 0 ? 0 : lane;
}

uint64_t cost_ticks(replay::Lanes time) {
    return at_least_0(time[1]) / replay::kCostUnits;
}

/// `time` without what the probes took of it and without waits.
uint64_t net_ticks(replay::Lanes time) {
    return less(at_least_0(replay::ticks_of(time)), cost_ticks(time));
}

}  // namespace

LiveStatsTracker::Row& LiveStatsTracker::Row::operator+=(const Row& other) {
    calls += other.calls;
    total += other.total;
    self += other.self;
    cpu += other.cpu;
    recent_calls += other.recent_calls;
    recent_busy += other.recent_busy;
    return *this;
}

LiveStatsTracker::LiveStatsTracker(const SessionState& state,
                                   std::optional<uint64_t> last_look_ticks,
                                   std::function<bool(uint32_t)> sleeps)
    : state_(state),
      sleeps_(std::move(sleeps)),
      names_(state.names()),
      last_look_ticks_(last_look_ticks) {
}

bool LiveStatsTracker::step(Clock::time_point now, uint64_t now_ticks, double ticks_per_ns) {
    if (begun_ == Clock::time_point{}) {
        begun_ = now;
    }
    if (!all_.add_slice(state_, LiveSums::kSlice)) {
        next_ = now + kRest;
        return false;
    }
    next_ = std::max(begun_ + kPeriod, now + kRest);
    begun_ = {};
    const std::optional<uint64_t> before = last_look_ticks_;
    const uint64_t events_before = figures_.events;
    figures_ = {};
    sums_.assign(all_.sums().begin(), all_.sums().end());
    look_at_threads(now_ticks);
    const uint64_t window =
        before ? static_cast<uint64_t>(std::max<int64_t>(ticks_between(*before, now_ticks), 1)) : 0;
    make_rows(window);
    fill_figures(ticks_per_ns, window);
    figures_.recent_events = before ? less(figures_.events, events_before) : 0;
    last_look_ticks_ = now_ticks;
    return true;
}

LiveSum& LiveStatsTracker::sum(uint32_t function) {
    if (function >= sums_.size()) {
        sums_.resize(size_t{function} + 1);
    }
    return sums_[function];
}

void LiveStatsTracker::look_at_threads(uint64_t now_ticks) {
    frames_left_ = kFrames;
    asked_ = 0;
    const SessionState::AllGates gates = state_.lock_all();
    for (const Shard& shard : state_.shards()) {
        figures_.events += shard.tables.events;
        figures_.lost_no_thread_slot += shard.lost_without_thread();
        figures_.lost_nodes += shard.tables.tree.lost_calls();
    }
    replay::ThreadCounts counts = state_.ended().counts();
    const std::vector<Watched> before = std::exchange(watched_, {});
    auto known = before.begin();
    for (const auto& one : state_.threads()) {
        const auto number = one.first;
        const ProfiledThread& profiled = one.second;
        const replay::ThreadReplay& thread = profiled.replay();
        counts += thread.counts();
        if (thread.ended() && thread.stack().depth() == 0) {
            continue;
        }
        known = std::find_if(known, before.end(),
                             [&](const Watched& other) { return other.number >= number; });
        const bool seen = known != before.end() && known->number == number;
        watched_.push_back({number, &profiled, seen ? known->last_ticks : 0});
        Watched& watched = watched_.back();
        add_open_calls(watched, now_ticks);
        leave_out_sleep(watched, now_ticks);
    }
    // Ticks: fill_figures() makes nanoseconds of them.
    figures_.waits = counts.waits;
    figures_.wait_ns = counts.wait_ticks;
    figures_.lost_ring_full = counts.lost_events;
    figures_.lost_depth = counts.stack.too_deep;
    figures_.lost_decode_errors = counts.decode_errors;
}

// As a snapshot that is taken now has them.
void LiveStatsTracker::add_open_calls(const Watched& watched, uint64_t now_ticks) {
    const replay::ThreadReplay& thread = watched.thread->replay();
    const replay::ShadowStack& stack = thread.stack();
    const size_t depth = stack.depth();
    const size_t shown = std::min({depth, kFramesOfThread, frames_left_});
    frames_left_ -= shown;
    figures_.calls += depth - shown;
    if (shown == 0) {
        return;
    }
    const uint64_t cut_ticks = thread.cut_ticks(now_ticks);
    replay::Lanes cut = thread.lanes_at(cut_ticks);
    replay::Lanes inner{};
    for (size_t index = depth; index-- > depth - shown;) {
        const replay::Frame& frame = stack.frame(index);
        if (stack.is_resumption(index)) {
            const replay::Lanes took = frame.children + inner;
            stack.for_each_resumed(index, [&](uint32_t arc, bool outermost) {
                const auto& tree = watched.thread->shard().tables.tree;
                if (outermost) {
                    sum(tree.at(arc).function()).total += took;
                }
            });
            cut = frame.enter;
            inner = replay::Lanes{};
            continue;
        }
        if (watched.thread->shard().tables.tree.number(*frame.arc) == 0) {
            continue;
        }
        LiveSum& function = sum(frame.function());
        const replay::Lanes length = cut - frame.enter;
        function.self += length - frame.children - inner;
        inner = length;
        ++function.calls;
        if (stack.is_outermost(index)) {
            function.total += length;
        }
    }
    replay::CallDeductions open;
    thread.add_open_deductions(cut_ticks, open);
    for (const auto& [key, deduction] : open.function_self().rows()) {
        sum(static_cast<uint32_t>(key)).off_cpu_ticks += deduction.off_cpu_ticks;
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
    slept_[function] += ticks_between(std::max(last, last_look_ticks_.value_or(0)), now_ticks);
}

/// What threads were in before the session is no method.
bool LiveStatsTracker::is_before_start(uint32_t function) const {
    const protocol::FunctionNamed* named =
        function == hotpath::kBeforeStartIndex ? state_.names().function(function) : nullptr;
    return named != nullptr && named->method == profile::kBeforeStart;
}

LiveStatsTracker::Row LiveStatsTracker::row_of(uint32_t function, int64_t most) {
    const LiveSum& sum = sums_[function];
    Row row{.function = function, .calls = sum.calls};
    row.self = net_ticks(sum.self);
    row.total = std::max(net_ticks(sum.total), row.self);
    row.cpu = less(row.self, sum.off_cpu_ticks);
    const int64_t slept = function < slept_.size() ? slept_[function] : 0;
    const int64_t busy = static_cast<int64_t>(row.self) - slept;
    Previous& previous = previous_[function];
    if (most > 0) {
        row.recent_calls = less(row.calls, previous.calls);
        row.recent_busy =
            static_cast<uint64_t>(std::clamp<int64_t>(busy - previous.busy_ticks, 0, most));
    }
    previous = {.calls = row.calls, .busy_ticks = busy};
    return row;
}

// The calls of a method are those of the function that bears its name, where that was called; its
// pieces run once from each await to the next. What such a function calls is its pieces' too.
void LiveStatsTracker::add_to_method(const Row& row) {
    const LiveNames::Name* name = names_.known(row.function);
    if (name == nullptr) {
        rows_.push_back(row);
        return;
    }
    Parts& parts = parts_[name->method];
    Row added = row;
    if (name->piece && parts.started) {
        added.calls = added.recent_calls = 0;
    } else if (!name->piece && parts.in_pieces) {
        added.total = added.self;
    }
    if (parts.row == UINT32_MAX) {
        parts.row = static_cast<uint32_t>(rows_.size());
        rows_.push_back(added);
    } else {
        rows_[parts.row] += added;
    }
}

void LiveStatsTracker::find_parts() {
    parts_.assign(names_.methods(), {});
    for (uint32_t function = 1; function < sums_.size(); ++function) {
        const LiveNames::Name* name = names_.known(function);
        if (name != nullptr && sums_[function].calls != 0) {
            Parts& parts = parts_[name->method];
            (name->piece ? parts.in_pieces : parts.started) = true;
        }
    }
}

void LiveStatsTracker::name_some() {
    size_t left = kNamed;
    for (uint32_t function = 1; function < sums_.size() && left > 0; ++function) {
        if (sums_[function].calls != 0 && names_.known(function) == nullptr) {
            names_.name(function);
            --left;
        }
    }
}

void LiveStatsTracker::make_rows(uint64_t window_ticks) {
    name_some();
    find_parts();
    rows_.clear();
    previous_.resize(std::max(previous_.size(), sums_.size()));
    // What a thread deeper than was looked at returns to is no news.
    const int64_t most =
        static_cast<int64_t>(window_ticks) * static_cast<int64_t>(watched_.size() + 1);
    for (uint32_t function = 1; function < sums_.size(); ++function) {
        if (sums_[function].calls == 0 || is_before_start(function)) {
            continue;
        }
        ++figures_.functions;
        add_to_method(row_of(function, most));
        figures_.probe_ns += cost_ticks(sums_[function].self);
    }
}

void LiveStatsTracker::fill_figures(double ticks_per_ns, uint64_t window_ticks) {
    const auto ns = [&](uint64_t ticks) {
        return static_cast<uint64_t>(std::llround(static_cast<double>(ticks) / ticks_per_ns));
    };
    figures_.has_total = true;
    figures_.window_ns = ns(window_ticks);
    figures_.probe_ns = ns(less(figures_.probe_ns, figures_.wait_ns));
    figures_.wait_ns = ns(figures_.wait_ns);
    Row all;
    for (const Row& row : rows_) {
        all += row;
    }
    figures_.calls += all.calls;
    figures_.recent_calls = all.recent_calls;
    figures_.self_ns = ns(all.self);
    figures_.cpu_ns = ns(all.cpu);
    figures_.recent_busy_ns = ns(all.recent_busy);
    const std::vector<uint32_t> indexes =
        first_rows(rows_, {&Row::recent_busy, &Row::self, &Row::total, &Row::cpu, &Row::calls});
    std::vector<uint32_t> functions;
    functions.reserve(indexes.size());
    for (const uint32_t index : indexes) {
        functions.push_back(rows_[index].function);
    }
    std::vector<std::string> names = names_.told_apart(functions);
    for (size_t i = 0; i < indexes.size(); ++i) {
        const Row& row = rows_[indexes[i]];
        figures_.rows.push_back({.name = std::move(names[i]),
                                 .module = names_.name(row.function).module,
                                 .calls = row.calls,
                                 .total_ns = ns(row.total),
                                 .self_ns = ns(row.self),
                                 .cpu_ns = ns(row.cpu),
                                 .recent_calls = row.recent_calls,
                                 .recent_busy_ns = ns(row.recent_busy),
                                 .deinstrumented = state_.deinstrumented(row.function)});
    }
}

}  // namespace umbra::collector
