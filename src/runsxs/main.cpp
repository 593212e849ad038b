// SPDX-License-Identifier: MIT
// umbra-runsxs: runs a profiler under several runtimes of one process, and prints verdicts.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "src/manual/pages.h"
#include "src/runsxs/fault_log.h"
#include "src/runsxs/runner.h"
#include "src/runsxs/script.h"

namespace umbra::runsxs {
namespace {

constexpr int kFaults = 1;
constexpr int kUsage = 2;

struct Options {
    std::string profiler;
    std::string clsid;
    std::vector<std::string> scripts;
    bool calls = false;
    bool list = false;
    std::string manual_folder;
    double timeout_s = 60;
};

int wrong(const std::string& why) {
    fmt::print(stderr, "umbra-runsxs: {}\n", why);
    return kUsage;
}

void list_checks() {
    for (size_t i = 0; i < kChecks; ++i) {
        const CheckFacts& facts = facts_of(static_cast<Check>(i));
        fmt::print("{:<18} {}\n", facts.name, facts.demand);
    }
}

/// True: there was a fault.
bool print_verdicts(const std::string& script, const Outcome& outcome, bool calls) {
    bool any = false;
    fmt::print("{}: {} calls of the profiler, {} of infos\n", script, outcome.log->callbacks(),
               outcome.log->info_calls());
    for (size_t i = 0; i < kChecks; ++i) {
        const auto check = static_cast<Check>(i);
        const uint64_t faults = outcome.log->faults(check);
        any = any || faults != 0;
        if (faults == 0) {
            fmt::print("  ok     {}\n", facts_of(check).name);
        } else {
            fmt::print("  FAULT  {:<18} {} x: {}\n", facts_of(check).name, faults,
                       outcome.log->detail(check));
        }
    }
    for (const std::string& note : outcome.notes) {
        fmt::print("  note   {}\n", note);
    }
    if (outcome.late_kib != 0) {
        fmt::print("  memory {} KiB after a tenth of the repeats, {} KiB at the end\n",
                   outcome.early_kib, outcome.late_kib);
    }
    for (const auto& [path, number] : outcome.calls) {
        if (calls) {
            fmt::print("  calls  {} {}\n", number, path);
        }
    }
    return any;
}

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets any
    return value == nullptr ? "" : value;
}

int run(Options options) {
    if (options.list) {
        list_checks();
        return 0;
    }
    if (options.profiler.empty()) {
        options.profiler = from_environment("CORECLR_PROFILER_PATH");
    }
    if (options.clsid.empty()) {
        options.clsid = from_environment("CORECLR_PROFILER");
    }
    if (options.profiler.empty() || access(options.profiler.c_str(), R_OK) != 0) {
        return wrong(options.profiler.empty()
                         ? "which profiler? --profiler PATH, or CORECLR_PROFILER_PATH"
                         : fmt::format("cannot read the profiler '{}'", options.profiler));
    }
    const Result<Guid> clsid = fakeclr::class_id(options.clsid);
    if (!clsid) {
        return wrong(clsid.error().context + ": --clsid, or CORECLR_PROFILER");
    }
    bool faults = false;
    for (const std::string& path : options.scripts) {
        std::ifstream file(path);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (!file) {
            return wrong(fmt::format("cannot read the script '{}'", path));
        }
        const Result<std::vector<Step>> steps = parse_script(text);
        if (!steps) {
            return wrong(fmt::format("'{}', {}", path, steps.error().context));
        }
        const Result<Outcome> outcome =
            run_script(*steps, {options.profiler, *clsid},
                       std::chrono::milliseconds(static_cast<int64_t>(options.timeout_s * 1000)));
        if (!outcome) {
            return wrong(outcome.error().context);
        }
        faults = print_verdicts(path, *outcome, options.calls) || faults;
    }
    return faults ? kFaults : 0;
}

/** Reads the command line and does what it asks for; returns the program's exit status. */
int run_command_line(int argc, char** argv) {
    Options options;
    CLI::App app(
        "Runs a .NET profiler against several runtimes in one process, scripted and made "
        "up, and says what it does that it must not.",
        "umbra-runsxs");
    app.add_option("SCRIPT", options.scripts, "What the runtimes do (docs/runsxs.md)")
        ->type_name("");
    app.add_option("--profiler", options.profiler, "The library; default: CORECLR_PROFILER_PATH")
        ->type_name("PATH");
    app.add_option("--clsid", options.clsid, "Its class id; default: CORECLR_PROFILER")
        ->type_name("{ID}");
    app.add_option("--timeout", options.timeout_s, "Seconds that one script may take")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
    app.add_flag("--calls", options.calls, "Print how often each path of hooked calls was made");
    app.add_flag("--checks", options.list, "Print what is checked, and end");
    // For the build, which has the page and completions from here.
    app.add_option("--write-manual", options.manual_folder, "")->group("");
    app.footer("Exit status: 0 without faults, 1 with some, 2 where nothing could be run.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsage;
    }
    if (!options.manual_folder.empty()) {
        const Status written = manual::write_pages(
            manual::make_pages(manual::read_command_line(app), UMBRA_VERSION, {}),
            options.manual_folder);
        return written ? 0 : wrong(written.error().context);
    }
    if (options.scripts.empty() && !options.list) {
        return wrong("which script?");
    }
    return run(options);
}

}  // namespace
}  // namespace umbra::runsxs

int main(int argc, char** argv) {
    try {
        return umbra::runsxs::run_command_line(argc, argv);
    } catch (const std::exception& error) {
        return umbra::runsxs::wrong(error.what());
    }
}
