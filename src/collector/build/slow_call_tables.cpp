// SPDX-License-Identifier: MIT
#include "src/collector/build/slow_call_tables.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/profile/slow_view.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;
using replay::Slice;
using Calls = std::vector<std::shared_ptr<const replay::SlowCall>>;

uint64_t without(uint64_t ticks, uint64_t part) {
    return ticks - std::min(part, ticks);
}

/// Part of a thread's time, in ticks.
struct Interval {
    uint64_t begin;
    uint64_t end;
    uint32_t function;  ///< compiled; 0: none

    [[nodiscard]] uint64_t ticks() const { return end - begin; }
};

/// Makes the rows of one call's slices.
class SliceRows {
  public:
    SliceRows(Row call, std::span<const Row> function_rows, const replay::LinearClock& clock,
              std::vector<profile::SlowSlice>& out)
        : call_(call), function_rows_(function_rows), clock_(clock), out_(out) {}

    /// In the order of time. Those that share a slice, and what is in them, stand one behind the
    /// other, so that no slice overlaps another.
    void add_calls(const std::vector<Slice>& slices) {
        first_ = static_cast<Row>(out_.size());
        places_.assign(slices.size(), {});
        for (size_t number = 0; number < slices.size(); ++number) {
            const Slice& slice = slices[number];
            Place& place = places_[number];
            if (slice.parent == Slice::kNoParent) {
                place = {slice.begin_ticks, slice.begin_ticks + slice.ticks, slice.begin_ticks,
                         false};
            } else {
                Place& parent = places_[slice.parent];
                const uint64_t begin =
                    parent.merged ? parent.next : std::max(parent.next, slice.begin_ticks);
                place.begin = std::min(begin, parent.end);
                place.end = place.begin + std::min(slice.ticks, parent.end - place.begin);
                place.next = place.begin;
                place.merged = parent.merged || slice.calls > 1;
                parent.next = place.end;
            }
            add(slice.parent == Slice::kNoParent ? kNone : first_ + slice.parent, kind_of(slice),
                slice.kind == Slice::kCall ? row_of(slice.function) : kNone,
                {place.begin, place.end, slice.function});
            out_.back().calls = slice.calls;
        }
    }

    /// Beside the calls, in the slow call. Returns the sum.
    uint64_t add_intervals(std::string_view kind, const std::vector<Interval>& intervals) {
        uint64_t ticks = 0;
        for (size_t number = 0; number < intervals.size(); ++number) {
            ticks += intervals[number].ticks();
            if (number < profile::kMostIntervals) {
                add(first_, kind, row_of(intervals[number].function), intervals[number]);
            }
        }
        return ticks;
    }

  private:
    struct Place {
        uint64_t begin = 0;
        uint64_t end = 0;
        uint64_t next = 0;    ///< where the next slice in it may begin
        bool merged = false;  ///< it, or what it is in, is that of several calls
    };

    static std::string_view kind_of(const Slice& slice) {
        return slice.kind == Slice::kOffCpu   ? profile::SlowSlice::kOffCpu
               : slice.kind == Slice::kWaited ? profile::SlowSlice::kWaited
                                              : profile::SlowSlice::kCall;
    }
    [[nodiscard]] Row row_of(uint32_t function) const {
        return function < function_rows_.size() ? function_rows_[function] : kNone;
    }

    void add(Row parent, std::string_view kind, Row function, const Interval& interval) {
        const uint64_t start_ns = clock_.time_ns(interval.begin);
        out_.push_back({.call = call_,
                        .parent = parent,
                        .function = function,
                        .kind = std::string(kind),
                        .start_ns = start_ns,
                        // From two times, so that rounding leaves neighbours apart.
                        .duration_ns = without(clock_.time_ns(interval.end), start_ns)});
    }

    const Row call_;
    const std::span<const Row> function_rows_;
    const replay::LinearClock& clock_;
    std::vector<profile::SlowSlice>& out_;
    Row first_ = 0;
    std::vector<Place> places_;
};

/// What the runtime did, for looking up what lies in a call.
class RuntimeWork {
  public:
    explicit RuntimeWork(const Snapshot& snapshot) : pauses_(snapshot.pauses) {
        for (const replay::CompilationTicks& row : snapshot.compilations) {
            const Interval interval{.begin = row.start_ticks,
                                    .end = row.start_ticks + row.duration_ticks,
                                    .function = row.function};
            if (row.thread >= compilations_.size()) {
                compilations_.resize(row.thread + size_t{1});
            }
            compilations_[row.thread].push_back(interval);
        }
        for (std::vector<Interval>& rows : compilations_) {
            std::ranges::sort(rows, {}, &Interval::begin);
        }
    }

    [[nodiscard]] std::vector<Interval> pauses(const replay::SlowCall& call) const {
        std::vector<Interval> found;
        const uint64_t end = call.begin_ticks + call.ticks;
        auto pause = std::ranges::partition_point(
            pauses_, [&](const auto& row) { return row.end_ticks <= call.begin_ticks; });
        for (; pause != pauses_.end() && pause->begin_ticks < end; ++pause) {
            found.push_back({.begin = std::max(pause->begin_ticks, call.begin_ticks),
                             .end = std::min(pause->end_ticks, end),
                             .function = 0});
        }
        return found;
    }

