// SPDX-License-Identifier: MIT
// Sorting and summing for reports.
#include "src/profile/report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/profile/call_sums.h"
#include "src/profile/probe_doubt.h"

namespace umbra::profile {
namespace {

uint64_t less(uint64_t a, uint64_t b) {
    return a - std::min(a, b);
}

uint64_t sort_value(const HotFunction& hot, SortBy sort) {
    switch (sort) {
        case SortBy::kSelf:
            return hot.times.self_ns;
        case SortBy::kTotal:
            return hot.times.total_ns;
        case SortBy::kCalls:
            return hot.times.calls;
        case SortBy::kCpu:
            return hot.times.cpu.self_ns;
        case SortBy::kMean:
            return hot.mean_ns;
        case SortBy::kMax:
            return hot.times.max_ns;
        case SortBy::kAwaiting:
        case SortBy::kQueued:
            break;
    }
    return 0;
}

double share_value(const CallTimes& times, SortBy sort) {
    return static_cast<double>(sort == SortBy::kCpu ? times.cpu.self_ns : times.self_ns);
}

/// Whether a function is one of those that are listed, and that shares are parts of.
bool counts(const Function& function, const View& view) {
    return (view.before_start || !is_before_start(function)) && !is_truncated_paths(function);
}

/// By row of functions: whether it may be in the list.
std::vector<bool> listed_functions(const Profile& profile, const View& view) {
    std::vector<bool> listed = taken_functions(profile, view.filter);
    for (std::size_t row = 0; row < listed.size(); ++row) {
        listed[row] = listed[row] && counts(profile.functions[row], view);
    }
    return listed;
}

/// Makes the rows of a hot list out of groups.
class HotRows {
  public:
    HotRows(const Profile& profile, const View& view)
        : profile_(profile),
          view_(view),
          methods_(methods(profile, view.fold)),
          shown_(listed_functions(profile, view)),
          threads_(taken_threads(profile, view.filter)),
          grouping_(group_functions(profile, view.by, methods_,
                                    view.by == GroupBy::kThread ? threads_ : shown_)),
          histograms_(profile),
          probe_part_(probe_part(profile.session)) {
        for (const AsyncMethod& method : profile.async_methods) {
            async_methods_[method.function] = &method;
        }
    }

    /// Those with calls, in the order of the file.
    std::vector<HotFunction> rows() {
        const std::vector<GroupSums> sums =
            sum_groups(profile_, grouping_, methods_, shown_, threads_);
        std::vector<HotFunction> rows;
        rows.reserve(grouping_.groups.size());
        for (std::size_t group = 0; group < grouping_.groups.size(); ++group) {
            HotFunction hot = row(grouping_.groups[group], sums[group]);
            if (was_seen(hot.times)) {
                rows.push_back(std::move(hot));
            }
        }
        return rows;
    }

    /// What the shares are parts of.
    [[nodiscard]] double whole() const {
        double all = 0;
        if (all_threads()) {
            for (const Function& function : profile_.functions) {
                if (counts(function, view_)) {
                    all += share_value(shown(function.times, view_), view_.sort);
                }
            }
            return all;
        }
        for (const ThreadFunction& row : profile_.thread_functions) {
            if (threads_[row.thread] && counts(profile_.functions[row.function], view_)) {
                all += share_value(shown(row.times, view_), view_.sort);
            }
        }
        return all;
    }

  private:
    [[nodiscard]] bool all_threads() const { return view_.filter.threads.empty(); }

