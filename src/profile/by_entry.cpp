// SPDX-License-Identifier: MIT
#include "src/profile/by_entry.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "src/profile/call_sums.h"
#include "src/profile/methods.h"
#include "src/profile/neighbours.h"
#include "src/profile/tree_walk.h"

namespace umbra::profile {
namespace {

/// Sums up what is below methods with a label, one after the other.
class BelowEntries {
  public:
    BelowEntries(const Profile& profile, const View& view, const Methods& methods, EntryLabel label)
        : profile_(profile),
          view_(view),
          methods_(methods),
          label_(label),
          links_(profile.calltree),
          open_(profile.functions.size()) {
        const std::vector<bool> threads = taken_threads(profile, view.filter);
        for (Row root = links_.first_root(); root != kNone; root = links_.next_sibling(root)) {
            if (takes(threads, profile.calltree[root])) {
                find_entries(root);
            }
        }
    }

    /// What is below the calls of `entry`, and its own self time taken along.
    void add_to(EntryRow& row, Row entry) {
        std::map<Row, CallTimes> sums;
        uint64_t kept_ns = 0;
        for (const Row root : calls_[entry]) {
            walk_below(
                profile_.calltree, links_, root,
                [&](Row node) {
                    const CallNode& call = profile_.calltree[node];
                    if (call.truncated) {
                        return false;
                    }
                    const Row method = methods_.method_of[call.function];
                    kept_ns += shown(call.times, view_).self_ns;
                    if (method != entry) {
                        CallTimes& sum = sums[method];
                        add_own(sum, call.times, methods_.counts_calls[call.function]);
                        add_extremes(sum, call.times);
                        if (open_[method] == 0) {
                            add_inclusive(sum, call.times);
                        }
                    }
                    ++open_[method];
                    return true;
                },
                [&](Row node) { --open_[methods_.method_of[profile_.calltree[node].function]]; });
        }
        // The time of whole async calls is not that of paths.
        row.truncated_ns = row.method.logical ? 0
                                              : row.method.times.total_ns -
                                                    std::min(row.method.times.total_ns, kept_ns);
        std::vector<HotFunction> below;
        below.reserve(sums.size());
        for (const auto& [method, times] : sums) {
            below.push_back(method_row(profile_, method, times, times, view_));
        }
        View order = view_;
        order.top = below.size();
        order.sort = view_.sort == SortBy::kTotal ? SortBy::kSelf : view_.sort;
        const auto whole = static_cast<double>(row.method.times.total_ns);
        row.below = ranked(std::move(below), order, [&](const HotFunction& one) {
                        return whole > 0 ? 100 * static_cast<double>(one.times.self_ns) / whole : 0;
                    }).functions;
    }

  private:
    /// Notes each call of a method with a label that is not inside another call of the same one.
    void find_entries(Row root) {
        const auto entry_of = [this](Row node) {
            const Row method = methods_.method_of[profile_.calltree[node].function];
            return (profile_.functions[method].*label_).empty() ? kNone : method;
        };
        walk_below(
            profile_.calltree, links_, root,
            [&](Row node) {
                if (const Row entry = entry_of(node); entry != kNone && open_[entry]++ == 0) {
                    calls_[entry].push_back(node);
                }
                return true;
            },
            [&](Row node) {
                if (const Row entry = entry_of(node); entry != kNone) {
                    --open_[entry];
                }
            });
    }

