// SPDX-License-Identifier: MIT
// Undoes the naming schemes of the C#, F# and Visual Basic compilers.

#include "src/profile/names/display_name.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "src/base/visual_basic.h"
#include "src/profile/names/method_namer.h"
#include "src/profile/names/name_parts.h"
#include "src/profile/names/seen_text.h"

namespace umbra::profile {
namespace {

/// Of a method whose name in metadata is empty, which only obfuscators make.
constexpr std::string_view kNoName = "(unnamed)";

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
    const auto [name, argument_text] = split_arguments(part);
    std::string arguments(argument_text);
    if (name.starts_with('<')) {
        return csharp_type(name, std::move(arguments));
    }
    if (const std::string_view method = visual_basic_state_machine_method(name); !method.empty()) {
        return {TypeKind::kStateMachine, {}, std::move(arguments), std::string(method)};
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

/// "<>f__AnonymousType0", an anonymous type among parameters or generic arguments, reads
/// "AnonymousType0", and "<Price>j__TPar", a type parameter of it, "Price".
void unwrap_anonymous(std::string& text) {
    constexpr std::string_view kAnonymous = "<>f__";
    for (size_t at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous)) {
        text.erase(at, kAnonymous.size());
    }
    constexpr std::string_view kMark = ">j__TPar";
    for (size_t end = text.find(kMark); end != std::string::npos; end = text.find(kMark, end)) {
        text.erase(end, kMark.size());
        if (const size_t start = text.rfind('<', end); start != std::string::npos) {
            text.erase(start, 1);
            --end;
        }
    }
}

/// Generic arguments of the method around a lambda or local function, and its own: "<T>.<V>".
std::pair<std::string_view, std::string_view> split_method_arguments(std::string_view arguments,
                                                                     bool lambda) {
    if (lambda) {
        return {arguments, {}};
    }
    const auto parts = bracketed(arguments);
    if (!parts || !parts->tail.starts_with('.')) {
        return {{}, arguments};
    }
    return {arguments.substr(0, arguments.size() - parts->tail.size()), parts->tail.substr(1)};
}

/// `closure_arguments` are those of the class that holds captured variables.
void add_arguments(MethodPath& path, std::string_view closure_arguments,
                   std::string_view method_arguments) {
    const auto [of_outer, own] = split_method_arguments(method_arguments, path.lambda);
    if (path.names.size() > 1) {
        std::string& outer = path.names[path.names.size() - 2];
        outer += closure_arguments;
        outer += of_outer;
    }
    path.names.back() += own;
}

/// The method is one the user wrote, in types the user wrote, or a lambda or local function.
void show_user_method(const RawName& raw, const MethodNamer& namer,
                      std::string_view closure_arguments, Shown& shown) {
    MethodPath path = namer.path(raw.method, true);
    add_arguments(path, closure_arguments, raw.method_args);
    shown.methods = std::move(path.names);
    shown.accessor = path.accessor;
    shown.signature = raw.parameters.empty()
                          ? std::string()
                          : spell_parameters(parameter_list(raw.parameters), '(', ')');
    shown.is_static = raw.method == ".cctor";
}

/// The method belongs to a type a compiler made for `made.method`.
void show_made_method(const RawName& raw, const MethodNamer& namer, const TypePart& made,
                      std::string_view closure_arguments, Shown& shown) {
    MethodPath outer = namer.path(made.method, false);
    add_arguments(outer, closure_arguments,
                  raw.method_args.empty() ? made.arguments : raw.method_args);
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
        show_made_method(raw, namer, last, closure_arguments, shown);
    } else if (last.kind == TypeKind::kClosure && constructs) {
        shown.methods = {"closure" + last.arguments, "new"};
        shown.signature = raw.parameters;
        shown.is_static = raw.method == ".cctor";
    } else if (last.kind == TypeKind::kRaw && constructs) {
        shown.methods = {raw.method};
        shown.signature = raw.parameters;
    } else {
        show_user_method(raw, namer, closure_arguments, shown);
    }
    for (std::string& type : shown.types) {
        unwrap_anonymous(type);
    }
    std::ranges::for_each(shown.methods, unwrap_anonymous);
    unwrap_anonymous(shown.signature);
    return shown;
}

}  // namespace

void set_display_name(RawName raw, Function& function) {
    for (std::string* part : {&raw.namespace_, &raw.type, &raw.method, &raw.method_args,
                              &raw.parameters, &raw.user_parameters, &raw.return_type}) {
        *part = seen_text(*part);
    }
    if (raw.method.empty() && !raw.type.empty()) {
        raw.method = kNoName;
    }
    Shown shown = show(raw);
    function.namespace_ = raw.namespace_;
    function.type = join(shown.types);
    function.method = join(shown.methods);
    function.signature = std::move(shown.signature);
    function.return_type = raw.return_type.substr(0, raw.return_type.find(kInitOnly));

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
