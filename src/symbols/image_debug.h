// SPDX-License-Identifier: MIT
// What an image says of its PDB: the debug directory ("PE and COFF specification", and
// docs/design/specs/PE-COFF.md of dotnet/runtime).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/symbols/portable_pdb.h"

namespace umbra::symbols {

struct ImageDebug {
    PdbId id{};            ///< of the build
    bool portable = true;  ///< false: its PDB is in the format of Windows
    std::string pdb_path;  ///< where the compiler wrote the PDB; of another machine, mostly
    Bytes embedded;        ///< a deflated PDB within the image; empty: there is none
    uint32_t embedded_bytes = 0;
};

/// `image`: the bytes of the file, whatever they are. Empty: it names no PDB.
[[nodiscard]] std::optional<ImageDebug> image_debug(Bytes image);

/// Inflates the PDB within the image. Empty: it is damaged, or has more than `most` bytes.
[[nodiscard]] std::vector<uint8_t> inflate_embedded(const ImageDebug& debug, size_t most);

}  // namespace umbra::symbols
