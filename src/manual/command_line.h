// SPDX-License-Identifier: MIT
// A program's command line as its man pages and completions need it, read from its CLI::App.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace umbra::manual {

/// What a shell can offer for a value.
enum class Offer {
    kNothing,      ///< anything can stand there
    kChoices,      ///< Value::choices
    kFile,         ///< any file
    kFolder,       ///< a folder
    kProfile,      ///< a file that umbra wrote
    kProcess,      ///< the number of a .NET process
    kCommandLine,  ///< a program, then its arguments
};

/// What stands behind an option, or at a place of the command line.
struct Value {
    std::string name;                  ///< as the help shows it; empty: the option takes none
    std::string range;                 ///< which numbers it may be, as "1 to 65536"; empty: any
    std::vector<std::string> choices;  ///< words it may be, all or some
    Offer offer = Offer::kNothing;
};

struct Option {
    std::vector<std::string> names;  ///< as "-o", "--output"; empty: it is told by its place
    Value value;
    std::string description;  ///< of one line or several
    std::string default_value;
    std::string variable;  ///< of the environment, where it is read from too; empty: none
    std::vector<std::string> needs;
    std::vector<std::string> excludes;
    bool required = false;
    bool repeats = false;
};

/// Options under one heading of the help.
struct OptionGroup {
    std::string title;
    std::string description;
    std::vector<Option> options;
};

/// A program, or one of its subcommands.
struct Command {
    std::string name;  ///< as it is typed: "umbra", "umbra run"
    std::string description;
    std::string footer;
    std::vector<Option> places;  ///< what is told by its place, in this order
    std::vector<OptionGroup> groups;
    std::vector<Command> commands;

    /// "run" of "umbra run".
    [[nodiscard]] std::string_view last_name() const;
    /// All options, of all groups.
    [[nodiscard]] std::vector<Option> options() const;
};

/// Reads the app as it is before parsing. What has no group, and so no place in the help, is left
/// out.
[[nodiscard]] Command read_command_line(const CLI::App& app);

}  // namespace umbra::manual
