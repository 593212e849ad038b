// SPDX-License-Identifier: MIT
// The keywords C# has for types of the namespace System.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace umbra {

/// "Int32" -> "int"; nullopt for types without a keyword.
inline std::optional<std::string_view> csharp_keyword(std::string_view system_type) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kKeywords = {
        {{"Boolean", "bool"},
         {"Byte", "byte"},
         {"Char", "char"},
         {"Decimal", "decimal"},
         {"Double", "double"},
         {"Int16", "short"},
         {"Int32", "int"},
         {"Int64", "long"},
         {"IntPtr", "nint"},
         {"Object", "object"},
         {"SByte", "sbyte"},
         {"Single", "float"},
         {"String", "string"},
         {"UInt16", "ushort"},
         {"UInt32", "uint"},
         {"UInt64", "ulong"},
         {"UIntPtr", "nuint"},
         {"Void", "void"}}};
    const auto* const found =
        std::find_if(kKeywords.begin(), kKeywords.end(),
                     [&](const auto& entry) { return entry.first == system_type; });
    return found == kKeywords.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace umbra
