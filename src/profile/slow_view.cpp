// SPDX-License-Identifier: MIT
#include "src/profile/slow_view.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "src/profile/methods.h"

namespace umbra::profile {
namespace {

uint64_t mean_ns(const Function& function) {
    return function.times.calls == 0 ? 0 : function.times.total_ns / function.times.calls;
}

/// What calls of a function are called, and what they take on average: async ones from begin to
/// result, by the name of their method.
class CallFacts {
  public:
    explicit CallFacts(const Profile& profile)
        : profile_(profile), methods_(methods(profile, !profile.async_methods.empty())) {
        for (const AsyncMethod& method : profile.async_methods) {
            if (method.function != kNone) {
                calls_[method.function] = &method.counts;
            }
        }
    }
    [[nodiscard]] const std::string& name(Row function) const {
        const bool async = calls_.contains(function);
        return profile_.functions[async ? methods_.method_of[function] : function].name;
    }
    [[nodiscard]] uint64_t mean_ns(Row function) const {
        const auto known = calls_.find(function);
        return known == calls_.end()       ? profile::mean_ns(profile_.functions[function])
               : known->second->calls == 0 ? 0
                                           : known->second->times.wall_ns / known->second->calls;
    }
    /// Of the calls that were compared: of a recursive method those that no other is around.
    [[nodiscard]] uint64_t mean_ns(const SlowMethod& method) const {
        const Function& function = profile_.functions[method.function];
        return method.calls == 0 || calls_.contains(method.function)
                   ? mean_ns(method.function)
                   : function.times.total_ns / method.calls;
    }

  private:
    const Profile& profile_;
    const Methods methods_;
    std::unordered_map<Row, const AsyncCounts*> calls_;
};

/// Pauses that overlap [start_ns, end_ns), which come in order of time.
std::span<const Pause> pauses_between(const Profile& profile, uint64_t start_ns, uint64_t end_ns) {
    const auto first = std::ranges::partition_point(profile.pauses, [&](const Pause& pause) {
        return pause.start_ns + pause.duration_ns <= start_ns;
    });
    const auto last = std::partition_point(
        first, profile.pauses.end(), [&](const Pause& pause) { return pause.start_ns < end_ns; });
    return {first, last};
}

/// "gc of generation 2"
std::string reason_of(const Pause& pause) {
    constexpr uint32_t kOldest = 2;
    for (uint32_t generation = kOldest + 1; generation-- > 0;) {
        if ((pause.generations >> generation & 1U) != 0) {
            return pause.reason + " of generation " + std::to_string(generation);
        }
    }
    return pause.reason;
}

std::string awaiting_name(const CallFacts& calls, const SlowSlice& slice) {
    const std::string& what = slice.function == kNone ? slice.awaited : calls.name(slice.function);
    return what.empty() ? "(awaiting)" : "(awaiting " + what + ')';
}

std::string interval_name(const Profile& profile, const CallFacts& calls, const SlowSlice& slice) {
    if (slice.kind == SlowSlice::kAwaiting) {
        return awaiting_name(calls, slice);
    }
    if (slice.kind == SlowSlice::kRunning && slice.thread != kNone) {
        return "(running in " + thread_label(profile.threads[slice.thread]) + ')';
    }
    if (slice.kind == SlowSlice::kOffCpu) {
        return "(off the processors)";
    }
    if (slice.kind == SlowSlice::kWaited) {
        return "(waited for umbra)";
    }
    if (slice.kind != SlowSlice::kPaused) {
        return '(' + slice.kind + ')';
    }
    const auto pauses = pauses_between(profile, slice.start_ns, slice.start_ns + slice.duration_ns);
    return pauses.empty() ? "(paused)" : "(paused: " + reason_of(pauses.front()) + ')';
}

SlowRow row_of(const Profile& profile, const CallFacts& calls, const SlowSlice& slice) {
    SlowRow row{.slice = &slice, .name = {}};
    if (slice.function == kNone || slice.kind == SlowSlice::kAwaiting) {
        row.name = interval_name(profile, calls, slice);
        return row;
    }
    const Function& function = profile.functions[slice.function];
    if (slice.kind == SlowSlice::kCompiling) {
        row.name = "(compiling " + function.name + ')';
        return row;
    }
    row.name = calls.name(slice.function);
    row.usual_ns = calls.mean_ns(slice.function) * slice.calls;
    return row;
}

/// The slices of one call, from row `first` of the profile on.
class CallRows {
  public:
    CallRows(const Profile& profile, const CallFacts& calls, std::size_t first, std::size_t count)
        : profile_(profile),
          calls_(calls),
          slices_(profile.slow_slices.data() + first, count),
          first_(first) {
        children_.resize(count);
        inner_ns_.resize(count);
        for (std::size_t number = 0; number < count; ++number) {
            const SlowSlice& slice = slices_[number];
            if (slice.parent == kNone || slice.parent < first_) {
                continue;
            }
            rows_.compiled += slice.kind == SlowSlice::kCompiling ? 1U : 0U;
            const std::size_t parent = slice.parent - first_;
            children_[parent].push_back(number);
            const bool beside =
                slice.kind == SlowSlice::kPaused || slice.kind == SlowSlice::kCompiling;
            inner_ns_[parent] += beside ? 0 : slice.duration_ns;
        }
        for (std::size_t number = 0; number < count; ++number) {
            if (slices_[number].kind == SlowSlice::kRunning && slices_[number].parent >= first_ &&
                slices_[number].parent != kNone) {
                const std::size_t parent = slices_[number].parent - first_;
                own_ns_[parent] = own_ns(number) + (own_ns_.contains(parent) ? own_ns_[parent] : 0);
            }
        }
    }

