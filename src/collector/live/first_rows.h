// SPDX-License-Identifier: MIT
// first_rows: those that a view may begin with, whatever it is ordered by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

namespace umbra::collector {

inline constexpr size_t kRowsOfOrder = 100;  ///< that a look has for each order

/// Indexes of the first rows of each order, ascending. An order is by one value, largest first.
template <typename Row>
std::vector<uint32_t> first_rows(const std::vector<Row>& rows,
                                 std::initializer_list<uint64_t Row::*> orders) {
    std::vector<uint32_t> all(rows.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<uint32_t> first;
    for (const auto value : orders) {
        const auto end =
            all.begin() + static_cast<std::ptrdiff_t>(std::min(kRowsOfOrder, all.size()));
        std::ranges::partial_sort(all, end, std::greater(), [&](uint32_t index) {
            return std::pair(rows[index].*value, ~index);
        });
        first.insert(first.end(), all.begin(), end);
    }
    std::ranges::sort(first);
    first.erase(std::unique(first.begin(), first.end()), first.end());
    return first;
}

}  // namespace umbra::collector
