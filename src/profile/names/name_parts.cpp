// SPDX-License-Identifier: MIT
#include "src/profile/names/name_parts.h"

#include <algorithm>

#include "src/base/csharp_keyword.h"

namespace umbra::profile {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

std::string join(const Names& names) {
    std::string text;
    for (const std::string& name : names) {
        text += text.empty() ? "" : ".";
        text += name;
    }
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t start = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        depth += c == '<' || c == '(' || c == '[' ? 1 : c == '>' || c == ')' || c == ']' ? -1 : 0;
        if (c == separator && depth == 0) {
            parts.push_back(text.substr(start, i - start));
            start = i + 1;
        }
    }
    parts.push_back(text.substr(start));
    return parts;
}

Names parameter_list(std::string_view parameters) {
    Names list;
    if (parameters.starts_with('(')) {
        parameters.remove_prefix(1);
    }
    if (parameters.ends_with(')')) {
        parameters.remove_suffix(1);
    }
    if (parameters.empty()) {
        return list;
    }
    for (std::string_view one : split(parameters, ',')) {
        one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
        if (one.find("<>c__DisplayClass") == std::string_view::npos) {
            list.emplace_back(one);
        }
    }
    return list;
}

std::string spell_parameters(const Names& list, char open, char close) {
    std::string text(1, open);
    for (const std::string& one : list) {
        text += text.size() == 1 ? "" : ", ";
        text += one;
    }
    return text + close;
}

std::optional<Bracketed> bracketed(std::string_view name) {
    int depth = 0;
    for (size_t i = 0; i < name.size() && (i == 0 || depth > 0); ++i) {
        depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
        if (depth == 0) {
            return i == 0 ? std::nullopt
                          : std::optional(Bracketed{name.substr(1, i - 1), name.substr(i + 1)});
        }
    }
    return std::nullopt;
}

std::pair<std::string_view, std::string_view> split_arguments(std::string_view type) {
    int depth = 0;
    for (size_t i = type.size(); i > 0 && type.ends_with('>'); --i) {
        depth += type[i - 1] == '>' ? 1 : type[i - 1] == '<' ? -1 : 0;
        if (depth == 0) {
            return i == 1 ? std::pair(type, std::string_view())
                          : std::pair(type.substr(0, i - 1), type.substr(i - 1));
        }
    }
    return {type, {}};
}

std::string without_namespaces(std::string_view type) {
    constexpr std::string_view kSystem = "System.";
    std::string text;
    int brackets = 0;  // in "[,]" a comma is a rank
    while (!type.empty()) {
        const size_t length = std::min(type.find_first_of("<>,[]()* "), type.size());
        const std::string_view word = type.substr(0, length);
        const auto keyword =
            word.starts_with(kSystem) ? csharp_keyword(word.substr(kSystem.size())) : std::nullopt;
        text += keyword ? *keyword : word.substr(word.rfind('.') + 1);  // npos + 1 is 0
        if (length < type.size()) {
            brackets += type[length] == '[' ? 1 : type[length] == ']' ? -1 : 0;
            text += type[length];
            text += type[length] == ',' && brackets == 0 && !type.substr(length).starts_with(", ")
                        ? " "
                        : "";
        }
        type.remove_prefix(std::min(length + 1, type.size()));
    }
    return text;
}

std::string ordinal(std::string_view text, char before) {
    text = text.substr(0, text.find('#'));  // edit and continue appends a generation
    const size_t start = text.rfind(before);
    const std::string_view digits =
        start == std::string_view::npos ? std::string_view() : text.substr(start + 1);
    const bool number = !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
    return number && digits != "0" ? "#" + std::string(digits) : "";
}

size_t line_mark(std::string_view name) {
    const size_t at = name.find('@');
    return at > 0 && at < name.size() - 1 && is_digit(name[at + 1]) ? at : std::string_view::npos;
}

}  // namespace umbra::profile