    SlowCallRows rows(const SlowCall& call, std::size_t most) {
        constexpr uint64_t kTellingPart = 1'000;
        const bool all = slices_.size() <= most;
        least_ns_ = all || slices_.empty() ? 0 : slices_[0].duration_ns / kTellingPart;
        choose(all ? slices_.size() : most);
        rows_.call = &call;
        rows_.left_out = slices_.size();
        if (!slices_.empty()) {
            add_all();
        }
        return std::move(rows_);
    }

  private:
    /// A slice, or slices of one method in the same call, to become a row.
    struct Open {
        std::size_t depth = 0;
        std::vector<std::size_t> slices;
    };

    /// Of a call: what no slice in it has. A call that has run now and then has what it ran.
    [[nodiscard]] uint64_t own_ns(std::size_t number) const {
        const auto ran = own_ns_.find(number);
        return ran != own_ns_.end() ? ran->second
                                    : slices_[number].duration_ns -
                                          std::min(inner_ns_[number], slices_[number].duration_ns);
    }

    void choose(std::size_t most) {
        shown_.assign(slices_.size(), false);
        std::vector<std::size_t> longest(slices_.size());
        std::iota(longest.begin(), longest.end(), std::size_t{0});
        std::ranges::stable_sort(longest, [this](std::size_t a, std::size_t b) {
            return slices_[a].duration_ns > slices_[b].duration_ns;
        });
        for (std::size_t at = 0; at < std::min(most, longest.size()); ++at) {
            shown_[longest[at]] = slices_[longest[at]].duration_ns >= least_ns_;
        }
    }

    /// Depth first without recursion: a record may be as deep as the program's stack.
    void add_all() {
        std::vector<Open> open;
        open.push_back({0, {0}});
        while (!open.empty()) {
            const Open next = std::move(open.back());
            open.pop_back();
            add_row(next);
            if (next.slices.size() == 1 && shown_[next.slices[0]]) {
                open_children(next, open);
            }
        }
    }

    void add_row(const Open& from) {
        uint64_t self_ns = 0;
        SlowSlice sum = slices_[from.slices[0]];
        sum.duration_ns = sum.calls = 0;
        for (const std::size_t number : from.slices) {
            const SlowSlice& slice = slices_[number];
            sum.duration_ns += slice.duration_ns;
            sum.calls += slice.calls;
            self_ns += slice.kind == SlowSlice::kCall ? own_ns(number) : 0;
        }
        const SlowSlice* slice = &slices_[from.slices[0]];
        if (from.slices.size() > 1) {
            rows_.sums.push_back(std::make_unique<const SlowSlice>(std::move(sum)));
            slice = rows_.sums.back().get();
        }
        SlowRow row = row_of(profile_, calls_, *slice);
        row.depth = from.depth;
        row.self_ns = self_ns;
        rows_.rows.push_back(std::move(row));
        rows_.left_out -= from.slices.size();
    }

