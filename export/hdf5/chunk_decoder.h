// SPDX-License-Identifier: MIT
// From the compressed chunks of a table, as chunk_encoder.h makes them, to rows of the data model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "export/hdf5/cells.h"
#include "export/schema.h"
#include "src/profile/profile.h"

namespace umbra::hdf5 {

/// Some chunks of a table, one after the other, as they lie in the file.
struct ChunkBatch {
    std::size_t first = 0;  ///< chunk of the table
    std::vector<std::byte> bytes;
    std::vector<std::size_t> ends;  ///< of each chunk, in `bytes`
};

/// Decodes one table of numbers. Refers to everything it is given. Any number of threads at once,
/// each with chunks of its own.
class ChunkDecoder {
  public:
    struct Target {
        const profile::Profile& profile;  ///< with the tables that this one refers to
        const schema::Table& table;
        schema::MutableRows rows;
        const RowLayout& layout;
        std::size_t rows_per_chunk;
    };
    explicit ChunkDecoder(const Target& target);

    /// Fills the rows of the chunks. False: a chunk is damaged, a number negative, or a row number
    /// points at no row; the rows then hold anything. Throws std::bad_alloc.
    [[nodiscard]] bool decode(const ChunkBatch& batch) const;

  private:
    /// A column with what its row numbers may be.
    struct Numbers {
        const Cell* cell;
        std::byte* first;  ///< member of row 0
        uint64_t end;      ///< of the table referred to
        bool smaller;      ///< than the row's own
    };

    [[nodiscard]] static bool sound(const Numbers& column, std::size_t first_row,
                                    std::span<const uint64_t> values);
    void scatter(const Numbers& column, std::size_t first_row,
                 std::span<const uint64_t> values) const;

    Target target_;
    std::vector<Numbers> columns_;
};

/// Reads a table, past HDF5's filters and on several threads, if it is stored as umbra stores
/// tables of numbers: types, filters and all. `target.rows_per_chunk` is ignored. False: it is not,
/// or something in it is wrong; the rows then hold anything, and H5Dread has to read them and say
/// what is wrong. Throws Failure and std::bad_alloc.
[[nodiscard]] bool read_own_chunks(const Handle& dataset, ChunkDecoder::Target target);

}  // namespace umbra::hdf5
