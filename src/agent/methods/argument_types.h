// SPDX-License-Identifier: MIT
// Which types have values that can be told, and how.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "src/clr/metadata_records.h"
#include "src/clr/signature.h"
#include "src/il/instrument.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// The functions of hotpath/arguments.h that take a value.
enum class ArgumentCall : uint8_t { kNumber, kReal, kText, kLength, kSpanLength, kMemoryLength };

/// How a value of a type gets to the recorder, and how it is read again.
struct ArgumentType {
    protocol::ArgumentNamed::Kind kind = protocol::ArgumentNamed::kSigned;
    il::ArgumentProbe::Form form = il::ArgumentProbe::Form::kSigned;
    ArgumentCall call = ArgumentCall::kNumber;
    /// Of a collection whose get_Count() tells: its type, as bytes of the method's signature.
    il::Bytes counted;
    std::optional<clr::EnumType> constants;  ///< of an enum
};

/// What a TypeDef or TypeRef of the method's module is, if it is an enum. An error: nobody knows
/// what it is.
using FindEnum =
    std::function<tl::expected<std::optional<clr::EnumType>, std::string>(clr::mdToken)>;

/// Of the value itself (`member` is empty), or of how many it holds ("Length", "Count"). `tokens`
/// are those of the method's module. An error says why that cannot be told: "its type is a struct".
[[nodiscard]] tl::expected<ArgumentType, std::string> argument_type(il::Bytes type,
                                                                    std::string_view member,
                                                                    const clr::TypeTokens& tokens,
                                                                    const FindEnum& find_enum);

}  // namespace umbra::agent
