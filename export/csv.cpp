// SPDX-License-Identifier: MIT
// RFC 4180, with bare line feeds: pandas and spreadsheets take either.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "export/formats.h"
#include "export/schema.h"

namespace umbra::formats {
namespace {

struct Cell {
    const profile::Profile& profile;
    const schema::Column& column;

    std::string operator()(const auto& number) const { return fmt::format("{}", number); }
    std::string operator()(bool flag) const { return flag ? "1" : "0"; }
    std::string operator()(const std::string& text) const { return csv_text(text); }
    /// The name of the row of another table instead of its number, which says nothing by itself.
    std::string operator()(uint32_t number) const {
        if (!column.refers_to.empty() && number == profile::kNone) {
            return "";
        }
        return column.refers_to == "modules"    ? csv_text(profile.modules[number].name)
               : column.refers_to == "runtimes" ? csv_text(profile.runtimes[number].version)
                                                : std::to_string(number);
    }
};

}  // namespace

std::string csv_text(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string out = "\"";
    for (const char c : text) {
        out.append(c == '"' ? 2 : 1, c);
    }
    return out + '"';
}

void write_csv(const profile::Profile& profile, Sink& out) {
    const auto table = std::ranges::find(schema::tables(), "functions", &schema::Table::name);
    std::string_view separator;
    for (const schema::Column& column : table->columns) {
        out.put(separator);
        out.put(column.name);
        separator = ",";
    }
    out.put("\n");
    const schema::Rows rows = table->rows(profile);
    for (size_t number = 0; number < rows.count; ++number) {
        separator = "";
        for (const schema::Column& column : table->columns) {
            out.put(separator);
            out.put(schema::visit(column, rows.row(number), Cell{profile, column}));
            separator = ",";
        }
        out.put("\n");
    }
}

}  // namespace umbra::formats