    [[nodiscard]] HotFunction row(const Group& group, const GroupSums& sums) const {
        HotFunction hot;
        hot.name = group.name;
        hot.module = group.module;
        hot.runtime = group.runtime;
        hot.stored = sums.times;
        std::vector<Row> called;
        for (const Row function : group.functions) {
            if (was_seen(profile_.functions[function].times)) {
                called.push_back(function);
            }
        }
        hot.functions = called.size();
        if (view_.by == GroupBy::kFunction) {
            hot.function =
                &profile_.functions[called.empty() ? group.functions[0] : called.front()];
        }
        if (all_threads() && view_.by != GroupBy::kThread) {
            add_what_the_file_knows(hot, called);
        }
        // A folded tree does not tell what recursive calls took each.
        const bool as_stored = all_threads() && view_.by == GroupBy::kFunction &&
                               called.size() == 1 && is_folded(profile_.session);
        set_times(hot, hot.stored, as_stored ? hot.stored : sums.every, view_, probe_part_);
        std::vector<const AsyncMethod*> logical;
        if (view_.fold && all_threads() && view_.by == GroupBy::kFunction) {
            logical = logical_calls(group.functions);
            set_logical_calls(hot, logical);
        }
        if (all_threads() && view_.by != GroupBy::kThread) {
            const bool by_pieces =
                !logical.empty() && std::ranges::none_of(logical, &AsyncMethod::iterator);
            add_inlined(hot, view_.by == GroupBy::kFunction ? group.functions : called, by_pieces);
        }
        return hot;
    }

    /// Of a method that is async its calls from begin to result; null: it is not, or nobody knows.
    [[nodiscard]] std::vector<const AsyncMethod*> logical_calls(
        const std::vector<Row>& functions) const {
        std::vector<const AsyncMethod*> found;
        for (const Row function : functions) {
            const auto place = async_methods_.find(function);
            if (place != async_methods_.end() && place->second->counts.calls != 0) {
                found.push_back(place->second);
            }
        }
        return found;
    }

    /// Percentiles are there for functions as a whole only.
    void add_what_the_file_knows(HotFunction& hot, const std::vector<Row>& called) const {
        if (view_.by == GroupBy::kFunction && called.size() == 1) {
            hot.stored = hot.function->times;
        }
        for (const Row row : called) {
            const Function& function = profile_.functions[row];
            hot.deinstrumented = hot.deinstrumented || function.deinstrumented;
        }
        hot.percentiles = histograms_.percentiles(called, hot.stored.min_ns, hot.stored.max_ns);
    }

    /// What its functions were inlined into. `by_pieces`: its calls are those that its pieces tell,
    /// whoever has begun them.
    void add_inlined(HotFunction& hot, const std::vector<Row>& functions, bool by_pieces) const {
        for (const Row row : functions) {
            const Function& function = profile_.functions[row];
            if (!function.inlined_into.empty() && (!by_pieces || methods_.piece[row])) {
                hot.inlined_into += (hot.inlined_into.empty() ? "" : ", ") + function.inlined_into;
            }
        }
    }

