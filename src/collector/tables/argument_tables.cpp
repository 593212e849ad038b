// SPDX-License-Identifier: MIT
// Arguments by number, their values by time.
#include "src/collector/tables/argument_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "src/collector/tables/argument_text.h"
#include "src/profile/percentiles.h"
#include "src/replay/tree/histogram.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;
using protocol::ArgumentNamed;
using replay::ArgumentContent;
using replay::ArgumentOf;
using replay::ArgumentSums;
using replay::ArgumentValue;

constexpr uint32_t kNoLimit = std::numeric_limits<uint32_t>::max();

/// Each argument as one of its own function.
ArgumentSums attributed(const NameTables& names, ArgumentSums sums) {
    std::vector<bool> moved;
    for (ArgumentOf& argument : sums.arguments) {
        const ArgumentNamed* named = names.argument(argument.number);
        const uint32_t function =
            named == nullptr || named->function == 0 ? argument.function : named->function;
        moved.push_back(std::exchange(argument.function, function) != function);
    }
    if (std::ranges::find(moved, true) == moved.end()) {
        return sums;
    }
    for (size_t row = 1; row < sums.values.size(); ++row) {
        ArgumentValue& value = sums.values[row];
        if (moved[value.argument]) {
            ArgumentValue without_times;
            without_times.argument = value.argument;
            without_times.content = value.content;
            without_times.calls = without_times.unfinished = value.calls;
            value = without_times;
        }
    }
    replay::ArgumentTable table(kNoLimit, kNoLimit);
    table.add(sums);
    return table.sums();
}

/// The values of one argument.
class Values {
  public:
    Values(const ArgumentSums& sums, const replay::LinearClock& clock)
        : sums_(sums), clock_(clock) {}

    void add(const ArgumentValue& value) {
        if (value.calls != 0) {
            (value.content.kind == ArgumentContent::kRest ? rest_ : rows_).push_back(&value);
        }
    }
    [[nodiscard]] size_t count() const { return rows_.size(); }

    /// Appends the rows; returns all calls.
    uint64_t append_to(std::vector<profile::ArgumentValue>& out, Row argument,
                       const ArgumentNamed* named) {
        std::ranges::sort(rows_, {}, [](const ArgumentValue* value) {
            return std::tuple(~net_ticks(*value), ~value->calls, value->content.kind,
                              value->content.bits, value->content.text);
        });
        while (rows_.size() > kMostArgumentValues) {
            rest_.push_back(rows_.back());
            rows_.pop_back();
        }
        uint64_t calls = 0;
        for (const ArgumentValue* value : rows_) {
            out.push_back(sum(std::span(&value, 1)));
            out.back().value = argument_text(value->content, named);
            out.back().argument = argument;
            calls += value->calls;
        }
        if (!rest_.empty()) {
            out.push_back(sum(rest_));
            out.back().rest = true;
            out.back().argument = argument;
            calls += out.back().calls;
        }
        return calls;
    }

  private:
    /// What all calls took without what was umbra's: no less than so many of the shortest.
    static uint64_t net_ticks(const ArgumentValue& value) {
        const uint64_t raw = replay::ticks_of(value.total);
        const auto cost = static_cast<uint64_t>(replay::cost_of(value.total));
        return std::max(raw - std::min(raw, cost), value.calls - value.unfinished);
    }

