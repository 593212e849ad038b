// SPDX-License-Identifier: MIT
#include "src/manual/completion.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "src/base/command_line.h"

namespace umbra::manual {
namespace {

// In all that is written here _@ is the start of a function's name, "_umbra_runsxs", and @@ the
// program's name, until completion() puts them in.

/// What offers values of one kind; % stands for the words of kChoices.
struct Offered {
    const char* bash;
    const char* zsh;
    const char* fish;
};

/// In the order of Offer.
constexpr std::array<Offered, 7> kOffered = {{
    {":", " ", ""},
    {"_@_offer_words '%'", "(%)", "-a '%'"},
    {"_@_offer_files -f", "_files", "-F"},
    {"_@_offer_files -d", "_files -/", "-a '(__fish_complete_directories)'"},
    {"_@_offer_profiles", "_files -g \"*.h5(-.)\"", "-k -a '(__fish_complete_suffix .h5)'"},
    {"_@_offer_processes", "_@_processes", "-a '(__@_processes)'"},
    {"_@_offer_command_line", "_normal", "-a '(__@_rest)'"},
}};

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
    return fmt::format("{}", fmt::join(words, between));
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
        text.replace(at, what.size(), by);
        at += by.size();
    }
}

std::string offer(const Value& value, const char* Offered::*shell) {
    std::string out = kOffered.at(static_cast<size_t>(value.offer)).*shell;
    replace_all(out, "%", joined(value.choices));
    return out;
}

/// The first line of an option's or command's description, as short as a list wants it: up to its
/// first semicolon, colon or bracket behind some words.
std::string summary(const std::string& description) {
    constexpr size_t kFewWords = 12;
    std::string line = description;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line.substr(0, line.find_first_of(";:(", std::min(kFewWords, line.size())));
}

// Words that are split at "=", as bash does, are put together again. Then the command is found,
// and the place behind which a program's own command line begins.
constexpr const char* kBash = R"sh(# Completion of @@ in bash.
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
    local command= place at
    for ((at = 1; at < COMP_CWORD; ++at)); do
        [[ ${COMP_WORDS[at]} == -* ]] || { command=${COMP_WORDS[at]}; break; }
    done
    for ((place = at + 1; place < COMP_CWORD; ++place)); do
        [[ ${COMP_WORDS[place]} != -- ]] || break
    done
)sh";

/// The branch of the script for one command.
std::string bash_branch(const Command& command, std::string_view name) {
    const std::string place =
        command.places.empty() ? ":" : offer(command.places[0].value, &Offered::bash);
    std::string out = fmt::format("    {})\n", name);
    if (!command.places.empty() && command.places[0].value.offer == Offer::kCommandLine) {
        // Behind -- nothing is of this program's any more.
        out += fmt::format("        ((place == COMP_CWORD)) || {{ {}; return; }}\n", place);
    }
    std::vector<std::string> words;
    std::string values;
    for (const Option& option : command.options()) {
        words.insert(words.end(), option.names.begin(), option.names.end());
        if (!option.value.name.empty()) {
            values += fmt::format("            {}) {}; return ;;\n", joined(option.names, " | "),
                                  offer(option.value, &Offered::bash));
        }
    }
    return out + fmt::format(
                     "        case $option in\n{}        esac\n"
                     "        [[ $word != -* ]] || {{ _@_offer_words '{}'; return; }}\n"
                     "        {}\n        ;;\n",
                     values, joined(words), place);
}

std::string bash(const Command& program) {
    std::string out = std::string(kBash) + "    case $command in\n";
    Command root = program;
    if (!program.commands.empty()) {
        Option command;
        command.value = {"COMMAND", "", {}, Offer::kChoices};
        for (const Command& one : program.commands) {
            command.value.choices.emplace_back(one.last_name());
            out += bash_branch(one, one.last_name());
        }
        root.places = {command};
    }
    return out + bash_branch(root, program.commands.empty() ? "*" : "''") +
           "    esac\n}\ncomplete -F _@ @@\n";
}

/// The text with what _arguments and _describe read themselves made plain.
std::string plain(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == ':' || c == '[' || c == ']' || c == '\\' ? "\\" : "";
        out += c;
    }
    return out;
}

