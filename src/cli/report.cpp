// SPDX-License-Identifier: MIT
// umbra report: where the time went.
#include "src/profile/report.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/hdf5/reader.h"
#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/guarded_read.h"
#include "src/cli/record/timing_options.h"
#include "src/cli/terminal/console.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/argument_text.h"
#include "src/cli/text/async_text.h"
#include "src/cli/text/entry_text.h"
#include "src/cli/text/first_screen.h"
#include "src/cli/text/report_json.h"
#include "src/cli/text/report_text.h"
#include "src/cli/text/slow_text.h"

namespace umbra::cli {
namespace {

constexpr std::size_t kDefaultTop = 30;
constexpr const char* kByTest = "test";
constexpr const char* kByEndpoint = "endpoint";
constexpr std::size_t kDefaultSlowCalls = 3;

// Fields: one for each option.
struct ReportOptions {
    std::string file;
    std::string sort;  ///< empty: the usual one of the view
    std::string by = "function";
    std::string callers;
    std::string callees;
    bool tree = false;
    bool by_argument = false;
    bool slowest = false;
    bool async_calls = false;
    profile::TreeLimits limits;
    std::size_t top = 0;  ///< 0: not given
    std::vector<std::string> include;
    std::vector<std::string> exclude;
    std::vector<std::string> threads;
    std::string runtime;
    bool pieces = false;
    bool percentiles = false;
    bool details = false;
    bool exclude_pauses = false;
    bool no_compensation = false;
    bool json = false;
    bool csv = false;
};

template <typename T>
using Named = std::vector<std::pair<std::string, T>>;

const Named<profile::SortBy>& orders() {
    static const Named<profile::SortBy> named = {
        {"self", profile::SortBy::kSelf},         {"total", profile::SortBy::kTotal},
        {"cpu", profile::SortBy::kCpu},           {"calls", profile::SortBy::kCalls},
        {"mean", profile::SortBy::kMean},         {"max", profile::SortBy::kMax},
        {"awaiting", profile::SortBy::kAwaiting}, {"queued", profile::SortBy::kQueued},
    };
    return named;
}

const Named<profile::GroupBy>& groups() {
    static const Named<profile::GroupBy> named = {
        {"function", profile::GroupBy::kFunction},   {"type", profile::GroupBy::kType},
        {"namespace", profile::GroupBy::kNamespace}, {"module", profile::GroupBy::kModule},
        {"thread", profile::GroupBy::kThread},       {kByTest, profile::GroupBy::kFunction},
        {kByEndpoint, profile::GroupBy::kFunction},
    };
    return named;
}

/// Of what a framework calls from outside: tests, endpoints.
bool is_by_entry(const ReportOptions& options) {
    return options.by == kByTest || options.by == kByEndpoint;
}

/// `name` is one of `named`: the command line has been checked.
template <typename T>
T value_of(const Named<T>& named, const std::string& name) {
    return std::ranges::find(named, name, [](const auto& one) { return one.first; })->second;
}

/// Answers what is wrong with the number of functions; "" when nothing is.
std::string check_top(const std::string& text) {
    const bool digits = !text.empty() && text.size() <= 9 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    const bool positive = text.find_first_not_of('0') != std::string::npos;
    return digits && positive ? "" : "'" + text + "' is not a number of functions, from 1 upwards";
}

profile::View view_of(const ReportOptions& options, const profile::Session& session) {
    const bool of_calls = options.tree || options.by_argument || options.async_calls ||
                          is_by_entry(options) || !options.callers.empty() ||
                          !options.callees.empty();
    // Most samples of a service are of threads that wait.
    const bool by_cpu = profile::is_sampled(session) && profile::has_cpu_times(session);
    const std::string sort = !options.sort.empty() ? options.sort
                             : of_calls            ? "total"
                             : by_cpu              ? "cpu"
                                                   : "self";
    profile::View view = {.sort = value_of(orders(), sort),
                          .top = options.top,
                          .compensated = !options.no_compensation,
                          .pauses = !options.exclude_pauses,
                          .by = value_of(groups(), options.by),
                          .fold = !options.pieces};
    view.filter = {{options.include.begin(), options.include.end()},
                   {options.exclude.begin(), options.exclude.end()},
                   options.threads};
    if (view.top == 0) {
        view.top = options.json || options.csv ? std::numeric_limits<std::size_t>::max()
                   : options.slowest           ? kDefaultSlowCalls
                                               : kDefaultTop;
    }
    return view;
}

TextStyle style_of(const ReportOptions& options) {
    return {.columns = output_columns(),
            .colour = output_has_colour(),
            .whole_names = !output_is_terminal(),
            .details = options.details};
}

/// Nothing but the file was given.
bool asks_nothing(const ReportOptions& options) {
    const bool whole = options.include.empty() && options.exclude.empty() &&
                       options.threads.empty() && options.runtime.empty();
    const bool plain = !options.details && !options.pieces && !options.percentiles &&
                       !options.exclude_pauses && !options.no_compensation && !options.json &&
                       !options.csv;
    return whole && plain && options.sort.empty() && options.top == 0 && options.by == "function";
}

int print_neighbours(const ReportOptions& options, const profile::Profile& profile,
                     const profile::View& view) {
    const bool callers = !options.callers.empty();
    const Result<std::vector<profile::MethodRows>> wanted =
        profile::find_methods(profile, callers ? options.callers : options.callees, view.fold);
    if (!wanted) {
        return report_error(wanted.error());
    }
    const std::vector<profile::Neighbours> methods = profile::neighbours(
        profile, *wanted, callers ? profile::Direction::kCallers : profile::Direction::kCallees,
        view);
    return print(options.json  ? report_json(profile, methods)
                 : options.csv ? report_csv(methods)
                               : report_text(profile, methods, view, style_of(options)));
}

int print_tree(const ReportOptions& options, const profile::Profile& profile,
               const profile::View& view) {
    const std::vector<profile::TreeRow> tree = profile::tree_view(profile, view, options.limits);
    return print(options.json ? report_json(profile, tree)
                 : options.csv
                     ? report_csv(tree)
                     : report_text(profile, tree, view, options.limits, style_of(options)));
}

int print_arguments(const ReportOptions& options, const profile::Profile& profile,
                    const profile::View& view) {
    const profile::ArgumentList list = profile::by_argument(profile, view);
    return print(options.json  ? report_json(profile, list)
                 : options.csv ? report_csv(profile, list)
                               : report_text(profile, list, view, style_of(options)));
}

int print_entries(const ReportOptions& options, const profile::Profile& profile,
                  const profile::View& view) {
    const profile::EntryList list = profile::by_entry(
        profile, view, options.by == kByTest ? profile::kTests : profile::kEndpoints);
    return print(options.json  ? report_json(profile, list)
                 : options.csv ? report_csv(list)
                               : report_text(profile, list, view, style_of(options)));
}

int print_slowest(const ReportOptions& options, const profile::Profile& profile,
                  const profile::View& view) {
    const std::vector<profile::SlowMethodCalls> methods = profile::slow_view(
        profile, view, options.json ? std::numeric_limits<std::size_t>::max() : kSlowRows);
    return print(options.json ? report_json(profile, methods)
                              : report_text(profile, methods, view, style_of(options)));
}

int print_async(const ReportOptions& options, const profile::Profile& profile,
                const profile::View& view) {
    const profile::AsyncList list = profile::async_view(profile, view);
    return print(options.json  ? report_json(profile, list)
                 : options.csv ? report_csv(list)
                               : report_text(profile, list, view, style_of(options)));
}

/// Says of each pattern that takes no method what is near; kFailed where nothing is left to show.
int check_patterns(const ReportOptions& options, const profile::Profile& profile,
                   const profile::Filter& filter) {
    const auto takes_any = [&](const profile::NamePattern& pattern) {
        const std::vector<bool> taken = pattern.taken(profile);
        return std::ranges::find(taken, true) != taken.end();
    };
    const auto say = [&](const char* option, const profile::NamePattern& pattern) {
        const std::vector<std::string> near = profile::nearest_methods(profile, pattern.text());
        report_error(one_line(
            fmt::format("{} '{}' matches no method of '{}'{}", option, pattern.text(), options.file,
                        near.empty() ? "" : fmt::format("; nearest: {}", fmt::join(near, ", ")))));
    };
    for (const profile::NamePattern& pattern : filter.exclude) {
        if (!takes_any(pattern)) {
            say("--exclude", pattern);
        }
    }
    bool any = filter.include.empty();
    for (const profile::NamePattern& pattern : filter.include) {
        if (takes_any(pattern)) {
            any = true;
        } else {
            say("--include", pattern);
        }
    }
    return any ? kOk : kFailed;
}

int report(const ReportOptions& options) {
    const Result<profile::Profile> profile = hdf5::read_profile(options.file);
    if (!profile) {
        return report_error(profile.error());
    }
    files_are_read();
    profile::View view = view_of(options, profile->session);
    if (!options.runtime.empty()) {
        const Result<profile::Row> runtime = profile::find_runtime(*profile, options.runtime);
        if (!runtime) {
            return report_error(runtime.error());
        }
        view.filter.runtime = *runtime;
    }
    if (const int status = check_patterns(options, *profile, view.filter); status != kOk) {
        return status;
    }
    if (options.slowest) {
        return print_slowest(options, *profile, view);
    }
    if (options.async_calls) {
        return print_async(options, *profile, view);
    }
    if (view.sort == profile::SortBy::kAwaiting || view.sort == profile::SortBy::kQueued) {
        return report_error("--sort " + options.sort +
                            " is an order of async calls: 'umbra report FILE --async --sort " +
                            options.sort + "'");
    }
    if (options.by_argument) {
        if (view.sort == profile::SortBy::kSelf || view.sort == profile::SortBy::kCpu) {
            return report_error("--by-arg knows no " + options.sort +
                                " times: it sorts by total, calls, mean or max");
        }
        return print_arguments(options, *profile, view);
    }
    if (view.sort == profile::SortBy::kCpu && !profile::has_cpu_times(profile->session)) {
        return report_error("'" + options.file +
                            "' has no CPU times to sort by: its cpu_source is none");
    }
    const bool of_thread = !options.threads.empty() && profile::threads_share_paths(*profile);
    const bool by_paths =
        options.tree || is_by_entry(options) || !options.callers.empty() ||
        !options.callees.empty() ||
        (view.by != profile::GroupBy::kFunction && view.by != profile::GroupBy::kThread);
    if (of_thread && by_paths) {
        return report_error("'" + options.file +
                            "' has the paths of all threads together, so this cannot be told of "
                            "one thread: --thread goes with the functions and with --by thread; "
                            "'umbra run --tree=full' records each thread's paths");
    }
    if (!options.callers.empty() || !options.callees.empty()) {
        return print_neighbours(options, *profile, view);
    }
    if (is_by_entry(options)) {
        return print_entries(options, *profile, view);
    }
    if (options.tree) {
        return print_tree(options, *profile, view);
    }
    if (asks_nothing(options)) {
        return print(first_screen(*profile, options.file, style_of(options)));
    }
    const profile::HotList list = profile::hot_list(*profile, view);
    return print(options.json ? report_json(*profile, list)
                 : options.csv
                     ? report_csv(list)
                     : report_text(*profile, list, style_of(options), options.percentiles));
}

void add_view_options(CLI::App& command, ReportOptions& options) {
    CLI::Option* by =
        command
            .add_option("--by", options.by,
                        "One row for each function, type, namespace, module or thread; for each\n"
                        "test, or endpoint of ASP.NET Core, with the methods below it")
            ->type_name("WHAT")
            ->check(CLI::IsMember(groups()))
            ->capture_default_str();
    CLI::Option* callers = command
                               .add_option("--callers", options.callers,
                                           "Who calls METHOD (a part of its name, or a pattern)")
                               ->type_name("METHOD");
    CLI::Option* callees =
        command.add_option("--callees", options.callees, "Whom METHOD calls")->type_name("METHOD");
    CLI::Option* tree =
        command.add_flag("--tree", options.tree, "Paths of calls, threads together");
    CLI::Option* by_argument =
        command.add_flag("--by-arg", options.by_argument,
                         "One row for each value of an argument, if --args has recorded them");
    CLI::Option* slowest =
        command.add_flag("--slowest", options.slowest,
                         "The slowest calls of methods and what happened in them, if 'umbra run\n"
                         "--slowest' has recorded them; --top: of each method (default: 3)");
    CLI::Option* async = command.add_flag(
        "--async", options.async_calls,
        "Async methods by whole calls, from begin to result over all awaits: how long\n"
        "they ran, what they awaited, and how long they then waited for a thread;\n"
        "--sort total, self (running), awaiting, queued, calls, mean or max");
    for (CLI::Option* view : {by, callers, callees, tree, by_argument, slowest, async}) {
        view->group("Views");
    }
    callers->excludes(callees)->excludes(tree)->excludes(by);
    callees->excludes(tree)->excludes(by);
    tree->excludes(by);
    command.add_option("--depth", options.limits.depth, "Levels of --tree")
        ->type_name("N")
        ->needs(tree)
        ->check(CLI::Range(1, 65'536))
        ->group("Views")
        ->capture_default_str();
    command
        .add_option("--min", options.limits.min_percent,
                    "Leave paths below PERCENT of the wall time out of --tree")
        ->type_name("PERCENT")
        ->needs(tree)
        ->check(CLI::Range(0.0, 100.0))
        ->group("Views")
        ->capture_default_str();
}

void add_filter_options(CLI::App& command, ReportOptions& options) {
    const std::string group = "Filters, each may repeat";
    const auto add = [&](const char* name, std::vector<std::string>& values, const char* help) {
        return command.add_option(name, values, help)
            ->expected(1)
            ->group(group)
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    add("--include", options.include, "Show methods that match, as 'umbra run' does")
        ->type_name("PATTERN")
        ->check(pattern_check());
    add("--exclude", options.exclude, "Leave out methods that match")
        ->type_name("PATTERN")
        ->check(pattern_check());
    add("--thread", options.threads, "Threads by name (* and ? match) or id")->type_name("THREAD");
    command
        .add_option("--runtime", options.runtime,
                    "Methods of one runtime of several: its number or version")
        ->type_name("RUNTIME")
        ->group(group);
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = app.add_subcommand("report", "Show where the time went");
    add_profile_argument(*command, options->file);
    command
        ->add_option(
            "--sort", options->sort,
            "Order, greatest first: self, total, cpu, calls, mean or max; with --async also\n"
            "awaiting and queued")
        ->type_name("ORDER")
        ->check(CLI::IsMember(orders()));
    command->add_option("--top", options->top, "Rows to show (default: 30; with --json, --csv all)")
        ->type_name("N")
        ->check(CLI::Validator(check_top, ""));
    command->add_flag("--percentiles", options->percentiles,
                      "Columns p50, p90 and p99; a wide terminal has them unasked");
    command->add_flag("--details", options->details,
                      "All columns, and how the figures came about: clock, probes, losses");
    command->add_flag("--pieces", options->pieces,
                      "Show the pieces of async methods and iterators one by one");
    command->add_flag("--exclude-pauses", options->exclude_pauses,
                      "Leave out the time the runtime had stopped or used a thread");
    command->add_flag("--no-compensation", options->no_compensation,
                      "Show times as measured, the probes' cost included");
    CLI::Option* json =
        command->add_flag("--json", options->json, "Write JSON for scripts; times in nanoseconds");
    command->add_flag("--csv", options->csv, "Write the rows as CSV; times in nanoseconds")
        ->excludes(json);
    add_view_options(*command, *options);
    add_filter_options(*command, *options);
    for (const char* other : {"--by", "--callers", "--callees", "--tree", "--pieces",
                              "--exclude-pauses", "--no-compensation", "--thread"}) {
        command->get_option("--by-arg")->excludes(command->get_option(other));
    }
    for (const char* other : {"--by", "--callers", "--callees", "--tree", "--by-arg", "--sort",
                              "--pieces", "--percentiles", "--exclude-pauses", "--csv"}) {
        command->get_option("--slowest")->excludes(command->get_option(other));
    }
    for (const char* other :
         {"--by", "--callers", "--callees", "--tree", "--by-arg", "--slowest", "--pieces",
          "--percentiles", "--exclude-pauses", "--no-compensation", "--thread"}) {
        command->get_option("--async")->excludes(command->get_option(other));
    }
    command->footer(
        "Columns:\n"
        "  calls  calls begun          total  wall time with callees, recursion counted once\n"
        "  mean   of one call          self   wall time without callees\n"
        "  min    shortest call        cpu    of self, on a processor: what is left was waiting\n"
        "  max    longest call         ~      before a time: less than ten times what probes took "
        "in it\n"
        "  share  of the self time of all functions; with --sort cpu, of their CPU time\n"
        "The cost of the probes is taken out of all times. [de-instrumented] marks\n"
        "functions whose probes 'umbra run --max-overhead' took out. --json and --csv have all\n"
        "times of the file, under its names, whatever is shown here. docs/report.md says more.\n"
        "\n"
        "Examples:\n"
        "  umbra report\n"
        "  umbra report app.h5\n"
        "  umbra report app.h5 --sort cpu --exclude-pauses\n"
        "  umbra report app.h5 --by namespace --include 'Acme.*'\n"
        "  umbra report app.h5 --callers Cart.Add\n"
        "  umbra report app.h5 --tree --min 5\n"
        "  umbra report app-testhost-4711.h5 --by test\n"
        "  umbra report web.h5 --by endpoint\n"
        "  umbra report app.h5 --async --include 'Acme.*'\n"
        "  umbra report app.h5 --by-arg --include '*.Orders.Load'\n"
        "  umbra report app.h5 --json | jq '.functions[0]'");
    command->callback([options, &exit_code] {
        exit_code = with_profile(options->file, [&options] {
            return guarded({options->file}, [&options] { return report(*options); });
        });
    });
}

}  // namespace umbra::cli
