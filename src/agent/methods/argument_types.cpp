// SPDX-License-Identifier: MIT
#include "src/agent/methods/argument_types.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "src/clr/bytes.h"
#include "src/clr/types.h"

namespace umbra::agent {
namespace {

using protocol::ArgumentNamed;
using Form = il::ArgumentProbe::Form;
using Outcome = tl::expected<ArgumentType, std::string>;

constexpr std::string_view kLength = "Length";
constexpr std::string_view kCount = "Count";

constexpr std::array<std::string_view, 2> kSpans = {"Span`1", "ReadOnlySpan`1"};
constexpr std::array<std::string_view, 2> kMemories = {"Memory`1", "ReadOnlyMemory`1"};
// Whose Count is a field or two, read without a lock and without code of the program's.
constexpr std::array<std::string_view, 10> kCounted = {
    "List`1",       "Dictionary`2", "HashSet`1",          "Queue`1",      "Stack`1",
    "SortedList`2", "SortedSet`1",  "SortedDictionary`2", "LinkedList`1", "PriorityQueue`2"};

tl::unexpected<std::string> refused(std::string why) {
    return tl::unexpected<std::string>(std::move(why));
}

ArgumentType value(ArgumentNamed::Kind kind, Form form, ArgumentCall call = ArgumentCall::kNumber) {
    return {.kind = kind, .form = form, .call = call, .counted = {}, .constants = std::nullopt};
}

ArgumentType integer(bool is_signed) {
    return is_signed ? value(ArgumentNamed::kSigned, Form::kSigned)
                     : value(ArgumentNamed::kUnsigned, Form::kUnsigned);
}

bool is_one_of(const clr::TypeChain& chain, std::string_view namespace_,
               std::span<const std::string_view> names) {
    return chain.namespace_ == namespace_ && chain.names.size() == 1 &&
           std::ranges::find(names, chain.names.front()) != names.end();
}

/// How many a generic type's object holds. `type` begins with it, `rest` behind the first byte.
Outcome generic_size(il::Bytes type, il::Bytes rest, std::string_view member,
                     const clr::TypeTokens& tokens) {
    uint8_t kind = 0;
    clr::take_byte(rest, kind);
    const clr::TypeChain chain = tokens.chain(clr::take_type_token(rest).value_or(0));
    if (kind == clr::ELEMENT_TYPE_VALUETYPE && member == kLength) {
        if (is_one_of(chain, "System", kSpans)) {
            return value(ArgumentNamed::kUnsigned, Form::kAddress, ArgumentCall::kSpanLength);
        }
        if (is_one_of(chain, "System", kMemories)) {
            return value(ArgumentNamed::kUnsigned, Form::kAddress, ArgumentCall::kMemoryLength);
        }
    }
    if (kind == clr::ELEMENT_TYPE_CLASS && member == kCount &&
        is_one_of(chain, "System.Collections.Generic", kCounted)) {
        ArgumentType counted = integer(false);
        counted.counted = type;
        return counted;
    }
    return refused(
        "its type has no " + std::string(member) +
        " that can be told: arrays, strings, spans and memories have a Length, List, "
        "Dictionary, HashSet and the other classes of System.Collections.Generic a Count");
}

Outcome size_of(il::Bytes type, std::string_view member, const clr::TypeTokens& tokens) {
    const uint8_t element = type.front();
    if (element == clr::ELEMENT_TYPE_GENERICINST) {
        return generic_size(type, type.subspan(1), member, tokens);
    }
    const bool has_length = element == clr::ELEMENT_TYPE_STRING ||
                            element == clr::ELEMENT_TYPE_SZARRAY ||
                            element == clr::ELEMENT_TYPE_ARRAY;
    if (has_length && member == kLength) {
        return value(ArgumentNamed::kUnsigned, Form::kAsItIs, ArgumentCall::kLength);
    }
    return generic_size(type, {}, member, tokens);
}

Outcome enum_value(clr::mdToken token, const FindEnum& find_enum) {
    auto found = find_enum(token);
    if (!found) {
        return refused(std::move(found.error()));
    }
    if (!*found) {
        return refused("its type is a struct");
    }
    ArgumentType type = integer((*found)->is_signed);
    type.kind = (*found)->is_flags ? ArgumentNamed::kFlags : ArgumentNamed::kSigned;
    type.constants = *std::move(*found);
    return type;
}

Outcome generic_value(il::Bytes rest) {
    uint8_t kind = 0;
    clr::take_byte(rest, kind);
    return refused(kind == clr::ELEMENT_TYPE_VALUETYPE
                       ? "its type is a struct; of a span or memory .Length can be told"
                       : "its type is a class; of a collection .Count can be told");
}

}  // namespace

Outcome argument_type(il::Bytes type, std::string_view member, const clr::TypeTokens& tokens,
                      const FindEnum& find_enum) {
    type = il::without_modifiers(type);
    if (type.empty()) {
        return refused("its type cannot be read");
    }
    const uint8_t element = type.front();
    if (element == clr::ELEMENT_TYPE_VOID) {
        return refused("the method returns nothing");
    }
    if (element == clr::ELEMENT_TYPE_BYREF) {
        return refused("it is passed by reference");
    }
    if (!member.empty()) {
        return size_of(type, member, tokens);
    }
    il::Bytes rest = type.subspan(1);
    switch (element) {
        case clr::ELEMENT_TYPE_BOOLEAN:
            return value(ArgumentNamed::kBoolean, Form::kUnsigned);
        case clr::ELEMENT_TYPE_CHAR:
            return value(ArgumentNamed::kCharacter, Form::kUnsigned);
        case clr::ELEMENT_TYPE_I1:
        case clr::ELEMENT_TYPE_I2:
        case clr::ELEMENT_TYPE_I4:
        case clr::ELEMENT_TYPE_I8:
        case clr::ELEMENT_TYPE_I:
            return integer(true);
        case clr::ELEMENT_TYPE_U1:
        case clr::ELEMENT_TYPE_U2:
        case clr::ELEMENT_TYPE_U4:
        case clr::ELEMENT_TYPE_U8:
        case clr::ELEMENT_TYPE_U:
            return integer(false);
        case clr::ELEMENT_TYPE_R4:
        case clr::ELEMENT_TYPE_R8:
            return value(ArgumentNamed::kReal, Form::kReal, ArgumentCall::kReal);
        case clr::ELEMENT_TYPE_STRING:
            return value(ArgumentNamed::kText, Form::kAsItIs, ArgumentCall::kText);
        case clr::ELEMENT_TYPE_VALUETYPE:
            return enum_value(clr::take_type_token(rest).value_or(0), find_enum);
        case clr::ELEMENT_TYPE_GENERICINST:
            return generic_value(rest);
        case clr::ELEMENT_TYPE_SZARRAY:
        case clr::ELEMENT_TYPE_ARRAY:
            return refused("its type is an array; its .Length can be told");
        case clr::ELEMENT_TYPE_VAR:
        case clr::ELEMENT_TYPE_MVAR:
            return refused("its type is a type parameter");
        case clr::ELEMENT_TYPE_PTR:
        case clr::ELEMENT_TYPE_FNPTR:
            return refused("its type is a pointer");
        case clr::ELEMENT_TYPE_CLASS:
        case clr::ELEMENT_TYPE_OBJECT:
            return refused("its type is a class");
        default:
            return refused("values of its type cannot be told");
    }
}

}  // namespace umbra::agent
