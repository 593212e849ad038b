// SPDX-License-Identifier: MIT
// Names of types as patterns on methods have them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace umbra {

/// `name` without the numbers of type parameters: "Cart`1" is "Cart".
inline std::string without_arity(std::string_view name) {
    std::string out;
    out.reserve(name.size());
    for (size_t i = 0; i < name.size(); ++i) {
        if (name[i] != '`') {
            out += name[i];
            continue;
        }
        while (i + 1 < name.size() && name[i + 1] >= '0' && name[i + 1] <= '9') {
            ++i;
        }
    }
    return out;
}

/// What patterns are written against: "Acme.Outer`1+Inner" is "Acme.Outer.Inner" there.
inline std::string pattern_name(std::string_view type) {
    std::string name = without_arity(type);
    std::replace(name.begin(), name.end(), '+', '.');
    return name;
}

}  // namespace umbra
