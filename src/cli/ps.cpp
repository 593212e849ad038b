// SPDX-License-Identifier: MIT
// umbra ps: the .NET processes that run, and what profiles them.
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "src/cli/commands.h"
#include "src/cli/process_list.h"
#include "src/cli/terminal/console.h"

namespace umbra::cli {
namespace {

struct PsOptions {
    bool json = false;
    bool all = false;
};

int ps(const PsOptions& options) {
    const std::vector<ListedProcess> processes = list_processes(options.all);
    if (options.json) {
        return print(process_json(processes));
    }
    if (processes.empty()) {
        return print(options.all
                         ? "No .NET process runs that umbra can see.\n"
                         : "No .NET process runs that you may profile; 'umbra ps --all' shows the "
                           "others.\n");
    }
    // Into a file or a pipe go whole lines.
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    return print(process_table(processes, options.all, terminal ? output_columns() : 0));
}

}  // namespace

void add_ps_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<PsOptions>();
    CLI::App* command = app.add_subcommand("ps", "List the .NET processes that run");
    command->add_flag("--all", options->all,
                      "Those that cannot be profiled as well, with the reason");
    command->add_flag("--json", options->json, "As JSON, for scripts");
    command->footer(
        "Profilers of a process:\n"
        "  none       none is loaded\n"
        "  dormant    umbra's agent, idle\n"
        "  recording  umbra's agent, timing calls\n"
        "  sampling   umbra's agent, taking samples\n"
        "  another    one that is not umbra's; the runtime takes one at a time\n"
        "Behind the last two stands which umbra does it; 'umbra top PID' shows what it finds.\n"
        "A process of another user shows if umbra runs as root.\n"
        "\n"
        "Examples:\n"
        "  umbra ps\n"
        "  umbra ps --json | jq '.[] | select(.profiler == \"dormant\").pid'");
    command->callback([options, &exit_code] { exit_code = ps(*options); });
}

}  // namespace umbra::cli
