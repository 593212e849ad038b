// SPDX-License-Identifier: MIT
// Cells: how a value of the data model lies in the packed rows that HDF5 reads and writes.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "export/hdf5/calls.h"
#include "export/schema.h"

namespace umbra::hdf5 {

/// One column with its place in a packed row.
struct Cell {
    const schema::Column* column = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

/// The packed row of a table. All numbers are little endian, as in the file.
struct RowLayout {
    std::vector<Cell> cells;
    std::size_t bytes = 0;
};

/// The HDF5 type of a value; `bytes` counts for strings only.
inline Handle value_type(schema::Type type, std::size_t bytes) {
    switch (type) {
        case schema::Type::kInt64:
            return {H5Tcopy(H5T_STD_I64LE), "copy a type"};
        case schema::Type::kUInt32:
            return {H5Tcopy(H5T_STD_U32LE), "copy a type"};
        case schema::Type::kFloat64:
            return {H5Tcopy(H5T_IEEE_F64LE), "copy a type"};
        case schema::Type::kBool:
            return bool_type();
        case schema::Type::kFlag:
            return {H5Tcopy(H5T_STD_U8LE), "copy a type"};
        case schema::Type::kRow:
        case schema::Type::kRowOrNone:
            return {H5Tcopy(H5T_STD_I32LE), "copy a type"};
        case schema::Type::kString:
            break;
    }
    return string_type(bytes);
}

/// The HDF5 compound of a packed row.
inline Handle row_type(const RowLayout& layout) {
    Handle type(H5Tcreate(H5T_COMPOUND, layout.bytes), "make a row type");
    for (const Cell& cell : layout.cells) {
        const Handle member = value_type(cell.column->type, cell.bytes);
        checked(H5Tinsert(type.get(), std::string(cell.column->name).c_str(), cell.offset,
                          member.get()),
                "add a column to a row type");
    }
    return type;
}

}  // namespace umbra::hdf5
