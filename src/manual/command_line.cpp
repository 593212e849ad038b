// SPDX-License-Identifier: MIT
#include "src/manual/command_line.h"

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace umbra::manual {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts = CLI::detail::split(text, at);
    for (std::string& part : parts) {
        CLI::detail::trim(part);
    }
    return parts;
}

/// In the names of values what is to be typed as it is has lower case, what stands for something
/// else upper case: "auto|NUMBER".
bool is_literal(const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

/// What the name of a value says of it, whatever command it belongs to. Of positionals FILE is
/// what umbra has written; an option's FILE may be any.
Offer offer_of(const Value& value, bool by_place) {
    struct Rule {
        const char* name;
        Offer option;
        Offer place;
    };
    constexpr std::array<Rule, 9> kRules = {{
        {"FILE", Offer::kFile, Offer::kProfile},
        {"OLD NEW", Offer::kNothing, Offer::kProfile},
        {"NEW...", Offer::kProfile, Offer::kNothing},
        {"OUT", Offer::kFile, Offer::kFile},
        {"PATH", Offer::kFile, Offer::kFile},
        {"SCRIPT", Offer::kFile, Offer::kFile},
        {"DIR", Offer::kFolder, Offer::kFolder},
        {"PID", Offer::kProcess, Offer::kProcess},
        {"PROGRAM", Offer::kNothing, Offer::kCommandLine},
    }};
    for (const Rule& rule : kRules) {
        if (value.name == rule.name) {
            return by_place ? rule.place : rule.option;
        }
    }
    return value.choices.empty() ? Offer::kNothing : Offer::kChoices;
}

/// CLI11 puts behind a name what its checks allow: "ORDER:{self,total}", "N:INT in [1 - 9]".
Value value_of(const std::string& name, const std::string& type, bool by_place) {
    Value value;
    std::string own = type;
    std::smatch found;
    if (std::regex_search(type, found, std::regex(":?\\{([^{}]*,[^{}]*)\\}$"))) {
        value.choices = split(found[1], ',');
        own = found.prefix();
    } else if (std::regex_search(type, found, std::regex(":\\w+ in \\[(.*) - (.*)\\]$"))) {
        value.range = fmt::format("{} to {}", found[1].str(), found[2].str());
        own = found.prefix();
    }
    value.name = name.empty() ? own : name;
    if (value.choices.empty() && value.name.find('(') == std::string::npos) {
        value.choices = split(value.name, '|');
        value.choices.erase(
            std::remove_if(value.choices.begin(), value.choices.end(),
                           [](const std::string& word) { return !is_literal(word); }),
            value.choices.end());
    }
    value.offer = offer_of(value, by_place);
    return value;
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
    std::vector<std::string> names;
    names.reserve(options.size());
    for (const CLI::Option* option : options) {
        names.push_back(option->get_name());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Option read_option(const CLI::Option& from) {
    Option option;
    for (const std::string& name : from.get_snames()) {
        option.names.push_back("-" + name);
    }
    for (const std::string& name : from.get_lnames()) {
        option.names.push_back("--" + name);
    }
    const bool by_place = option.names.empty();
    if (from.get_type_size() != 0) {
        option.value = value_of(by_place ? from.get_name() : "", from.get_type_name(), by_place);
    }
    option.description = from.get_description();
    option.default_value = from.get_default_str();
    option.variable = from.get_envname();
    option.needs = names_of(from.get_needs());
    option.excludes = names_of(from.get_excludes());
    option.required = from.get_required();
    option.repeats = from.get_items_expected_max() > 1 ||
                     from.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    return option;
}

/// Adds the app's options to the command's groups, in the order of the help.
void read_options(const CLI::App& app, Command& command) {
    const bool is_group = app.get_name().empty();
    if (is_group) {
        command.groups.push_back({app.get_group(), app.get_description(), {}});
    }
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty() || (is_group && option == app.get_help_ptr())) {
            continue;
        }
        if (option->get_positional()) {
            command.places.push_back(read_option(*option));
            continue;
        }
        const std::string title = is_group ? app.get_group() : option->get_group();
        auto group = std::find_if(command.groups.begin(), command.groups.end(),
                                  [&](const OptionGroup& one) { return one.title == title; });
        if (group == command.groups.end()) {
            group = command.groups.insert(command.groups.end(), {title, "", {}});
        }
        group->options.push_back(read_option(*option));
    }
}

Command read_command(const CLI::App& app, const std::string& name) {
    Command command;
    command.name = name;
    command.description = app.get_description();
    command.footer = app.get_footer();
    read_options(app, command);
    const auto no_filter = [](const CLI::App*) { return true; };
    for (const CLI::App* inner : app.get_subcommands(no_filter)) {
        if (inner->get_group().empty()) {
            continue;
        }
        if (inner->get_name().empty()) {
            read_options(*inner, command);
        } else {
            command.commands.push_back(read_command(*inner, name + " " + inner->get_name()));
        }
    }
    return command;
}

}  // namespace

std::string_view Command::last_name() const {
    return std::string_view(name).substr(name.rfind(' ') + 1);
}

std::vector<Option> Command::options() const {
    std::vector<Option> all;
    for (const OptionGroup& group : groups) {
        all.insert(all.end(), group.options.begin(), group.options.end());
    }
    return all;
}

Command read_command_line(const CLI::App& app) {
    Command program = read_command(app, app.get_name());
    std::vector<std::string> names;
    for (const Command& command : program.commands) {
        names.emplace_back(command.last_name());
    }
    for (Command& command : program.commands) {
        for (Option& place : command.places) {
            if (place.value.name == "COMMAND") {
                place.value.choices = names;
                place.value.offer = Offer::kChoices;
            }
        }
    }
    return program;
}

}  // namespace umbra::manual
