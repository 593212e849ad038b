// SPDX-License-Identifier: MIT
// A recursive descent over the blob, bounded in depth and in length of what it spells.

#include "src/clr/signature.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "src/base/csharp_keyword.h"
#include "src/clr/bytes.h"
#include "src/clr/metadata_schema.h"

namespace umbra::clr {
namespace {

// Calling convention byte (ECMA-335 II.23.2.1, II.23.2.3).
constexpr uint8_t kHasThis = 0x20;
constexpr uint8_t kGeneric = 0x10;
constexpr uint8_t kConventionMask = 0x0f;
constexpr uint8_t kDefault = 0x00;
constexpr uint8_t kVarArg = 0x05;
constexpr uint8_t kUnmanaged = 0x09;

/// C# writes the ranks of nested arrays from the outside in ("int[][,]"), the blob holds them the
/// other way round; so they are kept apart until the whole type is known.
struct Spelling {
    std::string element;
    std::string ranks;

    [[nodiscard]] std::string whole() && { return std::move(element) + ranks; }
};

/// From ELEMENT_TYPE_VOID to ELEMENT_TYPE_STRING.
constexpr std::array kKeywords = {"void", "bool", "char", "sbyte", "byte",  "short",  "ushort",
                                  "int",  "uint", "long", "ulong", "float", "double", "string"};
static_assert(kKeywords.size() == ELEMENT_TYPE_STRING - ELEMENT_TYPE_VOID + 1);

bool is_init_only(const TypeChain& modifier) {
    return modifier.namespace_ == "System.Runtime.CompilerServices" && modifier.names.size() == 1 &&
           modifier.names.front() == "IsExternalInit";
}

class SignatureDecoder {
  public:
    SignatureDecoder(Bytes blob, const TypeTokens& tokens, const GenericNames& generics)
        : rest_(blob), tokens_(tokens), generics_(generics) {}

    /// nullopt: the blob makes no sense.
    std::optional<MethodSignature> method(int depth) {
        MethodSignature signature;
        uint8_t convention = 0;
        uint32_t count = 0;
        if (!take_byte(rest_, convention)) {
            return std::nullopt;
        }
        const uint8_t kind = convention & kConventionMask;
        if (kind > kVarArg && kind != kUnmanaged) {
            return std::nullopt;  // a field, a property, locals: not a method
        }
        signature.has_this = (convention & kHasThis) != 0;
        if ((convention & kGeneric) != 0 && !take_compressed(rest_, signature.generic_parameters)) {
            return std::nullopt;
        }
        // A parameter takes a byte at least, so a count is bounded by the blob.
        if (!take_compressed(rest_, count) || count > rest_.size()) {
            return std::nullopt;
        }
        init_only_ = false;
        auto returned = type(depth);
        if (!returned) {
            return std::nullopt;
        }
        signature.return_type = std::move(*returned).whole();
        signature.init_only = init_only_;
        for (uint32_t i = 0; i < count; ++i) {
            auto parameter = type(depth);
            if (!parameter) {
                return std::nullopt;
            }
            signature.parameters.push_back(std::move(*parameter).whole());
        }
        if (kind == kVarArg) {
            signature.parameters.emplace_back("__arglist");
        }
        return signature;
    }

  private:
    bool type_token(mdToken& token) {
        const std::optional<mdToken> taken = take_type_token(rest_);
        token = taken.value_or(token);
        return taken.has_value();
    }

    /// Keeps the sum of all spelled pieces bounded, whatever the blob and the names are.
    std::optional<Spelling> spelled(std::string element, std::string ranks = {}) {
        spelled_bytes_ += element.size() + ranks.size();
        if (spelled_bytes_ > kMaxSpellingBytes) {
            return std::nullopt;
        }
        return Spelling{std::move(element), std::move(ranks)};
    }

