// SPDX-License-Identifier: MIT
// umbra attach: sample a program that is running.
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/named_process.h"
#include "src/cli/record/recording.h"
#include "src/cli/record/sampling.h"
#include "src/cli/record/timing_options.h"
#include "src/cli/terminal/console.h"
#include "src/diagnostics/c_library.h"

namespace umbra::cli {
namespace {

struct AttachOptions {
    SamplingOptions sampling;
    std::string process;
    double duration_s = 10;
};

int attach(AttachOptions& options) {
    const Result<pid_t> pid = process_named(options.process);
    if (!pid) {
        return report_error(pid.error());
    }
    options.sampling.pid = *pid;
    if (const Status free = may_replace(options.sampling.output, options.sampling.force); !free) {
        return report_error(free.error());
    }
    Result<std::string> agent = find_agent(diagnostics::c_library_of_process(options.sampling.pid));
    if (!agent) {
        return report_error(agent.error());
    }
    options.sampling.agent = *agent;
    if (options.duration_s > 0) {
        options.sampling.duration =
            std::chrono::milliseconds(std::llround(options.duration_s * 1000));
    }
    const Result<int> code = sample(options.sampling);
    return code ? *code : report_error(code.error());
}

}  // namespace

void add_attach_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<AttachOptions>();
    SamplingOptions& sampling = options->sampling;
    CLI::App* command = app.add_subcommand("attach", "Sample a program that is running");
    add_process_argument(*command, options->process);
    command
        ->add_option(
            "--duration", options->duration_s,
            "How long; a number is seconds, 500ms, 30s, 5m, 1h;\n0: until Ctrl-C or its end")
        ->type_name("TIME")
        ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{
                                              {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}})
                        .description(""))
        ->default_str("10s");
    command
        ->add_option("--rate", sampling.rate_hz,
                     "Samples a second of every thread; fewer where these would stop\n"
                     "the program for longer than --max-stop")
        ->type_name("HZ")
        ->check(CLI::Range(0.1, 10'000.0).description(""))
        ->capture_default_str();
    command
        ->add_option("--max-stop", sampling.most_suspended_percent,
                     "Stop the program for at most this part of the time")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.01, 100.0).description(""))
        ->capture_default_str();
    command
        ->add_option("-o,--output", sampling.output,
                     "Profile to write (default: umbra-PROGRAM-PID.h5 in this folder)")
        ->type_name("FILE");
    command->add_flag("--force", sampling.force, "Replace the profile that FILE is already");
    add_symbols_option(*command, sampling.symbol_folders);
    command->add_flag("-q,--quiet", sampling.quiet, "No hot list at the end");
    command->footer(
        "The program needs no preparation, and keeps nothing of umbra when it is over. What it\n"
        "spends where is estimated from samples: no calls are counted (umbra run does).\n"
        "\n"
        "Exit status: 0, 1 on failure, 2 for a wrong command line, 3 if the process has died while "
        "it\n"
        "was sampled (a crash, a signal): its profile is there.\n"
        "\n"
        "Examples:\n"
        "  umbra attach 4711\n"
        "  umbra attach 4711 --duration 1m --rate 200 -o busy.h5");
    command->callback([options, &exit_code] { exit_code = attach(*options); });
}

}  // namespace umbra::cli
