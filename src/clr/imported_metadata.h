// SPDX-License-Identifier: MIT
// Reads the metadata of modules whose image cannot be read, or that have none: code made at run
// time by Reflection.Emit.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/clr/bytes.h"
#include "src/clr/info.h"
#include "src/clr/metadata.h"
#include "src/clr/metadata_records.h"

namespace umbra::clr {

/// The questions of ImageMetadata, asked of the runtime: each costs 10 microseconds, and the first
/// slows the module down for the rest of its life (see there). Holds one reference.
class ImportedMetadata {
  public:
    /// Empty if the module has no metadata or is gone. `emitted`: it was made at run time; its
    /// methods have no addresses before .NET 10.
    static std::optional<ImportedMetadata> of_module(ICorProfilerInfo& info, ModuleID module,
                                                     bool emitted);

    explicit ImportedMetadata(ComPtr<IMetaDataImport2> metadata, bool emitted = false)
        : metadata_(std::move(metadata)), emitted_(emitted) {}

    [[nodiscard]] std::optional<MethodProperties> method(mdMethodDef token) const;
    [[nodiscard]] Bytes signature(mdSignature token) const;
    [[nodiscard]] std::optional<TypeProperties> type(mdToken token) const;
    [[nodiscard]] mdTypeDef enclosing_type(mdTypeDef token) const;
    [[nodiscard]] std::vector<GenericParameter> generic_parameters(mdToken owner) const;
    [[nodiscard]] std::vector<mdMethodDef> methods_named(mdTypeDef type,
                                                         std::string_view name) const;
    [[nodiscard]] std::vector<mdMethodDef> methods_with_code() const;
    [[nodiscard]] std::vector<ParameterProperties> parameters(mdMethodDef method) const;
    [[nodiscard]] Bytes attribute(mdToken owner, std::string_view type) const;

  private:
    ComPtr<IMetaDataImport2> metadata_;
    bool emitted_;
};

}  // namespace umbra::clr
