// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "src/manual/completion.h"

namespace umbra::manual {
namespace {

/// The text with what _arguments and _describe read themselves made plain.
std::string plain(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == ':' || c == '[' || c == ']' || c == '\\' ? "\\" : "";
        out += c;
    }
    return out;
}

std::string action(const Value& value, const std::string& function) {
    switch (value.offer) {
        case Offer::kNothing:
            return " ";
        case Offer::kChoices:
            return fmt::format("({})", fmt::join(value.choices, " "));
        case Offer::kFile:
            return "_files";
        case Offer::kFolder:
            return "_files -/";
        case Offer::kProfile:
            return "_files -g \"*.h5(-.)\"";
        case Offer::kProcess:
            return fmt::format("_{}_processes", function);
        case Offer::kProfileOrProcess:
            return fmt::format(
                "_alternative "
                "\"profile\\:profile\\:_files -g \\\\\\*.h5\" "
                "\"process\\:process\\:_{}_processes\"",
                function);
        case Offer::kCommandLine:
            return "_normal";
    }
    return " ";
}

/// One word of _arguments for each name of an option.
std::string option_words(const Option& option, const std::string& function) {
    std::vector<std::string> not_beside = option.excludes;
    if (!option.repeats) {
        not_beside.insert(not_beside.end(), option.names.begin(), option.names.end());
    }
    std::string out;
    for (const std::string& name : option.names) {
        const bool takes_value = !option.value.name.empty();
        std::string word = option.repeats ? "*" : "";
        if (!not_beside.empty()) {
            word = fmt::format("({}){}", fmt::join(not_beside, " "), word);
        }
        word += name + (!takes_value ? "" : name.starts_with("--") ? "=" : "+");
        word += "[" + plain(summary(option.description)) + "]";
        if (takes_value) {
            word += ":" + plain(option.value.name) + ":" + action(option.value, function);
        }
        out += " \\\n        " + in_quotes(word);
    }
    return out;
}

std::string arguments(const Command& command, const std::string& function) {
    std::string out;
    for (const Option& option : command.options()) {
        out += option_words(option, function);
    }
    for (const Option& place : command.places) {
        const bool rest = place.value.offer == Offer::kCommandLine;
        out += " \\\n        " +
               in_quotes(fmt::format("{}{}:{}:{}",
                                     rest            ? "*::"
                                     : place.repeats ? "*"
                                                     : "",
                                     rest || place.required || place.repeats ? "" : ":",
                                     plain(place.value.name), action(place.value, function)));
    }
    return out;
}

// @ is the function's name, # the program's.
constexpr const char* kHead = R"sh(#compdef #
# Completion of # in zsh.
_@_processes() {
    local -a found
    local line
    for line in ${(f)"$($program ps 2>/dev/null)"}; do
        [[ $line != [[:space:]]#[0-9]##\ * ]] ||
            found+=("${line[(w)1]}:${${line//:/\\:}[1,100]}")
    done
    _describe -V process found
}
)sh";

}  // namespace

std::string zsh_completion(const Command& program) {
    const std::string function = function_name(program.name);
    std::string out = filled_in(kHead, function, program.name);
    std::string cases;
    std::string names;
    for (const Command& command : program.commands) {
        names += " \\\n            " + in_quotes(fmt::format("{}:{}", command.last_name(),
                                                             plain(summary(command.description))));
        const std::string own = fmt::format("_{}", function_name(command.name));
        cases += fmt::format("            {}) {} ;;\n", command.last_name(), own);
        out += fmt::format("{}() {{\n    _arguments -s -S :{}\n}}\n", own,
                           arguments(command, function));
    }
    out += fmt::format(
        "_{}() {{\n    setopt local_options extended_glob\n"
        "    local curcontext=$curcontext state state_descr line program=$words[1]\n"
        "    local -A opt_args\n",
        function);
    if (program.commands.empty()) {
        out += fmt::format("    _arguments -s -S :{}\n", arguments(program, function));
    } else {
        out += fmt::format(R"sh(    _arguments -C -A '-*' :{} \
        '1:command:->command' '*::argument:->argument'
    case $state in
        command)
            local -a commands=({})
            _describe -V command commands
            ;;
        argument)
            case $line[1] in
{}            esac
            ;;
    esac
)sh",
                           arguments(program, function), names, cases);
    }
    return out + fmt::format(
                     "}}\nif [[ $funcstack[1] == _{0} ]]; then\n    _{0} \"$@\"\nelse\n"
                     "    compdef _{0} {1}\nfi\n",
                     function, program.name);
}

}  // namespace umbra::manual
