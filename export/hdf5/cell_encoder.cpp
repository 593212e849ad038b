// SPDX-License-Identifier: MIT
// Numbers little endian, texts cut where a cell ends.
#include "export/hdf5/cell_encoder.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "src/base/utf8.h"

namespace umbra::hdf5 {
namespace {

using schema::Column;
using schema::Rows;
using schema::Table;
using schema::Type;

/// A string column is as wide as its longest value, up to kMaxCellBytes.
std::size_t string_bytes(const Column& column, const Rows& rows) {
    std::size_t longest = 1;  // HDF5 has no string of length 0
    for (std::size_t i = 0; i < rows.count; ++i) {
        longest = std::max(longest, CellText(value<std::string>(column, rows.row(i))).cell.size());
    }
    return longest;
}

/// Stores a value where it stands.
struct CellStore {
    std::byte* cell;

    void operator()(uint64_t number) const {
        store(static_cast<int64_t>(std::min<uint64_t>(number, INT64_MAX)));
    }
    /// profile::kNone has the bits of -1.
    void operator()(uint32_t number) const { store(number); }
    void operator()(double number) const { store(number); }
    void operator()(bool flag) const { store(static_cast<int8_t>(flag ? 1 : 0)); }
    void operator()(const std::string& whole) const {
        const CellText text(whole);
        std::memcpy(cell, text.cell.data(), text.cell.size());
    }

  private:
    void store(auto number) const { std::memcpy(cell, &number, sizeof number); }
};

}  // namespace

std::string_view cell_part(std::string_view text) {
    return cut_utf8(text, schema::kMaxCellBytes);
}

CellText::CellText(std::string_view text) : whole(printable_utf8(text)), cell(cell_part(whole)) {
}

RowLayout layout_of(const Table& table, const Rows& rows) {
    RowLayout layout;
    for (const Column& column : table.columns) {
        const std::size_t bytes = column.type == Type::kString
                                      ? string_bytes(column, rows)
                                      : H5Tget_size(value_type(column.type, 0).get());
        layout.cells.push_back({&column, layout.bytes, bytes});
        layout.bytes += bytes;
    }
    return layout;
}

void encode_cell(const Column& column, const std::byte* row, std::byte* cell) {
    schema::visit(column, row, CellStore{cell});
}

}  // namespace umbra::hdf5
