// SPDX-License-Identifier: MIT
// From members of the data model to the cells of packed rows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "export/hdf5/cells.h"
#include "export/schema.h"

namespace umbra::hdf5 {

/// The longest start of the valid `text` that fits into a cell and cuts no character.
[[nodiscard]] std::string_view cell_part(std::string_view text);

/// A text as the file holds it: UTF-8 without NUL, split into what the cell takes and the rest.
struct CellText {
    std::string whole;
    std::string_view cell;

    explicit CellText(std::string_view text);
    CellText(const CellText&) = delete;
    CellText& operator=(const CellText&) = delete;
    CellText(CellText&&) = delete;
    CellText& operator=(CellText&&) = delete;
    ~CellText() = default;

    [[nodiscard]] std::string_view rest() const {
        return std::string_view(whole).substr(cell.size());
    }
};

/// The member of `row` that a column shows.
template <typename T>
const T& value(const schema::Column& column, const std::byte* row) {
    return *static_cast<const T*>(column.get(row));
}

/// Strings are as wide as the longest value of their column, up to kMaxCellBytes.
[[nodiscard]] RowLayout layout_of(const schema::Table& table, const schema::Rows& rows);

/// Stores a member of `row` into `cell`, which holds zeros.
void encode_cell(const schema::Column& column, const std::byte* row, std::byte* cell);

}  // namespace umbra::hdf5
