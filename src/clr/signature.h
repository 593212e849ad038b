// SPDX-License-Identifier: MIT
// Decodes method signature blobs (ECMA-335 II.23.2) into C# spelling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/clr/bytes.h"
#include "src/clr/types.h"

namespace umbra::clr {

/// Deeper types, as in "A<A<A<...", answer an error.
inline constexpr int kMaxTypeDepth = 32;
/// Longer spellings answer an error.
inline constexpr size_t kMaxSpellingBytes = 16384;

/// A type as metadata names it.
struct TypeChain {
    std::string namespace_;
    /// Outermost first, arity suffixes included: {"Dictionary`2", "Enumerator"}. Empty: unknown.
    std::vector<std::string> names;
};

/// Gives names to the tokens of a signature.
class TypeTokens {
  public:
    /// `token` is a TypeDef or a TypeRef; an unknown one answers an empty chain.
    [[nodiscard]] virtual TypeChain chain(mdToken token) const = 0;

  protected:
    TypeTokens() = default;
    TypeTokens(const TypeTokens&) = default;
    TypeTokens& operator=(const TypeTokens&) = default;
    TypeTokens(TypeTokens&&) = default;
    TypeTokens& operator=(TypeTokens&&) = default;
    ~TypeTokens() = default;
};

/// Takes a TypeDefOrRefOrSpecEncoded off the front (ECMA-335 II.23.2.8). None: there is none.
std::optional<mdToken> take_type_token(Bytes& rest);

/// What the type variables of a signature stand for: exact arguments ("int") or the names of the
/// parameters ("T"). Those missing are spelled as in IL: "!0", "!!0".
struct GenericNames {
    std::vector<std::string> type;
    std::vector<std::string> method;
};

struct MethodSignature {
    bool has_this = false;
    uint32_t generic_parameters = 0;
    bool init_only = false;  ///< an init accessor
    std::string return_type;
    std::vector<std::string> parameters;  ///< "ref T", "List<string>", "__arglist"
};

/// Any bytes are allowed in; those that are no method signature answer kCorrupt.
Result<MethodSignature> decode_method_signature(std::span<const uint8_t> blob,
                                                const TypeTokens& tokens,
                                                const GenericNames& generics);

/// "(int, ref T)"
std::string spell_parameters(const MethodSignature& signature);

/// {"int", "T"} with '<' and '>' becomes "<int, T>"; nothing becomes "".
std::string spell_list(std::span<const std::string> items, char open, char close);

/// "Dictionary<int, T>.Enumerator": every name takes as many arguments as its arity suffix says,
/// the last one takes those left over. Without namespace.
std::string spell_type(const TypeChain& chain, std::span<const std::string> arguments,
                       char separator);

/// A type as C# writes it where it is used, without namespace: "int", "int?", "(int, string)",
/// "Dictionary<int, T>.Enumerator". `arguments`: of all its names together. "?": `chain` is empty.
std::string spell_type_use(const TypeChain& chain, std::span<const std::string> arguments);

}  // namespace umbra::clr
