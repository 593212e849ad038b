// SPDX-License-Identifier: MIT
#include "src/cli/record/timing_options.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include <CLI/CLI.hpp>

#include "src/base/argument_request.h"
#include "src/base/runtime_choice.h"

namespace umbra::cli {
namespace {

/// 0: as many as are needed.
std::optional<uint32_t> worker_number(const std::string& text) {
    constexpr uint32_t kMostWorkers = 64;
    uint32_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (text == "auto") {
        return 0;
    }
    return error == std::errc() && rest == end && number >= 1 && number <= kMostWorkers
               ? std::optional(number)
               : std::nullopt;
}

/// --args and --probe.
void add_probe_options(CLI::App& command, TimingOptions& options) {
    command
        .add_option("--args", options.recording.spec.agent.arguments,
                    "Tell calls apart by the values of arguments, which the profile holds:\n"
                    "'Acme.Orders.Load(id, items.Length, return)' (repeatable)")
        ->type_name("METHOD(NAME)")
        ->allow_extra_args(false)
        ->check(CLI::Validator(
            [](const std::string& text) {
                const auto request = parse_argument_request(text);
                return request ? std::string() : request.error().context;
            },
            "METHOD(NAME, ...)"));
    add_choice<ProbeKind>(
        command, "--probe", options.probe,
        {{"auto", ProbeKind::kAuto}, {"hooks", ProbeKind::kHooks}, {"il", ProbeKind::kIl}},
        "By the runtime's hooks, or by probes in the methods' IL; auto:\n"
        "hooks where they can be had, and IL for --args");
}

}  // namespace

Status TimingOptions::apply() {
    protocol::Welcome& agent = recording.spec.agent;
    agent.il_probes = probe == ProbeKind::kIl || !agent.arguments.empty();
    if (agent.il_probes && probe == ProbeKind::kHooks) {
        return fail(ErrorCode::kInvalid,
                    "--args needs probes in the methods' IL: leave out --probe=hooks");
    }
    agent.async_calls = !no_async;
    if (events) {
        recording.spec.max_logged_calls = max_events;
        recording.spec.tree = replay::TreeShape::kFull;  // time lines nest by rows of their calls
    }
    recording.spec.slowest.clear();
    for (const std::string& text : agent.slowest) {
        recording.spec.slowest.push_back(*parse_slowest_request(text));
    }
    return {};
}

CLI::Validator pattern_check() {
    return {[](const std::string& text) {
                return text.empty() ? std::string(
                                          "an empty pattern would match everything: is a variable "
                                          "of the shell not set? '*' matches everything")
                                    : std::string();
            },
            ""};
}

CLI::Validator overhead_check() {
    return {[](const std::string& text) {
                double percent = 0;
                const char* end = text.data() + text.size();
                const auto [rest, error] = std::from_chars(text.data(), end, percent);
                return error == std::errc() && rest == end && percent >= 0.1 && percent <= 1000
                           ? std::string()
                           : "'" + text +
                                 "' is no number of percent from 0.1 to 1000, as in "
                                 "--max-overhead 20";
            },
            ""};
}

void add_selection_options(CLI::App& command, std::vector<std::string>& include,
                           std::vector<std::string>& also, std::vector<std::string>& exclude) {
    for (const auto& [name, patterns, what] :
         {std::tuple("--include", &include, "Time only methods that match (repeatable)"),
          std::tuple("--also", &also, "Time methods that match besides the others (repeatable)"),
          std::tuple("--exclude", &exclude, "Leave out methods that match (repeatable)")}) {
        command.add_option(name, *patterns, what)
            ->type_name("PATTERN")
            ->check(pattern_check())
            ->allow_extra_args(false);
    }
}

void add_symbols_option(CLI::App& command, std::vector<std::string>& folders) {
    CLI::Validator folder = CLI::ExistingDirectory;
    command
        .add_option("--symbols", folders,
                    "Look here too for the PDBs that source lines are from (repeatable)")
        ->type_name("DIR")
        ->check(folder.description(""))
        ->allow_extra_args(false);
}

void add_timing_options(CLI::App& command, TimingOptions& options) {
    RecordingOptions& recording = options.recording;
    add_probe_options(command, options);
    command
        .add_option("-o,--output", recording.output,
                    "Profile to write (default: umbra-PROGRAM-PID.h5 in this folder)")
        ->type_name("FILE");
    command.add_flag("--force", recording.force, "Replace the profile that FILE is already");
    add_selection_options(command, recording.spec.agent.include, recording.spec.agent.also,
                          recording.spec.agent.exclude);
    command.add_flag("--framework", recording.spec.agent.framework,
                     "Time the framework's methods too; slows the start");
    command.add_flag("--trivial", recording.spec.agent.trivial,
                     "Time trivial methods too, which are else part of their callers");
    command.add_flag("--inlining", recording.spec.agent.inlining,
                     "Let timed methods be inlined into one another: less overhead, and\n"
                     "calls that are missing where a row says so");
    command.add_flag("--no-async", options.no_async,
                     "Do not follow async calls: their pieces are timed each for itself");
    add_choice(command, "--overflow", recording.spec.agent.drop, {{"wait", false}, {"drop", true}},
               "When umbra is behind: wait, or drop events (counted)");
    command.add_flag("--events", options.events,
                     "Keep the time of every call, for a time line: 24 bytes of memory each");
    command
        .add_option("--max-events", options.max_events,
                    "So many, the first; later ones are counted as lost")
        ->type_name("CALLS")
        ->check(CLI::Range(size_t{1}, size_t{1} << 30))
        ->capture_default_str();
    command
        .add_option("--slowest", recording.spec.agent.slowest,
                    "Keep the course of the slowest calls: 'Orders.Handle=20' (repeatable)")
        ->type_name("PATTERN=NUMBER")
        ->expected(1, static_cast<int>(kMaxSlowestRequests))
        ->allow_extra_args(false)
        ->check(CLI::Validator(
            [](const std::string& text) {
                const auto request = parse_slowest_request(text);
                return request ? std::string() : request.error().context;
            },
            "PATTERN=NUMBER"));
    add_choice<SlowestBy>(command, "--slowest-by", recording.spec.slowest_by,
                          {{"wall", SlowestBy::kWall}, {"cpu", SlowestBy::kCpu}},
                          "Slow is what takes long by the clock, or on a processor");
    add_choice<replay::TreeShape>(
        command, "--tree", recording.spec.tree,
        {{"folded", replay::TreeShape::kFolded}, {"full", replay::TreeShape::kFull}},
        "Paths of calls: recursion folded and rare ones cut off, or every one");
    command
        .add_option_function<std::string>(
            "--workers",
            [&recording](const std::string& text) {
                recording.spec.workers = worker_number(text).value_or(0);
            },
            "Threads of umbra that take a process's events in; auto: one, and more\n"
            "while it is behind and processors are idle (with --events: one)")
        ->type_name("auto|NUMBER")
        ->check(CLI::Validator(
            [](const std::string& text) {
                return worker_number(text) ? std::string()
                                           : text + " is neither auto nor a number from 1 to 64";
            },
            "auto or 1 to 64"))
        ->default_str("auto");
    command
        .add_option("--max-overhead", recording.spec.max_overhead_percent,
                    "Take probes out of tiny methods beyond this cost (default: never)")
        ->type_name("PERCENT")
        ->check(overhead_check());
    using collector::CpuSource;
    add_choice<CpuSource>(command, "--cpu", recording.spec.cpu,
                          {{"auto", CpuSource::kAuto},
                           {"perf", CpuSource::kPerf},
                           {"schedstat", CpuSource::kSchedstat},
                           {"none", CpuSource::kNone}},
                          "Where CPU times come from: context switches, CPU times of threads");
    add_symbols_option(command, recording.symbol_folders);
    command
        .add_option_function<double>(
            "--checkpoint",
            [&recording](double seconds) {
                recording.spec.checkpoint =
                    std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
            },
            "Seconds between two writes (default: 10, or 50 x what one takes)")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 86400.0));
    command
        .add_option("--runtimes", recording.spec.agent.runtimes,
                    "Of a process with several runtimes: all, the first to start, the\n"
                    "second (one:2), or the first of a version (one:9.0)")
        ->type_name("all|first|one:...")
        ->check(CLI::Validator(
            [](const std::string& text) {
                const Result<RuntimeChoice> choice = RuntimeChoice::parse(text);
                return choice ? std::string() : choice.error().context;
            },
            ""))
        ->capture_default_str();
    command.add_flag("-q,--quiet", recording.quiet, "No progress line, no hot list at the end");
}

// Leaves to the names of the values what the checks say again.
void arrange_help(CLI::App& command) {
    constexpr std::array<std::pair<const char*, const char*>, 4> kGroups = {{
        {"What is written",
         "--force --output --checkpoint --events --max-events --slowest --slowest-by --tree "
         "--quiet --no-profile --symbols"},
        {"What is timed",
         "--include --also --exclude --framework --trivial --no-follow --runtimes --duration "
         "--args"},
        {"How it is timed",
         "--inlining --probe --clock-source --cpu --max-overhead --overflow --workers --no-async"},
        {"Options", "--help"},
    }};
    for (const auto& [group, names] : kGroups) {
        std::istringstream words(names);
        for (std::string name; words >> name;) {
            CLI::Option* option = command.get_option_no_throw(name);
            if (option == nullptr) {
                continue;
            }
            option->group(group);
            // An option without a check throws when asked for it.
            if (option->get_type_name().find(':') != std::string::npos) {
                option->get_validator(0)->description("");
            }
        }
    }
}

}  // namespace umbra::cli
