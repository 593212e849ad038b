// SPDX-License-Identifier: MIT
// Names of functions in less room than they need.
#include "src/cli/terminal/name_text.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "src/cli/terminal/text.h"

namespace umbra::cli {
namespace {

constexpr std::string_view kGap = "..";
/// What the rows of slow calls say of a method that was compiled.
constexpr std::string_view kCompiling = "(compiling ";
/// Columns below which nothing can be said of that method.
constexpr std::size_t kLeastCompiled = 16;
constexpr std::string_view kOperator = "operator ";

/// A name's parts, one behind the other.
struct Parts {
    std::string_view head;        ///< namespace, type and method
    std::string_view parameters;  ///< with their parentheses, or nothing
    std::string_view marks;       ///< of reports, as " [copy 2]", or nothing
};

/// Where the parenthesis is that the one at the end of `text` closes.
std::optional<std::size_t> last_parenthesis(std::string_view text) {
    if (!text.ends_with(')')) {
        return std::nullopt;
    }
    std::size_t open = 0;
    for (std::size_t at = text.size(); at-- > 0;) {
        open += text[at] == ')' ? 1U : 0U;
        open -= text[at] == '(' ? 1U : 0U;
        if (open == 0) {
            return at;
        }
    }
    return std::nullopt;
}

/// Where the mark at the end of `text` begins, as " [copy 2]".
std::optional<std::size_t> last_mark(std::string_view text) {
    const std::size_t at = text.ends_with(']') ? text.rfind(" [") : std::string_view::npos;
    return at == std::string_view::npos || at == 0 ? std::nullopt : std::optional(at);
}

Parts parts_of(std::string_view name) {
    Parts parts{name, {}, {}};
    while (const std::optional<std::size_t> mark = last_mark(parts.head)) {
        parts.marks = name.substr(*mark);
        parts.head = name.substr(0, *mark);
    }
    const std::optional<std::size_t> begin = last_parenthesis(parts.head);
    if (begin && *begin > 0) {
        parts.parameters = parts.head.substr(*begin);
        parts.head = parts.head.substr(0, *begin);
    }
    return parts;
}

/// Where the symbol of an operator begins, which may be "<" or ">"; else the end.
std::size_t end_of_brackets(std::string_view head) {
    const std::size_t at = head.find(kOperator);
    return at == std::string_view::npos ? head.size() : at + kOperator.size();
}

/// `head` with "<..>" for lists of generic arguments.
std::string without_arguments(std::string_view head) {
    const std::size_t end = end_of_brackets(head);
    std::string out;
    std::size_t depth = 0;
    std::size_t list = 0;  // where the outermost list begins in `out`
    for (std::size_t at = 0; at < end; ++at) {
        const bool named = at > 0 && head[at - 1] != '.';  // not as in <Module>
        if (head[at] == '<' && (depth > 0 || named) && ++depth == 1) {
            list = out.size();
        }
        out += head[at];
        if (head[at] == '>' && depth > 0 && --depth == 0 && out.size() - list > kGap.size() + 2) {
            out.replace(list + 1, out.size() - list - 2, kGap);
        }
    }
    return out.append(head.substr(end));
}

/// Where what stands between the dots of `head` begins, from behind.
std::vector<std::size_t> begins_of(std::string_view head) {
    const std::size_t end = end_of_brackets(head);
    std::vector<std::size_t> begins;
    std::size_t depth = 0;
    for (std::size_t at = 0; at < end; ++at) {
        const char c = head[at];
        depth += c == '<' || c == '[' || c == '(' ? 1U : 0U;
        depth -= depth > 0 && (c == '>' || c == ']' || c == ')') ? 1U : 0U;
        if (c == '.' && depth == 0) {
            begins.push_back(at + 1);
        }
    }
    std::ranges::reverse(begins);
    return begins;
}

/// The end of `text` that fits into `columns` columns.
std::string_view end_of(std::string_view text, std::size_t columns) {
    for (std::size_t all = width(text); all > columns;) {
        all -= take_character(text).columns;
    }
    return text;
}

/// The begin of `text` that fits into `columns` columns.
std::string_view begin_of(std::string_view text, std::size_t columns) {
    std::string_view rest = text;
    for (std::size_t used = 0; !rest.empty();) {
        std::string_view behind = rest;
        used += take_character(behind).columns;
        if (used > columns) {
            break;
        }
        rest = behind;
    }
    return text.substr(0, text.size() - rest.size());
}

/// `head` without what stands in front of the type, as far as needed; without parts of it, if even
/// type and method are too long.
std::string shortened_head(std::string_view head, std::size_t columns) {
    const std::size_t room = columns - std::min(columns, kGap.size());
    const std::vector<std::size_t> begins = begins_of(head);
    std::string_view kept;
    for (std::size_t i = 1; i < begins.size(); ++i) {
        if (width(head.substr(begins[i])) <= room) {
            kept = head.substr(begins[i]);
        }
    }
    if (kept.empty()) {
        kept = end_of(head, room);
        kept.remove_prefix(std::min(kept.find_first_not_of(".<>"), kept.size()));
    }
    return std::string(kGap.substr(0, columns)).append(kept);
}

/// The parameters in so many columns, which suffice for "(..)".
std::string shortened_parameters(std::string_view parameters, std::size_t columns) {
    if (width(parameters) <= columns) {
        return std::string(parameters);
    }
    std::string_view begin = begin_of(parameters, columns - kGap.size() - 1);
    while (begin.ends_with(' ') || begin.ends_with(',')) {
        begin.remove_suffix(1);
    }
    return std::string(begin).append(kGap).append(")");
}

}  // namespace

std::string shortened_name(std::string_view name, std::size_t columns) {
    std::string line = one_line(name);
    if (width(line) <= columns) {
        return line;
    }
    if (line.starts_with(kCompiling) && line.ends_with(')') &&
        columns > kCompiling.size() + kLeastCompiled) {
        const std::string_view compiled =
            std::string_view(line).substr(kCompiling.size(), line.size() - kCompiling.size() - 1);
        return std::string(kCompiling)
            .append(shortened_name(compiled, columns - kCompiling.size() - 1))
            .append(")");
    }
    if (line.starts_with('(')) {
        return shortened(line, columns);  // no function: "(paused: gc of generation 2)"
    }
    const Parts parts = parts_of(line);
    const std::size_t least = std::min(width(parts.parameters), kGap.size() + 2);
    const std::size_t others = least + width(parts.marks);
    if (others + kGap.size() >= columns) {
        return shortened(line, columns);
    }
    std::string head(parts.head);
    if (width(head) + others > columns) {
        head = without_arguments(head);
    }
    if (width(head) + others > columns) {
        head = shortened_head(head, columns - others);
    }
    const std::size_t rest = columns - width(head) - width(parts.marks);
    return head + shortened_parameters(parts.parameters, rest) + std::string(parts.marks);
}

}  // namespace umbra::cli
