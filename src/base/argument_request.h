// SPDX-License-Identifier: MIT
// ArgumentRequest: of which methods which values are to be told, as --args takes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/pattern.h"
#include "src/base/result.h"
#include "src/base/utf8.h"

namespace umbra {

/// One value of a call: "id", "items.Length", "return", "return.Count".
struct ArgumentName {
    static constexpr std::string_view kResult = "return";

    std::string text;    ///< as it was asked for
    std::string source;  ///< a parameter's name, or kResult
    std::string member;  ///< "Length", "Count"; empty: the value itself
};

/// "Acme.Orders.Load(id, items.Length, return)"
struct ArgumentRequest {
    std::string text;  ///< as it was asked for
    Pattern methods;
    bool many_methods;  ///< the pattern has wildcards in the method's name
    std::vector<ArgumentName> values;
};

/// More values of one method are not told.
inline constexpr size_t kMaxArgumentsOfMethod = 16;

namespace detail {

inline std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

inline Result<ArgumentName> parse_argument_name(std::string_view text) {
    ArgumentName name;
    const size_t dot = text.find('.');
    name.text = text;
    name.source = text.substr(0, dot);
    name.member = dot == std::string_view::npos ? "" : text.substr(dot + 1);
    const bool has_member = dot != std::string_view::npos;
    if (name.source.empty() || (has_member && name.member != "Length" && name.member != "Count")) {
        return fail(ErrorCode::kInvalid,
                    "'" + name.text +
                        "' names no argument: write a parameter's name or 'return', and .Length "
                        "or .Count behind it for how many there are");
    }
    return name;
}

}  // namespace detail

/// kInvalid: `text` is no such thing; the error says what to write.
[[nodiscard]] inline Result<ArgumentRequest> parse_argument_request(std::string_view text) {
    text = detail::trimmed(text);
    const size_t open = text.rfind('(');
    const std::string_view methods = detail::trimmed(text.substr(0, open));
    if (open == std::string_view::npos || !text.ends_with(')') || methods.empty()) {
        return fail(ErrorCode::kInvalid,
                    "'" + std::string(text) +
                        "' names no arguments: write METHOD(name, name.Length, "
                        "return), in quotes");
    }
    ArgumentRequest request{.text = std::string(text),
                            .methods = Pattern(read_code_points(methods)),
                            .many_methods = false,
                            .values = {}};
    request.many_methods = !request.methods.names_a_method();
    std::string_view rest = text.substr(open + 1, text.size() - open - 2);
    for (bool more = true; more;) {
        const size_t comma = rest.find(',');
        more = comma != std::string_view::npos;
        auto name = detail::parse_argument_name(detail::trimmed(rest.substr(0, comma)));
        if (!name) {
            return tl::unexpected<Error>(name.error());
        }
        request.values.push_back(*std::move(name));
        rest = more ? rest.substr(comma + 1) : rest;
    }
    if (request.values.size() > kMaxArgumentsOfMethod) {
        return fail(ErrorCode::kInvalid, "'" + request.text + "' names more than " +
                                             std::to_string(kMaxArgumentsOfMethod) + " arguments");
    }
    return request;
}

}  // namespace umbra
