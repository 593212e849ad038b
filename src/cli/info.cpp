// SPDX-License-Identifier: MIT
// umbra info: what was profiled, and how.
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "export/hdf5/reader.h"
#include "export/schema.h"
#include "src/cli/chosen_profile.h"
#include "src/cli/commands.h"
#include "src/cli/guarded_read.h"
#include "src/cli/terminal/console.h"
#include "src/cli/terminal/text.h"

namespace umbra::cli {
namespace {

void add_line(std::string& out, std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(out), "{:<25}{}", name, value);
    // A fact that is empty leaves no blanks behind its name.
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
}

struct ValueText {
    std::string_view units;

    std::string operator()(const auto& number) const { return fmt::format("{}", number); }
    std::string operator()(uint64_t number) const {
        return units == "ns" ? fmt::format("{} ({})", number, duration(number))
                             : std::to_string(number);
    }
    std::string operator()(bool flag) const { return flag ? "yes" : "no"; }
    std::string operator()(const std::string& text) const { return one_line(text); }
};

int info(const std::string& file) {
    const Result<hdf5::Overview> overview = hdf5::read_overview(file);
    if (!overview) {
        return report_error(overview.error());
    }
    files_are_read();
    std::string out;
    add_line(out, "schema_version", overview->schema_version);
    for (const schema::Column& column : schema::session_attributes()) {
        add_line(out, column.name,
                 schema::visit(column, &overview->session, ValueText{column.units}));
    }
    for (std::size_t i = 0; overview->runtimes.size() > 1 && i < overview->runtimes.size(); ++i) {
        add_line(out, fmt::format("runtime {}", i + 1), one_line(overview->runtimes[i].version));
    }
    for (const profile::Module& module : overview->modules) {
        if (!module.symbols.empty()) {
            add_line(out, "source lines", fmt::format("{}: {}", module.name, module.symbols));
        } else if (!module.symbols_missing.empty() && !module.framework) {
            add_line(out, "no source lines",
                     fmt::format("{}: {}", module.name, one_line(module.symbols_missing)));
        }
    }
    for (const hdf5::Overview::TableSize& table : overview->tables) {
        add_line(out, "rows of " + table.name, std::to_string(table.rows));
    }
    return print(out);
}

}  // namespace

void add_info_command(CLI::App& app, int& exit_code) {
    auto file = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("info", "Show what was profiled, and how");
    add_profile_argument(*command, *file);
    command->footer(
        "One fact a line: the attributes of the file under their own names (docs/file_format.md\n"
        "explains each), the runtimes where there are several, the PDBs that source lines are from "
        "and\n"
        "the modules that have none, the number of rows of each table.\n"
        "\n"
        "Example:\n"
        "  umbra info app.h5 | grep lost");
    command->callback([file, &exit_code] {
        exit_code = with_profile(
            *file, [&file] { return guarded({*file}, [&file] { return info(*file); }); });
    });
}

}  // namespace umbra::cli
