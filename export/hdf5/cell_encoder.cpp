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

template <typename T>
void store(std::byte* cell, T stored) {
    std::memcpy(cell, &stored, sizeof stored);
}

}  // namespace

std::string_view cell_part(std::string_view text) {
    if (text.size() <= schema::kMaxCellBytes) {
        return text;
    }
    std::size_t end = schema::kMaxCellBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return text.substr(0, end);
}

CellText::CellText(std::string_view text) : whole(printable_utf8(text)), cell(cell_part(whole)) {
}

RowLayout layout_of(const Table& table, const Rows& rows) {
    RowLayout layout;
    for (const Column& column : table.columns) {
        const std::size_t bytes =
            column.type == Type::kString ? string_bytes(column, rows) : value_bytes(column.type);
        layout.cells.push_back({&column, layout.bytes, bytes});
        layout.bytes += bytes;
    }
    return layout;
}

void encode_cell(const Column& column, const std::byte* row, std::byte* cell) {
    switch (column.type) {
        case Type::kInt64:
            store(cell, static_cast<int64_t>(
                            std::min<uint64_t>(value<uint64_t>(column, row), INT64_MAX)));
            break;
        case Type::kUInt32:
        case Type::kRow:
        case Type::kRowOrNone:
            // profile::kNone has the bits of -1.
            store(cell, value<uint32_t>(column, row));
            break;
        case Type::kFloat64:
            store(cell, value<double>(column, row));
            break;
        case Type::kBool:
        case Type::kFlag:
            store(cell, static_cast<int8_t>(value<bool>(column, row) ? 1 : 0));
            break;
        case Type::kString: {
            const CellText text(value<std::string>(column, row));
            std::copy_n(reinterpret_cast<const std::byte*>(text.cell.data()), text.cell.size(),
                        cell);
            break;
        }
    }
}

}  // namespace umbra::hdf5