    const Profile& profile_;
    const View& view_;
    Methods methods_;
    std::vector<bool> shown_;
    std::vector<bool> threads_;
    Grouping grouping_;
    HistogramIndex histograms_;
    double probe_part_;
    std::unordered_map<Row, const AsyncMethod*> async_methods_;  ///< by MoveNext
};

void add(PauseSums& sums, const PauseSum& more) {
    sums.count += more.count;
    sums.total_ns += more.duration_ns;
    sums.longest_ns = std::max(sums.longest_ns, more.longest_ns);
}

}  // namespace

CallTimes shown(const CallTimes& times, const View& view) {
    CallTimes result = times;
    if (!view.compensated) {
        result.total_ns = times.raw.total_ns;
        result.self_ns = times.raw.self_ns;
        result.cpu.total_ns += less(times.raw.total_ns, times.total_ns);
        result.cpu.self_ns += less(times.raw.self_ns, times.self_ns);
    }
    if (!view.pauses) {
        result.total_ns = less(result.total_ns, times.paused.total_ns);
        result.self_ns = less(result.self_ns, times.paused.self_ns);
        result.cpu.total_ns = std::min(result.cpu.total_ns, result.total_ns);
        result.cpu.self_ns = std::min(result.cpu.self_ns, result.self_ns);
    }
    return result;
}

HotList ranked(std::vector<HotFunction> rows, const View& view,
               const std::function<double(const HotFunction&)>& share) {
    std::vector<HotFunction*> order;  // rows are too large to be moved about
    order.reserve(rows.size());
    for (HotFunction& hot : rows) {
        order.push_back(&hot);
    }
    std::ranges::sort(order, [&](const HotFunction* a, const HotFunction* b) {
        // Samples leave many rows without time of their own.
        return std::tuple(sort_value(*b, view.sort), b->times.total_ns, std::string_view(a->name),
                          a->function) < std::tuple(sort_value(*a, view.sort), a->times.total_ns,
                                                    std::string_view(b->name), b->function);
    });
    HotList list;
    list.view = view;
    list.functions.reserve(std::min(view.top, order.size()));
    for (HotFunction* hot : order) {
        hot->share_percent = share(*hot);
        if (list.functions.size() < view.top) {
            list.functions.push_back(std::move(*hot));
        } else {
            ++list.left_out;
            list.left_out_percent += hot->share_percent;
        }
    }
    return list;
}

void set_times(HotFunction& hot, const CallTimes& times, const CallTimes& every, const View& view,
               double probe_part) {
    hot.stored = times;
    // Sums of many rows, each of which was rounded.
    hot.stored.total_ns = std::max(times.total_ns, times.self_ns);
    for (Span CallTimes::*span : {&CallTimes::raw, &CallTimes::cpu, &CallTimes::paused}) {
        Span& stored = hot.stored.*span;
        stored.total_ns = std::max(stored.total_ns, stored.self_ns);
    }
    if (times.calls > 0) {
        // Of recursive calls `every` may have the outermost only, of unfinished ones the begin.
        hot.stored_mean_ns = std::max(every.total_ns / times.calls, times.min_ns);
    }
    if (times.max_ns < hot.stored_mean_ns) {
        // Parts of async methods have run beside the calls that began them: of these as a whole
        // neither the shortest nor the longest is known.
        hot.stored.min_ns = hot.stored.max_ns = 0;
        hot.percentiles = {};
    }
    hot.times = shown(hot.stored, view);
    if (view.compensated) {
        hot.self_doubt_ns = doubt_ns(times.raw.self_ns, times.self_ns, probe_part);
        hot.total_doubt_ns = doubt_ns(times.raw.total_ns, times.total_ns, probe_part);
    }
    if (times.calls > 0) {
        hot.mean_ns =
            has_single_calls(view) ? hot.stored_mean_ns : shown(every, view).total_ns / times.calls;
    }
}

void set_logical_times(CallTimes& times, const AsyncCounts& counts) {
    times.calls = counts.calls;
    times.unfinished = counts.open;
    times.min_ns = times.max_ns = 0;
    // What runs behind a call's result on its stack is the method's own, and in no call.
    times.total_ns = std::max(counts.times.wall_ns, times.self_ns);
    times.raw.total_ns = std::max(times.total_ns, times.raw.self_ns);
    // Of its pieces with all below them, which a call of another may be.
    times.cpu.total_ns = std::min(times.cpu.total_ns, times.total_ns);
}

void set_logical_calls(HotFunction& hot, const std::vector<const AsyncMethod*>& methods) {
    AsyncCounts counts;
    bool steps = false;  // of an iterator: those who began it are its calls, where they are known
    for (const AsyncMethod* method : methods) {
        steps = steps || method->iterator;
        counts.calls += method->counts.calls;
        counts.open += method->counts.open;
        counts.times.wall_ns += method->counts.times.wall_ns;
    }
    if (counts.calls == 0) {  // without methods, or in a file whose numbers overflow
        return;
    }
    CallTimes& times = hot.stored;
    // Where nobody has seen who began it, these are pieces.
    const uint64_t begun = is_piece(*hot.function) ? 0 : times.calls;
    set_logical_times(times, counts);
    times.calls = steps && begun != 0 ? begun : times.calls;
    hot.percentiles = {};
    for (const AsyncMethod* method : methods) {
        if (method->max_ns != 0 && !steps) {
            times.min_ns =
                times.max_ns == 0 ? method->min_ns : std::min(times.min_ns, method->min_ns);
            times.max_ns = std::max(times.max_ns, method->max_ns);
        }
    }
    if (methods.size() == 1 && !steps) {  // those of several instantiations cannot be added up
        hot.percentiles = {.p50_ns = methods[0]->p50_ns,
                           .p90_ns = methods[0]->p90_ns,
                           .p99_ns = methods[0]->p99_ns};
    }
    hot.stored_mean_ns = times.total_ns / times.calls;
    if (times.max_ns != 0) {
        hot.stored_mean_ns = std::clamp(hot.stored_mean_ns, times.min_ns, times.max_ns);
    }
    hot.mean_ns = hot.stored_mean_ns;
    hot.times.calls = times.calls;
    hot.times.unfinished = times.unfinished;
    hot.times.total_ns = std::max(times.total_ns, hot.times.self_ns);
    hot.times.raw.total_ns = times.raw.total_ns;
    hot.times.cpu.total_ns = std::min(hot.times.cpu.total_ns, hot.times.total_ns);
    hot.times.min_ns = times.min_ns;
    hot.times.max_ns = times.max_ns;
    hot.total_doubt_ns = 0;
    hot.logical = true;
}

HotFunction method_row(const Profile& profile, Row method, const CallTimes& times,
                       const CallTimes& every, const View& view) {
    HotFunction hot;
    hot.function = &profile.functions[method];
    hot.name = hot.function->name;
    hot.module = module_name(profile, *hot.function);
    hot.runtime = runtime_label(profile, hot.function->runtime);
    hot.functions = 1;
    set_times(hot, times, every, view, probe_part(profile.session));
    return hot;
}

HotList hot_list(const Profile& profile, const View& view) {
    HotRows maker(profile, view);
    const double all = maker.whole();
    return ranked(maker.rows(), view, [&](const HotFunction& hot) {
        return all > 0 ? 100 * share_value(hot.times, view.sort) / all : 0;
    });
}

std::vector<Method> method_rows(const Profile& profile) {
    const Methods methods = profile::methods(profile, true);
    View view;
    view.top = std::numeric_limits<std::size_t>::max();
    std::vector<Method> rows;
    for (const HotFunction& hot : hot_list(profile, view).functions) {
        const auto function = static_cast<Row>(hot.function - profile.functions.data());
        rows.push_back({.function = methods.method_of[function],
                        .times = hot.stored,
                        .mean_ns = hot.stored_mean_ns,
                        .p50_ns = hot.percentiles.p50_ns,
                        .p90_ns = hot.percentiles.p90_ns,
                        .p99_ns = hot.percentiles.p99_ns,
                        .rough = is_rough(hot.times.self_ns, hot.self_doubt_ns),
                        .logical = hot.logical});
    }
    return rows;
}

Sums sums(const Profile& profile) {
    Sums sums;
    for (const Function& function : profile.functions) {
        sums.unfinished += is_before_start(function) ? 0 : function.times.unfinished;
        sums.taken_out_ns += less(function.times.raw.self_ns, function.times.self_ns);
    }
    sums.probe_cost_ns = less(sums.taken_out_ns, profile.session.counts.wait_ns);
    for (const Thread& thread : profile.threads) {
        sums.repairs += thread.repairs;
        sums.unmatched_leaves += thread.unmatched_leaves;
        sums.decode_errors += thread.decode_errors;
    }
    return sums;
}

std::vector<PauseSums> pauses_by_reason(const Profile& profile) {
    std::map<std::string_view, PauseSums> by_reason;
    for (const PauseSum& sum : profile.pause_sums) {
        add(by_reason[sum.reason], sum);
    }
    std::vector<PauseSums> sums;
    for (auto& [reason, of_reason] : by_reason) {
        of_reason.reason = reason;
        sums.push_back(of_reason);
    }
    std::ranges::stable_sort(sums, std::greater<>(), &PauseSums::total_ns);
    return sums;
}

PauseSums all_pauses(const Profile& profile) {
    PauseSums all;
    for (const PauseSum& sum : profile.pause_sums) {
        add(all, sum);
    }
    return all;
}

CompilationSums compilation_sums(const Profile& profile) {
    CompilationSums sums;
    for (const CompilationSum& sum : profile.compilation_sums) {
        sums.count += sum.count;
        sums.total_ns += sum.duration_ns;
    }
    sums.background_count = sums.count;
    sums.background_ns = sums.total_ns;
    for (const Thread& thread : profile.threads) {
        if (thread.calls != 0) {
            sums.background_count = less(sums.background_count, thread.compilations);
            sums.background_ns = less(sums.background_ns, thread.compiling_ns);
        }
    }
    return sums;
}

}  // namespace umbra::profile
