// SPDX-License-Identifier: MIT
// Rows into cells, cells by byte, bytes deflated.
#include "export/hdf5/chunk_packer.h"

#include <algorithm>
#include <new>

#include <zlib.h>

#include "export/hdf5/cell_encoder.h"

namespace umbra::hdf5 {

ChunkPacker::ChunkPacker(const RowLayout& layout, const schema::Rows& rows, Chunking chunking)
    : layout_(layout),
      rows_(rows),
      chunking_(chunking),
      cells_(chunking.rows * layout.bytes),
      shuffled_(chunking.shuffles ? cells_.size() : 0),
      deflated_(compressBound(cells_.size())) {
}

std::vector<std::byte> ChunkPacker::chunk(std::size_t first_row) {
    encode(first_row);
    if (chunking_.shuffles) {
        shuffle();
    }
    const std::vector<std::byte>& bytes = chunking_.shuffles ? shuffled_ : cells_;
    uLongf size = deflated_.size();
    if (compress2(reinterpret_cast<Bytef*>(deflated_.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                  kDeflateLevel) != Z_OK) {
        throw std::bad_alloc();  // all that can go wrong where there is room for the outcome
    }
    return {deflated_.begin(), deflated_.begin() + static_cast<std::ptrdiff_t>(size)};
}

void ChunkPacker::encode(std::size_t first_row) {
    std::ranges::fill(cells_, std::byte{0});
    const std::size_t count = std::min(chunking_.rows, rows_.count - first_row);
    for (std::size_t i = 0; i < count; ++i) {
        for (const Cell& cell : layout_.cells) {
            encode_cell(*cell.column, rows_.row(first_row + i),
                        &cells_[i * layout_.bytes + cell.offset]);
        }
    }
}

/// The first bytes of all rows, then the second ones, and so on.
void ChunkPacker::shuffle() {
    const std::byte* from = cells_.data();
    for (std::size_t row = 0; row < chunking_.rows; ++row) {
        for (std::size_t place = 0; place < layout_.bytes; ++place) {
            shuffled_[place * chunking_.rows + row] = *from++;
        }
    }
}

}  // namespace umbra::hdf5
