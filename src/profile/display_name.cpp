// SPDX-License-Identifier: MIT
// Undoes the naming schemes of the C#, F# and Visual Basic compilers.

#include "src/profile/display_name.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/csharp_keyword.h"

namespace umbra::profile {
namespace {

/// Names of lambdas in lambdas nest; deeper ones stay as they are.
constexpr int kMaxNesting = 16;

using Names = std::vector<std::string>;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string join(const Names& names) {
    std::string text;
    for (const std::string& name : names) {
        text += text.empty() ? "" : ".";
        text += name;
    }
    return text;
}

/// Cuts at `separator` outside all brackets.
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

/// "(int, ref T)" as a list; the structs in which a local function gets its captured variables are
/// no parameters of the source.
Names parameter_list(std::string_view parameters) {
    Names list;
    if (parameters.size() <= 2) {
        return list;
    }
    for (std::string_view one : split(parameters.substr(1, parameters.size() - 2), ',')) {
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

/// "<X>tail" -> X and tail, for the balanced first bracket.
struct Bracketed {
    std::string_view inside;
    std::string_view tail;
};
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

/// "Cart<int>" -> "Cart" and "<int>"; the brackets a compiler puts first are part of the name.
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

/// "System.Collections.Generic.IEnumerator<System.Int32>" -> "IEnumerator<int>".
std::string without_namespaces(std::string_view type) {
    constexpr std::string_view kSystem = "System.";
    std::string text;
    while (!type.empty()) {
        const size_t length = std::min(type.find_first_of("<>,[]()* "), type.size());
        const std::string_view word = type.substr(0, length);
        const auto keyword =
            word.starts_with(kSystem) ? csharp_keyword(word.substr(kSystem.size())) : std::nullopt;
        text += keyword ? *keyword : word.substr(word.rfind('.') + 1);  // npos + 1 is 0
        if (length < type.size()) {
            text += type[length];
        }
        type.remove_prefix(std::min(length + 1, type.size()));
    }
    return text;
}

// ---- methods -------------------------------------------------------------------------------

/// The symbol of "op_Addition", "op_CheckedAddition" or "op_AdditionAssignment"; empty: none.
std::string operator_symbol(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kSymbols = {
        {{"Addition", "+"},         {"BitwiseAnd", "&"},
         {"BitwiseOr", "|"},        {"Decrement", "--"},
         {"Division", "/"},         {"Equality", "=="},
         {"ExclusiveOr", "^"},      {"False", "false"},
         {"GreaterThan", ">"},      {"GreaterThanOrEqual", ">="},
         {"Increment", "++"},       {"Inequality", "!="},
         {"LeftShift", "<<"},       {"LessThan", "<"},
         {"LessThanOrEqual", "<="}, {"LogicalNot", "!"},
         {"Modulus", "%"},          {"Multiplication", "*"},
         {"Multiply", "*"},         {"OnesComplement", "~"},
         {"RightShift", ">>"},      {"Subtraction", "-"},
         {"True", "true"},          {"UnaryNegation", "-"},
         {"UnaryPlus", "+"},        {"UnsignedRightShift", ">>>"},
         {"Concatenate", "&"}}};
    constexpr std::string_view kAssignment = "Assignment";
    std::string prefix;
    if (name.starts_with("Checked")) {
        name.remove_prefix(7);
        prefix = "checked ";
    }
    const bool assigns = name.ends_with(kAssignment);
    if (assigns) {
        name.remove_suffix(kAssignment.size());
    }
    const auto* const found = std::find_if(kSymbols.begin(), kSymbols.end(),
                                           [&](const auto& s) { return s.first == name; });
    if (found == kSymbols.end()) {
        return {};
    }
    const bool steps = found->second == "++" || found->second == "--";
    return prefix + std::string(found->second) + (assigns && !steps ? "=" : "");
}

/// "#2" from "b__30_2"; the first of a method, number 0, goes without.
std::string ordinal(std::string_view text, char before) {
    text = text.substr(0, text.find('#'));  // edit and continue appends a generation
    const size_t start = text.rfind(before);
    const std::string_view digits =
        start == std::string_view::npos ? std::string_view() : text.substr(start + 1);
    const bool number = !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
    return number && digits != "0" ? "#" + std::string(digits) : "";
}

/// Where F# puts the line number, "make@9-1"; npos: it is no such name.
size_t line_mark(std::string_view name) {
    const size_t at = name.find('@');
    return at > 0 && at < name.size() - 1 && is_digit(name[at + 1]) ? at : std::string_view::npos;
}

/// A method as the source names it: the methods around it, outermost first, and its own name last.
struct MethodPath {
    Names names;
    bool accessor = false;  ///< "Total.get": shown without parameters
};

/// Takes a method name apart. `type` is the simple name of the type around it, for constructors.
class MethodNamer {
  public:
    MethodNamer(std::string_view type, const RawName& raw) : type_(type), raw_(raw) {}

    /// `own`: the method itself, whose parameters are known, not one around it.
    MethodPath path(std::string_view name, bool own, int depth = 0) const {
        if (depth < kMaxNesting) {
            if (auto made = compiler_made(name, own, depth)) {
                return *std::move(made);
            }
            if (auto special = accessor(name, own)) {
                return *std::move(special);
            }
        }
        return {{plain(name, own)}, false};
    }

  private:
    std::optional<MethodPath> compiler_made(std::string_view name, bool own, int depth) const {
        const auto parts = bracketed(name);
        if (!parts) {
            return explicit_implementation(name, own, depth);
        }
        const auto [inside, tail] = *parts;
        if (inside.empty()) {
            return tail.starts_with("m__Finally") ? std::optional(MethodPath{{"finally"}, false})
                                                  : std::nullopt;
        }
        if (tail == "$") {
            return path(inside, false, depth + 1);  // "<Main>$", "<Clone>$"
        }
        MethodPath outer = path(inside, false, depth + 1);
        outer.accessor = false;
        if (tail.starts_with("b__")) {
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
    std::optional<MethodPath> explicit_implementation(std::string_view name, bool own,
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

    std::optional<MethodPath> accessor(std::string_view name, bool own) const {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAccessors = {
            {{"get_", "get"}, {"set_", "set"}, {"add_", "add"}, {"remove_", "remove"}}};
        for (const auto& [prefix, suffix] : kAccessors) {
            if (name.starts_with(prefix) && name.size() > prefix.size()) {
                std::string property(name.substr(prefix.size()));
                Names indexes = own ? parameter_list(raw_.parameters) : Names();
                if (suffix != "get" && !indexes.empty()) {
                    indexes.pop_back();  // the value
                }
                if (!indexes.empty()) {
                    property = (property == "Item" ? "this" : property) +
                               spell_parameters(indexes, '[', ']');
                }
                return MethodPath{{property + "." + std::string(suffix)}, true};
            }
        }
        return std::nullopt;
    }

    std::string plain(std::string_view name, bool own) const {
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

    std::string operator_name(std::string_view name, bool own) const {
        const std::string_view what = name.substr(3);
        const bool implicit = what == "Implicit";
        if (implicit || what == "Explicit" || what == "CheckedExplicit") {
            std::string text = implicit ? "implicit operator" : "explicit operator";
            text += what == "CheckedExplicit" ? " checked" : "";
            return own && !raw_.return_type.empty() ? text + " " + std::string(raw_.return_type)
                                                    : text;
        }
        const std::string symbol = operator_symbol(what);
        return symbol.empty() ? std::string(name) : "operator " + symbol;
    }

    std::string type_;
    const RawName& raw_;
};

// ---- types ---------------------------------------------------------------------------------

enum class TypeKind {
    kUser,
    kClosure,        ///< holds lambdas; the source has no such type
    kStateMachine,   ///< of the method `method`
    kFSharpClosure,  ///< in the method `method`
    kRaw,            ///< made by a compiler, for a purpose unknown
};

struct TypePart {
    TypeKind kind = TypeKind::kUser;
    std::string name;       ///< without arguments
    std::string arguments;  ///< "<int>"
    std::string method;     ///< metadata name of the method it was made for
};

/// The types C# makes: "<Method>purpose__number" (Roslyn's GeneratedNames).
TypePart csharp_type(std::string_view name, std::string arguments) {
    const auto parts = bracketed(name);
    if (!parts) {
        return {TypeKind::kRaw, std::string(name), std::move(arguments), {}};
    }
    const auto [inside, tail] = *parts;
    const size_t made_up = tail.find("__");
    if (tail == "d" || tail.starts_with("d__")) {
        std::string method(inside);
        // Explicit implementations: dots are not allowed in a type's name.
        std::replace(method.begin(), method.end(), '-', '.');
        return {TypeKind::kStateMachine, {}, std::move(arguments), std::move(method)};
    }
    if (inside.empty() && (tail == "c" || tail == "O" || tail.starts_with("c__"))) {
        return {TypeKind::kClosure, {}, std::move(arguments), {}};
    }
    if ((inside == "G" || inside == "M") && tail.starts_with('$')) {
        return {TypeKind::kClosure, {}, std::move(arguments), {}};  // an extension block
    }
    // "<>f__AnonymousType0", "<>z__ReadOnlyList", and file types: "<Program>F4D2E__Local"
    if (made_up != std::string_view::npos && made_up + 2 < tail.size() &&
        (inside.empty() || tail.starts_with('F'))) {
        return {TypeKind::kUser, std::string(tail.substr(made_up + 2)), std::move(arguments), {}};
    }
    return {TypeKind::kRaw, std::string(name), std::move(arguments), {}};
}

TypePart classify(std::string_view part) {
    constexpr std::string_view kVisualBasicMachine = "VB$StateMachine_";
    const auto [name, argument_text] = split_arguments(part);
    std::string arguments(argument_text);
    if (name.starts_with('<')) {
        return csharp_type(name, std::move(arguments));
    }
    if (name.starts_with(kVisualBasicMachine)) {
        const size_t number_end = name.find('_', kVisualBasicMachine.size());
        if (number_end != std::string_view::npos) {
            return {TypeKind::kStateMachine,
                    {},
                    std::move(arguments),
                    std::string(name.substr(number_end + 1))};
        }
    }
    if (name.starts_with("_Closure$__")) {
        return {TypeKind::kClosure, {}, std::move(arguments), {}};
    }
    if (const size_t at = line_mark(name); at != std::string_view::npos) {
        return {TypeKind::kFSharpClosure, "closure" + ordinal(name, '-'), std::move(arguments),
                std::string(name.substr(0, at))};
    }
    return {TypeKind::kUser, std::string(name), std::move(arguments), {}};
}

// ---- the whole -----------------------------------------------------------------------------

/// What a name is put together from.
struct Shown {
    Names types;
    Names methods;
    std::string signature;
    bool accessor = false;
    bool is_static = false;
};

/// "<Price>j__TPar", a type parameter of an anonymous type, reads "Price".
void unwrap_type_parameters(std::string& text) {
    constexpr std::string_view kMark = ">j__TPar";
    for (size_t end = text.find(kMark); end != std::string::npos; end = text.find(kMark, end)) {
        text.erase(end, kMark.size());
        if (const size_t start = text.rfind('<', end); start != std::string::npos) {
            text.erase(start, 1);
            --end;
        }
    }
}

/// The method is one the user wrote, in types the user wrote, or a lambda or local function.
void show_user_method(const RawName& raw, const MethodNamer& namer,
                      std::string_view closure_arguments, Shown& shown) {
    MethodPath path = namer.path(raw.method, true);
    if (path.names.size() > 1) {
        path.names[path.names.size() - 2] += closure_arguments;  // of the generic method around it
    }
    if (!path.accessor) {
        path.names.back() += raw.method_args;
    }
    shown.methods = std::move(path.names);
    shown.accessor = path.accessor;
    shown.signature = raw.parameters.empty()
                          ? std::string()
                          : spell_parameters(parameter_list(raw.parameters), '(', ')');
    shown.is_static = raw.method == ".cctor";
}

/// The method belongs to a type a compiler made for `made.method`.
void show_made_method(const RawName& raw, const MethodNamer& namer, const TypePart& made,
                      Shown& shown) {
    MethodPath outer = namer.path(made.method, false);
    outer.names.back() += made.arguments;
    shown.methods = std::move(outer.names);
    const bool closure = made.kind == TypeKind::kFSharpClosure;
    if (raw.method == "MoveNext" || (closure && raw.method == "GenerateNext")) {
        shown.signature = raw.user_parameters;
        shown.accessor = outer.accessor;
        return;
    }
    shown.signature = raw.parameters;
    if (closure) {
        shown.methods.push_back(made.name);
    }
    if (raw.method == ".ctor" || raw.method == ".cctor") {
        shown.methods.emplace_back("new");
        shown.is_static = raw.method == ".cctor";
    } else if (!closure || raw.method != "Invoke") {
        MethodPath member = namer.path(raw.method, true);
        shown.accessor = member.accessor;
        shown.methods.insert(shown.methods.end(), member.names.begin(), member.names.end());
    }
}

Shown show(const RawName& raw) {
    Shown shown;
    TypePart last;
    std::string simple_type;
    std::string closure_arguments;
    for (const std::string_view text : split(raw.type, '+')) {
        last = classify(text);
        if (last.kind == TypeKind::kUser || last.kind == TypeKind::kRaw) {
            shown.types.push_back(last.name + last.arguments);
            simple_type = last.name;
        } else if (last.kind == TypeKind::kClosure) {
            closure_arguments = last.arguments;
        }
    }
    const bool constructs = raw.method == ".ctor" || raw.method == ".cctor";
    const MethodNamer namer(simple_type, raw);
    if (last.kind == TypeKind::kStateMachine || last.kind == TypeKind::kFSharpClosure) {
        show_made_method(raw, namer, last, shown);
    } else if (last.kind == TypeKind::kClosure && constructs) {
        shown.methods = {"closure" + last.arguments, "new"};
        shown.signature = raw.parameters;
        shown.is_static = raw.method == ".cctor";
    } else if (last.kind == TypeKind::kRaw && constructs) {
        shown.methods = {std::string(raw.method)};
        shown.signature = raw.parameters;
    } else {
        show_user_method(raw, namer, closure_arguments, shown);
    }
    for (std::string& type : shown.types) {
        unwrap_type_parameters(type);
    }
    unwrap_type_parameters(shown.signature);
    return shown;
}

}  // namespace

void set_display_name(const RawName& raw, Function& function) {
    Shown shown = show(raw);
    function.namespace_ = raw.namespace_;
    function.type = join(shown.types);
    function.method = join(shown.methods);
    function.signature = std::move(shown.signature);

    Names whole;
    for (const std::string& part : {function.namespace_, function.type, function.method}) {
        if (!part.empty()) {
            whole.push_back(part);
        }
    }
    function.name = (shown.is_static ? "static " : "") + join(whole) +
                    (shown.accessor ? std::string() : function.signature);

    function.raw_name = raw.namespace_;
    function.raw_name += raw.namespace_.empty() ? "" : ".";
    char separator = '\0';
    for (const std::string_view type : split(raw.type, '+')) {
        if (separator != '\0') {
            function.raw_name += separator;
        }
        function.raw_name += type;
        separator = '/';
    }
    function.raw_name += raw.type.empty() ? "" : ".";
    function.raw_name += raw.method;
}

}  // namespace umbra::profile
