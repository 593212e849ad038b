// SPDX-License-Identifier: MIT
// Where the methods of a module begin in the source: of each method one of its PDB's points.
#pragma once

#include <cstdint>
#include <vector>

#include "src/symbols/portable_pdb.h"

namespace umbra::symbols {

/// The place of each method, by its row less one; line 0: none is known.
///
/// A method begins at the topmost of its points in the file of its first one: loops are compiled
/// with their condition behind their body. A constructor begins where it calls the constructor of
/// its base or another one of its own type, because the initializers of fields come before that. An
/// async method or an iterator begins where the method does that has its code. A method without any
/// point, which the compiler has made up, has the topmost place of its type.
///
/// `image`: the module's file, of the build that the PDB is of. Both may be anything. No more than
/// `most` methods are told. Whatever the files hold, it ends within seconds. Thread-safe.
[[nodiscard]] std::vector<SourcePoint> method_places(const PortablePdb& pdb, Bytes image,
                                                     uint32_t most);

}  // namespace umbra::symbols
