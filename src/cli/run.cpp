// SPDX-License-Identifier: MIT
// umbra run: profile a program from its start.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "src/cli/commands.h"
#include "src/cli/console.h"
#include "src/cli/recording.h"

namespace umbra::cli {
namespace {

constexpr int kCannotStart = 127;  // as a shell answers

struct Options {
    RecordingOptions recording;
    double checkpoint_s = 10;
    std::string overflow = "wait";
    std::string cpu = "auto";
    std::string clock_source = "auto";
    std::string clock = "adaptive";
    bool events = false;
    size_t max_events = 10'000'000;
};

collector::CpuSource cpu_source(const std::string& name) {
    using collector::CpuSource;
    return name == "perf"        ? CpuSource::kPerf
           : name == "schedstat" ? CpuSource::kSchedstat
           : name == "none"      ? CpuSource::kNone
                                 : CpuSource::kAuto;
}

int run(Options& options) {
    RecordingOptions& recording = options.recording;
    if (recording.arguments.empty()) {
        report_error("no program given; see 'umbra run --help'");
        return kUsage;
    }
    Result<std::string> agent = find_agent();
    if (!agent) {
        return report_error(agent.error());
    }
    recording.agent = *agent;
    recording.cpu = cpu_source(options.cpu);
    recording.max_logged_calls = options.events ? options.max_events : 0;
    recording.settings.drop = options.overflow == "drop";
    recording.os_clock = options.clock_source == "os";
    recording.settings.adaptive = options.clock == "adaptive";
    recording.checkpoint =
        std::chrono::milliseconds(static_cast<int64_t>(options.checkpoint_s * 1000));
    const Result<int> code = record(recording);
    if (!code) {
        report_error(code.error());
        return code.error().code == ErrorCode::kNotFound ? kCannotStart : kFailed;
    }
    return *code;
}

/// Puts the options of the help page into groups, and leaves to the names of their values what
/// the checks say again.
void arrange_help(CLI::App& command) {
    constexpr std::array<std::pair<const char*, const char*>, 16> kGroups = {{
        {"--output", "What is written"},
        {"--checkpoint", "What is written"},
        {"--events", "What is written"},
        {"--max-events", "What is written"},
        {"--quiet", "What is written"},
        {"--include", "What is timed"},
        {"--exclude", "What is timed"},
        {"--framework", "What is timed"},
        {"--no-inlining", "What is timed"},
        {"--no-follow", "What is timed"},
        {"--clock", "How it is timed"},
        {"--clock-source", "How it is timed"},
        {"--cpu", "How it is timed"},
        {"--max-overhead", "How it is timed"},
        {"--overflow", "How it is timed"},
        {"--help", "Options"},
    }};
    for (const auto& [name, group] : kGroups) {
        if (CLI::Option* option = command.get_option_no_throw(name)) {
            option->group(group);
            // An option without a check throws when asked for it.
            if (option->get_type_name().find(':') != std::string::npos) {
                option->get_validator(0)->description("");
            }
        }
    }
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    RecordingOptions& recording = options->recording;
    CLI::App* command = app.add_subcommand("run", "Profile a program from its start");
    command
        ->add_option("-o,--output", recording.output,
                     "Profile to write (default: umbra-PROGRAM-PID.h5 in this folder)")
        ->type_name("FILE");
    command
        ->add_option("--include", recording.settings.include,
                     "Time only methods that match (repeatable)")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    command
        ->add_option("--exclude", recording.settings.exclude,
                     "Leave out methods that match (repeatable)")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    command->add_flag("--framework", recording.settings.framework,
                      "Time the framework's methods too; slows the start");
    command->add_flag("--no-inlining", recording.settings.no_inlining,
                      "Keep timed methods from being inlined: every call of the source counts");
    command
        ->add_option("--overflow", options->overflow,
                     "When the collector is behind: wait, or drop events (counted)")
        ->type_name("wait|drop")
        ->check(CLI::IsMember({"wait", "drop"}))
        ->capture_default_str();
    command->add_flag("--events", options->events,
                      "Keep the time of every single call, for a time line;\n"
                      "24 bytes of memory each until the end");
    command
        ->add_option("--max-events", options->max_events,
                     "So many, the first; later ones are counted as lost")
        ->type_name("CALLS")
        ->check(CLI::Range(size_t{1}, size_t{1} << 30))
        ->capture_default_str();
    command
        ->add_option("--clock-source", options->clock_source,
                     "The TSC where its rate is fixed (auto), or always the system's clock\n"
                     "(os), which makes each clock reading ten times as dear")
        ->type_name("auto|os")
        ->check(CLI::IsMember({"auto", "os"}))
        ->capture_default_str();
    command
        ->add_option("--max-overhead", recording.max_overhead_percent,
                     "Take the probes out of tiny methods when all together cost more than\n"
                     "this (default: never)")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.1, 1000.0));
    command
        ->add_option("--clock", options->clock,
                     "Read the clock where it tells something, or at every event")
        ->type_name("adaptive|every")
        ->check(CLI::IsMember({"adaptive", "every"}))
        ->capture_default_str();
    command
        ->add_option("--cpu", options->cpu,
                     "Where CPU times come from: context switches, CPU times of threads")
        ->type_name("auto|perf|schedstat|none")
        ->check(CLI::IsMember({"auto", "perf", "schedstat", "none"}))
        ->capture_default_str();
    command->add_flag_callback(
        "--no-follow", [&recording] { recording.follow = false; },
        "Do not profile processes the program starts");
    command
        ->add_option("--checkpoint", options->checkpoint_s,
                     "Seconds between two writes of the profile while the program runs")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
    command->add_flag("-q,--quiet", recording.quiet, "No progress line, no hot list at the end");
    command->add_option("PROGRAM", recording.arguments, "The program and its arguments, after --")
        ->type_name("");
    command->positionals_at_end();
    command->footer(
        "Without --framework or --include everything outside the shared frameworks is timed.\n"
        "A pattern is MODULE!NAMESPACE.TYPE.METHOD with * and ?; without ! it is matched against\n"
        "the name, or, ending in .dll, against the module.\n"
        "\n"
        "Examples:\n"
        "  umbra run -- dotnet app.dll --port 8080\n"
        "  umbra run -o app.h5 --include 'Acme.Orders.*' -- ./app\n"
        "  umbra run --framework --exclude '*!System.Text.*' -- dotnet app.dll");
    arrange_help(*command);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace umbra::cli
