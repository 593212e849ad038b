// SPDX-License-Identifier: MIT
// Text of a metadata heap, as it may be shown and sent.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "src/base/utf8.h"

namespace umbra::clr {

/// Heap text is UTF-8 already, nearly always ASCII.
inline std::string heap_text(std::string_view text) {
    if (std::all_of(text.begin(), text.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        return std::string(text);
    }
    std::string out;
    while (!text.empty()) {
        append_utf8(out, take_utf8(text));
    }
    return out;
}

}  // namespace umbra::clr
