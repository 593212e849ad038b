// SPDX-License-Identifier: MIT
#include "src/collector/tables/slow_call_tables.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/collector/tables/async_pieces.h"
#include "src/collector/tables/async_tables.h"
#include "src/profile/methods.h"
#include "src/profile/slow_view.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;
using replay::RuntimeInterval;
using replay::Slice;
using replay::without;
static_assert(replay::SlowestLimits::kMostIntervals == profile::kMostIntervals);

using KeptCalls = std::vector<std::shared_ptr<const replay::SlowCall>>;

/// What stands for the numbers in slices.
struct Names {
    const Snapshot& snapshot;
    std::span<const Row> function_rows;
    const std::unordered_map<uint32_t, Row>& thread_rows;
    const profile::Methods methods;  ///< pieces folded

    [[nodiscard]] Row function(uint32_t index) const {
        return index < function_rows.size() ? function_rows[index] : kNone;
    }
    [[nodiscard]] Row thread(uint32_t number) const {
        const auto row = thread_rows.find(number);
        return row == thread_rows.end() ? kNone : row->second;
    }
    [[nodiscard]] const replay::AsyncWait* wait(uint32_t row) const {
        return snapshot.async && row < snapshot.async->waits.size() ? &snapshot.async->waits[row]
                                                                    : nullptr;
    }
    /// Who made a call.
    [[nodiscard]] Row caller(const replay::SlowCall& call) const {
        if (!call.async) {
            return function(call.caller);
        }
        if (!snapshot.async || call.async->node == 0 ||
            call.async->node >= snapshot.async->tree.size()) {
            return kNone;
        }
        const std::vector<replay::AsyncNode>& tree = snapshot.async->tree;
        const replay::AsyncNode& node = tree[call.async->node];
        const Row caller = caller_of(node, function_rows, methods);
        return caller != kNone || node.parent == 0 ? caller : function(tree[node.parent].function);
    }
};

/// By function index: their calls are told as async ones. Those are the pieces of async methods,
/// and what starts them, unless that makes an iterator, each step of which is an async call.
std::vector<bool> told_as_async(const Names& names, const profile::Profile& profile) {
    std::vector<bool> told(profile.functions.size(), false);
    std::vector<bool> starts(profile.functions.size(), false);
    for (const profile::AsyncMethod& method : profile.async_methods) {
        if (method.function != kNone) {
            told[method.function] = true;
            starts[names.methods.method_of[method.function]] = !method.iterator;
        }
    }
    std::vector<bool> by_index;
    for (const Row row : names.function_rows) {
        by_index.push_back(row != kNone && (told[row] || starts[names.methods.method_of[row]]));
    }
    return by_index;
}

/// Makes the rows of one call's slices.
class SliceRows {
  public:
    SliceRows(Row call, const Names& names, const replay::LinearClock& clock,
              std::vector<profile::SlowSlice>& out)
        : call_(call), names_(names), clock_(clock), out_(out), first_(Row(out.size())) {}