    std::optional<Spelling> type(int depth) {
        uint8_t element_type = 0;
        if (depth >= kMaxTypeDepth || !take_byte(rest_, element_type)) {
            return std::nullopt;
        }
        if (element_type >= ELEMENT_TYPE_VOID && element_type <= ELEMENT_TYPE_STRING) {
            return spelled(kKeywords[element_type - ELEMENT_TYPE_VOID]);
        }
        switch (element_type) {
            case ELEMENT_TYPE_TYPEDBYREF:
                return spelled("TypedReference");
            case ELEMENT_TYPE_I:
                return spelled("nint");
            case ELEMENT_TYPE_U:
                return spelled("nuint");
            case ELEMENT_TYPE_OBJECT:
                return spelled("object");
            case ELEMENT_TYPE_CMOD_REQD:
            case ELEMENT_TYPE_CMOD_OPT: {
                mdToken modifier = 0;
                if (!type_token(modifier)) {
                    return std::nullopt;
                }
                init_only_ = init_only_ || is_init_only(tokens_.chain(modifier));
                return type(depth + 1);
            }
            case ELEMENT_TYPE_SENTINEL:
            case ELEMENT_TYPE_PINNED:
                return type(depth + 1);
            case ELEMENT_TYPE_BYREF:
                return wrapped("ref ", "", depth);
            case ELEMENT_TYPE_PTR:
                return wrapped("", "*", depth);
            case ELEMENT_TYPE_CLASS:
            case ELEMENT_TYPE_VALUETYPE:
                return named({});
            case ELEMENT_TYPE_VAR:
                return variable(generics_.type, "!");
            case ELEMENT_TYPE_MVAR:
                return variable(generics_.method, "!!");
            case ELEMENT_TYPE_SZARRAY:
                return array_of(type(depth + 1), "[]");
            case ELEMENT_TYPE_ARRAY:
                return array(depth);
            case ELEMENT_TYPE_GENERICINST:
                return generic_instance(depth);
            case ELEMENT_TYPE_FNPTR:
                return function_pointer(depth);
            default:
                return std::nullopt;
        }
    }

    std::optional<Spelling> wrapped(std::string_view before, std::string_view after, int depth) {
        auto inner = type(depth + 1);
        if (!inner) {
            return std::nullopt;
        }
        return spelled(std::string(before) + std::move(*inner).whole() + std::string(after));
    }

    std::optional<Spelling> array_of(std::optional<Spelling> element, std::string_view rank) {
        if (!element) {
            return std::nullopt;
        }
        return spelled(std::move(element->element), std::string(rank) + element->ranks);
    }

    /// ArrayShape (II.23.2.13): sizes and lower bounds are no part of the C# spelling.
    std::optional<Spelling> array(int depth) {
        auto element = type(depth + 1);
        uint32_t rank = 0;
        if (!element || !take_compressed(rest_, rank) || rank == 0 || rank > 32) {
            return std::nullopt;
        }
        for (int list = 0; list < 2; ++list) {
            uint32_t count = 0;
            uint32_t ignored = 0;
            if (!take_compressed(rest_, count) || count > rank) {
                return std::nullopt;
            }
            for (; count > 0; --count) {
                if (!take_compressed(rest_, ignored)) {
                    return std::nullopt;
                }
            }
        }
        return array_of(std::move(element), "[" + std::string(rank - 1, ',') + "]");
    }

    std::optional<Spelling> named(std::span<const std::string> arguments) {
        mdToken token = 0;
        return type_token(token) ? spelled(spell_type_use(tokens_.chain(token), arguments))
                                 : std::nullopt;
    }

    std::optional<Spelling> generic_instance(int depth) {
        uint8_t class_or_value = 0;
        mdToken token = 0;
        uint32_t count = 0;
        if (!take_byte(rest_, class_or_value) || !type_token(token) ||
            !take_compressed(rest_, count) || count == 0 || count > rest_.size()) {
            return std::nullopt;
        }
        std::vector<std::string> arguments;
        for (uint32_t i = 0; i < count; ++i) {
            auto argument = type(depth + 1);
            if (!argument) {
                return std::nullopt;
            }
            arguments.push_back(std::move(*argument).whole());
        }
        return spelled(spell_type_use(tokens_.chain(token), arguments));
    }

    std::optional<Spelling> variable(const std::vector<std::string>& names, std::string_view mark) {
        uint32_t number = 0;
        if (!take_compressed(rest_, number)) {
            return std::nullopt;
        }
        return spelled(number < names.size() ? names[number]
                                             : std::string(mark) + std::to_string(number));
    }

    std::optional<Spelling> function_pointer(int depth) {
        const bool managed = !rest_.empty() && (rest_.front() & kConventionMask) == kDefault;
        auto pointed = method(depth + 1);
        if (!pointed) {
            return std::nullopt;
        }
        pointed->parameters.push_back(std::move(pointed->return_type));
        return spelled((managed ? "delegate*" : "delegate* unmanaged") +
                       spell_list(pointed->parameters, '<', '>'));
    }

