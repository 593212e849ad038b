// SPDX-License-Identifier: MIT
// umbra: finds the subcommand and hands over to it.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/base/nearest.h"
#include "src/base/utf8.h"
#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/help_topic.h"
#include "src/cli/terminal/console.h"

namespace {

using umbra::cli::kUsage;

constexpr const char* kExamples =
    "Examples:\n"
    "  umbra run -- dotnet app.dll                profile a program\n"
    "  umbra attach 4711                          sample one that is running\n"
    "  umbra start hello-shop --duration 30s      time a running process (see 'umbra env')\n"
    "  umbra top hello-shop                       where its time goes, while it runs\n"
    "  umbra report                               where the time went: the newest profile here\n"
    "  umbra report app.h5 --sort total --top 10  by time with callees\n"
    "  umbra report app.h5 --json | jq .summary   for scripts\n"
    "  umbra view app.h5                          the same in the browser, with flame graph\n"
    "  umbra diff before.h5 after.h5              what changed\n"
    "  umbra export --speedscope out.json app.h5  for a flame graph in the browser\n"
    "  umbra info app.h5                          what was profiled, and how\n"
    "  umbra ps                                   the .NET processes that run\n"
    "\n"
    "umbra SUBCOMMAND --help tells more. umbra help TOPIC shows a page of the documents, as\n"
    "in: umbra help async_calls";

/// "; did you mean 'report'?", or nothing where no name is near.
std::string meant(std::string_view wanted, const std::vector<std::string>& names) {
    const std::vector<std::string> near = umbra::nearest(wanted, names, 1);
    return near.empty() ? "" : fmt::format("; did you mean '{}'?", near.front());
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

/// What is wrong with words that a command does not take.
std::string unexpected(const CLI::App& command) {
    std::vector<std::string> words = command.remaining();
    const auto option =
        std::ranges::find_if(words, [](const std::string& one) { return one.starts_with('-'); });
    if (option != words.end()) {
        const std::string name = option->substr(0, option->find('='));
        return fmt::format("'{}' has no option '{}'{}", command.get_name(), name,
                           meant(name, names_of_options(command)));
    }
    // The first one went where it belongs: a pattern of the shell fits several.
    const CLI::Option* file = command.get_option_no_throw("FILE");
    if (file == nullptr || file->results().empty()) {
        return fmt::format("'{}' does not take '{}'", command.get_name(), words.front());
    }
    words.insert(words.begin(), file->results().front());
    const auto no_file = std::ranges::find_if(words, [](const std::string& word) {
        std::error_code unknown;
        return !word.ends_with(".h5") && !std::filesystem::exists(word, unknown);
    });
    if (no_file != words.end() && command.get_option_no_throw("--include") != nullptr) {
        return fmt::format(
            "{} shows one profile, and '{}' is no file; --include '{}' chooses methods",
            command.get_name(), *no_file, *no_file);
    }
    const std::string newest = umbra::cli::newest_of(words);
    return fmt::format("{} shows one profile, {} were given{}", command.get_name(), words.size(),
                       newest.empty() ? "" : fmt::format("; the newest is '{}'", newest));
}

/// One line for what is wrong with the command line.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
    std::string command = "umbra";
    for (const CLI::App* one : app.get_subcommands()) {
        command += " " + one->get_name();
    }
    std::string what = error.what();
    if (app.get_subcommands().empty() && !app.remaining().empty()) {
        const std::string first = app.remaining().front();
        what = first.starts_with('-') ? fmt::format("there is no option '{}'", first)
                                      : fmt::format("there is no command '{}'{}", first,
                                                    meant(first, names_of_commands(app)));
    }
    const auto chosen = app.get_subcommands();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !chosen.empty() &&
        !chosen.back()->remaining().empty()) {
        what = unexpected(*chosen.back());
    }
    for (char& c : what) {
        c = c == '\n' ? ' ' : c;
    }
    umbra::cli::report_error(fmt::format("{}; see '{} --help'", what, command));
    return kUsage;
}

/// What is no command is a page of the documents.
int help(const std::string& topic, std::vector<std::string> names) {
    if (umbra::cli::print_topic(topic)) {
        return umbra::cli::kOk;
    }
    const std::vector<std::string> topics = umbra::cli::help_topics();
    names.insert(names.end(), topics.begin(), topics.end());
    umbra::cli::report_error(fmt::format(
        "there is no command and no page '{}'{}; pages: {}", umbra::printable_utf8(topic),
        meant(topic, names),
        topics.empty() ? "none are installed" : fmt::format("{}", fmt::join(topics, ", "))));
    return kUsage;
}

int run(int argc, char** argv) {
    int exit_code = umbra::cli::kOk;
    CLI::App app("umbra: exact timing of .NET methods on Linux", "umbra");
    app.set_version_flag("--version", "umbra " UMBRA_VERSION);
    app.require_subcommand(1);
    umbra::cli::add_run_command(app, exit_code);
    umbra::cli::add_attach_command(app, exit_code);
    umbra::cli::add_start_command(app, exit_code);
    umbra::cli::add_stop_command(app, exit_code);
    umbra::cli::add_detach_command(app, exit_code);
    umbra::cli::add_report_command(app, exit_code);
    umbra::cli::add_top_command(app, exit_code);
    umbra::cli::add_view_command(app, exit_code);
    umbra::cli::add_diff_command(app, exit_code);
    umbra::cli::add_export_command(app, exit_code);
    umbra::cli::add_info_command(app, exit_code);
    umbra::cli::add_ps_command(app, exit_code);
    umbra::cli::add_env_command(app, exit_code);
    umbra::cli::add_demo_command(app, exit_code);
    umbra::cli::add_man_command(app, exit_code);
    umbra::cli::add_completion_command(app, exit_code);
    app.footer(kExamples);  // last: a command without a footer would have it, too
    try {
        std::vector<const char*> arguments(argv, argv + argc);
        if (argc == 1) {
            arguments.push_back("--help");
        }
        if (argc > 1 && std::string_view(argv[1]) == "help") {  // umbra help COMMAND or TOPIC
            arguments.erase(arguments.begin() + 1);
            const auto named = [&](const CLI::App* one) { return one->get_name() == argv[2]; };
            if (argc == 2 || !app.get_subcommands(named).empty()) {
                arguments.push_back("--help");
            } else if (argc == 3) {
                return help(argv[2], names_of_commands(app));
            }
        }
        app.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const CLI::Success& asked) {  // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        return usage_error(app, error);
    }
    return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        return umbra::cli::report_error(error.what());
    }
}
