// SPDX-License-Identifier: MIT
// umbra diff: what changed between runs of two versions of a program.
#include "src/profile/diff/diff.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/hdf5/reader.h"
#include "export/html.h"
#include "export/sink.h"
#include "src/base/utf8.h"
#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/guarded_read.h"
#include "src/cli/live/page_facts.h"
#include "src/cli/record/timing_options.h"
#include "src/cli/terminal/console.h"
#include "src/cli/text/diff_text.h"
#include "src/profile/diff/paths.h"

namespace umbra::cli {
namespace {

constexpr int kMostRuns = 1000;  ///< of a side
constexpr int kNotCompared = 2;  ///< exit status: --fail-above, and a run is not whole
constexpr int kSlower = 3;       ///< exit status: something is slower by more than --fail-above

struct DiffArguments {
    std::vector<std::string> files;    ///< OLD and NEW, or with --against all of OLD
    std::vector<std::string> against;  ///< all of NEW; empty: `files` has both
    profile::DiffOptions how;
    bool pauses = false;
    std::vector<std::string> include;
    std::vector<std::string> exclude;
    std::string fail_above;  ///< "5%" or "5"; empty: never
    std::size_t top = 30;
    bool json = false;
    std::string page;  ///< file to write; empty: none
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

/// What the page holds besides the comparison.
struct Page {
    explicit Page(bool pauses) : paths(pauses) {}

