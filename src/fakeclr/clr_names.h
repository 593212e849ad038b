// SPDX-License-Identifier: MIT
// The names of the profiling API that fakeclr implements, spelled as corprof.idl spells them.
#pragma once

#include "src/clr/info.h"
#include "src/clr/metadata.h"

namespace umbra::fakeclr {

using namespace clr;

/// Answers where the caller asked for an answer.
template <typename T>
void put(T* out, const T& value) {
    if (out != nullptr) {
        *out = value;
    }
}

}  // namespace umbra::fakeclr
