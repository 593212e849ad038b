// SPDX-License-Identifier: MIT
// The report as JSON and CSV, for scripts.
#pragma once

#include <string>
#include <vector>

#include "src/profile/async/async_view.h"
#include "src/profile/by_argument.h"
#include "src/profile/by_entry.h"
#include "src/profile/neighbours.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"
#include "src/profile/slow_view.h"
#include "src/profile/tree_view.h"

namespace umbra::cli {

// Objects end in a newline: `summary`, and the rows in the order of the view, under the name of
// what they are: `functions`, `types`, `namespaces`, `modules`, `threads`; `methods`, each with its
// `callers` or `callees` beside `method`; `tree`, each row with its `depth`; `arguments`, each with
// the rows of its `by_value`, the sum of those left out as the last, `rest`; `tests`, each with its
// `framework`, and `endpoints`, each with its `endpoint`, with the methods `below` it and
// `truncated_ns`, self time below it that is in none of them; `slowest`, each method with its
// `calls` and these with their `slices`, each of which has its `depth`. All times are those of the
// file, under its names, whatever is shown.

[[nodiscard]] std::string report_json(const profile::Profile& profile,
                                      const profile::HotList& list);
[[nodiscard]] std::string report_json(const profile::Profile& profile,
                                      const std::vector<profile::Neighbours>& methods);
[[nodiscard]] std::string report_json(const profile::Profile& profile,
                                      const std::vector<profile::TreeRow>& tree);
[[nodiscard]] std::string report_json(const profile::Profile& profile,
                                      const profile::ArgumentList& list);
[[nodiscard]] std::string report_json(const profile::Profile& profile,
                                      const profile::EntryList& list);

[[nodiscard]] std::string report_json(const profile::Profile& profile,
                                      const std::vector<profile::SlowMethodCalls>& methods);

// CSV as in RFC 4180: a heading, then the rows in the order of the view; no summary.

[[nodiscard]] std::string report_csv(const profile::HotList& list);
/// A row for each caller or callee, the name of the method they are those of in front, `method`.
[[nodiscard]] std::string report_csv(const std::vector<profile::Neighbours>& methods);
[[nodiscard]] std::string report_csv(const std::vector<profile::TreeRow>& tree);
/// A row for each value, without the arguments that could not be recorded.
[[nodiscard]] std::string report_csv(const profile::Profile& profile,
                                     const profile::ArgumentList& list);
/// A row for each test, where `test` and `name` are the same, and behind it one for each method
/// below; of endpoints with verb and route in front, `endpoint`.
[[nodiscard]] std::string report_csv(const profile::EntryList& list);

/// Logical calls of async methods, each with what it waited for; as CSV a line a method.
[[nodiscard]] std::string report_json(const profile::Profile& profile,
                                      const profile::AsyncList& list);
[[nodiscard]] std::string report_csv(const profile::AsyncList& list);

}  // namespace umbra::cli
