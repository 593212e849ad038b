// SPDX-License-Identifier: MIT
// Rows for values, and what has no room for one.
#include "src/replay/argument_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/base/pair_hash.h"
#include "src/replay/tree/histogram.h"

namespace umbra::replay {
namespace {

constexpr uint32_t kNoRoom = UINT32_MAX;
constexpr size_t kCellsForEach = 16;  ///< of the histograms, on average

uint32_t distance(uint32_t a, uint32_t b) {
    return a < b ? b - a : a - b;
}

}  // namespace

size_t ArgumentTable::KeyHash::operator()(const Key& key) const {
    const std::string_view text(key.content.text.data(), key.content.kind == ArgumentContent::kText
                                                             ? hotpath::text_bytes(key.content.bits)
                                                             : 0);
    const uint64_t bits = key.content.bits;
    return std::hash<std::string_view>()(text) ^ pair_hash(key.argument, key.content.kind) ^
           pair_hash(static_cast<uint32_t>(bits >> 32), ~static_cast<uint32_t>(bits));
}

uint32_t ArgumentTable::argument(uint32_t number, uint32_t function) {
    const uint64_t key = uint64_t{number} << 32 | function;
    const auto known = arguments_.find(key);
    if (known != arguments_.end()) {
        return known->second;
    }
    if (number > max_arguments_ || sums_.arguments.size() >= size_t{2} * max_arguments_) {
        return kNoRoom;
    }
    const auto index = static_cast<uint32_t>(sums_.arguments.size());
    sums_.arguments.push_back({.number = number, .function = function, .values = 0, .rest = 0});
    arguments_.emplace(key, index);
    return index;
}

uint32_t ArgumentTable::new_row(uint32_t argument, const ArgumentContent& content) {
    const auto row = static_cast<uint32_t>(sums_.values.size());
    ArgumentValue& value = sums_.values.emplace_back();
    value.argument = argument;
    value.content = content;
    return row;
}

uint32_t ArgumentTable::row(uint32_t number, uint32_t function, const ArgumentContent& content) {
    const uint32_t index = argument(number, function);
    if (index == kNoRoom) {
        ++sums_.lost;
        return 0;
    }
    ArgumentOf& argument = sums_.arguments[index];
    if (content.kind != ArgumentContent::kRest) {
        const Key key{.argument = index, .content = content};
        const auto known = rows_.find(key);
        if (known != rows_.end()) {
            return known->second;
        }
        const size_t left = max_values_ - std::min<size_t>(rows_.size(), max_values_);
        if (argument.values < left) {
            ++argument.values;
            return rows_.emplace(key, new_row(index, content)).first->second;
        }
    }
    if (argument.rest == 0) {
        argument.rest = new_row(index, {.kind = ArgumentContent::kRest});
    }
    return argument.rest;
}

void ArgumentTable::add(uint32_t row, Lanes length) {
    if (row == 0) {
        return;
    }
    ArgumentValue& value = sums_.values[row];
    const uint64_t ticks = net_ticks(length);
    ++value.calls;
    value.total += length;
    value.min_ticks = std::min(value.min_ticks, ticks);
    value.max_ticks = std::max(value.max_ticks, ticks);
    count(value, static_cast<uint32_t>(HistogramBuckets::bucket(ticks)), 1);
}

void ArgumentTable::count(ArgumentValue& value, uint32_t bucket, uint64_t calls) {
    std::vector<ArgumentSums::Cell>& cells = sums_.cells;
    for (uint32_t cell = value.cells; cell != 0; cell = cells[cell].next) {
        if (cells[cell].bucket == bucket) {
            cells[cell].calls += calls;
            // The next call takes much the same time, as a rule: it is found at once.
            std::swap(cells[cell].bucket, cells[value.cells].bucket);
            std::swap(cells[cell].calls, cells[value.cells].calls);
            return;
        }
    }
    const bool full = cells.size() > kCellsForEach * size_t{max_values_};
    if (value.cells != 0 && full) {
        cells[nearest(value, bucket)].calls += calls;
        return;
    }
    cells.push_back({.bucket = bucket, .next = value.cells, .calls = calls});
    value.cells = static_cast<uint32_t>(cells.size() - 1);
}

uint32_t ArgumentTable::nearest(const ArgumentValue& value, uint32_t bucket) const {
    uint32_t nearest = value.cells;
    for (uint32_t cell = value.cells; cell != 0; cell = sums_.cells[cell].next) {
        if (distance(sums_.cells[cell].bucket, bucket) <
            distance(sums_.cells[nearest].bucket, bucket)) {
            nearest = cell;
        }
    }
    return nearest;
}

void ArgumentTable::add(const ArgumentSums& other) {
    for (size_t index = 1; index < other.values.size(); ++index) {
        const ArgumentValue& more = other.values[index];
        if (more.calls == 0) {
            continue;
        }
        const ArgumentOf& argument = other.arguments[more.argument];
        const uint32_t here = row(argument.number, argument.function, more.content);
        if (here == 0) {
            continue;
        }
        ArgumentValue& value = sums_.values[here];
        value.calls += more.calls;
        value.unfinished += more.unfinished;
        value.total += more.total;
        value.min_ticks = std::min(value.min_ticks, more.min_ticks);
        value.max_ticks = std::max(value.max_ticks, more.max_ticks);
        for (uint32_t cell = more.cells; cell != 0; cell = other.cells[cell].next) {
            count(value, other.cells[cell].bucket, other.cells[cell].calls);
        }
    }
    sums_.lost += other.lost;
}

}  // namespace umbra::replay
