// SPDX-License-Identifier: MIT
// What HDF5's filters make of a chunk, made without HDF5: several times as fast, and on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace umbra::hdf5 {

/// The shuffle filter, for one column of a chunk of values.size() rows: byte k of all values goes
/// to `planes` + k * values.size(). The `bytes` low bytes of each value count, 8 at most.
void shuffle(std::span<const uint64_t> values, std::size_t bytes, std::byte* planes);

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
