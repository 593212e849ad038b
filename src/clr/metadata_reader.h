// SPDX-License-Identifier: MIT
// Reads names out of one module's metadata: from its image in memory where it has one, else
// through the runtime.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "src/clr/image_metadata.h"
#include "src/clr/imported_metadata.h"
#include "src/clr/info.h"
#include "src/clr/metadata_records.h"
#include "src/clr/pe_image.h"
#include "src/clr/signature.h"

namespace umbra::clr {

/// Where the runtime has a module in memory.
struct ModuleImage {
    Bytes bytes;  ///< empty: it has no image (code made at run time), or the runtime does not tell
    ImageLayout layout = ImageLayout::kFlat;
    bool lasting = false;  ///< the runtime does not unload it
};
[[nodiscard]] ModuleImage module_image(ICorProfilerInfo3& info, ModuleID module);

/// A method's IL with its header, while the module is loaded. Empty: the runtime does not tell.
[[nodiscard]] Bytes method_code(ICorProfilerInfo3& info, ModuleID module, mdMethodDef method);

/// Use it outside hooks, on a thread that may block, and only while the module is loaded; what it
/// reads is text of the target and may be anything. Cheap to make: keep none.
class MetadataReader final : public TypeTokens {
  public:
    /// Empty if the module has no metadata (dynamic code) or is gone.
    static std::optional<MetadataReader> of_module(ICorProfilerInfo3& info, ModuleID module);

    explicit MetadataReader(const ImageMetadata& image) : source_(image) {}
    explicit MetadataReader(ImportedMetadata imported) : source_(std::move(imported)) {}

    /// For what only tables tell; null: the metadata is only to be had through the runtime (dynamic
    /// code).
    [[nodiscard]] const ImageMetadata* image() const {
        return std::get_if<ImageMetadata>(&source_);
    }

    [[nodiscard]] std::optional<MethodProperties> method(mdMethodDef token) const;

    /// The blob behind a StandAloneSig (the locals of a method); empty if there is none. Lies in
    /// the module's memory.
    [[nodiscard]] Bytes signature(mdSignature token) const;

    /// Of a TypeDef or TypeRef; empty if unknown.
    [[nodiscard]] TypeChain chain(mdToken token) const override;

    /// "Acme.Store.Outer`1+Inner", as reflection and attributes write it.
    [[nodiscard]] std::string full_name(mdTypeDef token) const;

    /// 0: not nested.
    [[nodiscard]] mdTypeDef enclosing_type(mdTypeDef token) const;

    /// A type of this module; 0: it has none of this name, or its metadata is only to be had
    /// through the runtime (dynamic code).
    [[nodiscard]] mdTypeDef find_type(const TypeChain& chain) const;

    /// Names of the generic parameters of a type or method, in order; a nested type repeats those
    /// of the types around it.
    [[nodiscard]] std::vector<std::string> generic_parameters(mdToken owner) const;

    /// Methods of a type with this name.
    [[nodiscard]] std::vector<mdMethodDef> methods_named(mdTypeDef type,
                                                         std::string_view name) const;

    /// The type of another module whose method an instruction with this operand calls; empty: it
    /// calls none of such a type, or the metadata is only to be had through the runtime.
    [[nodiscard]] TypeChain foreign_type_called(mdToken operand) const;

    /// All methods that have IL: neither abstract nor foreign.
    [[nodiscard]] std::vector<mdMethodDef> methods_with_code() const;

    /// Of a method, in order; those without a row of their own are missing.
    [[nodiscard]] std::vector<ParameterProperties> parameters(mdMethodDef method) const;

    /// A type, method or parameter carries an attribute of this type ("Namespace.Name").
    [[nodiscard]] bool has_attribute(mdToken owner, std::string_view attribute) const;

    /// The type an attribute like AsyncStateMachineAttribute(typeof(X)) names, as full_name()
    /// spells it; empty if the method does not carry this attribute.
    [[nodiscard]] std::string type_in_attribute(mdMethodDef method,
                                                std::string_view attribute) const;

    /// The state machine that a method was made into, by its attribute (async method, iterator or
    /// async iterator), as full_name() spells it; empty: it names none.
    [[nodiscard]] std::string state_machine(mdMethodDef method) const;

  private:
    std::variant<ImageMetadata, ImportedMetadata> source_;
};

}  // namespace umbra::clr
