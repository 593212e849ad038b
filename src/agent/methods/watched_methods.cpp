// SPDX-License-Identifier: MIT
#include "src/agent/methods/watched_methods.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "src/base/slowest_request.h"
#include "src/base/utf8.h"

namespace umbra::agent {
namespace {

constexpr size_t kNone = std::string_view::npos;

/// Index of the '>' that ends what the '<' at the begin of `text` opens; kNone: there is none.
size_t closing(std::string_view text) {
    size_t open = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        open += text[at] == '<' ? 1U : 0U;
        if (text[at] == '>' && --open == 0) {
            return at;
        }
    }
    return kNone;
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
    if (name.ends_with("..ctor")) {
        const std::string_view type = name.substr(0, name.size() - 6);
        result = source_name(type);
        return result + '.' + result.substr(result.rfind('.') + 1);
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

WatchedMethods::WatchedMethods(const std::vector<std::string>& requests) {
    for (const std::string& text : requests) {
        if (patterns_.size() < kMaxSlowestRequests) {
            const auto request = parse_slowest_request(text);
            // A place for each: the collector counts them too.
            patterns_.emplace_back(request ? read_code_points(request->methods) : "/!/");
        }
    }
}

bool WatchedMethods::names(std::string_view module, std::string_view name) const {
    const std::string written = patterns_.empty() ? std::string() : source_name(name);
    return std::ranges::any_of(patterns_, [&](const Pattern& pattern) {
        return pattern.names_a_method() && pattern.matches_module(module) &&
               (pattern.matches_name(name) || pattern.matches_name(written));
    });
}

uint8_t WatchedMethods::request_of(std::string_view module, std::string_view name) const {
    const std::string written = source_name(name);
    for (size_t number = 0; number < patterns_.size(); ++number) {
        const Pattern& pattern = patterns_[number];
        if (pattern.matches_module(module) &&
            (pattern.matches_name(name) || pattern.matches_name(written))) {
            return static_cast<uint8_t>(number + 1);
        }
    }
    return 0;
}

}  // namespace umbra::agent
