// SPDX-License-Identifier: MIT
#include "src/profile/names/method_namer.h"

#include <array>

#include "src/profile/names/operator_names.h"

namespace umbra::profile {
namespace {

/// Names of lambdas in lambdas nest; deeper ones stay as they are.
constexpr int kMaxNesting = 16;

}  // namespace

MethodPath MethodNamer::path(std::string_view name, bool own, int depth) const {
    if (depth < kMaxNesting) {
        if (auto made = compiler_made(name, own, depth)) {
            return *std::move(made);
        }
        if (auto special = accessor(name, own)) {
            return *std::move(special);
        }
    }
    return {.names = {plain(name, own)}};
}

std::optional<MethodPath> MethodNamer::compiler_made(std::string_view name, bool own,
                                                     int depth) const {
    constexpr std::string_view kVisualBasicLambda = "_Lambda$__";
    if (name.starts_with(kVisualBasicLambda) && name.size() > kVisualBasicLambda.size()) {
        // "_Lambda$__5-0": nothing in it tells the method around.
        return MethodPath{
            .names = {"lambda#" + std::string(name.substr(kVisualBasicLambda.size()))}};
    }
    const auto parts = bracketed(name);
    if (!parts) {
        return explicit_implementation(name, own, depth);
    }
    const auto [inside, tail] = *parts;
    if (inside.empty()) {
        return tail.starts_with("m__Finally") ? std::optional(MethodPath{.names = {"finally"}})
                                              : std::nullopt;
    }
    if (tail == "$") {
        return path(inside, false, depth + 1);  // "<Main>$", "<Clone>$"
    }
    MethodPath outer = path(inside, false, depth + 1);
    outer.accessor = false;
    outer.lambda = tail.starts_with("b__");
    if (outer.lambda) {
        outer.names.push_back("lambda" + ordinal(tail, '_'));
        return outer;
    }
    if (tail.starts_with("g__")) {
        outer.names.emplace_back(tail.substr(3, tail.find('|') - 3));
        return outer;
    }
    return std::nullopt;
}

/// "Acme.IShop<T>.Buy": the interface stands where the source has it, before the name.
std::optional<MethodPath> MethodNamer::explicit_implementation(std::string_view name, bool own,
                                                               int depth) const {
    const auto pieces = split(name, '.');
    if (pieces.size() < 2 || pieces.front().empty() || pieces.back().empty()) {
        return std::nullopt;  // one word, or ".ctor"
    }
    const std::string_view member = pieces.back();
    const std::string_view interface = name.substr(0, name.size() - member.size() - 1);
    MethodPath inner = path(member, own, depth + 1);
    inner.names.insert(inner.names.begin(), without_namespaces(interface));
    return inner;
}

std::optional<MethodPath> MethodNamer::accessor(std::string_view name, bool own) const {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAccessors = {
        {{"get_", "get"}, {"set_", "set"}, {"add_", "add"}, {"remove_", "remove"}}};
    for (const auto& [prefix, suffix] : kAccessors) {
        if (!name.starts_with(prefix) || name.size() == prefix.size()) {
            continue;
        }
        std::string property(name.substr(prefix.size()));
        if (const std::string in_brackets = indexes(own, suffix != "get"); !in_brackets.empty()) {
            if (property == "Item") {
                property = "this";
            }
            property += in_brackets;
        }
        const bool init = own && suffix == "set" && raw_.return_type.ends_with(kInitOnly);
        property += '.';
        property += init ? "init" : suffix;
        return MethodPath{.names = {std::move(property)}, .accessor = true};
    }
    return std::nullopt;
}

/// "[int]" of an indexer, else empty. The parameter of a static accessor is what an extension
/// property extends.
std::string MethodNamer::indexes(bool own, bool writes) const {
    Names parameters = own && !raw_.is_static ? parameter_list(raw_.parameters) : Names();
    if (writes && !parameters.empty()) {
        parameters.pop_back();  // the value
    }
    return parameters.empty() ? std::string() : spell_parameters(parameters, '[', ']');
}

std::string MethodNamer::plain(std::string_view name, bool own) const {
    if (name == ".ctor" || name == ".cctor") {
        return type_;
    }
    if (name == "Finalize" && own && raw_.parameters == "()") {
        return "~" + type_;
    }
    if (name.starts_with("op_")) {
        return operator_name(name, own);
    }
    if (name.starts_with('|') && name.ends_with('|')) {
        return "(" + std::string(name) + ")";  // an active pattern of F#
    }
    return std::string(name.substr(0, line_mark(name)));  // a local function of F#
}

std::string MethodNamer::operator_name(std::string_view name, bool own) const {
    const std::string_view what = name.substr(3);
    const bool implicit = what == "Implicit";
    if (implicit || what == "Explicit" || what == "CheckedExplicit") {
        std::string text = implicit ? "implicit operator" : "explicit operator";
        text += what == "CheckedExplicit" ? " checked" : "";
        return own && !raw_.return_type.empty() ? text + " " + std::string(raw_.return_type) : text;
    }
    if (const std::string symbol = operator_symbol(what); !symbol.empty()) {
        return "operator " + symbol;
    }
    const std::string symbol = fsharp_operator_symbol(what);
    return symbol.empty() ? std::string(name) : "(" + symbol + ")";
}

}  // namespace umbra::profile
