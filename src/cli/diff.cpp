// SPDX-License-Identifier: MIT
// umbra diff: what changed between two profiles of a program.
#include "src/profile/diff.h"

#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <CLI/CLI.hpp>

#include "export/hdf5/reader.h"
#include "src/cli/commands.h"
#include "src/cli/guarded_read.h"
#include "src/cli/terminal/console.h"
#include "src/cli/text/diff_text.h"

namespace umbra::cli {
namespace {

constexpr int kSlower = 3;  ///< exit status: something is slower by more than --fail-above

struct Options {
    std::string before;
    std::string after;
    profile::DiffOptions how;
    std::vector<std::string> include;
    std::vector<std::string> exclude;
    std::string fail_above;  ///< "5%" or "5"; empty: never
    std::size_t top = 30;
    bool json = false;
};

/// The number in "5%"; below 0 where it is none.
double percent_of(std::string_view text) {
    if (text.ends_with('%')) {
        text.remove_suffix(1);
    }
    double percent = -1;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), percent);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    return whole && std::isfinite(percent) ? percent : -1;
}

std::string check_percent(const std::string& text) {
    return percent_of(text) >= 0 ? "" : "'" + text + "' is not a percentage, as in 5%";
}

int print_diff(const Options& options) {
    const Result<profile::Profile> before = hdf5::read_profile(options.before);
    if (!before) {
        return report_error(before.error());
    }
    const Result<profile::Profile> after = hdf5::read_profile(options.after);
    if (!after) {
        return report_error(after.error());
    }
    files_are_read();
    profile::DiffOptions how = options.how;
    how.filter = {{options.include.begin(), options.include.end()},
                  {options.exclude.begin(), options.exclude.end()},
                  {}};
    const profile::Diff diff = profile::diff(*before, *after, how);
    const Compared compared = {*before, *after, options.before, options.after};
    const int printed = print(options.json ? diff_json(compared, diff)
                                           : diff_text(compared, diff, how, options.top,
                                                       {output_columns(), output_has_colour()}));
    if (printed != kOk || options.fail_above.empty()) {
        return printed;
    }
    return 100 * profile::worst_increase(diff) > percent_of(options.fail_above) ? kSlower : kOk;
}

}  // namespace

void add_diff_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("diff", "Show what changed between two profiles");
    command->add_option("OLD", options->before, "Profile that 'umbra run' wrote")
        ->type_name("")
        ->required();
    command->add_option("NEW", options->after, "Another one, of the same program")
        ->type_name("")
        ->required();
    command
        ->add_option("--fail-above", options->fail_above,
                     "Exit with status 3 if a method is slower by more than PERCENT of its time")
        ->type_name("PERCENT")
        ->check(CLI::Validator(check_percent, ""));
    command
        ->add_option("--min", options->how.min_percent,
                     "Pass over changes below PERCENT of the time of all functions")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    command->add_flag("--absolute", options->how.absolute,
                      "Judge what all functions have in common, too");
    command->add_flag("--pauses", options->how.pauses, "Leave pauses and compilation in the times");
    for (const auto& [name, patterns, text] :
         {std::tuple("--include", &options->include, "Compare methods that match; may repeat"),
          std::tuple("--exclude", &options->exclude, "Leave out methods that match; may repeat")}) {
        command->add_option(name, *patterns, text)
            ->type_name("PATTERN")
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    command->add_option("--top", options->top, "Changes to show")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_flag("--json", options->json,
                      "Write JSON for scripts, every function; times in nanoseconds");
    command->footer(
        "A method is called slower or faster when its time changed by more than 3 standard errors\n"
        "of the difference: of the errors stated in the files, and of how much the two runs "
        "differ\n"
        "in methods that did not change. docs/diff.md has the formulas.\n"
        "\n"
        "Exit status: 0; 1 where a file cannot be read; 2 for a wrong command line; 3 where\n"
        "--fail-above says so.\n"
        "\n"
        "Examples:\n"
        "  umbra diff before.h5 after.h5\n"
        "  umbra diff main.h5 branch.h5 --fail-above 5%");
    command->callback([options, &exit_code] {
        exit_code =
            guarded({options->before, options->after}, [&options] { return print_diff(*options); });
    });
}

}  // namespace umbra::cli
