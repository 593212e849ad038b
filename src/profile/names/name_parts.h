// SPDX-License-Identifier: MIT
// The pieces that names in metadata are cut into and display names are put together from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umbra::profile {

using Names = std::vector<std::string>;

/// With dots between them.
std::string join(const Names& names);

/// Cuts at `separator` outside all brackets.
std::vector<std::string_view> split(std::string_view text, char separator);

/// "(int, ref T)" as a list; the structs in which a local function gets its captured variables are
/// no parameters of the source. Of another text, which is a hostile process's, all is kept.
Names parameter_list(std::string_view parameters);

std::string spell_parameters(const Names& list, char open, char close);

/// "<X>tail" -> X and tail, for the balanced first bracket.
struct Bracketed {
    std::string_view inside;
    std::string_view tail;
};
std::optional<Bracketed> bracketed(std::string_view name);

/// "Cart<int>" -> "Cart" and "<int>"; the brackets a compiler puts first are part of the name.
std::pair<std::string_view, std::string_view> split_arguments(std::string_view type);

/// "System.Collections.Generic.IDictionary<System.Int32,T>" -> "IDictionary<int, T>".
std::string without_namespaces(std::string_view type);

/// "#2" from "b__30_2" and '_'; the first of a method, number 0, goes without.
std::string ordinal(std::string_view text, char before);

/// Where F# puts the line number, "make@9-1"; npos: it is no such name.
size_t line_mark(std::string_view name);

}  // namespace umbra::profile
