// SPDX-License-Identifier: MIT
// What stands behind the names of functions to tell them apart, and names without it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace umbra {

/// How the mark of the body of an async method or iterator begins: "FetchAsync() [body]".
inline constexpr std::string_view kBodyMark = " [body";
/// How the mark of another function of a method begins, which methods that the runtime suspends
/// call: "Load() [async variant]".
inline constexpr std::string_view kVariantMark = " [async variant";

/// `text` without `count` characters from `from` on.
[[nodiscard]] inline std::string without(std::string_view text, std::size_t from,
                                         std::size_t count) {
    return std::string(text.substr(0, from)).append(text.substr(from + count));
}

/// `name` without the mark that tells modules apart: what the same program has in another run.
[[nodiscard]] inline std::string name_in_module(std::string_view name,
                                                std::string_view module_mark) {
    const std::size_t at = module_mark.empty() ? std::string_view::npos : name.rfind(module_mark);
    return at == std::string_view::npos ? std::string(name) : without(name, at, module_mark.size());
}

/// `name` without the mark that begins so: that of the method a body or a variant belongs to.
[[nodiscard]] inline std::string name_without(std::string_view name, std::string_view mark) {
    const std::size_t at = name.rfind(mark);
    const std::size_t end = name.find(']', std::min(at, name.size()));
    return end == std::string_view::npos ? std::string(name) : without(name, at, end + 1 - at);
}

/// `name` without all that was put behind it.
[[nodiscard]] inline std::string_view plain_name(std::string_view name) {
    while (name.ends_with(']')) {
        const std::size_t at = name.rfind(" [");
        if (at == std::string_view::npos || at == 0) {
            break;
        }
        name = name.substr(0, at);
    }
    return name;
}

}  // namespace umbra