    const Profile& profile_;
    const View& view_;
    const Methods& methods_;
    const EntryLabel label_;
    TreeLinks links_;
    std::vector<uint32_t> open_;  ///< by row of functions: calls of the method on the path
    std::map<Row, std::vector<Row>> calls_;  ///< by method: rows of the calltree
};

/// How long the async calls last, in sum, that methods which are not async have begun: of each
/// method those of one that it begins, one a call, the longest. `methods`: pieces folded.
std::map<Row, uint64_t> begun_async_calls(const Profile& profile, const Methods& methods) {
    std::set<std::pair<Row, Row>> blocked;  // it has waited for these itself
    for (const BlockedWait& wait : profile.blocked_waits) {
        if (wait.function != kNone && wait.awaited_function != kNone) {
            blocked.emplace(methods.method_of[wait.function],
                            methods.method_of[wait.awaited_function]);
        }
    }
    std::map<Row, uint64_t> longest;
    for (const auto& [ends, counts] : logical_edges(profile, methods)) {
        if (ends.first == kNone || counts.calls == 0 || blocked.contains(ends)) {
            continue;
        }
        // Of several that a call begins, which may go on at once, one.
        const uint64_t calls = profile.functions[ends.first].times.calls;
        const double part =
            std::min(1.0, static_cast<double>(calls) / static_cast<double>(counts.calls));
        uint64_t& most = longest[ends.first];
        most =
            std::max(most, static_cast<uint64_t>(part * static_cast<double>(counts.times.wall_ns)));
    }
    return longest;
}

/// Its calls last as long as the async calls that they begin: of single ones nothing is known then.
void set_going_on(HotFunction& hot, uint64_t wall_ns) {
    for (CallTimes* times : {&hot.times, &hot.stored}) {
        set_logical_times(
            *times,
            {.calls = times->calls, .open = times->unfinished, .times = {.wall_ns = wall_ns}});
    }
    hot.mean_ns = hot.stored_mean_ns = wall_ns / std::max<uint64_t>(hot.times.calls, 1);
    hot.percentiles = {};
    hot.total_doubt_ns = 0;
    hot.logical = true;
}

}  // namespace

bool has_entries(const Profile& profile, EntryLabel label) {
    return std::ranges::any_of(profile.functions, [label](const Function& function) {
        return !(function.*label).empty() && was_seen(function.times);
    });
}

EntryList by_entry(const Profile& profile, const View& view, EntryLabel label) {
    View all = view;
    all.by = GroupBy::kFunction;
    all.fold = true;
    all.top = std::numeric_limits<std::size_t>::max();
    const Methods folded = methods(profile, true);
    EntryList list{.label = label, .rows = {}};
    list.any = std::ranges::any_of(profile.functions,
                                   [label](const Function& one) { return !(one.*label).empty(); });
    if (!list.any) {
        return list;
    }
    const auto method_of = [&](const HotFunction& hot) {
        return folded.method_of[static_cast<Row>(hot.function - profile.functions.data())];
    };
    const std::map<Row, uint64_t> begun = view.filter.threads.empty()
                                              ? begun_async_calls(profile, folded)
                                              : std::map<Row, uint64_t>();
    std::set<Row> going_on;
    double whole = 0;
    std::vector<HotFunction> entries;
    for (HotFunction& hot : hot_list(profile, all).functions) {
        const Row method = method_of(hot);
        if ((profile.functions[method].*label).empty()) {
            continue;
        }
        const auto calls = begun.find(method);
        if (!hot.logical && calls != begun.end() && calls->second > hot.times.total_ns) {
            set_going_on(hot, calls->second);
            going_on.insert(method);
        }
        whole += static_cast<double>(hot.times.total_ns);
        entries.push_back(std::move(hot));
    }
    View order = all;
    order.top = view.top;
    HotList shown = ranked(std::move(entries), order, [whole](const HotFunction& hot) {
        return whole > 0 ? 100 * static_cast<double>(hot.times.total_ns) / whole : 0;
    });
    list.left_out = shown.left_out;
    BelowEntries below(profile, all, folded, label);
    for (HotFunction& hot : shown.functions) {
        const Row method = method_of(hot);
        list.rows.push_back({.method = std::move(hot),
                             .label = profile.functions[method].*label,
                             .below = {},
                             .goes_on = going_on.contains(method)});
        below.add_to(list.rows.back(), method);
    }
    return list;
}

}  // namespace umbra::profile