    /// Of those with rows of their own the first is put behind, to come next; the sums are below.
    void open_children(const Open& parent, std::vector<Open>& open) {
        std::vector<std::size_t>& children = children_[parent.slices[0]];
        std::ranges::stable_sort(children, [this](std::size_t a, std::size_t b) {
            return slices_[a].start_ns > slices_[b].start_ns;
        });
        std::map<std::tuple<std::string_view, Row, std::string_view>, Open> others;
        for (const std::size_t child : children) {
            if (!shown_[child]) {
                const SlowSlice& slice = slices_[child];
                others[{slice.kind, slice.function, slice.awaited}].slices.push_back(child);
            }
        }
        std::vector<std::pair<uint64_t, Open>> sums;
        for (auto& [what, together] : others) {
            uint64_t sum_ns = 0;
            for (const std::size_t child : together.slices) {
                sum_ns += slices_[child].duration_ns;
            }
            if (sum_ns >= least_ns_) {
                together.depth = parent.depth + 1;
                sums.emplace_back(sum_ns, std::move(together));
            }
        }
        std::ranges::stable_sort(sums, {}, &std::pair<uint64_t, Open>::first);
        for (auto& [sum_ns, together] : sums) {
            open.push_back(std::move(together));
        }
        for (const std::size_t child : children) {
            if (shown_[child]) {
                open.push_back({parent.depth + 1, {child}});
            }
        }
    }

    const Profile& profile_;
    const CallFacts& calls_;
    std::span<const SlowSlice> slices_;
    std::size_t first_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<uint64_t> inner_ns_;  ///< of each, what has slices in it
    /// Of async calls that have suspended: what they ran, without what has slices there.
    std::unordered_map<std::size_t, uint64_t> own_ns_;
    std::vector<bool> shown_;  ///< by slice: it has a row of its own
    uint64_t least_ns_ = 0;    ///< that a row has to have taken
    SlowCallRows rows_;
};

}  // namespace

std::vector<std::string> pauses_in(const Profile& profile, const SlowCall& call) {
    std::vector<std::string> told;
    const auto pauses = pauses_between(profile, call.start_ns, call.start_ns + call.duration_ns);
    for (const Pause& pause : pauses) {
        std::string text =
            reason_of(pause) + (pause.thread == call.thread ? " by this thread" : "");
        if (std::ranges::find(told, text) == told.end()) {
            told.push_back(std::move(text));
        }
    }
    return told;
}

std::vector<SlowMethodCalls> slow_view(const Profile& profile, const View& view,
                                       std::size_t most_rows) {
    const std::vector<bool> functions = taken_functions(profile, view.filter);
    const std::vector<bool> threads = taken_threads(profile, view.filter);
    const CallFacts facts(profile);
    std::vector<SlowMethodCalls> methods;
    std::vector<std::size_t> place(profile.slow_methods.size(), kNone);
    for (std::size_t row = 0; row < profile.slow_methods.size(); ++row) {
        const SlowMethod& method = profile.slow_methods[row];
        const bool taken =
            method.function == kNone ? view.filter.any_method() : functions[method.function];
        if (taken) {
            place[row] = methods.size();
            SlowMethodCalls& one = methods.emplace_back();
            one.method = &method;
            if (method.function != kNone) {
                one.name = facts.name(method.function);
                one.mean_ns = facts.mean_ns(method);
            }
        }
    }
    std::size_t first = 0;
    for (std::size_t row = 0; row < profile.slow_calls.size(); ++row) {
        while (first < profile.slow_slices.size() && profile.slow_slices[first].call < row) {
            ++first;
        }
        std::size_t end = first;
        while (end < profile.slow_slices.size() && profile.slow_slices[end].call == row) {
            ++end;
        }
        const SlowCall& call = profile.slow_calls[row];
        if (place[call.method] != kNone && threads[call.thread] &&
            methods[place[call.method]].calls.size() < view.top) {
            SlowMethodCalls& method = methods[place[call.method]];
            method.calls.push_back(
                CallRows(profile, facts, first, end - first).rows(call, most_rows));
            std::vector<SlowRow>& rows = method.calls.back().rows;
            if (!rows.empty() && rows.front().slice->function == method.method->function) {
                rows.front().usual_ns = method.mean_ns;
            }
        }
        first = end;
    }
    const auto slowest = [](const SlowMethodCalls& method) {
        return method.calls.empty() ? 0 : method.calls.front().call->wall_ns;
    };
    std::ranges::stable_sort(methods, [&](const SlowMethodCalls& a, const SlowMethodCalls& b) {
        return slowest(a) > slowest(b);
    });
    return methods;
}

}  // namespace umbra::profile