    /// In the order of time. Those that share a slice, and what is in them, stand one behind the
    /// other, so that no slice overlaps another. The first is in `parent_row`.
    void add_calls(const std::vector<Slice>& slices, Row parent_row = kNone) {
        const auto first = static_cast<Row>(out_.size());
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
            add(slice.parent == Slice::kNoParent ? parent_row : first + slice.parent, slice,
                {place.begin, place.end, 0});
        }
    }

    /// Of an async call, at their own times, which end with the call's. What `pieces` have recorded
    /// is in the stretches on threads that it belongs to. Returns the calls in these.
    uint64_t add_async(const std::vector<Slice>& slices, const AsyncPieces& pieces) {
        std::vector<Row> rows;
        uint64_t calls = 0;
        const uint64_t end = slices[0].begin_ticks + slices[0].ticks;
        for (const Slice& slice : slices) {
            rows.push_back(static_cast<Row>(out_.size()));  // of what no row is made none asks
            const Row parent = slice.parent == Slice::kNoParent ? kNone : rows[slice.parent];
            const uint64_t begin = std::min(slice.begin_ticks, end);
            if (slice.kind != Slice::kRunning || slice.calls != 1) {
                add(parent, slice, {begin, begin + std::min(slice.ticks, end - begin), 0});
                continue;
            }
            const Slice& around = slices[slice.parent];
            const AsyncPieces::Stretch stretch = pieces.in(slice, around.function);
            if (stretch.slices.size() == 1 && slice.ticks == around.ticks) {
                continue;  // on one thread all the time, and nothing else is known
            }
            add_calls(stretch.slices, parent);
            calls += stretch.calls;
        }
        return calls;
    }

    /// Beside the calls, in the slow call.
    void add_intervals(std::string_view kind, const std::vector<RuntimeInterval>& intervals) {
        for (const RuntimeInterval& interval : intervals) {
            add(first_, kind, interval);
            out_.back().function = names_.function(interval.function);
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
        switch (slice.kind) {
            case Slice::kOffCpu:
                return profile::SlowSlice::kOffCpu;
            case Slice::kWaited:
                return profile::SlowSlice::kWaited;
            case Slice::kRunning:
                return profile::SlowSlice::kRunning;
            case Slice::kAwaiting:
                return profile::SlowSlice::kAwaiting;
            case Slice::kQueued:
                return profile::SlowSlice::kQueued;
            case Slice::kCall:
                break;
        }
        return profile::SlowSlice::kCall;
    }

    void add(Row parent, const Slice& slice, const RuntimeInterval& interval) {
        add(parent, kind_of(slice), interval);
        profile::SlowSlice& row = out_.back();
        row.calls = slice.calls;
        if (slice.kind == Slice::kCall) {
            row.function = names_.function(slice.function);
        } else if (slice.kind == Slice::kRunning) {
            row.thread = names_.thread(slice.function);
        } else if (slice.kind == Slice::kAwaiting) {
            const replay::AsyncWait* wait = names_.wait(slice.function);
            row.function = wait == nullptr ? kNone : names_.function(wait->function);
            row.awaited = wait == nullptr ? "" : awaited_of(*wait, names_.snapshot.names);
        }
    }

    void add(Row parent, std::string_view kind, const RuntimeInterval& interval) {
        const uint64_t start_ns = clock_.time_ns(interval.begin_ticks);
        out_.push_back({.call = call_,
                        .parent = parent,
                        .kind = std::string(kind),
                        .start_ns = start_ns,
                        // From two times, so that rounding leaves neighbours apart.
                        .duration_ns = without(clock_.time_ns(interval.end_ticks), start_ns)});
    }

    const Row call_;
    const Names& names_;
    const replay::LinearClock& clock_;
    std::vector<profile::SlowSlice>& out_;
    const Row first_;
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

std::string_view outcome_name(replay::AsyncOutcome outcome) {
    switch (outcome) {
        case replay::AsyncOutcome::kResult:
            return "result";
        case replay::AsyncOutcome::kFault:
            return "exception";
        case replay::AsyncOutcome::kCancelled:
            return "cancelled";
        case replay::AsyncOutcome::kOpen:
            return "open";
        case replay::AsyncOutcome::kUnknown:
            break;
    }
    return "unknown";
}

/// Pauses of the runtime in a call, cut where it begins and ends: of those that the profile lists.
std::vector<RuntimeInterval> pauses_in(const Snapshot& snapshot, const replay::SlowCall& call) {
    std::vector<RuntimeInterval> pauses;
    const uint64_t end = call.begin_ticks + call.ticks;
    for (const replay::PauseTicks& pause : snapshot.pauses) {
        const uint64_t from = std::max(pause.begin_ticks, call.begin_ticks);
        const uint64_t to = std::min(pause.end_ticks, end);
        if (from < to && pauses.size() < replay::SlowestLimits::kMostIntervals) {
            pauses.push_back({.begin_ticks = from, .end_ticks = to});
        }
    }
    return pauses;
}

uint64_t sum(const std::vector<RuntimeInterval>& intervals) {
    uint64_t ticks = 0;
    for (const RuntimeInterval& interval : intervals) {
        ticks += interval.end_ticks - interval.begin_ticks;
    }
    return ticks;
}

/// Fills the tables of slow calls.
class SlowCallRows {
  public:
    SlowCallRows(const Names& names, const replay::LinearClock& clock, profile::Profile& profile)
        : names_(names),
          clock_(clock),
          profile_(profile),
          knows_cpu_(profile.session.cpu.source == "perf"),
          pieces_(names.snapshot.slowest->on_threads, told_as_async(names, profile)) {}

    void add(const replay::SlowFunction& function, const std::string& request) {
        const auto method = static_cast<Row>(profile_.slow_methods.size());
        profile_.slow_methods.push_back({.function = names_.function(function.function),
                                         .request = request,
                                         .calls = function.calls,
                                         .kept = function.kept.size(),
                                         .lost = function.lost});
        KeptCalls calls = function.kept;
        std::ranges::sort(calls, [](const auto& a, const auto& b) {
            return a->rank_ticks != b->rank_ticks ? a->rank_ticks > b->rank_ticks
                                                  : a->begin_ticks < b->begin_ticks;
        });
        for (const auto& call : calls) {
            const Row thread = names_.thread(call->thread);
            if (thread != kNone) {  // whoever is told of has a row
                add(*call, method, thread);
            }
        }
    }

  private:
    void add(const replay::SlowCall& call, Row method, Row thread) {
        SliceRows slices(static_cast<Row>(profile_.slow_calls.size()), names_, clock_,
                         profile_.slow_slices);
        profile::SlowCall row{.method = method,
                              .thread = thread,
                              .caller = names_.caller(call),
                              .unfinished = call.unfinished,
                              .start_ns = clock_.time_ns(call.begin_ticks),
                              .duration_ns = clock_.duration_ns(call.ticks),
                              .calls = call.calls,
                              .merged_calls = merged_calls(call)};
        if (call.async) {
            row.calls += slices.add_async(call.slices, pieces_);
            const std::vector<RuntimeInterval> pauses = pauses_in(names_.snapshot, call);
            const std::vector<RuntimeInterval> compilations = pieces_.compilations(call);
            slices.add_intervals(profile::SlowSlice::kPaused, pauses);
            slices.add_intervals(profile::SlowSlice::kCompiling, compilations);
            set_course(*call.async, row);
            row.paused_ns = clock_.duration_ns(sum(pauses));
            row.compiling_ns = clock_.duration_ns(sum(compilations));
        } else {
            slices.add_calls(call.slices);
            slices.add_intervals(profile::SlowSlice::kPaused, call.pauses);
            slices.add_intervals(profile::SlowSlice::kCompiling, call.compilations);
            set_course(call, row);
        }
        profile_.slow_calls.push_back(std::move(row));
    }

    void set_course(const replay::SlowCall& call, profile::SlowCall& row) const {
        row.probes_ns =
            clock_.duration_ns(without(without(call.ticks, call.net_ticks), call.waited_ticks));
        row.waited_ns = clock_.duration_ns(call.waited_ticks);
        row.wall_ns = clock_.duration_ns(call.net_ticks);
        if (knows_cpu_) {
            row.off_cpu_ns = clock_.duration_ns(call.off_ticks);
            row.cpu_ns = clock_.duration_ns(without(call.net_ticks, call.off_ticks));
        }
        row.paused_ns = clock_.duration_ns(call.paused_ticks);
        row.compiling_ns = clock_.duration_ns(call.compiling_ticks);
    }

    void set_course(const replay::AsyncCourse& course, profile::SlowCall& row) const {
        const profile::AsyncTimes times = times_of(course.times, clock_);
        row.outcome = outcome_name(course.outcome);
        row.wall_ns = times.wall_ns;
        row.running_ns = times.running_ns;
        row.queued_ns = times.queued_ns;
        row.awaiting_ns = times.wall_ns - times.running_ns - times.queued_ns;
    }

    const Names& names_;
    const replay::LinearClock& clock_;
    profile::Profile& profile_;
    const bool knows_cpu_;
    const AsyncPieces pieces_;
};

/// Functions of methods whose async calls were recorded whole, by row: what began them, and their
/// pieces, stand there.
std::vector<bool> recorded_whole(const Names& names) {
    const std::vector<Row>& method_of = names.methods.method_of;
    std::vector<bool> is_async(method_of.size(), false);
    for (const replay::SlowFunction& function : names.snapshot.slowest->async.functions) {
        const Row row = names.function(function.function);
        if (row != kNone) {
            is_async[method_of[row]] = true;
        }
    }
    std::vector<bool> whole;
    whole.reserve(method_of.size());
    for (const Row method : method_of) {
        whole.push_back(is_async[method]);
    }
    return whole;
}

void visit_functions(const replay::SlowCall& call, const std::function<void(uint32_t)>& visit) {
    visit(call.caller);
    for (const Slice& slice : call.slices) {
        if (slice.kind == Slice::kCall) {
            visit(slice.function);
        }
    }
    for (const RuntimeInterval& compilation : call.compilations) {
        visit(compilation.function);
    }
}

}  // namespace

