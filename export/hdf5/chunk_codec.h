// SPDX-License-Identifier: MIT
// What HDF5's filters make of a chunk, made and undone without HDF5: several times as fast, and on
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace umbra::hdf5 {

/// The shuffle filter, for one column of a chunk of values.size() rows: byte k of all values goes
/// to `planes` + k * values.size(). The `bytes` low bytes of each value count, 8 at most.
void shuffle(std::span<const uint64_t> values, std::size_t bytes, std::byte* planes);

/// Undoes shuffle: byte k of value i is `planes`[k * `distance` + i], for the `bytes` low bytes, 8
/// at most; the others become 0. `distance` is the number of rows of the chunk, which may be more
/// than values.size().
void unshuffle(const std::byte* planes, std::size_t distance, std::size_t bytes,
               std::span<uint64_t> values);

/// Undoes deflate. False: `deflated` does not begin with a sound zlib stream, its checksum
/// included, of exactly raw.size() bytes; `raw` then holds anything. Any thread. Throws
/// std::bad_alloc.
[[nodiscard]] bool inflate(std::span<const std::byte> deflated, std::span<std::byte> raw);

/// The deflate filter (a zlib stream, RFC 1950). Any thread, one at a time.
class Deflater {
  public:
    Deflater();
    /// The compressed bytes, valid until the next call. Throws Failure if the library fails.
    std::span<const std::byte> deflate(std::span<const std::byte> raw);

  private:
    std::vector<uint8_t> work_;  ///< of the library
    std::vector<std::byte> out_;
};

}  // namespace umbra::hdf5
