// SPDX-License-Identifier: MIT
// The chunks of a table as they lie in the file.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "export/hdf5/cells.h"
#include "export/schema.h"

namespace umbra::hdf5 {

/// HDF5's deflate filter, at this level, is the last of those that every table has.
inline constexpr int kDeflateLevel = 1;

/// How the rows of a table are cut up.
struct Chunking {
    std::size_t rows;  ///< of each chunk; the last is filled up with zeros
    bool shuffles;     ///< with HDF5's shuffle filter before deflate
};

/// Makes of rows what HDF5's filters make of them, for H5Dwrite_chunk(). It calls nothing of
/// HDF5's, which one thread may do at a time. One thread each; layout and rows must outlive it.
class ChunkPacker {
  public:
    ChunkPacker(const RowLayout& layout, const schema::Rows& rows, Chunking chunking);

    /// The chunk that begins with a row. Throws std::bad_alloc.
    [[nodiscard]] std::vector<std::byte> chunk(std::size_t first_row);

  private:
    void encode(std::size_t first_row);
    void shuffle();

    const RowLayout& layout_;
    const schema::Rows& rows_;
    Chunking chunking_;
    std::vector<std::byte> cells_;
    std::vector<std::byte> shuffled_;
    std::vector<std::byte> deflated_;
};

}  // namespace umbra::hdf5
