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

#include "export/hdf5_reader.h"
#include "src/cli/commands.h"
#include "src/cli/console.h"
#include "src/cli/report_json.h"
#include "src/cli/report_text.h"

namespace umbra::cli {
namespace {

constexpr std::size_t kDefaultTop = 30;

struct Options {
    std::string file;
    std::string sort = "self";
    std::size_t top = 0;  ///< 0: not given
    bool exclude_pauses = false;
    bool no_compensation = false;
    bool json = false;
};

const std::vector<std::pair<std::string, profile::SortBy>>& orders() {
    static const std::vector<std::pair<std::string, profile::SortBy>> named = {
        {"self", profile::SortBy::kSelf},
        {"total", profile::SortBy::kTotal},
        {"cpu", profile::SortBy::kCpu},
        {"calls", profile::SortBy::kCalls},
    };
    return named;
}

/// `name` is one of orders(): the command line has been checked.
profile::SortBy order(const std::string& name) {
    return std::ranges::find(orders(), name, [](const auto& named) { return named.first; })->second;
}

/// Answers what is wrong with the number of functions; "" when nothing is.
std::string check_top(const std::string& text) {
    const bool digits = !text.empty() && text.size() <= 9 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    const bool positive = text.find_first_not_of('0') != std::string::npos;
    return digits && positive ? "" : "'" + text + "' is not a number of functions, from 1 upwards";
}

int report(const Options& options) {
    const Result<profile::Profile> profile = hdf5::read_profile(options.file);
    if (!profile) {
        return report_error(profile.error());
    }
    profile::View view = {.sort = order(options.sort),
                          .top = options.top,
                          .compensated = !options.no_compensation,
                          .pauses = !options.exclude_pauses};
    if (view.sort == profile::SortBy::kCpu && !profile::has_cpu_times(profile->session)) {
        return report_error("'" + options.file +
                            "' has no CPU times to sort by: its cpu_source is none");
    }
    if (view.top == 0) {
        view.top = options.json ? std::numeric_limits<std::size_t>::max() : kDefaultTop;
    }
    const profile::HotList list = profile::hot_list(*profile, view);
    return print(options.json
                     ? report_json(*profile, list)
                     : report_text(*profile, list, {output_columns(), output_has_colour()}));
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("report", "Show where the time went");
    command->add_option("FILE", options->file, "Profile that 'umbra run' wrote")
        ->type_name("")
        ->required();
    command->add_option("--sort", options->sort, "Order, greatest first: self, total, cpu or calls")
        ->type_name("ORDER")
        ->check(CLI::IsMember(orders()))
        ->capture_default_str();
    command->add_option("--top", options->top, "Functions to show (default: 30; with --json all)")
        ->type_name("N")
        ->check(CLI::Validator(check_top, ""));
    command->add_flag("--exclude-pauses", options->exclude_pauses,
                      "Leave out the time the runtime had stopped or used a thread");
    command->add_flag("--no-compensation", options->no_compensation,
                      "Show times as measured, the probes' cost included");
    command->add_flag("--json", options->json, "Write JSON for scripts; times in nanoseconds");
    command->footer(
        "Columns:\n"
        "  calls  calls begun          total  wall time with callees, recursion counted once\n"
        "  mean   of one call          self   wall time without callees\n"
        "  min    shortest call        \xc2\xb1      standard error of self, where above 2%\n"
        "  max    longest call         cpu    of self, on a processor: what is left was waiting\n"
        "  share  of the self time of all functions; with --sort cpu, of their CPU time\n"
        "The cost of the probes is taken out of all but min and max. [limited] marks functions\n"
        "whose probes 'umbra run --max-overhead' took out. --json has all times of the file, "
        "under\n"
        "its names, whatever is shown here.\n"
        "\n"
        "Examples:\n"
        "  umbra report app.h5\n"
        "  umbra report app.h5 --sort cpu --exclude-pauses\n"
        "  umbra report app.h5 --sort calls --top 100\n"
        "  umbra report app.h5 --json | jq '.functions[0]'");
    command->callback([options, &exit_code] { exit_code = report(*options); });
}

}  // namespace umbra::cli
