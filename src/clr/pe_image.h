// SPDX-License-Identifier: MIT
// Finds the metadata in a PE image that the runtime has in memory, and what leads to its PDB in a
// file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "src/clr/bytes.h"

namespace umbra::clr {

enum class ImageLayout {
    kFlat,    ///< as in the file: addresses go through the section table
    kMapped,  ///< every section at its own address
};

/// The bytes of the image loaded at `base`. Reads its headers, no further than one page; the
/// runtime has held them against the size of the file when it loaded the image. Empty: no PE image.
Bytes loaded_image(const uint8_t* base, ImageLayout layout);

/// From the metadata root on (ECMA-335 II.24.2.1). Any bytes are allowed in; empty if they are no
/// image with metadata. Of a mapped image only what came from the file is read: between the
/// sections nothing need be mapped.
Bytes metadata_of_image(Bytes image, ImageLayout layout);

/// What one section holds of the file from an address on, which is relative to the image. Empty: no
/// section holds it.
Bytes bytes_at(Bytes image, ImageLayout layout, size_t address);

/// Reads bytes of a file; fewer, or none, where it has no more.
using ReadFile = std::function<std::string(size_t offset, size_t bytes)>;
/// A part of a file. No bytes: there is none.
struct FilePart {
    size_t offset = 0;
    size_t bytes = 0;
};
/// So many bytes from a file's beginning tell where the rest lies.
inline constexpr size_t kHeaderBytes = 4096;
/// What of the file one section holds from an address on. `headers`: the file's first bytes.
FilePart part_of_file(Bytes headers, size_t address);
/// From the metadata root on; empty if the file is no image with metadata, or has more than 128 MiB
/// of it. Little else is read: most of a file is code that was compiled ahead.
std::string metadata_of_file(Bytes headers, const ReadFile& read);

/// The debug directory of an image as it lies in a file: entries of 28 bytes. Empty: it has none.
Bytes debug_directory_of_file(Bytes image);

}  // namespace umbra::clr
