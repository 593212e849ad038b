// SPDX-License-Identifier: MIT
// The tables of metadata, their columns and how wide these are (ECMA-335 II.22, II.24.2.6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/clr/types.h"

namespace umbra::clr {

enum TableNumber : uint8_t {
    kModule = 0x00,
    kTypeRef = 0x01,
    kTypeDef = 0x02,
    kFieldPtr = 0x03,
    kField = 0x04,
    kMethodPtr = 0x05,
    kMethodDef = 0x06,
    kParamPtr = 0x07,
    kParam = 0x08,
    kInterfaceImpl = 0x09,
    kMemberRef = 0x0a,
    kConstant = 0x0b,
    kCustomAttribute = 0x0c,
    kDeclSecurity = 0x0e,
    kStandAloneSig = 0x11,
    kEvent = 0x14,
    kProperty = 0x17,
    kModuleRef = 0x1a,
    kTypeSpec = 0x1b,
    kAssembly = 0x20,
    kAssemblyRef = 0x23,
    kFile = 0x26,
    kExportedType = 0x27,
    kManifestResource = 0x28,
    kNestedClass = 0x29,
    kGenericParam = 0x2a,
    kMethodSpec = 0x2b,
    kGenericParamConstraint = 0x2c,
};

/// What a column holds: a number, an index into a heap, a coded index, or (from kRow on) a row
/// number of one table.
enum ColumnKind : uint8_t {
    kNone,
    kTwoBytes,
    kFourBytes,
    kString,
    kGuid,
    kBlob,
    kTypeDefOrRef,
    kHasConstant,
    kHasCustomAttribute,
    kHasFieldMarshal,
    kHasDeclSecurity,
    kMemberRefParent,
    kHasSemantics,
    kMethodDefOrRef,
    kMemberForwarded,
    kImplementation,
    kCustomAttributeType,
    kResolutionScope,
    kTypeOrMethodDef,
    kRow,
};

constexpr uint8_t row_of(TableNumber table) {
    return static_cast<uint8_t>(uint8_t{kRow} + table);
}

constexpr mdToken token_of(TableNumber table, uint32_t row) {
    return (uint32_t{table} << 24) | row;
}
constexpr uint32_t table_of(mdToken token) {
    return token >> 24;
}
constexpr uint32_t row_in(mdToken token) {
    return token & 0xffffffU;
}

/// A coded index: its low bits say which of `tables` it points into. 0: none of them.
template <size_t kTables>
constexpr mdToken decoded(uint32_t index, uint32_t tag_bits,
                          const std::array<TableNumber, kTables>& tables) {
    const uint32_t tag = index & ((1U << tag_bits) - 1);
    const uint32_t row = index >> tag_bits;
    return tag < kTables && row != 0 && row == row_in(row) ? token_of(tables[tag], row) : 0;
}

/// Types as both TypeDefOrRef and MemberRefParent tell them, without instances of generic ones.
inline constexpr std::array kPlainTypes = {kTypeDef, kTypeRef};

inline constexpr std::array<std::array<uint8_t, 9>, 0x2d> kColumns = {{
    {kTwoBytes, kString, kGuid, kGuid, kGuid},                                          // Module
    {kResolutionScope, kString, kString},                                               // TypeRef
    {kFourBytes, kString, kString, kTypeDefOrRef, row_of(kField), row_of(kMethodDef)},  // TypeDef
    {row_of(kField)},                                                                   // FieldPtr
    {kTwoBytes, kString, kBlob},                                                        // Field
    {row_of(kMethodDef)},                                                               // MethodPtr
    {kFourBytes, kTwoBytes, kTwoBytes, kString, kBlob, row_of(kParam)},                 // MethodDef
    {row_of(kParam)},                                                                   // ParamPtr
    {kTwoBytes, kTwoBytes, kString},                                                    // Param
    {row_of(kTypeDef), kTypeDefOrRef},                           // InterfaceImpl
    {kMemberRefParent, kString, kBlob},                          // MemberRef
    {kTwoBytes, kHasConstant, kBlob},                            // Constant
    {kHasCustomAttribute, kCustomAttributeType, kBlob},          // CustomAttribute
    {kHasFieldMarshal, kBlob},                                   // FieldMarshal
    {kTwoBytes, kHasDeclSecurity, kBlob},                        // DeclSecurity
    {kTwoBytes, kFourBytes, row_of(kTypeDef)},                   // ClassLayout
    {kFourBytes, row_of(kField)},                                // FieldLayout
    {kBlob},                                                     // StandAloneSig
    {row_of(kTypeDef), row_of(kEvent)},                          // EventMap
    {row_of(kEvent)},                                            // EventPtr
    {kTwoBytes, kString, kTypeDefOrRef},                         // Event
    {row_of(kTypeDef), row_of(kProperty)},                       // PropertyMap
    {row_of(kProperty)},                                         // PropertyPtr
    {kTwoBytes, kString, kBlob},                                 // Property
    {kTwoBytes, row_of(kMethodDef), kHasSemantics},              // MethodSemantics
    {row_of(kTypeDef), kMethodDefOrRef, kMethodDefOrRef},        // MethodImpl
    {kString},                                                   // ModuleRef
    {kBlob},                                                     // TypeSpec
    {kTwoBytes, kMemberForwarded, kString, row_of(kModuleRef)},  // ImplMap
    {kFourBytes, row_of(kField)},                                // FieldRVA
    {kFourBytes, kFourBytes},                                    // EncLog
    {kFourBytes},                                                // EncMap
    {kFourBytes, kTwoBytes, kTwoBytes, kTwoBytes, kTwoBytes, kFourBytes, kBlob, kString,
     kString},                             // Assembly
    {kFourBytes},                          // AssemblyProcessor
    {kFourBytes, kFourBytes, kFourBytes},  // AssemblyOS
    {kTwoBytes, kTwoBytes, kTwoBytes, kTwoBytes, kFourBytes, kBlob, kString, kString,
     kBlob},                                                      // AssemblyRef
    {kFourBytes, row_of(kAssemblyRef)},                           // AssemblyRefProcessor
    {kFourBytes, kFourBytes, kFourBytes, row_of(kAssemblyRef)},   // AssemblyRefOS
    {kFourBytes, kString, kBlob},                                 // File
    {kFourBytes, kFourBytes, kString, kString, kImplementation},  // ExportedType
    {kFourBytes, kFourBytes, kString, kImplementation},           // ManifestResource
    {row_of(kTypeDef), row_of(kTypeDef)},                         // NestedClass
    {kTwoBytes, kTwoBytes, kTypeOrMethodDef, kString},            // GenericParam
    {kMethodDefOrRef, kBlob},                                     // MethodSpec
    {row_of(kGenericParam), kTypeDefOrRef},                       // GenericParamConstraint
}};

template <typename... Numbers>
constexpr uint64_t set_of(Numbers... tables) {
    return ((uint64_t{1} << tables) | ...);
}

/// Values of a type definition's flags (CorTypeAttr).
inline constexpr uint32_t kTypeVisibilityMask = 7;
inline constexpr uint32_t kNestedPublic = 2;  ///< this and all above are nested

/// Columns that are read, by their place in kColumns.
namespace column {
inline constexpr size_t kTypeRefScope = 0;
inline constexpr size_t kTypeRefName = 1;
inline constexpr size_t kTypeRefNamespace = 2;
inline constexpr size_t kTypeDefFlags = 0;
inline constexpr size_t kTypeDefName = 1;
inline constexpr size_t kTypeDefNamespace = 2;
inline constexpr size_t kTypeDefExtends = 3;
inline constexpr size_t kTypeDefFields = 4;
inline constexpr size_t kTypeDefMethods = 5;
inline constexpr size_t kFieldFlags = 0;
inline constexpr size_t kFieldName = 1;
inline constexpr size_t kFieldSignature = 2;
inline constexpr size_t kMethodRva = 0;
inline constexpr size_t kMethodImplFlags = 1;
inline constexpr size_t kMethodFlags = 2;
inline constexpr size_t kMethodName = 3;
inline constexpr size_t kMethodSignature = 4;
inline constexpr size_t kMethodParameters = 5;
inline constexpr size_t kParamFlags = 0;
inline constexpr size_t kParamNumber = 1;
inline constexpr size_t kParamName = 2;
inline constexpr size_t kImplementingType = 0;
inline constexpr size_t kImplementedInterface = 1;
inline constexpr size_t kMemberRefClass = 0;
inline constexpr size_t kMemberRefName = 1;
inline constexpr size_t kMemberRefSignature = 2;
inline constexpr size_t kMethodSpecMethod = 0;
inline constexpr size_t kTypeSpecSignature = 0;
inline constexpr size_t kExportedTypeName = 2;
inline constexpr size_t kExportedTypeNamespace = 3;
inline constexpr size_t kExportedTypeWhere = 4;
inline constexpr size_t kConstantParent = 1;
inline constexpr size_t kConstantValue = 2;
inline constexpr size_t kAttributeParent = 0;
inline constexpr size_t kAttributeConstructor = 1;
inline constexpr size_t kAttributeValue = 2;
inline constexpr size_t kAssemblyRefName = 6;
inline constexpr size_t kNestedType = 0;
inline constexpr size_t kEnclosingType = 1;
inline constexpr size_t kParameterNumber = 0;
inline constexpr size_t kParameterOwner = 2;
inline constexpr size_t kParameterName = 3;
}  // namespace column

/// The tables a coded index may point into, and how many of its bits say which.
struct CodedIndex {
    ColumnKind kind;
    size_t tag_bits;
    uint64_t tables;
};

inline constexpr std::array kCodedIndexes = {
    CodedIndex{kTypeDefOrRef, 2, set_of(kTypeDef, kTypeRef, kTypeSpec)},
    CodedIndex{kHasConstant, 2, set_of(kField, kParam, kProperty)},
    CodedIndex{kHasCustomAttribute, 5,
               set_of(kMethodDef, kField, kTypeRef, kTypeDef, kParam, kInterfaceImpl, kMemberRef,
                      kModule, kDeclSecurity, kProperty, kEvent, kStandAloneSig, kModuleRef,
                      kTypeSpec, kAssembly, kAssemblyRef, kFile, kExportedType, kManifestResource,
                      kGenericParam, kGenericParamConstraint, kMethodSpec)},
    CodedIndex{kHasFieldMarshal, 1, set_of(kField, kParam)},
    CodedIndex{kHasDeclSecurity, 2, set_of(kTypeDef, kMethodDef, kAssembly)},
    CodedIndex{kMemberRefParent, 3, set_of(kTypeDef, kTypeRef, kModuleRef, kMethodDef, kTypeSpec)},
    CodedIndex{kHasSemantics, 1, set_of(kEvent, kProperty)},
    CodedIndex{kMethodDefOrRef, 1, set_of(kMethodDef, kMemberRef)},
    CodedIndex{kMemberForwarded, 1, set_of(kField, kMethodDef)},
    CodedIndex{kImplementation, 2, set_of(kFile, kAssemblyRef, kExportedType)},
    CodedIndex{kCustomAttributeType, 3, set_of(kMethodDef, kMemberRef)},
    CodedIndex{kResolutionScope, 2, set_of(kModule, kModuleRef, kAssemblyRef, kTypeRef)},
    CodedIndex{kTypeOrMethodDef, 1, set_of(kTypeDef, kMethodDef)},
};

/// Tables (one bit each) with so many rows that an index needs four bytes, by the bits it spends
/// on saying which table.
using LargeTables = std::array<uint64_t, 6>;

inline void note_if_large(LargeTables& large, size_t table, uint32_t rows) {
    for (size_t tag_bits = 0; tag_bits < large.size(); ++tag_bits) {
        large[tag_bits] |= uint64_t{rows >> (16 - tag_bits) != 0} << table;
    }
}

inline constexpr size_t kColumnKinds = kRow + kColumns.size();

/// Bytes of a column, by its kind.
inline std::array<uint8_t, kColumnKinds> column_widths(uint8_t heaps, const LargeTables& large) {
    constexpr uint8_t kWideStrings = 0x01;
    constexpr uint8_t kWideGuids = 0x02;
    constexpr uint8_t kWideBlobs = 0x04;
    std::array<uint8_t, kColumnKinds> width{};
    width[kTwoBytes] = 2;
    width[kFourBytes] = 4;
    width[kString] = (heaps & kWideStrings) != 0 ? 4 : 2;
    width[kGuid] = (heaps & kWideGuids) != 0 ? 4 : 2;
    width[kBlob] = (heaps & kWideBlobs) != 0 ? 4 : 2;
    for (const CodedIndex& index : kCodedIndexes) {
        width[index.kind] = (index.tables & large[index.tag_bits]) != 0 ? 4 : 2;
    }
    for (size_t table = 0; table < kColumns.size(); ++table) {
        width[kRow + table] = (large[0] >> table & 1U) != 0 ? 4 : 2;
    }
    return width;
}

}  // namespace umbra::clr
