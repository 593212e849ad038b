// SPDX-License-Identifier: MIT
#include <algorithm>

#include <fmt/format.h>

#include "src/manual/completion.h"

namespace umbra::manual {
namespace {

/// What in the script offers such values, where @ is the function's name; empty: nothing is
/// offered.
std::string offer(const Value& value) {
    switch (value.offer) {
        case Offer::kNothing:
            return "";
        case Offer::kChoices:
            return "_@_offer_words " + in_quotes(fmt::format("{}", fmt::join(value.choices, " ")));
        case Offer::kFile:
            return "_@_offer_files -f";
        case Offer::kFolder:
            return "_@_offer_files -d";
        case Offer::kProfile:
            return "_@_offer_profiles";
        case Offer::kProcess:
            return "_@_offer_processes";
        case Offer::kProfileOrProcess:
            return "_@_offer_profiles; _@_offer_processes";
        case Offer::kCommandLine:
            return "_@_offer_command_line";
    }
    return "";
}

/// The part of the script for one command; `indent` blanks before each line.
std::string part(const Command& command, size_t indent) {
    const std::string before(indent, ' ');
    std::vector<std::string> words;
    std::string values;
    for (const Option& option : command.options()) {
        words.insert(words.end(), option.names.begin(), option.names.end());
        if (!option.value.name.empty()) {
            const std::string call = offer(option.value);
            values += fmt::format("{}    {}) {}return ;;\n", before, fmt::join(option.names, " | "),
                                  call.empty() ? "" : call + "; ");
        }
    }
    std::string out;
    if (!values.empty()) {
        out += fmt::format("{0}case $option in\n{1}{0}esac\n", before, values);
    }
    out += fmt::format("{}[[ $word != -* ]] || {{ _@_offer_words {}; return; }}\n", before,
                       in_quotes(fmt::format("{}", fmt::join(words, " "))));
    const std::string place = command.places.empty() ? "" : offer(command.places.front().value);
    out += place.empty() ? "" : fmt::format("{}{}\n", before, place);
    return out;
}

// @ is the function's name, # the program's. Words that are split at "=", as bash does, are put
// together again.
constexpr const char* kBashHelpers = R"sh(# Completion of # in bash.
_@_add() { local found; while IFS= read -r found; do COMPREPLY+=("$found"); done; }
_@_offer_words() { _@_add < <(compgen -W "$1" -- "$word"); }
_@_offer_files() { compopt -o filenames 2>/dev/null; _@_add < <(compgen "$1" -- "$word"); }
_@_offer_profiles() {
    _@_offer_files -d
    _@_add < <(compgen -f -X '!*.h5' -- "$word")
}
_@_offer_processes() {
    _@_offer_words "$("$program" ps 2>/dev/null | while read -r pid _; do
        [[ $pid != +([0-9]) ]] || echo "$pid"
    done)"
}
_@_offer_command_line() {
    if ((place == COMP_CWORD)); then
        _@_offer_words --
        [[ -z $word ]] || _@_add < <(compgen -c -- "$word")
        _@_offer_files -f
    elif declare -F _command_offset >/dev/null; then
        _command_offset $((place + 1))
    elif ((place + 1 == COMP_CWORD)); then
        _@_add < <(compgen -c -- "$word")
    else
        _@_offer_files -f
    fi
}
_@() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    if [[ $word == = ]]; then
        word=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
)sh";

// Finds the command, and the place behind which a program's own command line begins.
constexpr const char* kFindCommand = R"sh(    local command= place at
    for ((at = 1; at < COMP_CWORD; ++at)); do
        [[ ${COMP_WORDS[at]} == -* ]] || { command=${COMP_WORDS[at]}; break; }
    done
    for ((place = at + 1; place < COMP_CWORD; ++place)); do
        [[ ${COMP_WORDS[place]} != -- ]] || break
    done
)sh";

}  // namespace

std::string bash_completion(const Command& program) {
    std::string out = kBashHelpers;
    if (program.commands.empty()) {
        out += part(program, 4);
    } else {
        out += kFindCommand;
        std::vector<std::string> names;
        std::string cases;
        for (const Command& command : program.commands) {
            names.emplace_back(command.last_name());
            cases += fmt::format("        {})\n", command.last_name());
            if (!command.places.empty() && command.places[0].value.offer == Offer::kCommandLine) {
                // Behind -- nothing is of this program's any more.
                cases +=
                    "            ((place == COMP_CWORD)) || "
                    "{ _@_offer_command_line; return; }\n";
            }
            cases += part(command, 12) + "            ;;\n";
        }
        Command root = program;
        Option command;
        command.value = {"COMMAND", "", names, Offer::kChoices};
        root.places = {command};
        out += fmt::format("    case $command in\n        '')\n{}            ;;\n{}    esac\n",
                           part(root, 12), cases);
    }
    out += "}\ncomplete -F _@ #\n";
    return filled_in(out, function_name(program.name), program.name);
}

}  // namespace umbra::manual
