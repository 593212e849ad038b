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
using replay::RuntimeInterval;
using replay::Slice;
static_assert(replay::SlowestLimits::kMostIntervals == profile::kMostIntervals);

using Calls = std::vector<std::shared_ptr<const replay::SlowCall>>;

uint64_t without(uint64_t ticks, uint64_t part) {
    return ticks - std::min(part, ticks);
}

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

    /// Beside the calls, in the slow call.
    void add_intervals(std::string_view kind, const std::vector<RuntimeInterval>& intervals) {
        for (const RuntimeInterval& interval : intervals) {
            add(first_, kind, row_of(interval.function), interval);
        }
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

    void add(Row parent, std::string_view kind, Row function, const RuntimeInterval& interval) {
        const uint64_t start_ns = clock_.time_ns(interval.begin_ticks);
        out_.push_back({.call = call_,
                        .parent = parent,
                        .function = function,
                        .kind = std::string(kind),
                        .start_ns = start_ns,
                        // From two times, so that rounding leaves neighbours apart.
                        .duration_ns = without(clock_.time_ns(interval.end_ticks), start_ns)});
    }

    const Row call_;
    const std::span<const Row> function_rows_;
    const replay::LinearClock& clock_;
    std::vector<profile::SlowSlice>& out_;
    Row first_ = 0;
    std::vector<Place> places_;
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
            for (const RuntimeInterval& compilation : call->compilations) {
                visit(compilation.function);
            }
        }
    }
}

void add_slow_calls(const Snapshot& snapshot, std::span<const Row> function_rows,
                    const std::unordered_map<uint32_t, Row>& thread_rows,
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
            const auto thread = thread_rows.find(call->thread);
            if (thread == thread_rows.end()) {
                continue;  // cannot be: whoever is told of has a row
            }
            SliceRows slices(static_cast<Row>(profile.slow_calls.size()), function_rows, clock,
                             profile.slow_slices);
            slices.add_calls(call->slices);
            slices.add_intervals(profile::SlowSlice::kPaused, call->pauses);
            slices.add_intervals(profile::SlowSlice::kCompiling, call->compilations);
            profile.slow_calls.push_back(
                {.method = method,
                 .thread = thread->second,
                 .caller = row_of(call->caller),
                 .unfinished = call->unfinished,
                 .start_ns = clock.time_ns(call->begin_ticks),
                 .duration_ns = clock.duration_ns(call->ticks),
                 .probes_ns = clock.duration_ns(
                     without(without(call->ticks, call->net_ticks), call->waited_ticks)),
                 .waited_ns = clock.duration_ns(call->waited_ticks),
                 .wall_ns = clock.duration_ns(call->net_ticks),
                 .off_cpu_ns = knows_cpu ? clock.duration_ns(call->off_ticks) : 0,
                 .cpu_ns =
                     knows_cpu ? clock.duration_ns(without(call->net_ticks, call->off_ticks)) : 0,
                 .paused_ns = clock.duration_ns(call->paused_ticks),
                 .compiling_ns = clock.duration_ns(call->compiling_ticks),
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
