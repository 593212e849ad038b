// SPDX-License-Identifier: MIT
// One walk along the paths. Each group remembers its innermost call on the path.
#include "src/profile/group_sums.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/profile/tree_walk.h"

namespace umbra::profile {
namespace {

/// Name, module and runtime of the group a function belongs to.
Group group_named(const Profile& profile, GroupBy by, const Function& function) {
    const std::string module(module_name(profile, function));
    const std::string runtime = runtime_label(profile, function.runtime);
    switch (by) {
        case GroupBy::kType: {
            const bool both = !function.namespace_.empty() && !function.type.empty();
            const std::string type = function.namespace_ + (both ? "." : "") + function.type;
            return {type.empty() ? "(no type)" : type, module, runtime, {}};
        }
        case GroupBy::kNamespace:
            return {
                function.namespace_.empty() ? "(no namespace)" : function.namespace_, "", "", {}};
        case GroupBy::kModule:
            return {module.empty() ? "(no module)" : module, "", runtime, {}};
        case GroupBy::kFunction:
        case GroupBy::kThread:
            break;
    }
    return {function.name, module, runtime, {}};
}

Grouping group_threads(const Profile& profile, const std::vector<bool>& taken) {
    Grouping grouping{GroupBy::kThread, {}, {}};
    for (Row row = 0; row < profile.threads.size(); ++row) {
        grouping.group_of.push_back(taken[row] ? static_cast<Row>(grouping.groups.size()) : kNone);
        if (taken[row]) {
            grouping.groups.push_back({thread_label(profile.threads[row]), "", "", {}});
        }
    }
    return grouping;
}

class Summing {
  public:
    Summing(const Profile& profile, const Grouping& grouping, const Methods& methods,
            const std::vector<bool>& shown, const std::vector<bool>& threads)
        : tree_(profile.calltree),
          grouping_(grouping),
          methods_(methods),
          shown_(shown),
          threads_(threads),
          sums_(grouping.groups.size()),
          innermost_(grouping.groups.size(), kNone) {}

    std::vector<GroupSums> run() {
        const TreeLinks links(tree_);
        for (Row root = links.first_root(); root != kNone; root = links.next_sibling(root)) {
            if (takes(threads_, tree_[root])) {
                walk_below(
                    tree_, links, root, [this](Row row) { return enter(row); },
                    [this](Row row) { leave(row); });
            }
        }
        return std::move(sums_);
    }

  private:
    [[nodiscard]] Row group_of(const CallNode& node) const {
        if (!shown_[node.function]) {
            return kNone;
        }
        return grouping_.group_of[grouping_.by == GroupBy::kThread ? node.thread : node.function];
    }

    /// The run of a piece inside the call that starts its method is not a call of its own.
    [[nodiscard]] bool continues(Row function, Row innermost) const {
        if (innermost == kNone || !methods_.piece[function]) {
            return false;
        }
        const Row outer = tree_[innermost].function;
        return !methods_.piece[outer] && methods_.method_of[function] == methods_.method_of[outer];
    }

    bool enter(Row row) {
        const CallNode& node = tree_[row];
        const Row group = group_of(node);
        if (group == kNone) {
            return true;
        }
        const Row outer = innermost_[group];
        outer_.push_back(outer);
        innermost_[group] = row;
        GroupSums& sums = sums_[group];
        add_own(sums.times, node.times, methods_.counts_calls[node.function]);
        add_extremes(sums.times, node.times);
        if (outer == kNone) {
            add_inclusive(sums.times, node.times);
        }
        if (!continues(node.function, outer)) {
            add_inclusive(sums.every, node.times);
        }
        return true;
    }

    void leave(Row row) {
        const Row group = group_of(tree_[row]);
        if (group != kNone) {
            innermost_[group] = outer_.back();
            outer_.pop_back();
        }
    }

