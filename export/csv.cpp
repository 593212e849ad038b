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

/// The name of the row of another table instead of its number, which says nothing by itself.
std::string referred(const profile::Profile& profile, std::string_view table, profile::Row row) {
    if (row == profile::kNone) {
        return "";
    }
    return table == "modules"    ? csv_text(profile.modules[row].name)
           : table == "runtimes" ? csv_text(profile.runtimes[row].version)
                                 : std::to_string(row);
}

std::string cell(const profile::Profile& profile, const schema::Column& column, const void* row) {
    const void* member = column.get(row);
    switch (column.type) {
        case schema::Type::kInt64:
            return std::to_string(*static_cast<const uint64_t*>(member));
        case schema::Type::kUInt32:
            return std::to_string(*static_cast<const uint32_t*>(member));
        case schema::Type::kFloat64:
            return fmt::format("{}", *static_cast<const double*>(member));
        case schema::Type::kBool:
        case schema::Type::kFlag:
            return *static_cast<const bool*>(member) ? "1" : "0";
        case schema::Type::kRow:
        case schema::Type::kRowOrNone:
            return referred(profile, column.refers_to, *static_cast<const profile::Row*>(member));
        case schema::Type::kString:
            return csv_text(*static_cast<const std::string*>(member));
    }
    return "";
}

}  // namespace

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
            out.put(cell(profile, column, rows.row(number)));
            separator = ",";
        }
        out.put("\n");
    }
}

}  // namespace umbra::formats
