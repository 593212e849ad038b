// SPDX-License-Identifier: MIT
// By the properties Unicode gives characters, as utf8proc knows them.
#include "src/profile/names/seen_text.h"

#include <algorithm>

#include <utf8proc.h>

#include "src/base/utf8.h"

namespace umbra::profile {
namespace {

bool is_seen(char32_t c) {
    if (c < 0x7f) {
        return c >= 0x20;
    }
    const utf8proc_property_t* of = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
    switch (of->category) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return false;
        default:
            return of->ignorable == 0;
    }
}

}  // namespace

void append_seen(std::string& out, char32_t c) {
    if (is_seen(c)) {
        append_utf8(out, c);
    } else {
        append_code_point(out, c);
    }
}

std::string seen_text(std::string_view text) {
    const bool plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
    if (plain) {  // nearly every name
        return std::string(text);
    }
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        append_seen(out, take_utf8(text));
    }
    return out;
}

}  // namespace umbra::profile
