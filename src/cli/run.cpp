// SPDX-License-Identifier: MIT
// umbra run: profile a program from its start.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "src/base/command_line.h"
#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/record/recording.h"
#include "src/cli/record/timing_options.h"
#include "src/cli/terminal/console.h"
#include "src/diagnostics/c_library.h"
#include "src/protocol/environment.h"

namespace umbra::cli {
namespace {

constexpr int kCannotStart = 127;  // as a shell answers

bool is_file(const std::string& name) {
    std::error_code error;
    return std::filesystem::is_regular_file(name, error);
}

/// What is no program, or has none to run: better said here than by dotnet, whose SDK is a .NET
/// program, too, and would be profiled. Empty: nothing is known against it.
std::string why_not(const std::vector<std::string>& arguments) {
    const std::string& program = arguments.front();
    if (program.ends_with(".dll") && is_file(program)) {
        return fmt::format("'{}' is a .NET assembly, no program: umbra run -- dotnet {}", program,
                           shell_word(program));
    }
    const bool by_dotnet = std::filesystem::path(program).filename() == "dotnet";
    if (by_dotnet && arguments.size() > 1 && is_assembly_name(arguments[1]) &&
        !is_file(arguments[1])) {
        return fmt::format("there is no file '{}' for dotnet to run", arguments[1]);
    }
    return "";
}

int run(TimingOptions& options) {
    RecordingOptions& recording = options.recording;
    if (recording.arguments.empty()) {
        report_error("no program given; see 'umbra run --help'");
        return kUsage;
    }
    if (const std::string why = why_not(recording.arguments); !why.empty()) {
        report_error(why);
        return kCannotStart;
    }
    if (const Status free = may_replace(recording.output, recording.force); !free) {
        return report_error(free.error());
    }
    Result<std::string> agent =
        find_agent(diagnostics::c_library_of_program(recording.arguments.front()));
    if (!agent) {
        return report_error(agent.error());
    }
    recording.agent = *agent;
    if (const Status applied = options.apply(); !applied) {
        return report_error(applied.error());
    }
    const Result<int> code = record(recording);
    if (!code) {
        report_error(code.error());
        return code.error().code == ErrorCode::kNotFound ? kCannotStart : kFailed;
    }
    return *code;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<TimingOptions>();
    RecordingOptions& recording = options->recording;
    CLI::App* command = app.add_subcommand("run", "Profile a program from its start");
    add_timing_options(*command, *options);
    add_choice(*command, "--clock-source", recording.os_clock, {{"auto", false}, {"os", true}},
               "The processor's counter; os: the system's clock, ten times the cost");
    command->get_option("--runtimes")->envname(protocol::kRuntimesVariable);
    command->add_flag_callback(
        "--no-follow", [&recording] { recording.follow = false; },
        "Do not profile processes the program starts");
    command->add_option("PROGRAM", recording.arguments, "The program and its arguments, after --")
        ->type_name("");
    command->positionals_at_end();
    command->footer(std::string(kPatternHelp) +
                    "\n"
                    "Examples:\n"
                    "  umbra run -- dotnet app.dll --port 8080\n"
                    "  umbra run -o app.h5 --include 'Acme.Orders.*' -- ./app\n"
                    "  umbra run --framework --exclude '*!System.Text.*' -- dotnet app.dll");
    arrange_help(*command);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace umbra::cli
