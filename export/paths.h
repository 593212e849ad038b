// SPDX-License-Identifier: MIT
// Paths: the call tree as exporters want it, measured in one quantity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "export/formats.h"
#include "src/profile/profile.h"
#include "src/profile/tree_walk.h"

namespace umbra::formats {

[[nodiscard]] uint64_t self_ns(const profile::CallNode& node, Measure measure);
[[nodiscard]] bool has_measure(const profile::Profile& profile, Measure measure);

/// By row of the call tree: self time of the path and of everything below it. It adds up exactly,
/// which the inclusive times of the file need not, each rounded for itself.
[[nodiscard]] std::vector<uint64_t> inclusive_ns(const profile::Profile& profile, Measure measure);

/// By row of threads: the outermost calls, rows of the call tree. Behind the last thread: those of
/// all threads together.
[[nodiscard]] std::vector<std::vector<profile::Row>> roots_by_thread(
    const profile::Profile& profile, const profile::TreeLinks& links);

/// A name for a format of lines: control characters have become blanks, and what is not seen is as
/// profile::seen_text() has it.
[[nodiscard]] std::string one_line(std::string name);

/// What a thread is called: its name, else its number; without one: "all threads".
[[nodiscard]] std::string thread_label(const profile::Profile& profile, profile::Row thread);

}  // namespace umbra::formats
