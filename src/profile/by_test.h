// SPDX-License-Identifier: MIT
// Test methods, and what was called below each.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

/// One test method with all its calls: those of a theory, those that went on on other threads after
/// an await.
struct TestRow {
    HotFunction test;  ///< share_percent is that of the time of all tests shown or left out
    std::string_view framework;      ///< "xUnit"; of the profile
    std::vector<HotFunction> below;  ///< methods below it; share_percent is that of its time
    /// Of its total, self time below it on paths that the file has not kept apart (a folded tree):
    /// these calls are in no row of `below`.
    uint64_t truncated_ns = 0;
};

struct TestList {
    std::vector<TestRow> tests;  ///< in the order of the view, at most `view.top`
    std::size_t left_out = 0;    ///< tests beyond
    bool any = false;            ///< the profile has tests, whatever the filter takes
};

/// The tests that the view's filter takes. What is below a test is summed up along the call tree:
/// each method's calls, its inclusive time with recursion counted once, its self time; below a test
/// that another one calls, it is below both. Methods come in the order of the view, where that is
/// by total time by self time. Pieces of async methods are always with their methods. The profile
/// must outlive the list.
[[nodiscard]] TestList by_test(const Profile& profile, const View& view);
TestList by_test(Profile&& profile, const View& view) = delete;

}  // namespace umbra::profile
