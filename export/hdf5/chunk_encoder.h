// SPDX-License-Identifier: MIT
// From rows of the data model to the compressed chunks of a table in the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/hdf5/cells.h"
#include "export/hdf5/chunk_codec.h"
#include "export/schema.h"
#include "src/profile/profile.h"

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

/// A chunk as it lies in the file.
struct EncodedChunk {
    std::size_t first_row = 0;
    std::vector<std::byte> bytes;
};

/// Encodes one table. Refers to everything it is given. Any number of threads at once.
class ChunkEncoder {
  public:
    struct Source {
        const profile::Profile& profile;
        const schema::Table& table;
        schema::Rows rows;
        const RowLayout& layout;
        std::size_t rows_per_chunk;
        bool shuffled;
    };
    explicit ChunkEncoder(const Source& source);

    [[nodiscard]] std::size_t chunk_count() const {
        return (source_.rows.count + source_.rows_per_chunk - 1) / source_.rows_per_chunk;
    }
    /// Chunks first to end - 1. Throws Failure if a row number in them points at no row
    /// (schema::check_rows says which), and std::bad_alloc.
    [[nodiscard]] std::vector<EncodedChunk> encode(std::size_t first, std::size_t end) const;

  private:
    /// A column with what its row numbers may be.
    struct Numbers {
        const Cell* cell;
        const std::byte* first;  ///< member of row 0
        uint64_t end;            ///< of the table referred to
        bool smaller;            ///< than the row's own
    };

    [[nodiscard]] std::size_t rows_in(std::size_t chunk) const {
        return std::min(source_.rows_per_chunk,
                        source_.rows.count - chunk * source_.rows_per_chunk);
    }
    void gather(const Numbers& column, std::size_t chunk, std::span<uint64_t> values) const;
    void check(const Numbers& column, std::size_t chunk, std::span<const uint64_t> values) const;
    void fill_packed(std::size_t chunk, std::span<std::byte> raw) const;

    Source source_;
    std::vector<Numbers> columns_;  ///< all but strings
};

}  // namespace umbra::hdf5
