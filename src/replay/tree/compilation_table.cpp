// SPDX-License-Identifier: MIT
#include "src/replay/tree/compilation_table.h"

#include <tuple>
#include <utility>

namespace umbra::replay {
namespace {

/// Keeps the `most` longest, in their order. Of equals those that began first, so that it does not
/// matter whose table they come from.
void keep_longest(std::vector<CompilationTicks>& rows, size_t most) {
    if (rows.size() <= most) {
        return;
    }
    const auto order = [](const CompilationTicks& row) {
        return std::tuple(~row.duration_ticks, row.start_ticks, row.thread, row.function,
                          row.version);
    };
    std::vector<decltype(order(rows.front()))> ordered;
    ordered.reserve(rows.size());
    for (const CompilationTicks& row : rows) {
        ordered.push_back(order(row));
    }
    const auto last = ordered.begin() + static_cast<ptrdiff_t>(most);
    std::ranges::nth_element(ordered, last);
    std::erase_if(rows, [&](const CompilationTicks& row) { return order(row) >= *last; });
}

/// Numbers the compilations of each function in the order of `rows`, or as they are numbered in the
/// one table that has all of its function.
class Versions {
  public:
    Versions(const std::vector<const CompilationTable*>& tables, const Compilations& all)
        : tables_(tables), all_(all) {
        for (const CompilationTicks& row : all.rows) {
            ++kept_[row.function];
        }
    }

    uint32_t version(const CompilationTicks& row) {
        if (row.function == 0) {
            return 0;
        }
        const uint32_t count = all_.sums.at(row.function).count;
        if (kept_[row.function] == count) {
            return ++next_[row.function];
        }
        const bool in_one = std::ranges::any_of(tables_, [&](const CompilationTable* table) {
            const auto sum = table->sums().find(row.function);
            return sum != table->sums().end() && sum->second.count == count;
        });
        return in_one ? row.version : 0;
    }

  private:
    const std::vector<const CompilationTable*>& tables_;
    const Compilations& all_;
    std::unordered_map<uint32_t, uint32_t> kept_;  ///< rows by function
    std::unordered_map<uint32_t, uint32_t> next_;
};

}  // namespace

void CompilationTable::add(CompilationTicks compilation) {
    const uint64_t ticks = compilation.duration_ticks;
    CompilationSum& sum = sums_[compilation.function];
    sum += {.count = 1, .ticks = ticks, .longest_ticks = ticks};
    compilation.version = sum.count;
    ++slices_.at(compilation.start_ticks).count;
    slices_.spread_over(compilation.start_ticks, compilation.end_ticks(),
                        [](CompilationSlice& slice, uint64_t part) { slice.ticks += part; });
    rows_.push_back(compilation);
    if (rows_.size() > 2 * longest_) {
        keep_longest(rows_, longest_);
    }
}

Compilations add_up(const std::vector<const CompilationTable*>& tables, size_t longest) {
    Compilations all;
    for (const CompilationTable* table : tables) {
        all.rows.insert(all.rows.end(), table->rows().begin(), table->rows().end());
        for (const auto& [function, sum] : table->sums()) {
            all.sums[function] += sum;
        }
        all.slices.add(table->slices());
    }
    if (tables.size() > 1) {
        std::ranges::stable_sort(all.rows, {}, &CompilationTicks::end_ticks);
    }
    Versions versions(tables, all);
    for (CompilationTicks& row : all.rows) {
        row.version = versions.version(row);
    }
    keep_longest(all.rows, longest);
    return all;
}

}  // namespace umbra::replay