    /// Those begun in the call; one inside another is part of that one.
    [[nodiscard]] std::vector<Interval> compilations(const replay::SlowCall& call) const {
        std::vector<Interval> found;
        if (call.thread >= compilations_.size()) {
            return found;
        }
        const std::vector<Interval>& rows = compilations_[call.thread];
        const uint64_t end = call.begin_ticks + call.ticks;
        uint64_t done = call.begin_ticks;
        for (auto row = std::ranges::lower_bound(rows, call.begin_ticks, {}, &Interval::begin);
             row != rows.end() && row->begin < end; ++row) {
            if (row->begin >= done) {
                done = std::min(row->end, end);
                found.push_back({.begin = row->begin, .end = done, .function = row->function});
            }
        }
        return found;
    }

  private:
    const std::vector<replay::PauseTicks>& pauses_;
    std::vector<std::vector<Interval>> compilations_;  ///< by thread, in order of time
};

uint64_t merged_calls(const replay::SlowCall& call) {
    uint64_t slices = 0;
    for (const Slice& slice : call.slices) {
        slices += slice.kind == Slice::kCall ? 1U : 0U;
    }
    const uint64_t own = slices - std::min<uint64_t>(slices, 1);  // the first is the call itself
    return without(call.calls, own);
}

}  // namespace

void for_each_slow_function(const replay::SlowCallSums& sums,
                            const std::function<void(uint32_t)>& visit) {
    for (const replay::SlowFunction& function : sums.functions) {
        visit(function.function);
        for (const auto& call : function.kept) {
            visit(call->caller);
            for (const Slice& slice : call->slices) {
                visit(slice.function);
            }
        }
    }
}

void add_slow_calls(const Snapshot& snapshot, std::span<const Row> function_rows,
                    const replay::LinearClock& clock, profile::Profile& profile) {
    if (!snapshot.keeps_slowest) {
        return;
    }
    const std::vector<std::string>& requests = snapshot.slowest_requests;
    std::vector<bool> met(requests.size(), false);
    const bool knows_cpu = profile.session.cpu.source == "perf";
    profile.session.settings.slowest_by = !snapshot.slowest_by_cpu ? "wall"
                                          : knows_cpu              ? "cpu"
                                                                   : "wall for cpu";
    const RuntimeWork work(snapshot);
    const auto row_of = [&](uint32_t index) {
        return index < function_rows.size() ? function_rows[index] : kNone;
    };
    for (const replay::SlowFunction& function : snapshot.slowest.functions) {
        const size_t request = function.request - 1;
        if (request < requests.size()) {
            met[request] = true;
        }
        const auto method = static_cast<Row>(profile.slow_methods.size());
        profile.slow_methods.push_back(
            {.function = row_of(function.function),
             .request = request < requests.size() ? requests[request] : std::string(),
             .calls = function.calls,
             .kept = function.kept.size(),
             .lost = function.lost});
        Calls calls = function.kept;
        std::ranges::sort(calls, [](const auto& a, const auto& b) {
            return a->rank_ticks != b->rank_ticks ? a->rank_ticks > b->rank_ticks
                                                  : a->begin_ticks < b->begin_ticks;
        });
        for (const auto& call : calls) {
            const auto cost_ticks = static_cast<uint64_t>(call->cost_ticks);
            const uint64_t wall_ticks =
                without(without(call->ticks, cost_ticks), call->waited_ticks);
            SliceRows slices(static_cast<Row>(profile.slow_calls.size()), function_rows, clock,
                             profile.slow_slices);
            slices.add_calls(call->slices);
            const uint64_t paused =
                slices.add_intervals(profile::SlowSlice::kPaused, work.pauses(*call));
            const uint64_t compiling =
                slices.add_intervals(profile::SlowSlice::kCompiling, work.compilations(*call));
            profile.slow_calls.push_back(
                {.method = method,
                 .thread = call->thread,
                 .caller = row_of(call->caller),
                 .unfinished = call->unfinished,
                 .start_ns = clock.time_ns(call->begin_ticks),
                 .duration_ns = clock.duration_ns(call->ticks),
                 .probes_ns = clock.duration_ns(cost_ticks),
                 .waited_ns = clock.duration_ns(call->waited_ticks),
                 .wall_ns = clock.duration_ns(wall_ticks),
                 .off_cpu_ns = knows_cpu ? clock.duration_ns(call->off_ticks) : 0,
                 .cpu_ns = knows_cpu
                               ? clock.duration_ns(without(
                                     wall_ticks, without(call->off_ticks, call->waited_off_ticks)))
                               : 0,
                 .paused_ns = clock.duration_ns(paused),
                 .compiling_ns = clock.duration_ns(compiling),
                 .calls = call->calls,
                 .merged_calls = merged_calls(*call)});
        }
    }
    for (size_t request = 0; request < requests.size(); ++request) {
        if (!met[request]) {
            profile.slow_methods.push_back({.function = kNone, .request = requests[request]});
        }
    }
}

}  // namespace umbra::collector
