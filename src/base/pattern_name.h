// SPDX-License-Identifier: MIT
// Names of types as patterns on methods have them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace umbra {

/// What patterns are written against: "Acme.Outer`1+Inner" is "Acme.Outer.Inner" there.
inline std::string pattern_name(std::string_view type) {
    std::string name;
    name.reserve(type.size());
    for (size_t i = 0; i < type.size(); ++i) {
        if (type[i] == '`') {
            while (i + 1 < type.size() && type[i + 1] >= '0' && type[i + 1] <= '9') {
                ++i;
            }
        } else {
            name += type[i] == '+' ? '.' : type[i];
        }
    }
    return name;
}

}  // namespace umbra
