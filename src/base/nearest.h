// SPDX-License-Identifier: MIT
// What somebody may have meant who has mistyped a name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umbra {

/// Letters of ASCII without regard to case; other bytes as they are.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return lower;
}

/// How many letters have to be put in, left out, replaced or swapped with their neighbour to make
/// one text of the other. Time and memory grow with the product of their lengths.
[[nodiscard]] inline size_t edit_distance(std::string_view one, std::string_view other) {
    std::vector<size_t> before_last;
    std::vector<size_t> last(other.size() + 1);
    std::vector<size_t> row(other.size() + 1);
    for (size_t j = 0; j <= other.size(); ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= one.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = i;
        for (size_t j = 1; j <= other.size(); ++j) {
            const bool same = one[i - 1] == other[j - 1];
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
    }
    return row[other.size()];
}

/// The candidates that come nearest to `wanted`, `most` at most, the nearest first; of those that
/// are as near, the first given. Only what differs in no more than a third of its letters: anything
/// else would not help. Case is not looked at.
[[nodiscard]] inline std::vector<std::string> nearest(std::string_view wanted,
                                                      const std::vector<std::string>& candidates,
                                                      size_t most) {
    constexpr size_t kLongest = 256;  // of a name that is looked at
    const std::string lower = lower_case(wanted.substr(0, kLongest));
    std::vector<std::pair<size_t, const std::string*>> found;
    for (const std::string& candidate : candidates) {
        const size_t longer = std::max(candidate.size(), lower.size());
        const size_t shorter = std::min(candidate.size(), lower.size());
        if (longer > kLongest || longer - shorter > longer / 3) {
            continue;
        }
        if (const size_t distance = edit_distance(lower, lower_case(candidate));
            distance <= std::max<size_t>(longer / 3, 1)) {
            found.emplace_back(distance, &candidate);
        }
    }
    std::ranges::stable_sort(found, {}, &decltype(found)::value_type::first);
    std::vector<std::string> names;
    for (const auto& [distance, name] : found) {
        if (names.size() < most && std::ranges::find(names, *name) == names.end()) {
            names.push_back(*name);
        }
    }
    return names;
}

}  // namespace umbra
