// SPDX-License-Identifier: MIT
// The streams behind a metadata root (ECMA-335 II.24.2), of an image or of a portable PDB.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "src/clr/bytes.h"

namespace umbra::clr {

/// Calls `visit(name, bytes)` for each stream, as long as it answers true. A stream that would
/// reach beyond the end is empty. False: these bytes are no metadata root, or `visit` has answered
/// so.
template <typename Visit>
bool for_each_stream(Bytes metadata, const Visit& visit) {
    constexpr uint32_t kSignature = 0x424a5342;  // "BSJB"
    constexpr size_t kMaxStreamName = 32;
    if (load<uint32_t>(metadata, 0) != kSignature) {
        return false;
    }
    size_t next = size_t{16} + load<uint32_t>(metadata, 12);  // behind the version
    const auto streams = load<uint16_t>(metadata, next + 2);
    next += 4;
    for (uint16_t i = 0; i < streams; ++i) {
        if (next + 8 >= metadata.size()) {
            return false;
        }
        const Bytes stream =
            part(metadata, load<uint32_t>(metadata, next), load<uint32_t>(metadata, next + 4));
        const Bytes rest = metadata.subspan(next + 8);
        const auto* text = reinterpret_cast<const char*>(rest.data());
        const std::string_view name(text, strnlen(text, std::min(rest.size(), kMaxStreamName)));
        if (!visit(name, stream)) {
            return false;
        }
        next += 8 + (name.size() / 4 + 1) * 4;
    }
    return true;
}

/// What lies at an index of a blob heap; empty: nothing does.
inline Bytes blob_in(Bytes heap, uint32_t index) {
    if (index >= heap.size()) {
        return {};
    }
    Bytes rest = heap.subspan(index);
    uint32_t size = 0;
    return take_compressed(rest, size) ? part(rest, 0, size) : Bytes();
}

}  // namespace umbra::clr
