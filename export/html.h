// SPDX-License-Identifier: MIT
// One page that shows a profile by itself, without a network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "export/sink.h"
#include "src/profile/diff/diff.h"
#include "src/profile/profile.h"

namespace umbra::html {

/// What the page says about how the figures came about, as below a report.
struct Fact {
    std::string name;
    std::vector<std::string> parts;
    bool warns = false;
};

/// What the page holds besides the profile.
struct Extras {
    std::vector<Fact> facts;
    std::string
        editor;  ///< "vscode": places in the source are links that it opens; empty: no links
};

/// Paths of the call tree in a page, rows of its lists of pauses and compilations, slices of slow
/// calls. What is
/// beyond is left out, the shortest first; the page says so.
inline constexpr std::size_t kMaxPaths = 200'000;
inline constexpr std::size_t kMaxListed = 20'000;
inline constexpr std::size_t kMaxSlices = 200'000;

/// False: umbra was built without node and npm, and has no page to put a profile into.
[[nodiscard]] bool has_page();

/// Writes the page of `profile`, whose rows must refer to each other as profile.h says, into `out`,
/// which is left unfinished. Needs has_page(). Texts of the profile are data in the page, never
/// markup. The profile is used up: its call tree is made smaller where it is too large. One thread.
[[nodiscard]] Status write_page(profile::Profile profile, const Extras& extras, Sink& out);

/// A run that was compared, and the footer of its report.
struct ComparedRun {
    std::string file;
    bool after = false;  ///< of NEW
    profile::Session session;
    std::vector<Fact> facts;
};

/// What the page of a comparison holds besides the paths.
struct DiffExtras {
    std::vector<Fact> facts;  ///< below the comparison
    std::vector<ComparedRun> runs;
};

/// Writes the page of a comparison, as write_page() does. `merged` is what profile::PathMerger made
/// of the runs and of `diff`, and used up.
[[nodiscard]] Status write_diff_page(profile::Profile merged, const profile::Diff& diff,
                                     const DiffExtras& extras, Sink& out);

}  // namespace umbra::html
