// SPDX-License-Identifier: MIT
// The options `umbra run` and `umbra start` have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "src/base/result.h"
#include "src/cli/record/recording.h"

namespace umbra::cli {

/// Which probes are wanted; auto: hooks where they can be had and will do.
enum class ProbeKind : uint8_t { kAuto, kHooks, kIl };

/// What the user has said.
struct TimingOptions {
    RecordingOptions recording;
    ProbeKind probe = ProbeKind::kAuto;
    bool events = false;
    bool no_async = false;
    size_t max_events = 10'000'000;

    /// Puts it into `recording`. Refuses options that exclude each other.
    [[nodiscard]] Status apply();
};

/// An option whose values have names: what was said becomes a value at once. The value there is
/// the default. It must live as long as `command`.
template <typename Value>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Value& value,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& help) {
    std::vector<std::string> names;
    std::string type;
    std::string usual;
    for (const auto& [choice, meant] : choices) {
        names.push_back(choice);
        type += (type.empty() ? "" : "|") + choice;
        usual = meant == value ? choice : usual;
    }
    return command
        .add_option_function<std::string>(
            name,
            [&value, choices](const std::string& said) {
                const auto found =
                    std::ranges::find(choices, said, [](const auto& c) { return c.first; });
                value = found->second;
            },
            help)
        ->type_name(type)
        ->check(CLI::IsMember(names))
        ->default_str(usual);
}

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
