// SPDX-License-Identifier: MIT
// What two profiles of the same records say alike, whatever the shape of their trees: calls and
// times by function, by caller and callee, and by thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::testing {

/// Of one row: how often first, then times, all in nanoseconds but the last of a thread.
struct Figures {
    std::array<uint64_t, 2> counts{};
    std::array<uint64_t, 10> times_ns{};

    bool operator==(const Figures&) const = default;
};

inline Figures figures(const profile::CallTimes& times) {
    return {.counts = {times.calls, times.unfinished},
            .times_ns = {times.total_ns, times.self_ns, times.min_ns, times.max_ns,
                         times.raw.total_ns, times.raw.self_ns, times.cpu.total_ns,
                         times.cpu.self_ns, times.paused.total_ns, times.paused.self_ns}};
}

/// Outcome of a comparison.
struct SumsCompared {
    uint64_t rows = 0;             ///< compared: functions, edges, thread_functions, threads
    uint64_t missing = 0;          ///< in one profile only
    uint64_t different_calls = 0;  ///< rows
    uint64_t different_times = 0;  ///< rows, by more than the tolerance
    uint64_t farthest_ns = 0;      ///< greatest distance of two times of the same row
    std::string first = {};        ///< of those that differ, in words; empty: none

    [[nodiscard]] bool same() const { return missing + different_calls + different_times == 0; }
};

/// Compares the rows of two profiles. Functions, threads: by row, since both have the same names.
class SumsComparison {
  public:
    SumsComparison(const profile::Profile& one, const profile::Profile& other,
                   uint64_t tolerance_ns)
        : one_(one), other_(other), tolerance_ns_(tolerance_ns) {}

    [[nodiscard]] SumsCompared run() {
        compare("function", by_function(one_), by_function(other_));
        compare("edge", by_edge(one_), by_edge(other_));
        compare("function of thread", by_thread_function(one_), by_thread_function(other_));
        compare("thread", by_thread(one_), by_thread(other_));
        return result_;
    }

  private:
    using Key = std::pair<profile::Row, profile::Row>;
    using Table = std::map<Key, Figures>;

    static Table by_function(const profile::Profile& p) {
        Table table;
        for (profile::Row row = 0; row < p.functions.size(); ++row) {
            if (p.functions[row].name != profile::kTruncatedPaths) {
                table[{row, profile::kNone}] = figures(p.functions[row].times);
            }
        }
        return table;
    }
    static Table by_edge(const profile::Profile& p) {
        Table table;
        for (const profile::Edge& edge : p.edges) {
            table[{edge.caller, edge.callee}] = figures(edge.times);
        }
        return table;
    }
    static Table by_thread_function(const profile::Profile& p) {
        Table table;
        for (const profile::ThreadFunction& row : p.thread_functions) {
            table[{row.thread, row.function}] = figures(row.times);
        }
        return table;
    }
    static Table by_thread(const profile::Profile& p) {
        Table table;
        for (profile::Row row = 0; row < p.threads.size(); ++row) {
            const profile::Thread& thread = p.threads[row];
            table[{row, profile::kNone}] = {
                .counts = {thread.calls, thread.events},
                .times_ns = {thread.covered_ns, thread.cpu_ns, thread.paused_ns, thread.wait_ns}};
        }
        return table;
    }

    void compare(std::string_view what, const Table& expected, const Table& found) {
        for (const auto& [key, figures] : expected) {
            const auto same = found.find(key);
            if (same == found.end()) {
                ++result_.missing;
                tell(what, key, figures, {});
                continue;
            }
            compare_row(what, key, figures, same->second);
        }
        for (const auto& [key, figures] : found) {
            if (!expected.contains(key)) {
                ++result_.missing;
                tell(what, key, {}, figures);
            }
        }
    }

    void compare_row(std::string_view what, const Key& key, const Figures& a, const Figures& b) {
        ++result_.rows;
        uint64_t farthest = 0;
        for (size_t i = 0; i < a.times_ns.size(); ++i) {
            const auto [less, more] = std::minmax(a.times_ns[i], b.times_ns[i]);
            farthest = std::max(farthest, more - less);
        }
        result_.farthest_ns = std::max(result_.farthest_ns, farthest);
        result_.different_calls += a.counts != b.counts ? 1U : 0U;
        result_.different_times += farthest > tolerance_ns_ ? 1U : 0U;
        if (a.counts != b.counts || farthest > tolerance_ns_) {
            tell(what, key, a, b);
        }
    }

    void tell(std::string_view what, const Key& key, const Figures& a, const Figures& b) {
        if (!result_.first.empty()) {
            return;
        }
        std::ostringstream text;
        text << what << ' ' << name(what, key.first) << ' ' << name("function", key.second) << ": ";
        for (const Figures* row : {&a, &b}) {
            text << (row == &a ? "" : " and ");
            for (const uint64_t count : row->counts) {
                text << count << ' ';
            }
            text << '|';
            for (const uint64_t ns : row->times_ns) {
                text << ' ' << ns;
            }
        }
        result_.first = text.str();
    }

    [[nodiscard]] std::string name(std::string_view what, profile::Row row) const {
        if (row == profile::kNone) {
            return "-";
        }
        // A profile may have rows that the other has not.
        const auto& functions = row < one_.functions.size() ? one_.functions : other_.functions;
        return what.find("thread") != std::string_view::npos ? std::to_string(row)
                                                             : functions[row].name;
    }

    const profile::Profile& one_;
    const profile::Profile& other_;
    uint64_t tolerance_ns_;
    SumsCompared result_;
};

/// `tolerance_ns`: what two times of a row may differ by. Counts must be equal.
[[nodiscard]] inline SumsCompared compare_sums(const profile::Profile& one,
                                               const profile::Profile& other,
                                               uint64_t tolerance_ns) {
    return SumsComparison(one, other, tolerance_ns).run();
}

/// How far own times do not sum to the time that the threads' calls cover, thread by thread, and
/// those of the call tree to all of it: sum of the distances in nanoseconds. Where ticks are no
/// whole nanoseconds each row of thread_functions is rounded, by up to 1 ns.
[[nodiscard]] inline uint64_t uncovered_ns(const profile::Profile& p) {
    const auto distance = [](uint64_t a, uint64_t b) { return std::max(a, b) - std::min(a, b); };
    std::vector<uint64_t> self_ns(p.threads.size());
    for (const profile::ThreadFunction& row : p.thread_functions) {
        self_ns[row.thread] += row.times.raw.self_ns;
    }
    uint64_t missing = 0;
    uint64_t covered = 0;
    for (size_t row = 0; row < p.threads.size(); ++row) {
        missing += distance(self_ns[row], p.threads[row].covered_ns);
        covered += p.threads[row].covered_ns;
    }
    uint64_t tree = 0;
    for (const profile::CallNode& node : p.calltree) {
        tree += node.times.raw.self_ns;
    }
    return missing + distance(tree, covered);
}

}  // namespace umbra::testing
