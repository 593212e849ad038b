// SPDX-License-Identifier: MIT
// Methods that a framework calls from outside, tests and endpoints, and what was called below each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

/// Which of a function's labels makes it one: its test framework, or its verb and route.
using EntryLabel = std::string Function::*;
inline constexpr EntryLabel kTests = &Function::test;
inline constexpr EntryLabel kEndpoints = &Function::endpoint;

/// Whether methods with a label were called.
[[nodiscard]] bool has_entries(const Profile& profile, EntryLabel label);

/// One such method with all its calls: those of a theory, those that went on on other threads after
/// an await.
struct EntryRow {
    HotFunction method;      ///< share_percent is that of the time of all rows, shown or left out
    std::string_view label;  ///< "xUnit", "GET /orders/{id}"; of the profile
    std::vector<HotFunction> below;  ///< methods below it; share_percent is that of its time
    /// Of its total, self time below it on paths that the file has not kept apart (a folded tree):
    /// these calls are in no row of `below`.
    uint64_t truncated_ns = 0;
    /// It is not async, and has begun an async call that it has not waited for: mostly it hands on
    /// the task, and whoever has called it awaits that. Its total is then that of such calls.
    bool goes_on = false;
};

struct EntryList {
    EntryLabel label = kTests;
    std::vector<EntryRow> rows;  ///< in the order of the view, at most `view.top`
    std::size_t left_out = 0;    ///< rows beyond
    bool any = false;            ///< the profile has some, whatever the filter takes
};

/// The methods with a label that the view's filter takes. What is below one is summed up along the
/// call tree: each method's calls, its inclusive time with recursion counted once, its self time;
/// below one that another one calls, it is below both. Methods come in the order of the view, where
/// that is by total time by self time. Pieces of async methods are always with their methods. The
/// profile must outlive the list.
[[nodiscard]] EntryList by_entry(const Profile& profile, const View& view, EntryLabel label);
EntryList by_entry(Profile&& profile, const View& view, EntryLabel label) = delete;

}  // namespace umbra::profile
