// SPDX-License-Identifier: MIT
// umbra demo: profile the program that comes with umbra, where no .NET is installed.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>

#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/record/recording.h"
#include "src/cli/terminal/console.h"

namespace umbra::cli {
namespace {

namespace fs = std::filesystem;

/// The demonstration program lies where the agent lies.
Result<std::string> find_target(const std::string& agent) {
    const fs::path target = fs::path(agent).parent_path() / "umbra-demo-target";
    std::error_code error;
    if (!fs::exists(target, error)) {
        return fail(ErrorCode::kNotFound, "umbra-demo-target is not beside the agent (" +
                                              target.string() +
                                              "): the installation is incomplete");
    }
    return target.string();
}

int run_demo(RecordingOptions& recording) {
    const Result<std::string> agent = find_agent();
    if (!agent) {
        return report_error(agent.error());
    }
    const Result<std::string> target = find_target(*agent);
    if (!target) {
        return report_error(target.error());
    }
    if (const Status free = may_replace(recording.output, recording.force); !free) {
        return report_error(free.error());
    }
    recording.agent = *agent;
    recording.arguments = {*target};
    const Result<int> code = record(recording);
    return code ? *code : report_error(code.error());
}

}  // namespace

void add_demo_command(CLI::App& app, int& exit_code) {
    auto recording = std::make_shared<RecordingOptions>();
    CLI::App* command = app.add_subcommand("demo", "Profile a small program that comes with umbra");
    command
        ->add_option("-o,--output", recording->output,
                     "Profile to write (default: umbra-umbra-demo-target-PID.h5 in this folder)")
        ->type_name("FILE");
    command->add_flag("--force", recording->force, "Replace the profile that FILE is already");
    command->add_flag("--framework", recording->spec.agent.framework,
                      "Time the framework's methods too");
    command->add_flag("-q,--quiet", recording->quiet, "No progress line, no hot list at the end");
    command->footer(
        "The program is a made-up web shop on a stand-in for the .NET runtime: the probes, the\n"
        "umbra and the file are the real ones, so this works where no .NET is installed.");
    command->callback([recording, &exit_code] { exit_code = run_demo(*recording); });
}

}  // namespace umbra::cli