    const std::vector<CallNode>& tree_;
    const Grouping& grouping_;
    const Methods& methods_;
    const std::vector<bool>& shown_;
    const std::vector<bool>& threads_;
    std::vector<GroupSums> sums_;
    std::vector<Row> innermost_;  ///< by group: its last call on the path, a row of the tree
    std::vector<Row> outer_;      ///< for each call on the path, what innermost_ was before it
};

/// With nothing below.
CallTimes own_only(CallTimes times) {
    times.total_ns = times.self_ns;
    times.raw.total_ns = times.raw.self_ns;
    times.cpu.total_ns = times.cpu.self_ns;
    times.paused.total_ns = times.paused.self_ns;
    return times;
}

/// Makes inclusive times no less than those of `times`.
void raise_inclusive(CallTimes& sum, const CallTimes& times) {
    sum.total_ns = std::max(sum.total_ns, times.total_ns);
    sum.raw.total_ns = std::max(sum.raw.total_ns, times.raw.total_ns);
    sum.cpu.total_ns = std::max(sum.cpu.total_ns, times.cpu.total_ns);
    sum.paused.total_ns = std::max(sum.paused.total_ns, times.paused.total_ns);
}

/// From the rows of thread_functions: the paths do not tell threads apart. A piece of a method runs
/// for the first time inside the call that starts it, so of that only its own time is added.
std::vector<GroupSums> sum_thread_functions(const Profile& profile, const Grouping& grouping,
                                            const Methods& methods, const std::vector<bool>& shown,
                                            const std::vector<bool>& threads) {
    const bool by_thread = grouping.by == GroupBy::kThread;
    std::vector<GroupSums> sums(grouping.groups.size());
    for (const ThreadFunction& row : profile.thread_functions) {
        const Row group = grouping.group_of[by_thread ? row.thread : row.function];
        if (group == kNone || !shown[row.function] || !threads[row.thread]) {
            continue;
        }
        CallTimes& times = sums[group].times;
        add_own(times, row.times, methods.counts_calls[row.function]);
        add_extremes(times, row.times);
        const bool in_other = by_thread || (methods.method_of[row.function] == row.function &&
                                            !methods.piece[row.function] &&
                                            grouping.groups[group].functions.size() > 1);
        add_inclusive(times, in_other ? own_only(row.times) : row.times);
    }
    for (GroupSums& group : sums) {
        group.every = group.times;
    }
    return sums;
}

/// Some paths of a folded tree have no rows. What functions did themselves is known of each, and no
/// group takes less, with what it calls, than one of its functions.
void take_own_times(const Profile& profile, const Grouping& grouping, const Methods& methods,
                    std::vector<GroupSums>& sums) {
    std::vector<CallTimes> own(sums.size());
    for (Row row = 0; row < profile.functions.size(); ++row) {
        const Row group = grouping.group_of[row];
        const CallTimes& times = profile.functions[row].times;
        if (group != kNone && was_seen(times)) {
            add_own(own[group], times, methods.counts_calls[row]);
            add_extremes(own[group], times);
            raise_inclusive(sums[group].times, times);
        }
    }
    for (std::size_t group = 0; group < sums.size(); ++group) {
        CallTimes& times = sums[group].times;
        raise_inclusive(own[group], own_only(own[group]));
        raise_inclusive(own[group], times);
        times = own[group];
    }
}

}  // namespace

Grouping group_functions(const Profile& profile, GroupBy by, const Methods& methods,
                         const std::vector<bool>& taken) {
    if (by == GroupBy::kThread) {
        return group_threads(profile, taken);
    }
    Grouping grouping{by, std::vector<Row>(profile.functions.size(), kNone), {}};
    std::map<std::tuple<std::string, std::string, std::string>, Row> group_of_name;
    for (Row row = 0; row < profile.functions.size(); ++row) {
        if (!taken[row]) {
            continue;
        }
        const Row method = methods.method_of[row];
        const Function& function = profile.functions[method];
        Group named = group_named(profile, by, function);
        Row& group =
            by == GroupBy::kFunction
                ? grouping.group_of[method]
                : group_of_name.try_emplace({named.name, named.module, named.runtime}, kNone)
                      .first->second;
        if (group == kNone) {
            group = static_cast<Row>(grouping.groups.size());
            grouping.groups.push_back(std::move(named));
        }
        grouping.group_of[row] = group;
        grouping.groups[group].functions.push_back(row);
    }
    return grouping;
}

std::vector<GroupSums> sum_groups(const Profile& profile, const Grouping& grouping,
                                  const Methods& methods, const std::vector<bool>& shown,
                                  const std::vector<bool>& threads) {
    const bool by_thread = grouping.by == GroupBy::kThread;
    if (threads_share_paths(profile) &&
        (by_thread || !std::ranges::all_of(threads, std::identity()))) {
        return sum_thread_functions(profile, grouping, methods, shown, threads);
    }
    std::vector<GroupSums> sums = Summing(profile, grouping, methods, shown, threads).run();
    if (is_folded(profile.session) && !by_thread) {
        take_own_times(profile, grouping, methods, sums);
    }
    return sums;
}

}  // namespace umbra::profile