void for_each_slow_function(const Snapshot& snapshot, const std::function<void(uint32_t)>& visit) {
    if (!snapshot.slowest) {
        return;
    }
    for (const auto* sums : {&snapshot.slowest->on_threads, &snapshot.slowest->async}) {
        for (const replay::SlowFunction& function : sums->functions) {
            visit(function.function);
            for (const auto& call : function.kept) {
                visit_functions(*call, visit);
            }
        }
    }
}

void add_slow_calls(const Snapshot& snapshot, std::span<const Row> function_rows,
                    const std::unordered_map<uint32_t, Row>& thread_rows,
                    const replay::LinearClock& clock, profile::Profile& profile) {
    if (!snapshot.slowest) {
        return;
    }
    const std::vector<std::string>& requests = snapshot.slowest->requests;
    std::vector<bool> met(requests.size(), false);
    profile.session.settings.slowest_by = snapshot.slowest->by == SlowestBy::kWall ? "wall"
                                          : profile.session.cpu.source == "perf"   ? "cpu"
                                                                                   : "wall for cpu";
    const Names names{snapshot, function_rows, thread_rows, profile::methods(profile, true)};
    const std::vector<bool> whole = recorded_whole(names);
    SlowCallRows rows(names, clock, profile);
    const auto add_all = [&](const replay::SlowCallSums& sums, bool async) {
        for (const replay::SlowFunction& function : sums.functions) {
            const size_t request = function.request - 1;
            const bool known = request < requests.size();
            if (known) {
                met[request] = true;
            }
            const Row row = names.function(function.function);
            if (async || row == kNone || !whole[row]) {
                rows.add(function, known ? requests[request] : std::string());
            }
        }
    };
    add_all(snapshot.slowest->async, true);
    add_all(snapshot.slowest->on_threads, false);
    for (size_t request = 0; request < requests.size(); ++request) {
        if (!met[request]) {
            profile.slow_methods.push_back({.function = kNone, .request = requests[request]});
        }
    }
}

}  // namespace umbra::collector
