// SPDX-License-Identifier: MIT
// umbra start, stop, detach: exact timing switched on and off in a running process.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "src/base/utf8.h"
#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/named_process.h"
#include "src/cli/record/agent_client.h"
#include "src/cli/record/asked_outcome.h"
#include "src/cli/record/capture.h"
#include "src/cli/record/duration.h"
#include "src/cli/record/timing_options.h"
#include "src/cli/terminal/console.h"
#include "src/symbols/asked_methods.h"

namespace umbra::cli {
namespace {

struct StartOptions {
    TimingOptions timing;
    std::string process;
    std::string duration;
};

/// Whether the process has methods for any pattern, as far as its assemblies tell: one that loads
/// later may have them, if the pattern names its module. Says for which it has none.
bool has_methods(pid_t pid, const protocol::Welcome& settings) {
    std::vector<symbols::AskedPattern> asked = asked_patterns(settings);
    std::erase_if(asked, [](const symbols::AskedPattern& one) {
        return one.text.find('!') != std::string::npos || one.text.ends_with(".dll");
    });
    std::vector<std::string> assemblies = symbols::mapped_assemblies(pid);
    if (asked.empty() || assemblies.empty()) {
        return true;
    }
    // What lies beside its own assemblies may not be loaded yet.
    const std::string folder = std::filesystem::path(assemblies.front()).parent_path().string();
    for (std::string& beside : symbols::assemblies_in(folder)) {
        if (std::ranges::find(assemblies, beside) == assemblies.end()) {
            assemblies.push_back(std::move(beside));
        }
    }
    const std::vector<symbols::MethodList> read = symbols::look_for(asked, assemblies);
    if (read.empty()) {
        return true;
    }
    for (const symbols::AskedPattern& one : asked) {
        if (!one.met) {
            report_error(symbols::unmet_text(one, read) + "; of an assembly that loads later: '*!" +
                         printable_utf8(one.text) + "'");
        }
    }
    return std::ranges::any_of(asked, &symbols::AskedPattern::met);
}

int start(StartOptions& options) {
    const Result<pid_t> pid = process_named(options.process);
    if (!pid) {
        return report_error(pid.error());
    }
    std::optional<std::chrono::milliseconds> duration;
    if (!options.duration.empty()) {
        duration = parse_duration(options.duration);
    }
    if (const Status applied = options.timing.apply(); !applied) {
        return report_error(applied.error());
    }
    if (const Status free =
            may_replace(options.timing.recording.output, options.timing.recording.force);
        !free) {
        return report_error(free.error());
    }
    if (!has_methods(*pid, options.timing.recording.spec.agent)) {
        return kFailed;
    }
    const Result<int> code = record_capture(
        *pid, duration, options.timing.probe == ProbeKind::kHooks, options.timing.recording);
    return code ? *code : report_error(code.error());
}

/// Has the agent of a process do what ends its work there, and says that it `has_done`.
int end_by(const std::string& process, protocol::Ask::What ask, const char* has_done) {
    const Result<pid_t> pid = process_named(process);
    if (!pid) {
        return report_error(pid.error());
    }
    const Result<protocol::AgentState> state = ask_agent(*pid, ask, kCaptureEndTimeout);
    if (!state) {
        return report_error(state.error());
    }
    if (!state->text.empty()) {
        return report_error(fmt::format("process {}: {}", *pid, state->text));
    }
    return print(fmt::format(fmt::runtime(has_done), *pid) + '\n');
}

}  // namespace

void add_start_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<StartOptions>();
    CLI::App* command = app.add_subcommand("start", "Time calls of a running process");
    add_process_argument(*command, options->process);
    command
        ->add_option("--duration", options->duration,
                     "Stop after this long (30s, 500ms, 5m); default: Ctrl-C or 'umbra stop'")
        ->type_name("TIME")
        ->check(check_duration);
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
        "  umbra start hello-shop\n"
        "  umbra start 4711 --include 'Acme.Orders.*' -o orders.h5");
    arrange_help(*command);
    command->callback([options, &exit_code] { exit_code = start(*options); });
}

void add_stop_command(CLI::App& app, int& exit_code) {
    auto process = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand("stop", "Stop timing a process; 'umbra start' writes the profile");
    add_process_argument(*command, *process);
    command->callback([process, &exit_code] {
        exit_code = end_by(*process, protocol::Ask::kStop, "process {} is no longer timed");
    });
}

void add_detach_command(CLI::App& app, int& exit_code) {
    auto process = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("detach", "Have the agent leave a process");
    add_process_argument(*command, *process);
    command->callback([process, &exit_code] {
        exit_code = end_by(*process, protocol::Ask::kDetach, "umbra's agent has left process {}");
    });
}

}  // namespace umbra::cli