    profile::PathMerger paths;
    html::DiffExtras extras;
};

/// Runs of one side, read one after the other: no more than one profile is in memory at a time.
/// Of NEW with `after`. `page` gets what it needs besides, unless it is null.
Result<Side> read_side(const std::vector<std::string>& files, const profile::RunOptions& which,
                       bool after, Page* page) {
    Side side;
    side.files = files;
    for (const std::string& file : files) {
        const Result<profile::Profile> profile = hdf5::read_profile(file);
        if (!profile) {
            return tl::unexpected<Error>(profile.error());
        }
        side.runs.push_back(profile::run_of(*profile, which));
        if (page != nullptr) {
            page->paths.add(*profile, after);
            page->extras.runs.push_back(
                {file, after, profile->session, page_extras(*profile, "").facts});
        }
    }
    return side;
}

Result<Compared> read_compared(const DiffArguments& options, Page* page) {
    Compared compared;
    compared.how = options.how;
    compared.which.pauses = options.pauses;
    compared.which.filter = {{options.include.begin(), options.include.end()},
                             {options.exclude.begin(), options.exclude.end()},
                             {}};
    const bool pair = options.against.empty();
    Result<Side> before = read_side(pair ? std::vector{options.files.front()} : options.files,
                                    compared.which, false, page);
    if (!before) {
        return tl::unexpected<Error>(before.error());
    }
    Result<Side> after = read_side(pair ? std::vector{options.files.back()} : options.against,
                                   compared.which, true, page);
    if (!after) {
        return tl::unexpected<Error>(after.error());
    }
    compared.before = std::move(*before);
    compared.after = std::move(*after);
    return compared;
}

Status write_page(const DiffArguments& options, const Compared& compared, const profile::Diff& diff,
                  Page page) {
    const Result<std::unique_ptr<Sink>> sink = open_sink(options.page, options.files.back());
    if (!sink) {
        return tl::unexpected<Error>(sink.error());
    }
    for (Fact& fact : diff_facts(compared, diff)) {
        if (fact.name.empty() && !page.extras.facts.empty()) {
            html::Fact& last = page.extras.facts.back();
            last.parts.insert(last.parts.end(), fact.parts.begin(), fact.parts.end());
            continue;
        }
        page.extras.facts.push_back(
            {std::string(fact.name), std::move(fact.parts), !fact.colour.empty()});
    }
    if (Status done =
            html::write_diff_page(std::move(page.paths).take(diff), diff, page.extras, **sink);
        !done) {
        return done;
    }
    return (*sink)->finish();
}

int print_diff(const DiffArguments& options) {
    if (!options.page.empty() && !html::has_page()) {
        return report_error(kNoPage);
    }
    Page page(options.pauses);
    const Result<Compared> compared =
        read_compared(options, options.page.empty() ? nullptr : &page);
    if (!compared) {
        return report_error(compared.error());
    }
    files_are_read();
    const std::vector<std::string> broken = broken_runs(*compared);
    const profile::Diff diff =
        profile::diff(compared->before.runs, compared->after.runs, compared->how);
    if (!options.page.empty()) {
        if (const Status done = write_page(options, *compared, diff, std::move(page)); !done) {
            return report_error(done.error());
        }
    }
    const int printed =
        options.page == "-"
            ? kOk
            : print(options.json ? diff_json(*compared, diff)
                                 : diff_text(*compared, diff, options.top,
                                             {output_columns(), output_has_colour()}));
    if (printed != kOk || options.fail_above.empty()) {
        return printed;
    }
    if (!broken.empty()) {
        report_error(
            fmt::format("--fail-above compares whole runs only: {}", fmt::join(broken, "; ")));
        return kNotCompared;
    }
    return 100 * profile::worst_increase(diff) > percent_of(options.fail_above) ? kSlower : kOk;
}

/// A run that counts twice would make runs look more alike than they are.
void check_named_once(std::vector<std::string> files) {
    std::ranges::sort(files);
    const auto twice = std::ranges::adjacent_find(files);
    if (twice != files.end()) {
        throw CLI::ValidationError("'" + *twice + "' is named twice: each run counts once");
    }
}

/// Nothing, OLD and NEW, or any number of either with --against between them.
void check_files(const DiffArguments& options) {
    if (!options.against.empty()) {
        check_named_once(options.files);
        check_named_once(options.against);
    }
    if (options.files.empty() && !options.against.empty()) {
        throw CLI::RequiredError("OLD");
    }
    if (options.files.size() == 1 && options.against.empty()) {
        throw CLI::RequiredError("NEW");
    }
    if (!options.against.empty() || options.files.size() <= 2) {
        return;
    }
    throw CLI::ValidationError(
        "several runs of both versions take --against between them, as in "
        "umbra diff OLD1 OLD2 --against NEW1 NEW2");
}

}  // namespace

void add_diff_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<DiffArguments>();
    CLI::App* command =
        app.add_subcommand("diff", "Show what changed between two versions of a program");
    command
        ->add_option("OLD NEW", options->files,
                     "A profile of either version that 'umbra run' wrote; with --against, all of "
                     "the old one (default: the two newest profiles in this folder)")
        ->type_name("");
    command
        ->add_option("--against", options->against,
                     "Profiles of the new version: with several runs of each, their differences "
                     "decide")
        ->type_name("NEW...")
        ->expected(1, kMostRuns);
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
    command->add_flag("--pauses", options->pauses, "Leave pauses and compilation in the times");
    for (const auto& [name, patterns, text] :
         {std::tuple("--include", &options->include, "Compare methods that match; may repeat"),
          std::tuple("--exclude", &options->exclude, "Leave out methods that match; may repeat")}) {
        command->add_option(name, *patterns, text)
            ->type_name("PATTERN")
            ->check(pattern_check())
            ->expected(1)
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    command->add_option("--top", options->top, "Changes to show")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command
        ->add_option("--html", options->page,
                     "Write a page as well: differential flame graph and table of changes; '-' is\n"
                     "standard output, without the report")
        ->type_name("OUT");
    command->add_flag("--json", options->json,
                      "Write JSON for scripts, every function; times in nanoseconds");
    command->footer(
        "With several runs of each version, a method is called slower or faster when its time\n"
        "changed by more than the runs of one version differ among themselves, and by more than\n"
        "the probes leave in doubt. With one run of each that is not known: only large changes\n"
        "are named, by how much methods differ that did not change, and the ten largest methods\n"
        "are shown beside it. docs/diff_reference.md has the formulas.\n"
        "\n"
        "Exit status: 0; 1 where a file cannot be read; 2 for a wrong command line, or where\n"
        "--fail-above is given a run that was killed, lost events or is not complete; 3 where\n"
        "--fail-above says so.\n"
        "\n"
        "Examples:\n"
        "  umbra diff\n"
        "  umbra diff before.h5 after.h5\n"
        "  umbra diff old1.h5 old2.h5 old3.h5 --against new1.h5 new2.h5 new3.h5\n"
        "  umbra diff main*.h5 --against branch*.h5 --fail-above 5%\n"
        "  umbra diff --html changes.html main*.h5 --against branch*.h5");
    command->callback([options, &exit_code] {
        check_files(*options);
        if (options->files.empty()) {
            const Result<std::vector<std::string>> newest = newest_profiles(2);
            if (!newest) {
                exit_code = report_error(newest.error());
                return;
            }
            options->files = {newest->back(), newest->front()};
            print_error(fmt::format("umbra: {} and {} are the newest profiles in this folder\n",
                                    printable_utf8(newest->back()),
                                    printable_utf8(newest->front())));
        }
        std::vector<std::string> files = options->files;
        files.insert(files.end(), options->against.begin(), options->against.end());
        exit_code = guarded(files, [&options] { return print_diff(*options); });
    });
}

}  // namespace umbra::cli
