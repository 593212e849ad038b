// SPDX-License-Identifier: MIT
// umbra run: profile a program from its start.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "src/cli/commands.h"
#include "src/cli/record/recording.h"
#include "src/cli/record/timing_options.h"
#include "src/cli/terminal/console.h"
#include "src/diagnostics/c_library.h"
#include "src/protocol/environment.h"

namespace umbra::cli {
namespace {

constexpr int kCannotStart = 127;  // as a shell answers

int run(TimingOptions& options) {
    RecordingOptions& recording = options.recording;
    if (recording.arguments.empty()) {
        report_error("no program given; see 'umbra run --help'");
        return kUsage;
    }
    Result<std::string> agent =
        find_agent(diagnostics::c_library_of_program(recording.arguments.front()));
    if (!agent) {
        return report_error(agent.error());
    }
    recording.agent = *agent;
    options.apply();
    recording.os_clock = options.clock_source == "os";
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
    command
        ->add_option("--clock-source", options->clock_source,
                     "The processor's counter where its rate is fixed (auto), or always the\n"
                     "system's clock (os), which makes each clock reading ten times as dear")
        ->type_name("auto|os")
        ->check(CLI::IsMember({"auto", "os"}))
        ->capture_default_str();
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
