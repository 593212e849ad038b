// SPDX-License-Identifier: MIT
#include <algorithm>

#include <fmt/format.h>

#include "src/manual/completion.h"

namespace umbra::manual {
namespace {

/// The words of `complete` that offer such values.
std::string offer(const Value& value, const std::string& function) {
    const std::string profiles = "(__fish_complete_suffix .h5)";
    const std::string processes = fmt::format("(__{}_processes)", function);
    switch (value.offer) {
        case Offer::kNothing:
            return "";
        case Offer::kChoices:
            return "-a " + in_quotes(fmt::format("{}", fmt::join(value.choices, " ")));
        case Offer::kFile:
            return "-F";
        case Offer::kFolder:
            return "-a " + in_quotes("(__fish_complete_directories)");
        case Offer::kProfile:
            return "-k -a " + in_quotes(profiles);
        case Offer::kProcess:
            return "-a " + in_quotes(processes);
        case Offer::kProfileOrProcess:
            return "-k -a " + in_quotes(profiles + " " + processes);
        case Offer::kCommandLine:
            return "-a " + in_quotes(fmt::format("(__{}_rest)", function));
    }
    return "";
}

std::string lines(const Command& command, const std::string& before, const std::string& function) {
    std::string out;
    for (const Option& option : command.options()) {
        out += before;
        for (const std::string& name : option.names) {
            out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        }
        if (!option.value.name.empty()) {
            // Of what nothing is known, files are not offered either.
            const std::string values = offer(option.value, function);
            out += (values == "-F" ? " -r " : " -x ") + values;
        }
        out += " -d " + in_quotes(summary(option.description)) + "\n";
    }
    if (!command.places.empty()) {
        const std::string values = offer(command.places.front().value, function);
        out += values.empty() ? "" : before + " " + values + "\n";
    }
    return out;
}

// @ is the function's name, # the program's.
constexpr const char* kFishHelpers = R"sh(# Completion of # in fish.
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
complete -c # -f
)sh";

}  // namespace

std::string fish_completion(const Command& program) {
    const std::string function = function_name(program.name);
    std::string out = filled_in(kFishHelpers, function, program.name);
    const auto head = [&](std::string_view command) {
        return fmt::format("complete -c {} -n '__{}_in {}'", program.name, function,
                           command.empty() ? "\"\"" : command);
    };
    if (program.commands.empty()) {
        return out + lines(program, "complete -c " + program.name, function);
    }
    out += lines(program, head(""), function);
    for (const Command& command : program.commands) {
        out += fmt::format("{} -a {} -d {}\n", head(""), command.last_name(),
                           in_quotes(summary(command.description)));
    }
    for (const Command& command : program.commands) {
        out += lines(command, head(command.last_name()), function);
    }
    return out;
}

}  // namespace umbra::manual
