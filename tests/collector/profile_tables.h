// SPDX-License-Identifier: MIT
// What two profiles of the same program have to say alike, whatever the order of their rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/profile/profile.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector::testing {

using Figures = std::vector<uint64_t>;

inline Figures figures(const profile::CallTimes& times) {
    return {times.calls,        times.unfinished,  times.total_ns,        times.self_ns,
            times.min_ns,       times.max_ns,      times.raw.total_ns,    times.raw.self_ns,
            times.cpu.total_ns, times.cpu.self_ns, times.paused.total_ns, times.paused.self_ns};
}

/// Everything but paths, in a form that does not depend on the order of rows.
struct Tables {
    std::map<std::string, Figures> functions;
    std::map<std::pair<std::string, std::string>, Figures> edges;
    std::map<std::pair<profile::Row, std::string>, Figures> thread_functions;
    std::map<size_t, Figures> threads;
};

inline Tables tables(const profile::Profile& p) {
    Tables tables;
    for (const profile::Function& function : p.functions) {
        tables.functions[function.method] = figures(function.times);
    }
    for (const profile::Edge& edge : p.edges) {
        tables.edges[{Replayed::name(p, edge.caller), Replayed::name(p, edge.callee)}] =
            figures(edge.times);
    }
    for (const profile::ThreadFunction& row : p.thread_functions) {
        tables.thread_functions[{row.thread, Replayed::name(p, row.function)}] = figures(row.times);
    }
    for (const profile::Thread& thread : p.threads) {
        tables.threads[tables.threads.size()] = Figures{
            thread.calls, thread.covered_ns, thread.cpu_ns, thread.paused_ns, thread.events};
    }
    return tables;
}

inline bool within(const Figures& a, const Figures& b, uint64_t tolerance) {
    return std::ranges::equal(a, b, [&](uint64_t one, uint64_t other) {
        return std::max(one, other) - std::min(one, other) <= tolerance;
    });
}

/// Names the rows that differ: a table printed whole is cut off before them.
void expect_same(const auto& expected, const auto& found, uint64_t tolerance) {
    EXPECT_EQ(expected.size(), found.size());
    for (const auto& [key, row] : expected) {
        const auto other = found.find(key);
        ASSERT_NE(other, found.end()) << ::testing::PrintToString(key);
        EXPECT_TRUE(within(row, other->second, tolerance))
            << ::testing::PrintToString(key) << ": " << ::testing::PrintToString(row) << " and "
            << ::testing::PrintToString(other->second);
    }
}

}  // namespace umbra::collector::testing