    Bytes rest_;
    const TypeTokens& tokens_;
    const GenericNames& generics_;
    bool init_only_ = false;  ///< the type just read is marked as that of an init accessor
    size_t spelled_bytes_ = 0;
};

/// "List`1" -> "List" and 1; other names keep all their characters and have no arguments.
std::pair<std::string_view, size_t> split_arity(std::string_view name) {
    const size_t tick = name.rfind('`');
    size_t arity = 0;
    if (tick == std::string_view::npos || tick == 0 || tick + 1 == name.size()) {
        return {name, 0};
    }
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + tick + 1, end, arity);
    if (error != std::errc() || stop != end) {
        return {name, 0};
    }
    return {name.substr(0, tick), arity};
}

/// "(int, string)". Longer tuples hold those from the eighth on in a tuple of their own.
std::string spell_tuple(std::span<const std::string> arguments) {
    constexpr size_t kInOne = 7;
    constexpr std::string_view kOfOne = "ValueTuple<";
    if (arguments.size() <= kInOne) {
        return spell_list(arguments, '(', ')');
    }
    std::string_view rest = arguments[kInOne];
    if (rest.starts_with('(') && rest.ends_with(')')) {
        rest.remove_prefix(1);
    } else if (rest.starts_with(kOfOne) && rest.ends_with('>')) {
        rest.remove_prefix(kOfOne.size());
    } else {
        return "ValueTuple" + spell_list(arguments, '<', '>');
    }
    rest.remove_suffix(1);
    std::string text = spell_list(arguments.first(kInOne), '(', ',');
    text += ' ';
    text += rest;
    return text + ')';
}

}  // namespace

std::optional<mdToken> take_type_token(Bytes& rest) {
    constexpr std::array kTables = {kTypeDef, kTypeRef, kTypeSpec};
    uint32_t coded = 0;
    if (!take_compressed(rest, coded) || (coded & 3U) >= kTables.size()) {
        return std::nullopt;
    }
    return token_of(kTables[coded & 3U], coded >> 2);
}

Result<MethodSignature> decode_method_signature(std::span<const uint8_t> blob,
                                                const TypeTokens& tokens,
                                                const GenericNames& generics) {
    auto signature = SignatureDecoder(blob, tokens, generics).method(0);
    if (!signature) {
        return fail(ErrorCode::kCorrupt, "a method signature of " + std::to_string(blob.size()) +
                                             " bytes cannot be decoded");
    }
    return *std::move(signature);
}

std::string spell_parameters(const MethodSignature& signature) {
    return signature.parameters.empty() ? "()" : spell_list(signature.parameters, '(', ')');
}

std::string spell_list(std::span<const std::string> items, char open, char close) {
    std::string text;
    for (const std::string& item : items) {
        text += text.empty() ? std::string(1, open) : ", ";
        text += item;
    }
    if (!text.empty()) {
        text += close;
    }
    return text;
}

std::string spell_type(const TypeChain& chain, std::span<const std::string> arguments,
                       char separator) {
    std::string text;
    for (size_t i = 0; i < chain.names.size(); ++i) {
        const auto [name, arity] = split_arity(chain.names[i]);
        const bool last = i + 1 == chain.names.size();
        const size_t taken = last ? arguments.size() : std::min(arity, arguments.size());
        if (i > 0) {
            text += separator;
        }
        text += name;
        text += spell_list(arguments.first(taken), '<', '>');
        arguments = arguments.subspan(taken);
    }
    return text;
}

std::string spell_type_use(const TypeChain& chain, std::span<const std::string> arguments) {
    if (chain.names.empty()) {
        return "?";
    }
    if (chain.namespace_ == "System" && chain.names.size() == 1) {
        const std::string_view name = chain.names.front();
        if (const auto spelled = arguments.empty() ? csharp_keyword(name) : std::nullopt) {
            return std::string(*spelled);
        }
        if (name == "Nullable`1" && arguments.size() == 1) {
            return arguments.front() + "?";
        }
        if (name.starts_with("ValueTuple`") && arguments.size() >= 2) {
            return spell_tuple(arguments);
        }
    }
    return spell_type(chain, arguments, '.');
}

}  // namespace umbra::clr
