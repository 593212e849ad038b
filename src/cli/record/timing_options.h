// SPDX-License-Identifier: MIT
// The options `umbra run` and `umbra start` have in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/cli/record/recording.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
class Validator;
}  // namespace CLI

namespace umbra::cli {

/// What the user has said.
struct TimingOptions {
    RecordingOptions recording;
    double checkpoint_s = 10;
    std::string overflow = "wait";
    std::string cpu = "auto";
    std::string clock_source = "auto";
    std::string tree = "folded";
    std::string workers = "auto";
    std::string slowest_by = "wall";
    std::string probe = "auto";  ///< hooks, il; auto: hooks where they can be had and will do
    bool events = false;
    bool no_async = false;
    size_t max_events = 10'000'000;

    /// Puts it into `recording`. Refuses options that exclude each other.
    [[nodiscard]] Status apply();
};

/// Refuses a pattern that is empty, as from a variable of the shell that is not set: it would match
/// everything.
[[nodiscard]] CLI::Validator pattern_check();
/// --include, --also and --exclude, which say what is timed. The patterns outlive the command.
void add_selection_options(CLI::App& command, std::vector<std::string>& include,
                           std::vector<std::string>& also, std::vector<std::string>& exclude);
/// A number of percent that --max-overhead can be.
[[nodiscard]] CLI::Validator overhead_check();

/// --symbols, as every command that records has it.
void add_symbols_option(CLI::App& command, std::vector<std::string>& folders);

/// `options` must live as long as `command`.
void add_timing_options(CLI::App& command, TimingOptions& options);

/// Puts the options of the help page into groups. When all have been added.
void arrange_help(CLI::App& command);

/// What patterns are, for the foot of a help page.
inline constexpr const char* kPatternHelp =
    "Without --framework or --include everything outside the shared frameworks is timed.\n"
    "A pattern is MODULE!NAMESPACE.TYPE.METHOD with * and ?; without ! it is matched against\n"
    "the name, or, ending in .dll, against the module.\n";

}  // namespace umbra::cli
