// SPDX-License-Identifier: MIT
// A program's arguments as one line, and the line's arguments again. A line may be anything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace umbra {

/// As one word of a shell's command line, whatever it holds.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
    }
    return quoted + '\'';
}

/// A word to be typed in a shell, in quotes where it needs them: 'My App.h5', app.h5.
[[nodiscard]] inline std::string shell_word(std::string_view text) {
    const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '.' || c == '_' || c == '-' || c == '/';
    });
    return plain ? std::string(text) : in_quotes(text);
}

[[nodiscard]] inline bool is_assembly_name(std::string_view name) {
    return name.ends_with(".dll") || name.ends_with(".exe");
}

/// "Acme.Web" for the assembly "Acme.Web.dll" as for the program "Acme.Web".
[[nodiscard]] inline std::string without_extension(std::string_view program) {
    return std::string(program.substr(0, program.size() - (is_assembly_name(program) ? 4 : 0)));
}

/// One line of arguments that each end in NUL, as /proc/PID/cmdline has them, a blank between them.
/// What a blank or a quote would tear apart is quoted, as for a shell: "'/srv/My App' --fast".
[[nodiscard]] inline std::string line_of_arguments(std::string_view arguments) {
    std::string line;
    while (!arguments.empty()) {
        const std::string_view argument = arguments.substr(0, arguments.find('\0'));
        arguments.remove_prefix(std::min(arguments.size(), argument.size() + 1));
        line += line.empty() ? "" : " ";
        const bool torn =
            argument.empty() || argument.find_first_of(" \t\n'") != std::string_view::npos;
        line += torn ? in_quotes(argument) : std::string(argument);
    }
    return line;
}

/// The arguments of a line that line_of_arguments() has made.
[[nodiscard]] inline std::vector<std::string> arguments_of_line(std::string_view line) {
    std::vector<std::string> arguments;
    bool quoted = false;
    bool begun = false;
    for (size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (!quoted && (c == ' ' || c == '\t' || c == '\n')) {
            begun = false;
            continue;
        }
        if (!begun) {
            arguments.emplace_back();
            begun = true;
        }
        if (c == '\'') {
            quoted = !quoted;
        } else if (!quoted && line.substr(at).starts_with("\\'")) {
            arguments.back() += line[++at];
        } else {
            arguments.back() += c;
        }
    }
    return arguments;
}

}  // namespace umbra
