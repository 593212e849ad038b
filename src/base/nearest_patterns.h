// SPDX-License-Identifier: MIT
// What somebody may have meant whose pattern matches nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace umbra {

/// The names, or patterns on them, that come nearest to `wanted`, three at most; `names` are
/// Namespace.Type.Method. Where `wanted` ends in ".*" or another wildcard these are patterns
/// ("Acme.Orders.*"), else names from any of their dots on, as `wanted` has dots. Empty: none is
/// near. Time grows with the number of different names.
[[nodiscard]] std::vector<std::string> nearest_patterns(std::string_view wanted,
                                                        const std::vector<std::string>& names);

}  // namespace umbra
