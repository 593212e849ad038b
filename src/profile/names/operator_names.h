// SPDX-License-Identifier: MIT
// What operators are called in metadata, and how they are written.
#pragma once

#include <string>
#include <string_view>

namespace umbra::profile {

/// The symbol of C# for "Addition", "CheckedAddition" or "AdditionAssignment", the names of
/// metadata without their "op_"; empty: none.
std::string operator_symbol(std::string_view name);

/// The symbol of an operator of F#: "|>" for "PipeRight", "+." for "PlusDot", which spells it
/// character by character (PrettyNaming.fs of its compiler); empty: none.
std::string fsharp_operator_symbol(std::string_view name);

}  // namespace umbra::profile
