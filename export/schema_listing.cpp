// SPDX-License-Identifier: MIT
// The schema as text, for docs/file_format.md.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "export/schema.h"

namespace umbra::schema {
namespace {

void list_columns(std::string& out, std::string_view heading, std::span<const Column> columns) {
    out += fmt::format("| {} | type | units | meaning |\n| --- | --- | --- | --- |\n", heading);
    for (const Column& column : columns) {
        out += fmt::format("| `{}` | {} | {} | {} |\n", column.name, type_name(column),
                           units(column), column.description);
    }
}

}  // namespace

std::string listing() {
    std::string out = "### Attributes of the root\n\n";
    std::vector<Column> attributes(derived_attributes().begin(), derived_attributes().end());
    attributes.insert(attributes.end(), session_attributes().begin(), session_attributes().end());
    list_columns(out, "attribute", attributes);
    std::vector<Table> all(tables().begin(), tables().end());
    all.push_back(long_strings());
    for (const Table& table : all) {
        out += fmt::format("\n### Table `{}`\n\n{}\n\n", table.name, table.description);
        list_columns(out, "column", table.columns);
    }
    return out;
}

}  // namespace umbra::schema
