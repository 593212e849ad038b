// SPDX-License-Identifier: MIT
// Whether the tables of a profile agree with each other.
#include <cstddef>

#include <fmt/format.h>

#include "export/schema.h"

namespace umbra::schema {
namespace {

using profile::Profile;

Status check_cell(const Table& table, const Column& column, std::size_t number, profile::Row value,
                  std::size_t referred_rows) {
    if (column.type == Type::kRowOrNone && value == profile::kNone) {
        return {};
    }
    if (value >= referred_rows) {
        return fail(ErrorCode::kCorrupt,
                    fmt::format("table {}, row {}: {} points at no row of table {}", table.name,
                                number, column.name, column.refers_to));
    }
    // Following parents must end: a node points only at nodes before it.
    if (column.refers_to == table.name && value >= number) {
        return fail(ErrorCode::kCorrupt, fmt::format("table {}, row {}: {} is not a smaller row",
                                                     table.name, number, column.name));
    }
    return {};
}

}  // namespace

Status check_rows(const Profile& profile, const Table& table) {
    const Rows rows = table.rows(profile);
    for (const Column& column : table.columns) {
        if (column.refers_to.empty()) {
            continue;
        }
        const std::size_t referred_rows = row_count(profile, column.refers_to);
        for (std::size_t number = 0; number < rows.count; ++number) {
            const auto value = *static_cast<const profile::Row*>(column.get(rows.row(number)));
            if (Status checked = check_cell(table, column, number, value, referred_rows);
                !checked) {
                return checked;
            }
        }
    }
    return {};
}

Status check_path_threads(const Profile& profile) {
    const bool shared = profile::threads_share_paths(profile);
    for (std::size_t row = 0; row < profile.calltree.size(); ++row) {
        if ((profile.calltree[row].thread == profile::kNone) != shared) {
            return fail(ErrorCode::kCorrupt,
                        fmt::format("table calltree, row {}: thread is {}, that of row 0 is {}",
                                    row, shared ? "one" : "-1", shared ? "-1" : "one"));
        }
    }
    if (shared && !profile.timeline.empty()) {
        return fail(ErrorCode::kCorrupt,
                    "table timeline has calls of threads, but those of calltree are of all threads "
                    "together");
    }
    return {};
}

Status check_rows(const Profile& profile) {
    for (const Table& table : tables()) {
        if (Status checked = check_rows(profile, table); !checked) {
            return checked;
        }
    }
    return check_path_threads(profile);
}

}  // namespace umbra::schema
