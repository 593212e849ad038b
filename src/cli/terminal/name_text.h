// SPDX-License-Identifier: MIT
// Names of functions in less room than they need.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace umbra::cli {

/// The name of a function, type or namespace as reports have them (`docs/names.md`), in one line
/// and at most `columns` columns. What tells it from others is kept longest: parameters give way
/// first, from behind, then generic arguments, then namespaces, each as "..".
[[nodiscard]] std::string shortened_name(std::string_view name, std::size_t columns);

}  // namespace umbra::cli