    profile::ArgumentValue sum(std::span<const ArgumentValue* const> values) const {
        using Buckets = replay::HistogramBuckets;
        profile::ArgumentValue row;
        std::map<uint32_t, uint64_t> calls;
        uint64_t total_ticks = 0;
        uint64_t min_ticks = std::numeric_limits<uint64_t>::max();
        uint64_t max_ticks = 0;
        for (const ArgumentValue* value : values) {
            row.calls += value->calls;
            row.unfinished += value->unfinished;
            total_ticks += net_ticks(*value);
            min_ticks = std::min(min_ticks, value->min_ticks);
            max_ticks = std::max(max_ticks, value->max_ticks);
            for (uint32_t cell = value->cells; cell != 0; cell = sums_.cells[cell].next) {
                calls[sums_.cells[cell].bucket] += sums_.cells[cell].calls;
            }
        }
        if (row.calls == row.unfinished) {
            return row;
        }
        std::vector<profile::HistogramBucket> buckets;
        for (const auto& [bucket, count] : calls) {
            const uint64_t end = bucket + 1 == Buckets::kBuckets
                                     ? std::numeric_limits<uint64_t>::max()
                                     : Buckets::lower_ticks(bucket + 1);
            buckets.push_back({.function = kNone,
                               .lower_ns = clock_.duration_ns(Buckets::lower_ticks(bucket)),
                               .upper_ns = clock_.duration_ns(end),
                               .calls = count});
        }
        // Single calls need not add up to the sum, see fit_extremes().
        const uint64_t ended = row.calls - row.unfinished;
        row.total_ns = std::max(clock_.duration_ns(total_ticks), ended);
        const uint64_t mean_ns = row.total_ns / ended;
        row.min_ns = std::clamp(clock_.duration_ns(min_ticks), uint64_t{1}, mean_ns);
        const uint64_t mean_rounded_up = mean_ns + (row.total_ns % ended != 0 ? 1 : 0);
        row.max_ns = std::clamp(clock_.duration_ns(max_ticks), mean_rounded_up, row.total_ns);
        const profile::Percentiles percentiles =
            profile::percentiles(buckets, row.min_ns, row.max_ns);
        row.p50_ns = percentiles.p50_ns;
        row.p99_ns = percentiles.p99_ns;
        return row;
    }

    const ArgumentSums& sums_;
    const replay::LinearClock& clock_;
    std::vector<const ArgumentValue*> rows_;
    std::vector<const ArgumentValue*> rest_;
};

profile::Argument described(const ArgumentNamed* named, uint32_t number, Row function) {
    profile::Argument argument;
    argument.function = function;
    if (named == nullptr) {
        argument.name = "argument " + std::to_string(number) + " (name unknown)";
        return argument;
    }
    argument.name = named->name;
    argument.type = named->type;
    if (named->kind == ArgumentNamed::kRefused || named->index == 0) {
        argument.refusal = named->reason.empty() ? "no reason given" : named->reason;
    }
    return argument;
}

}  // namespace

void for_each_argument_function(const NameTables& names, const ArgumentSums& sums,
                                const std::function<void(uint32_t)>& visit) {
    for (uint32_t number = 0; number < names.argument_end(); ++number) {
        if (const ArgumentNamed* named = names.argument(number)) {
            visit(named->function);
        }
    }
    for (const auto& refused : names.refused()) {
        visit(refused->function);
    }
    for (const ArgumentOf& argument : sums.arguments) {
        visit(argument.function);
    }
}

void add_arguments(const NameTables& names, const ArgumentSums& sums,
                   std::span<const Row> function_rows, const replay::LinearClock& clock,
                   profile::Profile& profile) {
    const ArgumentSums all = attributed(names, sums);
    const auto function_row = [&](uint32_t index) {
        return index < function_rows.size() ? function_rows[index] : kNone;
    };
    std::map<std::pair<uint32_t, uint32_t>, Values> arguments;  // by number and function
    for (uint32_t number = 0; number < names.argument_end(); ++number) {
        if (const ArgumentNamed* named = names.argument(number); named != nullptr) {
            arguments.try_emplace({number, named->function}, all, clock);
        }
    }
    std::vector<Values*> by_argument;
    for (const ArgumentOf& argument : all.arguments) {
        by_argument.push_back(
            &arguments.try_emplace({argument.number, argument.function}, all, clock).first->second);
    }
    for (size_t row = 1; row < all.values.size(); ++row) {
        by_argument[all.values[row].argument]->add(all.values[row]);
    }
    for (auto& [key, values] : arguments) {
        const ArgumentNamed* named = names.argument(key.first);
        profile::Argument argument = described(named, key.first, function_row(key.second));
        argument.values = values.count();
        argument.calls = values.append_to(profile.argument_values,
                                          static_cast<Row>(profile.arguments.size()), named);
        profile.arguments.push_back(std::move(argument));
    }
    for (const auto& refused : names.refused()) {
        profile.arguments.push_back(described(refused.get(), 0, function_row(refused->function)));
    }
}

}  // namespace umbra::collector
