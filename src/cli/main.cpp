// SPDX-License-Identifier: MIT
// umbra: finds the subcommand and hands over to it.
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "src/cli/commands.h"
#include "src/cli/terminal/console.h"

namespace {

using umbra::cli::kUsage;

constexpr const char* kExamples =
    "Examples:\n"
    "  umbra run -- dotnet app.dll                profile a program\n"
    "  umbra attach 4711                          sample one that is running\n"
    "  umbra start 4711 --duration 30s            time a running process (see 'umbra env')\n"
    "  umbra top 4711                             where its time goes, while it runs\n"
    "  umbra report umbra-app-4711.h5             where the time went\n"
    "  umbra report app.h5 --sort total --top 10  by time with callees\n"
    "  umbra report app.h5 --json | jq .summary   for scripts\n"
    "  umbra view app.h5                          the same in the browser, with flame graph\n"
    "  umbra diff before.h5 after.h5              what changed\n"
    "  umbra export --speedscope out.json app.h5  for a flame graph in the browser\n"
    "  umbra info app.h5                          what was profiled, and how\n"
    "  umbra ps                                   the .NET processes that run\n"
    "\n"
    "umbra SUBCOMMAND --help tells more.";

/// One line for what is wrong with the command line.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
    std::string command = "umbra";
    for (const CLI::App* chosen : app.get_subcommands()) {
        command += " " + chosen->get_name();
    }
    std::string what = error.what();
    if (app.get_subcommands().empty() && !app.remaining().empty()) {
        const std::string first = app.remaining().front();
        what = fmt::format("there is no {} '{}'", first.starts_with('-') ? "option" : "command",
                           first);
    }
    for (char& c : what) {
        c = c == '\n' ? ' ' : c;
    }
    umbra::cli::report_error(fmt::format("{}; see '{} --help'", what, command));
    return kUsage;
}

int run(int argc, char** argv) {
    int exit_code = umbra::cli::kOk;
    CLI::App app("umbra: exact timing of .NET methods on Linux", "umbra");
    app.set_version_flag("--version", "umbra " UMBRA_VERSION);
    app.require_subcommand(1);
    umbra::cli::add_run_command(app, exit_code);
    umbra::cli::add_attach_command(app, exit_code);
    umbra::cli::add_start_command(app, exit_code);
    umbra::cli::add_stop_command(app, exit_code);
    umbra::cli::add_detach_command(app, exit_code);
    umbra::cli::add_report_command(app, exit_code);
    umbra::cli::add_top_command(app, exit_code);
    umbra::cli::add_view_command(app, exit_code);
    umbra::cli::add_diff_command(app, exit_code);
    umbra::cli::add_export_command(app, exit_code);
    umbra::cli::add_info_command(app, exit_code);
    umbra::cli::add_ps_command(app, exit_code);
    umbra::cli::add_env_command(app, exit_code);
    umbra::cli::add_demo_command(app, exit_code);
    umbra::cli::add_man_command(app, exit_code);
    umbra::cli::add_completion_command(app, exit_code);
    app.footer(kExamples);  // last: a command without a footer would have it, too
    try {
        std::vector<const char*> arguments(argv, argv + argc);
        if (argc > 1 && std::string_view(argv[1]) == "help") {  // umbra help COMMAND
            arguments.erase(arguments.begin() + 1);
            const auto named = [&](const CLI::App* one) { return one->get_name() == argv[2]; };
            if (argc == 2 || !app.get_subcommands(named).empty()) {
                arguments.push_back("--help");
            }
        }
        app.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const CLI::Success& asked) {  // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        return usage_error(app, error);
    }
    return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        return umbra::cli::report_error(error.what());
    }
}
