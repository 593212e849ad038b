// SPDX-License-Identifier: MIT
#include "src/collector/tables/async_tables.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/profile/methods.h"
#include "src/profile/names/awaited_name.h"
#include "src/profile/percentiles.h"
#include "src/replay/tree/histogram.h"

namespace umbra::collector {

using profile::kNone;
using profile::Row;
using replay::AsyncHow;
using replay::AsyncOutcome;
using replay::AsyncPart;

// All parts are rounded but the first, which takes what that leaves: the sum is rounded once, as
// the shortest and the longest call are.
profile::AsyncTimes times_of(const replay::AsyncTimes& ticks, const replay::LinearClock& clock) {
    profile::AsyncTimes times;
    times.children_ns = clock.duration_ns(ticks[AsyncPart::kChildren]);
    times.others_ns = clock.duration_ns(ticks[AsyncPart::kOthers]);
    times.outside_ns = clock.duration_ns(ticks[AsyncPart::kOutside]);
    times.queued_ns = clock.duration_ns(ticks[AsyncPart::kQueued]);
    const uint64_t not_running =
        times.children_ns + times.others_ns + times.outside_ns + times.queued_ns;
    times.wall_ns = std::max(clock.duration_ns(ticks.wall()), not_running);
    times.running_ns = times.wall_ns - not_running;
    return times;
}

std::string awaited_of(uint64_t type, const NameTables& names) {
    const protocol::AsyncTypeNamed* named = names.async_type(type);
    return named == nullptr ? "" : profile::awaited_name(named->name);
}

std::string awaited_of(const replay::AsyncWait& wait, const NameTables& names) {
    return wait.kind == replay::AsyncWait::kType ? awaited_of(wait.type, names) : "";
}

namespace {

profile::AsyncCounts counts_of(const replay::AsyncCounts& counts,
                               const replay::LinearClock& clock) {
    const auto ended = [&](AsyncOutcome outcome) {
        return counts.outcomes[static_cast<size_t>(outcome)];
    };
    return {.calls = counts.calls,
            .results = ended(AsyncOutcome::kResult),
            .faults = ended(AsyncOutcome::kFault),
            .cancelled = ended(AsyncOutcome::kCancelled),
            .open = ended(AsyncOutcome::kOpen),
            .unknown = ended(AsyncOutcome::kUnknown),
            .never_suspended = counts.never_suspended,
            .before = counts.before,
            .suspensions = counts.suspensions,
            .times = times_of(counts.times, clock)};
}

void set_lengths(const replay::AsyncMethodSums& sums, const replay::LinearClock& clock,
                 profile::AsyncMethod& method) {
    using Buckets = replay::AsyncBuckets;
    if (sums.timed == 0) {
        return;
    }
    std::vector<profile::HistogramBucket> buckets;
    for (size_t bucket = 0; bucket < sums.lengths.size(); ++bucket) {
        if (sums.lengths[bucket] == 0) {
            continue;
        }
        const uint64_t end = bucket + 1 == Buckets::kBuckets ? std::numeric_limits<uint64_t>::max()
                                                             : Buckets::lower_ticks(bucket + 1);
        buckets.push_back({.function = kNone,
                           .lower_ns = clock.duration_ns(Buckets::lower_ticks(bucket)),
                           .upper_ns = clock.duration_ns(end),
                           .calls = sums.lengths[bucket]});
    }
    // Shorter than the clock's tick, but not of no length, as all other calls.
    const uint64_t least = method.counts.times.wall_ns < method.counts.calls ? 0 : 1;
    method.min_ns = std::max(clock.duration_ns(sums.min_ticks), least);
    method.max_ns = std::max(clock.duration_ns(sums.max_ticks), least);
    const profile::Percentiles percentiles =
        profile::percentiles(buckets, method.min_ns, method.max_ns);
    method.p50_ns = percentiles.p50_ns;
    method.p90_ns = percentiles.p90_ns;
    method.p99_ns = percentiles.p99_ns;
}

std::string how_of(AsyncHow how) {
    switch (how) {
        case AsyncHow::kCalled:
            return std::string(profile::AsyncNode::kCalled);
        case AsyncHow::kSpawned:
            return std::string(profile::AsyncNode::kSpawned);
        case AsyncHow::kBefore:
            return std::string(profile::AsyncNode::kBefore);
        case AsyncHow::kRoot:
            break;
    }
    return std::string(profile::AsyncNode::kRoot);
}

std::string_view how_of(replay::AsyncWait::Kind kind) {
    switch (kind) {
        case replay::AsyncWait::kChild:
            return profile::AsyncWait::kChild;
        case replay::AsyncWait::kOther:
            return profile::AsyncWait::kOther;
        case replay::AsyncWait::kRest:
            return profile::AsyncWait::kRest;
        case replay::AsyncWait::kUntold:
        case replay::AsyncWait::kType:
            break;
    }
    return profile::AsyncWait::kOutside;
}

std::vector<profile::AsyncWait> waits_of(const NameTables& names, const replay::AsyncSums& sums,
                                         const std::function<Row(uint32_t)>& row_of,
                                         const replay::LinearClock& clock) {
    // Types of one name, as the instantiations of a generic one, are one.
    struct Sum {
        uint64_t times = 0;
        uint64_t ticks = 0;
    };
    std::map<std::tuple<Row, std::string, Row, std::string>, Sum> rows;
    for (const replay::AsyncWait& wait : sums.waits) {
        if (wait.times == 0) {
            continue;
        }
        Sum& sum = rows[{row_of(wait.method), std::string(how_of(wait.kind)), row_of(wait.function),
                         awaited_of(wait, names)}];
        sum.times += wait.times;
        sum.ticks += wait.ticks;
    }
    std::vector<profile::AsyncWait> waits;
    for (const auto& [key, sum] : rows) {
        const auto& [function, how, awaited_function, awaited] = key;
        waits.push_back({.function = function,
                         .how = how,
                         .awaited_function = awaited_function,
                         .awaited = awaited,
                         .times = sum.times,
                         .total_ns = clock.duration_ns(sum.ticks)});
    }
    std::ranges::stable_sort(waits, [](const auto& a, const auto& b) {
        return std::tuple(a.function, b.total_ns) < std::tuple(b.function, a.total_ns);
    });
    return waits;
}

std::vector<profile::BlockedWait> blocked_of(const NameTables& names, const replay::AsyncSums& sums,
                                             const std::function<Row(uint32_t)>& row_of,
                                             const replay::LinearClock& clock) {
    std::map<std::tuple<Row, Row, std::string>, replay::BlockedWait> rows;
    for (const replay::BlockedWait& wait : sums.blocked) {
        if (wait.times != 0) {
            replay::BlockedWait& sum = rows[{row_of(wait.function), row_of(wait.awaited_function),
                                             awaited_of(wait.type, names)}];
            sum.times += wait.times;
            sum.ticks += wait.ticks;
        }
    }
    std::vector<profile::BlockedWait> waits;
    waits.reserve(rows.size());
    for (const auto& [key, sum] : rows) {
        waits.push_back({.function = std::get<0>(key),
                         .awaited_function = std::get<1>(key),
                         .awaited = std::get<2>(key),
                         .times = sum.times,
                         .total_ns = clock.duration_ns(sum.ticks)});
    }
    std::ranges::stable_sort(waits, std::greater<>(), &profile::BlockedWait::total_ns);
    return waits;
}

}  // namespace

void for_each_async_function(const std::optional<replay::AsyncSums>& sums,
                             const std::function<void(uint32_t)>& visit) {
    if (!sums) {
        return;
    }
    for (const auto& [function, method] : sums->methods) {
        visit(function);
    }
    for (const replay::AsyncNode& node : sums->tree) {
        for (const uint32_t index : {node.function, node.starter, node.caller}) {
            visit(index);
        }
    }
    for (const replay::AsyncWait& wait : sums->waits) {
        visit(wait.method);
        visit(wait.function);
    }
    for (const replay::BlockedWait& wait : sums->blocked) {
        visit(wait.function);
        visit(wait.awaited_function);
    }
}

Row caller_of(const replay::AsyncNode& node, std::span<const Row> function_rows,
              const profile::Methods& methods) {
    const auto row_of = [&](uint32_t index) {
        return index == 0 || index >= function_rows.size() ? kNone : function_rows[index];
    };
    const Row function = row_of(node.function);
    const Row starter = row_of(node.starter);
    const bool starts = starter != kNone && function != kNone && starter != function &&
                        methods.method_of[starter] == methods.method_of[function];
    return starts ? row_of(node.caller) : starter;
}

uint64_t runtime_async_methods(const NameTables& names, std::span<const Row> function_rows,
                               const std::vector<profile::Function>& functions) {
    std::map<std::pair<uint32_t, uint32_t>, bool> pieces_alone;  // by module and token
    for (uint32_t index = 0; index < names.function_end(); ++index) {
        const protocol::FunctionNamed* named = names.function(index);
        const Row row = index < function_rows.size() ? function_rows[index] : kNone;
        if (named != nullptr && named->runtime_async && row != kNone &&
            functions[row].times.calls > 0) {
            bool& alone =
                pieces_alone.try_emplace({named->module, named->token}, true).first->second;
            alone = alone && !named->suspended;
        }
    }
    return static_cast<uint64_t>(
        std::ranges::count_if(pieces_alone, [](const auto& method) { return method.second; }));
}

void add_async_calls(const NameTables& names, const std::optional<replay::AsyncSums>& told,
                     std::span<const Row> function_rows, const replay::LinearClock& clock,
                     profile::Profile& profile) {
    if (!told) {
        return;
    }
    const replay::AsyncSums& sums = *told;
    const auto row_of = [&](uint32_t index) {
        return index < function_rows.size() ? function_rows[index] : kNone;
    };
    profile.session.async = {.followed = true,
                             .lost_calls = sums.lost_calls,
                             .lost_facts = sums.lost_facts,
                             .clashes = sums.clashes};
    for (const auto& [function, method] : sums.methods) {
        profile.async_methods.push_back({.function = row_of(function),
                                         .counts = counts_of(method.counts, clock),
                                         .iterator = method.iterator});
        set_lengths(method, clock, profile.async_methods.back());
        if (const Row row = profile.async_methods.back().function;
            row != kNone && profile.functions[row].runtime_async) {
            profile.functions[row].times.calls = method.counts.calls;
        }
    }
    std::ranges::sort(profile.async_methods, [](const auto& a, const auto& b) {
        return std::tuple(b.counts.times.wall_ns, a.function) <
               std::tuple(a.counts.times.wall_ns, b.function);
    });
    const profile::Methods methods = profile::methods(profile, true);
    // A path may have lost its only call to another one, when more was known of it.
    std::vector<bool> counts(sums.tree.size());
    for (size_t number = sums.tree.size(); number-- > 0;) {
        counts[number] = counts[number] || sums.tree[number].counts.calls != 0;
        if (counts[number] && sums.tree[number].parent != 0) {
            counts[sums.tree[number].parent] = true;
        }
    }
    std::vector<Row> rows(sums.tree.size(), kNone);
    for (size_t number = 0; number < sums.tree.size(); ++number) {
        if (!counts[number]) {
            continue;
        }
        const replay::AsyncNode& node = sums.tree[number];
        rows[number] = static_cast<Row>(profile.async_tree.size());
        profile.async_tree.push_back({.parent = node.parent == 0 ? kNone : rows[node.parent],
                                      .function = row_of(node.function),
                                      .how = how_of(node.how),
                                      .caller = caller_of(node, function_rows, methods),
                                      .counts = counts_of(node.counts, clock)});
    }
    profile.async_waits = waits_of(names, sums, row_of, clock);
    profile.blocked_waits = blocked_of(names, sums, row_of, clock);
}

}  // namespace umbra::collector
