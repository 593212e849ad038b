// SPDX-License-Identifier: MIT
// Reads names out of one module's metadata: the two-call pattern, enumerations and UTF-16 end here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/clr/info.h"
#include "src/clr/metadata.h"
#include "src/clr/signature.h"

namespace umbra::clr {

/// Names in metadata are at most this long; longer ones count as unreadable.
inline constexpr uint32_t kMaxNameChars = 1U << 16;
/// No more methods of one type, generic parameters of one owner or nested types are read.
inline constexpr size_t kMaxListed = 1U << 16;

struct MethodProperties {
    std::string name;  ///< ".ctor", "get_Total", "<Run>b__1"
    mdTypeDef type = 0;
    /// Lies in the module's memory: valid as long as the module is loaded.
    std::span<const uint8_t> signature;
};

/// Holds one reference to the metadata of a module. Use it outside hooks, on a thread that may
/// block; what it reads is text of the target and may be anything.
class MetadataReader final : public TypeTokens {
  public:
    /// Empty if the module has no metadata (dynamic code) or is gone.
    static std::optional<MetadataReader> of_module(ICorProfilerInfo& info, ModuleID module);

    explicit MetadataReader(ComPtr<IMetaDataImport2> metadata) : metadata_(std::move(metadata)) {}

    [[nodiscard]] std::optional<MethodProperties> method(mdMethodDef token) const;

    /// Of a TypeDef or TypeRef; empty if unknown.
    [[nodiscard]] TypeChain chain(mdToken token) const override;

    /// "Acme.Store.Outer`1+Inner", as reflection and attributes write it.
    [[nodiscard]] std::string full_name(mdTypeDef token) const;

    /// 0: not nested.
    [[nodiscard]] mdTypeDef enclosing_type(mdTypeDef token) const;

    /// Names of the generic parameters of a type or method, in order; a nested type repeats those
    /// of the types around it.
    [[nodiscard]] std::vector<std::string> generic_parameters(mdToken owner) const;

    /// Methods of a type with this name.
    [[nodiscard]] std::vector<mdMethodDef> methods_named(mdTypeDef type,
                                                         std::string_view name) const;

    /// The type an attribute like AsyncStateMachineAttribute(typeof(X)) names, as full_name()
    /// spells it; empty if the method does not carry this attribute.
    [[nodiscard]] std::string type_in_attribute(mdMethodDef method,
                                                const char16_t* attribute) const;

  private:
    [[nodiscard]] std::optional<std::string> type_def_name(mdTypeDef token, bool& nested) const;

    ComPtr<IMetaDataImport2> metadata_;
};

}  // namespace umbra::clr