/// What _arguments is told of a command: a word for each name of an option, and one for each place.
std::string zsh_arguments(const Command& command) {
    std::vector<std::string> words = {""};
    for (const Option& option : command.options()) {
        std::vector<std::string> not_beside = option.excludes;
        if (!option.repeats) {
            not_beside.insert(not_beside.end(), option.names.begin(), option.names.end());
        }
        const bool takes_value = !option.value.name.empty();
        for (const std::string& name : option.names) {
            std::string word = not_beside.empty() ? "" : "(" + joined(not_beside) + ")";
            word += (option.repeats ? "*" : "") + name;
            word += !takes_value ? "" : name.starts_with("--") ? "=" : "+";
            word += "[" + plain(summary(option.description)) + "]";
            word += !takes_value
                        ? ""
                        : ":" + plain(option.value.name) + ":" + offer(option.value, &Offered::zsh);
            words.push_back(in_quotes(word));
        }
    }
    for (const Option& place : command.places) {
        const char* many = place.value.offer == Offer::kCommandLine ? "*:::"
                           : place.repeats                          ? "*:"
                           : place.required                         ? ":"
                                                                    : "::";
        words.push_back(
            in_quotes(many + plain(place.value.name) + ":" + offer(place.value, &Offered::zsh)));
    }
    return joined(words, " \\\n        ");
}

constexpr const char* kZsh = R"sh(#compdef @@
# Completion of @@ in zsh.
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

// A local variable `commands` would hide the shell's own, of all programs.
std::string zsh(const Command& program) {
    std::string names;
    std::string cases;
    for (const Command& command : program.commands) {
        const std::string name(command.last_name());
        names += " \\\n        " + in_quotes(name + ":" + plain(summary(command.description)));
        cases += fmt::format("        argument:{}) _arguments -s -S :{} ;;\n", name,
                             zsh_arguments(command));
    }
    const bool single = program.commands.empty();
    return kZsh +
           fmt::format(R"sh(_@() {{
    setopt local_options extended_glob
    local curcontext=$curcontext state state_descr line program=$words[1]
    local -A opt_args
    local -a subcommands=({})
    _arguments {} :{}{}
    case $state:$line[1] in
        command:*) _describe -V command subcommands ;;
{}    esac
}}
if [[ $funcstack[1] == _@ ]]; then
    _@ "$@"
else
    compdef _@ @@
fi
)sh",
                       names, single ? "-s -S" : "-C -A '-*'", zsh_arguments(program),
                       single ? "" : " \\\n        '1:command:->command' '*::argument:->argument'",
                       cases);
}

constexpr const char* kFish = R"sh(# Completion of @@ in fish.
function __@_in
    set -l words (commandline -opc)
    for word in $words[2..]
        string match -q -- '-*' $word; and continue
        test "$word" = "$argv[1]"
        return
    end
    test -z "$argv[1]"
end
function __@_processes
    set -l words (commandline -opc)
    $words[1] ps 2>/dev/null | string replace -rf '^\s*(\d+)\s+(.{0,80}).*' '$1\t$2'
end
function __@_rest
    set -l words (commandline -opc)
    if set -l at (contains -i -- -- $words)
        set -e words[1..$at]
    else
        set -e words[1..2]
    end
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end
complete -c @@ -f
)sh";

/// The lines of one command's options and places, each of which begins with `head`.
std::string fish_lines(const Command& command, const std::string& head) {
    std::string out;
    for (const Option& option : command.options()) {
        out += head;
        for (const std::string& name : option.names) {
            out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (!option.value.name.empty()) {
            // Of what nothing is known, files are not offered either.
            const std::string values = offer(option.value, &Offered::fish);
            out += (values == "-F" ? " -r " : " -x ") + values;
        }
        out += " -d " + in_quotes(summary(option.description)) + "\n";
    }
    const std::string place =
        command.places.empty() ? "" : offer(command.places[0].value, &Offered::fish);
    return out + (place.empty() ? "" : head + " " + place + "\n");
}

std::string fish(const Command& program) {
    const std::string root =
        program.commands.empty() ? "complete -c @@" : "complete -c @@ -n '__@_in \"\"'";
    std::string out = kFish + fish_lines(program, root);
    for (const Command& command : program.commands) {
        const std::string_view name = command.last_name();
        out += fmt::format("{} -a {} -d {}\n", root, name, in_quotes(summary(command.description)));
        out += fish_lines(command, fmt::format("complete -c @@ -n '__@_in {}'", name));
    }
    return out;
}

}  // namespace

std::string completion(const Command& program, std::string_view shell) {
    std::string script = shell == "bash"  ? bash(program)
                         : shell == "zsh" ? zsh(program)
                                          : fish(program);
    std::string function = program.name;
    std::replace(function.begin(), function.end(), '-', '_');
    replace_all(script, "_@", "_" + function);
    replace_all(script, "@@", program.name);
    return script;
}

}  // namespace umbra::manual
