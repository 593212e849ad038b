// SPDX-License-Identifier: MIT
// What leads from a token in IL to what it names: members, instances, types of other assemblies
// (ECMA-335 II.22.14, II.22.25, II.22.29, II.22.38, II.22.39).
#include <array>

#include "src/clr/image_metadata.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/signature.h"

namespace umbra::clr {
namespace {

constexpr std::array kMemberRefParents = {kTypeDef, kTypeRef, kModuleRef, kMethodDef, kTypeSpec};
constexpr std::array kMethods = {kMethodDef, kMemberRef};
constexpr std::array kScopes = {kModule, kModuleRef, kAssemblyRef, kTypeRef};
constexpr std::array kImplementations = {kFile, kAssemblyRef, kExportedType};

}  // namespace

std::optional<MethodRow> ImageMetadata::method_row(mdMethodDef token) const {
    const uint32_t row = row_in(token);
    if (table_of(token) != kMethodDef || row == 0 || row > method_count()) {
        return std::nullopt;
    }
    const uint32_t type = type_of_method(row);
    if (type == 0) {
        return std::nullopt;
    }
    return MethodRow{.code = cell(kMethodDef, row, column::kMethodRva),
                     .implementation = cell(kMethodDef, row, column::kMethodImplFlags),
                     .flags = cell(kMethodDef, row, column::kMethodFlags),
                     .type = token_of(kTypeDef, type),
                     .name = string_at(cell(kMethodDef, row, column::kMethodName)),
                     .signature = blob_at(cell(kMethodDef, row, column::kMethodSignature))};
}

std::optional<MemberReference> ImageMetadata::member_reference(mdMemberRef token) const {
    const uint32_t row = row_in(token);
    if (table_of(token) != kMemberRef || row == 0 || row > layout_[kMemberRef].rows) {
        return std::nullopt;
    }
    return MemberReference{
        .parent = decoded(cell(kMemberRef, row, column::kMemberRefClass), 3, kMemberRefParents),
        .name = string_at(cell(kMemberRef, row, column::kMemberRefName)),
        .signature = blob_at(cell(kMemberRef, row, column::kMemberRefSignature))};
}

mdToken ImageMetadata::generic_method(mdMethodSpec token) const {
    return table_of(token) == kMethodSpec
               ? decoded(cell(kMethodSpec, row_in(token), column::kMethodSpecMethod), 1, kMethods)
               : 0;
}

std::vector<mdMethodDef> ImageMetadata::methods_called(mdToken operand) const {
    const mdToken called = table_of(operand) == kMethodSpec ? generic_method(operand) : operand;
    if (table_of(called) == kMethodDef) {
        return {called};
    }
    const std::optional<MemberReference> member = member_reference(called);
    if (!member) {
        return {};
    }
    mdToken type = member->parent;
    if (table_of(type) == kTypeSpec) {
        Bytes spec = type_specification(type);
        if (load<uint8_t>(spec, 0) != ELEMENT_TYPE_GENERICINST || spec.size() < 2) {
            return {};
        }
        spec = spec.subspan(2);  // it, and whether the type is a class
        type = take_type_token(spec).value_or(0);
    }
    return table_of(type) == kTypeDef ? methods_named(type, member->name)
                                      : std::vector<mdMethodDef>();
}

Bytes ImageMetadata::type_specification(mdTypeSpec token) const {
    const uint32_t row = row_in(token);
    return table_of(token) == kTypeSpec && row != 0 && row <= layout_[kTypeSpec].rows
               ? blob_at(cell(kTypeSpec, row, column::kTypeSpecSignature))
               : Bytes();
}

uint32_t ImageMetadata::type_flags(mdTypeDef token) const {
    return table_of(token) == kTypeDef ? cell(kTypeDef, row_in(token), column::kTypeDefFlags) : 0;
}

mdToken ImageMetadata::scope(mdToken type) const {
    switch (table_of(type)) {
        case kTypeRef:
            return decoded(cell(kTypeRef, row_in(type), column::kTypeRefScope), 2, kScopes);
        case kExportedType:
            return decoded(cell(kExportedType, row_in(type), column::kExportedTypeWhere), 2,
                           kImplementations);
        default:
            return 0;
    }
}

std::string_view ImageMetadata::assembly_name(mdToken assembly) const {
    return table_of(assembly) == kAssemblyRef
               ? string_at(cell(kAssemblyRef, row_in(assembly), column::kAssemblyRefName))
               : std::string_view();
}

uint32_t ImageMetadata::exported_type_count() const {
    return layout_[kExportedType].rows;
}

std::pair<std::string_view, std::string_view> ImageMetadata::exported_type(
    mdExportedType token) const {
    const uint32_t row = table_of(token) == kExportedType ? row_in(token) : 0;
    return {string_at(cell(kExportedType, row, column::kExportedTypeName)),
            string_at(cell(kExportedType, row, column::kExportedTypeNamespace))};
}

std::string_view ImageMetadata::type_name(mdTypeDef token) const {
    return table_of(token) == kTypeDef
               ? string_at(cell(kTypeDef, row_in(token), column::kTypeDefName))
               : std::string_view();
}

}  // namespace umbra::clr
