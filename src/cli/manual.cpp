// SPDX-License-Identifier: MIT
// umbra man, umbra completion: manual pages and completions of shells, from what --help is made of.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "src/cli/commands.h"
#include "src/cli/terminal/console.h"
#include "src/manual/command_line.h"
#include "src/manual/completion.h"
#include "src/manual/man_page.h"
#include "src/manual/pages.h"

namespace umbra::cli {
namespace {

/// What umbra(1) says that no --help does.
std::vector<manual::Section> sections() {
    return {
        {"DESCRIPTION",
         "A profiler of .NET programs that records every call of the methods you choose, in order, "
         "and writes one HDF5 file for each process: functions, call tree, callers and callees, "
         "threads, and every loss by reason. It starts the program ('umbra run'), or times one "
         "that runs already ('umbra start'); 'umbra report' and 'umbra view' show the file."},
        {"EXIT STATUS",
         "0 when all went well, 1 when something failed, which one line on standard error names, "
         "2 for a wrong command line. 'umbra run' ends with the status of the program it ran."},
        {"ENVIRONMENT",
         "UMBRA_LOG names a file to which the agent appends why it does not profile. "
         "XDG_RUNTIME_DIR, else TMPDIR, else /tmp is where 'umbra run' makes the folder of its "
         "socket. NO_COLOR keeps colour out of the output."},
        {"FILES", "The documents that the help names as docs/ are in share/doc/umbra."},
    };
}

struct ManOptions {
    std::string command;
    std::string folder;
};

int man(const CLI::App& app, const ManOptions& options) {
    const manual::Command program = manual::read_command_line(app);
    if (!options.folder.empty()) {
        const Status written = manual::write_pages(
            manual::make_pages(program, UMBRA_VERSION, sections()), options.folder);
        return written ? kOk : report_error(written.error());
    }
    if (options.command.empty()) {
        return print(manual::man_page(program, program, UMBRA_VERSION, sections()));
    }
    const auto command = std::find_if(
        program.commands.begin(), program.commands.end(),
        [&](const manual::Command& one) { return one.last_name() == options.command; });
    if (command == program.commands.end()) {
        report_error(fmt::format("there is no command '{}'; see 'umbra --help'", options.command));
        return kUsage;
    }
    return print(manual::man_page(*command, program, UMBRA_VERSION, {}));
}

}  // namespace

void add_man_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<ManOptions>();
    CLI::App* command = app.add_subcommand("man", "Print the manual page of a command");
    command->add_option("COMMAND", options->command, "Which (default: umbra's own page)")
        ->type_name("");
    command
        ->add_option("--write", options->folder,
                     "Print nothing; write all pages, and completions for bash, zsh and fish,\n"
                     "below this folder: share of an installation, or ~/.local/share")
        ->type_name("DIR");
    command->footer(
        "The pages are in the language of man. Packages install them; where umbra came another\n"
        "way, this shows one or installs all.\n"
        "\n"
        "Examples:\n"
        "  umbra man report | man -l -\n"
        "  umbra man --write ~/.local/share");
    command->callback([&app, options, &exit_code] { exit_code = man(app, *options); });
}

void add_completion_command(CLI::App& app, int& exit_code) {
    auto shell = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("completion", "Print the completions for a shell");
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->type_name("")
        ->required()
        ->check(CLI::IsMember(std::array<std::string, 3>{"bash", "zsh", "fish"}));
    command->footer(
        "Packages install them. Elsewhere, in the file that the shell reads at its start:\n"
        "\n"
        "  source <(umbra completion bash)            ~/.bashrc\n"
        "  source <(umbra completion zsh)             ~/.zshrc, behind compinit\n"
        "  umbra completion fish | source             ~/.config/fish/config.fish");
    command->callback([&app, shell, &exit_code] {
        exit_code = print(manual::completion(manual::read_command_line(app), *shell));
    });
}

}  // namespace umbra::cli
