// SPDX-License-Identifier: MIT
// Tables of numbers are encoded column by column, straight into the order the shuffle filter wants;
// tables with texts row by row.
#include "export/hdf5/chunk_encoder.h"

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

/// The member that begins at `first` in row 0, of `values.size()` rows.
template <typename T>
void gather_as(const std::byte* first, std::size_t stride, std::span<uint64_t> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        T found;
        std::memcpy(&found, first + i * stride, sizeof found);
        values[i] = found;
    }
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

ChunkEncoder::ChunkEncoder(const Source& source) : source_(source) {
    if (source.rows.count == 0) {
        return;
    }
    for (const Cell& cell : source.layout.cells) {
        const Column& column = *cell.column;
        if (column.type != Type::kString) {
            columns_.push_back(
                {.cell = &cell,
                 .first = static_cast<const std::byte*>(column.get(source.rows.first)),
                 .end = schema::row_count(source.profile, column.refers_to),
                 .smaller = column.refers_to == source.table.name});
        }
    }
}

std::vector<EncodedChunk> ChunkEncoder::encode(std::size_t first, std::size_t end) const {
    const std::size_t rows = source_.rows_per_chunk;
    std::vector<EncodedChunk> chunks;
    std::vector<std::byte> raw(rows * source_.layout.bytes);
    std::vector<uint64_t> values(rows);
    Deflater deflater;
    for (std::size_t chunk = first; chunk < end; ++chunk) {
        const std::size_t count = rows_in(chunk);
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), 0);
        for (const Numbers& column : columns_) {
            gather(column, chunk, std::span(values).first(count));
            check(column, chunk, std::span(values).first(count));
            if (source_.shuffled) {
                shuffle(values, column.cell->bytes, &raw[column.cell->offset * rows]);
            }
        }
        if (!source_.shuffled) {
            fill_packed(chunk, raw);
        }
        const std::span<const std::byte> deflated = deflater.deflate(raw);
        chunks.push_back({chunk * rows, {deflated.begin(), deflated.end()}});
    }
    return chunks;
}

void ChunkEncoder::gather(const Numbers& column, std::size_t chunk,
                          std::span<uint64_t> values) const {
    const std::size_t stride = source_.rows.stride_bytes;
    const std::byte* first = column.first + chunk * source_.rows_per_chunk * stride;
    switch (value_bytes(column.cell->column->type)) {
        case 8:
            gather_as<uint64_t>(first, stride, values);
            break;
        case 4:
            gather_as<uint32_t>(first, stride, values);
            break;
        default:
            gather_as<uint8_t>(first, stride, values);
    }
    if (column.cell->column->type == Type::kInt64) {
        for (uint64_t& value : values) {
            value = std::min<uint64_t>(value, INT64_MAX);
        }
    }
}

void ChunkEncoder::check(const Numbers& column, std::size_t chunk,
                         std::span<const uint64_t> values) const {
    const Type type = column.cell->column->type;
    if (type != Type::kRow && type != Type::kRowOrNone) {
        return;
    }
    const uint64_t none = type == Type::kRowOrNone ? profile::kNone : UINT64_MAX;
    const uint64_t first = chunk * source_.rows_per_chunk;
    bool sound = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const uint64_t end = column.smaller ? first + i : column.end;
        sound = sound && (values[i] < end || values[i] == none);
    }
    if (sound) {
        return;
    }
    if (Status checked = schema::check_rows(source_.profile); !checked) {
        throw Failure{checked.error()};
    }
    raise(ErrorCode::kCorrupt,
          fmt::format("table {} points at rows it may not", source_.table.name));
}

void ChunkEncoder::fill_packed(std::size_t chunk, std::span<std::byte> raw) const {
    std::ranges::fill(raw, std::byte{0});
    const std::size_t first = chunk * source_.rows_per_chunk;
    for (std::size_t i = 0; i < rows_in(chunk); ++i) {
        for (const Cell& cell : source_.layout.cells) {
            encode_cell(*cell.column, source_.rows.row(first + i),
                        &raw[i * source_.layout.bytes + cell.offset]);
        }
    }
}

}  // namespace umbra::hdf5
