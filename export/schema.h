// SPDX-License-Identifier: MIT
// The profile file, declared once: every table, column and attribute. Writer, reader and the
// listing in docs/file_format.md all follow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace umbra::schema {

inline constexpr std::string_view kFormat = "umbra profile";
/// Minor: something was added. Major: readers of another one would misread the file.
inline constexpr int kMajor = 2;
inline constexpr int kMinor = 0;
inline constexpr int kPatch = 0;

/// Longest text in a cell, in bytes; the rest of a longer one goes to the table long_strings.
inline constexpr std::size_t kMaxCellBytes = 256;

/// Type of a column or attribute: in memory, and in the file.
enum class Type {
    kInt64,      ///< uint64_t -> int64: differences in a notebook must not wrap; saturates
    kUInt32,     ///< uint32_t -> uint32
    kFloat64,    ///< double -> float64
    kBool,       ///< bool -> enum of int8 {FALSE, TRUE}, which h5py reads as bool
    kFlag,       ///< bool -> uint8, 0 or 1: for attributes, where PyTables reads no enums
    kRow,        ///< profile::Row -> int32, always a row of the table `refers_to`
    kRowOrNone,  ///< profile::Row -> int32, a row of the table `refers_to`; profile::kNone -> -1
    kString,     ///< std::string -> UTF-8 of fixed length, padded with NUL
};

/// One column of a table, or one attribute of the root.
struct Column {
    std::string_view name;
    Type type = Type::kInt64;
    std::string_view units;      ///< "ns", "calls"; empty where there is none
    std::string_view refers_to;  ///< table a row number points into; empty for other types
    std::string_view description;
    const void* (*get)(const void* row) = nullptr;  ///< the member in a row of the data model
    void* (*get_mutable)(void* row) = nullptr;
};

/// What `with` answers to the value that a row has in a column: a uint64_t, a uint32_t (numbers of
/// rows too, profile::kNone where there is none), a double, a bool or a std::string.
auto visit(const Column& column, const void* row, const auto& with) {
    const void* value = column.get(row);
    switch (column.type) {
        case Type::kInt64:
            return with(*static_cast<const uint64_t*>(value));
        case Type::kUInt32:
        case Type::kRow:
        case Type::kRowOrNone:
            break;
        case Type::kFloat64:
            return with(*static_cast<const double*>(value));
        case Type::kBool:
        case Type::kFlag:
            return with(*static_cast<const bool*>(value));
        case Type::kString:
            return with(*static_cast<const std::string*>(value));
    }
    return with(*static_cast<const uint32_t*>(value));
}

/// Rows of a table in memory, their type erased.
template <typename Byte>
struct BasicRows {
    Byte* first = nullptr;
    std::size_t stride_bytes = 0;
    std::size_t count = 0;

    [[nodiscard]] auto* row(std::size_t number) const { return first + number * stride_bytes; }
};
using Rows = BasicRows<const std::byte>;
using MutableRows = BasicRows<std::byte>;

/// One table of the file, and where the profile keeps its rows.
struct Table {
    std::string_view name;
    std::string_view description;
    std::span<const Column> columns;
    Rows (*rows)(const profile::Profile&) = nullptr;
    /// Makes room for `count` rows and hands them out for filling.
    MutableRows (*resize)(profile::Profile&, std::size_t count) = nullptr;
};

/// The rest of a text longer than kMaxCellBytes. Rows of one cell follow each other, in order.
struct LongString {
    std::string table;
    std::string column;
    uint64_t row = 0;
    std::string text;
};

/// All tables but long_strings, referred-to ones before those that refer to them.
[[nodiscard]] std::span<const Table> tables();
/// Rows of the table of that name; 0 where there is none of that name.
[[nodiscard]] std::size_t row_count(const profile::Profile& profile, std::string_view table);
/// The table that holds what did not fit into the cells of the others; not in the data model.
[[nodiscard]] const Table& long_strings();
/// Attributes of the root that mirror profile::Session.
[[nodiscard]] std::span<const Column> session_attributes();
/// Attributes of the root that follow from the schema or from others: format, schema_version,
/// lost_events. Their values are the writer's business; `get` is null.
[[nodiscard]] std::span<const Column> derived_attributes();

/// "2.0.0"
[[nodiscard]] std::string version();
/// Units as the file shows them: for row numbers "row of functions".
[[nodiscard]] std::string units(const Column& column);
/// The type as the listing names it: "int64", "string".
[[nodiscard]] std::string_view type_name(const Column& column);
/// Every attribute, table and column as the Markdown tables of docs/file_format.md.
[[nodiscard]] std::string listing();

/// Checks that paths are of single threads or of all together, not some of each, and that a time
/// line, which is of single threads, goes with such paths. Error: kCorrupt, naming the first row
/// that is not like row 0, or the time line.
[[nodiscard]] Status check_path_threads(const profile::Profile& profile);
/// Checks that every row number points at a row and every parent stands before its children; and
/// check_path_threads().
/// Error: kCorrupt, naming the first offending table, column and row.
[[nodiscard]] Status check_rows(const profile::Profile& profile);
/// Checks that every row number in one table points at a row and every parent stands before its
/// children. Error: kCorrupt, naming the first offending column and row.
[[nodiscard]] Status check_rows(const profile::Profile& profile, const Table& table);

}  // namespace umbra::schema
