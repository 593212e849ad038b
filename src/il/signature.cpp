// SPDX-License-Identifier: MIT
// Where types end; what they are does not matter.
#include "src/il/signature.h"

#include <algorithm>
#include <cstddef>

#include "src/clr/bytes.h"
#include "src/clr/types.h"

namespace umbra::il {
namespace {

using clr::take_byte;
using clr::take_compressed;

// The first byte (II.23.2.1, II.23.2.6).
constexpr uint8_t kGeneric = 0x10;
constexpr uint8_t kHasThis = 0x20;
constexpr uint8_t kExplicitThis = 0x40;  // `this` is the first parameter
constexpr uint8_t kConventionMask = 0x0f;
constexpr uint8_t kVarArg = 0x05;
constexpr uint8_t kLocals = 0x07;
constexpr uint8_t kUnmanaged = 0x09;

constexpr int kMaxDepth = 64;
constexpr uint32_t kMaxLocals = 0xfffe;

bool skip_type(Bytes& rest, int depth);

bool skip_number(Bytes& rest) {
    uint32_t number = 0;
    return take_compressed(rest, number);
}

/// As many types as the number in front says, each a byte at least.
bool skip_types(Bytes& rest, uint32_t count, int depth) {
    if (count > rest.size()) {
        return false;
    }
    for (uint32_t number = 0; number < count; ++number) {
        if (!skip_type(rest, depth)) {
            return false;
        }
    }
    return true;
}

/// The bounds of an array: rank, then sizes and lower bounds, each list with its length.
bool skip_shape(Bytes& rest) {
    if (!skip_number(rest)) {
        return false;
    }
    for (int list = 0; list < 2; ++list) {
        uint32_t count = 0;
        if (!take_compressed(rest, count) || count > rest.size()) {
            return false;
        }
        for (uint32_t number = 0; number < count; ++number) {
            if (!skip_number(rest)) {
                return false;
            }
        }
    }
    return true;
}

/// Convention, number of type variables, number of parameters.
bool skip_method_head(Bytes& rest, uint32_t& parameters) {
    uint8_t convention = 0;
    if (!take_byte(rest, convention)) {
        return false;
    }
    const uint8_t kind = convention & kConventionMask;
    return (kind <= kVarArg || kind == kUnmanaged) &&
           ((convention & kGeneric) == 0 || skip_number(rest)) && take_compressed(rest, parameters);
}

bool skip_method(Bytes& rest, int depth) {
    uint32_t parameters = 0;
    return skip_method_head(rest, parameters) && skip_type(rest, depth) &&
           skip_types(rest, parameters, depth);
}

bool skip_generic_instance(Bytes& rest, int depth) {
    uint8_t kind = 0;
    uint32_t arguments = 0;
    return take_byte(rest, kind) && skip_number(rest) && take_compressed(rest, arguments) &&
           skip_types(rest, arguments, depth);
}

bool skip_type(Bytes& rest, int depth) {
    uint8_t element = 0;
    if (depth >= kMaxDepth || !take_byte(rest, element)) {
        return false;
    }
    switch (element) {
        case clr::ELEMENT_TYPE_CMOD_REQD:
        case clr::ELEMENT_TYPE_CMOD_OPT:
            return skip_number(rest) && skip_type(rest, depth + 1);
        case clr::ELEMENT_TYPE_SENTINEL:
        case clr::ELEMENT_TYPE_PINNED:
        case clr::ELEMENT_TYPE_BYREF:
        case clr::ELEMENT_TYPE_PTR:
        case clr::ELEMENT_TYPE_SZARRAY:
            return skip_type(rest, depth + 1);
        case clr::ELEMENT_TYPE_CLASS:
        case clr::ELEMENT_TYPE_VALUETYPE:
        case clr::ELEMENT_TYPE_VAR:
        case clr::ELEMENT_TYPE_MVAR:
            return skip_number(rest);
        case clr::ELEMENT_TYPE_ARRAY:
            return skip_type(rest, depth + 1) && skip_shape(rest);
        case clr::ELEMENT_TYPE_GENERICINST:
            return skip_generic_instance(rest, depth + 1);
        case clr::ELEMENT_TYPE_FNPTR:
            return skip_method(rest, depth + 1);
        case clr::ELEMENT_TYPE_TYPEDBYREF:
        case clr::ELEMENT_TYPE_I:
        case clr::ELEMENT_TYPE_U:
        case clr::ELEMENT_TYPE_OBJECT:
            return true;
        default:
            return element >= clr::ELEMENT_TYPE_VOID && element <= clr::ELEMENT_TYPE_STRING;
    }
}

/// The element behind custom modifiers is void.
bool is_void(Bytes type) {
    type = without_modifiers(type);
    return !type.empty() && type.front() == clr::ELEMENT_TYPE_VOID;
}

/// II.23.2.
void put_compressed(std::vector<uint8_t>& out, uint32_t value) {
    const auto byte = [&](uint32_t bits) { out.push_back(static_cast<uint8_t>(bits)); };
    if (value < 0x80) {
        byte(value);
    } else if (value < 0x4000) {
        byte(0x80 | value >> 8);
        byte(value & 0xff);
    } else {
        byte(0xc0 | value >> 24);
        byte(value >> 16 & 0xff);
        byte(value >> 8 & 0xff);
        byte(value & 0xff);
    }
}

}  // namespace

std::optional<Bytes> leading_type(Bytes blob) {
    Bytes rest = blob;
    if (!skip_type(rest, 0)) {
        return std::nullopt;
    }
    return blob.first(blob.size() - rest.size());
}

Bytes without_modifiers(Bytes type) {
    while (!type.empty() && (type.front() == clr::ELEMENT_TYPE_CMOD_REQD ||
                             type.front() == clr::ELEMENT_TYPE_CMOD_OPT)) {
        type = type.subspan(1);
        if (!skip_number(type)) {
            return {};
        }
    }
    return type;
}

std::optional<MethodTypes> method_types(Bytes method_signature) {
    MethodTypes types;
    const uint8_t convention = method_signature.empty() ? 0 : method_signature.front();
    types.has_this = (convention & (kHasThis | kExplicitThis)) == kHasThis;
    uint32_t parameters = 0;
    if (!skip_method_head(method_signature, parameters) || parameters > method_signature.size()) {
        return std::nullopt;
    }
    for (uint32_t number = 0; number <= parameters; ++number) {
        const std::optional<Bytes> type = leading_type(method_signature);
        if (!type) {
            return std::nullopt;
        }
        method_signature = method_signature.subspan(type->size());
        if (number == 0) {
            types.result = *type;
        } else {
            types.parameters.push_back(*type);
        }
    }
    return types;
}

std::optional<ReturnType> return_type(Bytes method_signature) {
    uint32_t parameters = 0;
    if (!skip_method_head(method_signature, parameters)) {
        return std::nullopt;
    }
    const std::optional<Bytes> type = leading_type(method_signature);
    if (!type) {
        return std::nullopt;
    }
    return ReturnType{.is_void = is_void(*type), .type = *type};
}

std::optional<ReturnType> result_in_task(const ReturnType& declared) {
    Bytes type = without_modifiers(declared.type);
    uint8_t element = 0;
    uint32_t arguments = 0;
    if (!take_byte(type, element)) {
        return std::nullopt;
    }
    if (element == clr::ELEMENT_TYPE_CLASS || element == clr::ELEMENT_TYPE_VALUETYPE) {
        return ReturnType{.is_void = true, .type = {}};
    }
    if (element != clr::ELEMENT_TYPE_GENERICINST || !take_byte(type, element) ||
        !skip_number(type) || !take_compressed(type, arguments) || arguments != 1) {
        return std::nullopt;
    }
    const std::optional<Bytes> held = leading_type(type);
    return held ? std::optional(ReturnType{.is_void = false, .type = *held}) : std::nullopt;
}

std::optional<ProbeLocals> probe_locals(Bytes own_locals, const ReturnType& result,
                                        bool with_exception) {
    const uint32_t most = kMaxLocals - (with_exception ? 3 : 2);
    uint32_t count = 0;
    if (!own_locals.empty()) {
        uint8_t kind = 0;
        if (!take_byte(own_locals, kind) || kind != kLocals ||
            !take_compressed(own_locals, count) || count > most) {
            return std::nullopt;
        }
        Bytes rest = own_locals;
        if (!skip_types(rest, count, 0)) {
            return std::nullopt;
        }
        own_locals = own_locals.first(own_locals.size() - rest.size());
    }
    ProbeLocals locals;
    locals.marker = static_cast<uint16_t>(count);
    locals.result = static_cast<uint16_t>(result.is_void ? count : count + 1);
    locals.exception = static_cast<uint16_t>(with_exception ? locals.result + 1 : count);
    locals.signature.push_back(kLocals);
    put_compressed(locals.signature, std::max<uint32_t>(locals.result, locals.exception) + 1);
    locals.signature.insert(locals.signature.end(), own_locals.begin(), own_locals.end());
    locals.signature.push_back(clr::ELEMENT_TYPE_I);
    if (!result.is_void) {
        locals.signature.insert(locals.signature.end(), result.type.begin(), result.type.end());
    }
    if (with_exception) {
        locals.signature.push_back(clr::ELEMENT_TYPE_OBJECT);
    }
    return locals;
}

}  // namespace umbra::il
