// SPDX-License-Identifier: MIT
// umbra start, stop, detach: exact timing switched on and off in a running process.
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "src/base/argument_request.h"
#include "src/cli/commands.h"
#include "src/cli/record/agent_client.h"
#include "src/cli/record/capture.h"
#include "src/cli/record/duration.h"
#include "src/cli/record/timing_options.h"
#include "src/cli/terminal/console.h"

namespace umbra::cli {
namespace {

struct StartOptions {
    TimingOptions timing;
    pid_t pid = 0;
    std::string duration;
    std::string probe = "auto";
};

int start(StartOptions& options) {
    std::optional<std::chrono::milliseconds> duration;
    if (!options.duration.empty()) {
        duration = parse_duration(options.duration);
    }
    options.timing.apply();
    protocol::Welcome& settings = options.timing.recording.settings;
    settings.il_probes = options.probe == "il" || !settings.arguments.empty();
    if (options.probe == "hooks" && settings.il_probes) {
        return report_error("--args needs probes in the methods' IL: leave out --probe=hooks");
    }
    const Result<int> code =
        record_capture(options.pid, duration, options.probe == "hooks", options.timing.recording);
    return code ? *code : report_error(code.error());
}

int stop(pid_t pid) {
    const Result<protocol::AgentState> state =
        ask_agent(pid, protocol::Ask::kStop, kCaptureEndTimeout);
    if (!state) {
        return report_error(state.error());
    }
    if (!state->text.empty()) {
        return report_error(fmt::format("process {}: {}", pid, state->text));
    }
    return print(fmt::format("process {} is no longer timed\n", pid));
}

int detach(pid_t pid) {
    const Result<protocol::AgentState> state =
        ask_agent(pid, protocol::Ask::kDetach, kCaptureEndTimeout);
    if (!state) {
        return report_error(state.error());
    }
    if (!state->text.empty()) {
        return report_error(fmt::format("process {}: {}", pid, state->text));
    }
    return print(fmt::format("umbra's agent has left process {}\n", pid));
}

void add_pid(CLI::App& command, pid_t& pid) {
    command.add_option("PID", pid, "Number of the process; 'umbra ps' lists them")
        ->type_name("")
        ->required()
        ->check(CLI::PositiveNumber.description(""));
}

}  // namespace

void add_start_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<StartOptions>();
    CLI::App* command = app.add_subcommand("start", "Time calls of a running process");
    add_pid(*command, options->pid);
    command
        ->add_option("--duration", options->duration,
                     "Stop after this long (30s, 500ms, 5m); default: Ctrl-C or 'umbra stop'")
        ->type_name("TIME")
        ->check(check_duration);
    command
        ->add_option("--args", options->timing.recording.settings.arguments,
                     "Tell calls of a method apart by the values of arguments, as in\n"
                     "'Acme.Orders.Load(id, items.Length, return)' (repeatable); the\n"
                     "profile holds these values (docs/arguments.md)")
        ->type_name("METHOD(NAME, ...)")
        ->allow_extra_args(false)
        ->check(CLI::Validator(
            [](const std::string& text) {
                const auto request = parse_argument_request(text);
                return request ? std::string() : request.error().context;
            },
            "METHOD(NAME, ...)"));
    command
        ->add_option("--probe", options->probe,
                     "How: by the runtime's hooks, or by probes written into the methods'\n"
                     "IL; auto: hooks in a program started with the variables of umbra env")
        ->type_name("auto|hooks|il")
        ->check(CLI::IsMember({"auto", "hooks", "il"}))
        ->capture_default_str();
    command->add_flag_callback(
        "--no-profile", [options] { options->timing.recording.profile = false; },
        "Write no profile: what is recorded is there to be watched by 'umbra top'");
    add_timing_options(*command, options->timing);
    command->footer(
        std::string(kPatternHelp) +
        "A process that was not started with the variables of 'umbra env' gets the agent by an\n"
        "attach; the agent then stays in it, idle between captures.\n"
        "\n"
        "Exit status: 0, 1 on failure, 2 for a wrong command line, 3 if the process has died while "
        "it\n"
        "was timed (a crash, a signal): its profile is there.\n"
        "\n"
        "Examples:\n"
        "  umbra start 4711 --duration 30s\n"
        "  umbra start 4711 --include 'Acme.Orders.*' -o orders.h5");
    arrange_help(*command);
    command->callback([options, &exit_code] { exit_code = start(*options); });
}

void add_stop_command(CLI::App& app, int& exit_code) {
    auto pid = std::make_shared<pid_t>(0);
    CLI::App* command =
        app.add_subcommand("stop", "Stop timing a process; 'umbra start' writes the profile");
    add_pid(*command, *pid);
    command->callback([pid, &exit_code] { exit_code = stop(*pid); });
}

void add_detach_command(CLI::App& app, int& exit_code) {
    auto pid = std::make_shared<pid_t>(0);
    CLI::App* command = app.add_subcommand("detach", "Have the agent leave a process");
    add_pid(*command, *pid);
    command->callback([pid, &exit_code] { exit_code = detach(*pid); });
}

}  // namespace umbra::cli
