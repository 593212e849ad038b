// SPDX-License-Identifier: MIT
// umbra env: the variables with which a program loads the agent and is left alone until it is
// asked.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/cli/commands.h"
#include "src/cli/record/recording.h"
#include "src/cli/terminal/console.h"
#include "src/protocol/environment.h"

namespace umbra::cli {
namespace {

struct EnvOptions {
    std::string format = "shell";
    std::string agent;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

Variables variables(const std::string& agent) {
    return {{"CORECLR_ENABLE_PROFILING", "1"},
            {"CORECLR_PROFILER", protocol::kProfilerClsid},
            {"CORECLR_PROFILER_PATH", agent},
            {protocol::kTailLoopsVariable, protocol::kKeepsTailCalls}};
}

/// Whether a shell leaves a word alone that it gets from $(...).
bool is_plain(std::string_view path) {
    return std::all_of(path.begin(), path.end(), [](char c) {
        constexpr std::string_view kSpecial = " \t\n*?[\\\"'$`%";
        return kSpecial.find(c) == std::string_view::npos;
    });
}

std::string in_lines(const Variables& variables, std::string_view before, std::string_view after) {
    std::string out;
    for (const auto& [name, value] : variables) {
        out += fmt::format("{}{}={}{}\n", before, name, value, after);
    }
    return out;
}

std::string as_json(const Variables& variables) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [name, value] : variables) {
        object[name] = value;
    }
    return object.dump(2) + "\n";
}

int env(const EnvOptions& options) {
    std::string agent = options.agent;
    if (agent.empty()) {
        const Result<std::string> found = find_agent();
        if (!found) {
            return report_error(found.error());
        }
        agent = *found;
    }
    if (!agent.starts_with('/')) {
        report_error(fmt::format("the agent's path must be absolute, not '{}'", agent));
        return kUsage;
    }
    if (options.format == "json") {
        return print(as_json(variables(agent)));
    }
    if (!is_plain(agent)) {
        return report_error(fmt::format(
            "the path '{}' has characters that shells and unit files do not take as they are: "
            "install umbra elsewhere, name another path with --agent, or use --format json",
            agent));
    }
    if (options.format == "docker") {
        return print(in_lines(variables(agent), "ENV ", ""));
    }
    if (options.format == "systemd") {
        return print(in_lines(variables(agent), "Environment=", ""));
    }
    return print(in_lines(variables(agent), "", ""));
}

}  // namespace

void add_env_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<EnvOptions>();
    CLI::App* command =
        app.add_subcommand("env", "Print the variables that prepare a program for 'umbra start'");
    command->add_option("--format", options->format, "shell, docker, systemd or json")
        ->type_name("FORMAT")
        ->check(CLI::IsMember(std::array<std::string, 4>{"shell", "docker", "systemd", "json"}))
        ->capture_default_str();
    command
        ->add_option("--agent", options->agent,
                     "Where the program will see libumbra_agent.so (default: where it is here)")
        ->type_name("PATH");
    command->footer(
        "A program started with these variables loads umbra's agent, which does nothing until\n"
        "'umbra start PID' asks it to: it costs nothing that can be measured.\n"
        "\n"
        "Examples:\n"
        "  env $(umbra env) dotnet app.dll            one program\n"
        "  export $(umbra env)                        all that this shell starts\n"
        "  umbra env --format systemd                 lines for the [Service] part of a unit\n"
        "  umbra env --format docker --agent /opt/umbra/libumbra_agent.so\n"
        "                                             lines for a Containerfile\n"
        "  docker run --env-file <(umbra env) ...     the same for one container");
    command->callback([options, &exit_code] { exit_code = env(*options); });
}

}  // namespace umbra::cli
