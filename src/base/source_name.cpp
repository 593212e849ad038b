// SPDX-License-Identifier: MIT
#include "src/base/source_name.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/name_marks.h"

namespace umbra {
namespace {

constexpr size_t kNone = std::string_view::npos;

/// Where what the bracket at `open` opens is closed again; kNone: nowhere.
size_t closed_at(std::string_view text, size_t open, char opens, char closes) {
    size_t depth = 0;
    for (size_t at = open; at < text.size(); ++at) {
        depth += text[at] == opens ? 1U : 0U;
        if (text[at] == closes && --depth == 0) {
            return at;
        }
    }
    return kNone;
}

/// Index of the '>' that ends what the '<' at the begin of `text` opens; kNone: there is none.
size_t closing(std::string_view text) {
    return closed_at(text, 0, '<', '>');
}

void append(std::string& name, std::string_view part) {
    if (!name.empty() && !part.empty()) {
        name += '.';
    }
    name += part;
}

/// Of "<Handle>d__3", "<Handle>b__0", "<Handle>g__Check|0_1", "<>c"; `close` is where its '>'
/// stands. Whatever the compiler has put behind that of methods tells what it is.
std::string written(std::string_view made, size_t close) {
    const std::string_view inner = made.substr(1, close - 1);
    const std::string_view rest = made.substr(close + 1);
    std::string name = inner.starts_with('<') && closing(inner) != kNone
                           ? written(inner, closing(inner))
                           : std::string(inner);
    if (rest.starts_with("b__")) {
        append(name, "lambda");
    } else if (rest.starts_with("g__")) {
        append(name, rest.substr(3, rest.find('|') - std::min<size_t>(3, rest.find('|'))));
    }
    return name;
}

/// "get_Total" is "Total.get".
std::string accessor(std::string_view method) {
    for (const std::string_view kind : {"get", "set", "add", "remove"}) {
        if (method.starts_with(kind) && method.size() > kind.size() + 1 &&
            method[kind.size()] == '_') {
            return std::string(method.substr(kind.size() + 1)) + '.' + std::string(kind);
        }
    }
    return std::string(method);
}

}  // namespace

std::string source_name(std::string_view name) {
    std::string result;
    bool machine = false;
    for (const std::string_view constructor : {"..ctor", "..cctor"}) {
        if (name.ends_with(constructor)) {
            const std::string_view type = name.substr(0, name.size() - constructor.size());
            result = source_name(type);
            // The object that holds what lambdas capture.
            if (type.substr(type.rfind('.') + 1).starts_with("<>c__DisplayClass")) {
                return result + ".closure.new";
            }
            return result + '.' + result.substr(result.rfind('.') + 1);
        }
    }
    if (constexpr std::string_view kFinalize = ".Finalize"; name.ends_with(kFinalize)) {
        result = source_name(name.substr(0, name.size() - kFinalize.size()));
        return result + ".~" + result.substr(result.rfind('.') + 1);
    }
    while (!name.empty()) {
        // Dots within <> are the method's own, of an interface.
        const size_t close = name.starts_with('<') ? closing(name) : kNone;
        const size_t end = name.find('.', close == kNone ? 0 : close);
        const std::string_view part = name.substr(0, end);
        name = end == kNone ? std::string_view() : name.substr(end + 1);
        const bool is_last = name.empty();
        if (machine && is_last && part == "MoveNext") {
            break;
        }
        machine = close != kNone && close > 1;
        append(result, close != kNone ? written(part, close)
                       : is_last      ? accessor(part)
                                      : std::string(part));
    }
    return result;
}

namespace {

bool is_of_a_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// Without "<int>" and "[int]" behind words, and without "#2".
std::string without_arguments(std::string_view name) {
    std::string out;
    for (size_t at = 0; at < name.size(); ++at) {
        const char c = name[at];
        const bool behind_word = !out.empty() && is_of_a_word(out.back());
        if (behind_word && (c == '<' || c == '[')) {
            if (const size_t end = closed_at(name, at, c, c == '<' ? '>' : ']'); end != kNone) {
                at = end;
                continue;
            }
        }
        if (behind_word && c == '#') {
            while (at + 1 < name.size() && name[at + 1] >= '0' && name[at + 1] <= '9') {
                ++at;
            }
            continue;
        }
        out += c;
    }
    return out;
}

/// Without the parameters at its end: a bracket that stands behind a word.
std::string_view without_parameters(std::string_view name) {
    if (!name.ends_with(')')) {
        return name;
    }
    size_t depth = 0;
    for (size_t at = name.size(); at-- > 0;) {
        depth += name[at] == ')' ? 1U : 0U;
        if (name[at] == '(' && --depth == 0) {
            // "Names.(+.)" is a name.
            return at > 0 && name[at - 1] != '.' ? name.substr(0, at) : name;
        }
    }
    return name;
}

}  // namespace

std::string written_name(std::string_view shown) {
    constexpr std::string_view kStatic = "static ";
    shown = plain_name(shown);
    if (shown.starts_with(kStatic)) {
        shown.remove_prefix(kStatic.size());
    }
    std::string name = without_arguments(without_parameters(shown));
    // An indexer, whose property is called Item.
    constexpr std::string_view kThis = ".this.";
    if (const size_t at = name.rfind(kThis);
        at != std::string::npos && name.size() == at + kThis.size() + 3) {
        name.replace(at, kThis.size(), ".Item.");
    }
    if (constexpr std::string_view kInit = ".init"; name.ends_with(kInit)) {
        name.replace(name.size() - kInit.size(), kInit.size(), ".set");
    }
    return name;
}

}  // namespace umbra
