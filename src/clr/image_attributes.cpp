// SPDX-License-Identifier: MIT
// Custom attributes, and what leads from the type of one to the types it extends (ECMA-335
// II.22.10, II.22.37, II.22.38).
#include <string>
#include <string_view>
#include <vector>

#include "src/clr/heap_text.h"
#include "src/clr/image_metadata.h"
#include "src/clr/metadata_schema.h"

namespace umbra::clr {
namespace {

constexpr uint32_t kParentTagBits = 5;  // of HasCustomAttribute
constexpr uint32_t kParentTagMask = (1U << kParentTagBits) - 1;
constexpr uint32_t kMethodTag = 0;
constexpr uint32_t kTypeTag = 3;
constexpr uint32_t kParamTag = 4;

/// "Acme.Cart" is "Cart" in "Acme".
bool is_called(std::string_view full, std::string_view namespace_, std::string_view name) {
    if (namespace_.empty()) {
        return full == name;
    }
    return full.size() == namespace_.size() + 1 + name.size() && full.starts_with(namespace_) &&
           full[namespace_.size()] == '.' && full.ends_with(name);
}

}  // namespace

mdToken ImageMetadata::attribute_type(uint32_t constructor) const {
    constexpr uint32_t kIsMethodDef = 2;  // tags of CustomAttributeType
    constexpr uint32_t kIsMemberRef = 3;
    constexpr uint32_t kIsTypeDef = 0;  // tags of MemberRefParent
    constexpr uint32_t kIsTypeRef = 1;
    if ((constructor & 7U) == kIsMethodDef) {
        return token_of(kTypeDef, type_of_method(constructor >> 3));
    }
    if ((constructor & 7U) != kIsMemberRef) {
        return 0;
    }
    const uint32_t parent = cell(kMemberRef, constructor >> 3, column::kMemberRefClass);
    switch (parent & 7U) {
        case kIsTypeDef:
            return token_of(kTypeDef, parent >> 3);
        case kIsTypeRef:
            return token_of(kTypeRef, parent >> 3);
        default:
            return 0;
    }
}

bool ImageMetadata::is_named(mdToken type, std::string_view name) const {
    const uint32_t row = row_in(type);
    switch (table_of(type)) {
        case kTypeDef:
            return is_called(name, string_at(cell(kTypeDef, row, column::kTypeDefNamespace)),
                             string_at(cell(kTypeDef, row, column::kTypeDefName)));
        case kTypeRef:
            return is_called(name, string_at(cell(kTypeRef, row, column::kTypeRefNamespace)),
                             string_at(cell(kTypeRef, row, column::kTypeRefName)));
        default:
            return false;
    }
}

Bytes ImageMetadata::attribute(mdToken owner, std::string_view type) const {
    Bytes value;
    uint32_t tag = kMethodTag;
    switch (table_of(owner)) {
        case kMethodDef:
            break;
        case kTypeDef:
            tag = kTypeTag;
            break;
        case kParam:
            tag = kParamTag;
            break;
        default:
            return value;
    }
    for_rows(kCustomAttribute, column::kAttributeParent, row_in(owner) << kParentTagBits | tag,
             [&](uint32_t row) {
                 if (!is_named(
                         attribute_type(cell(kCustomAttribute, row, column::kAttributeConstructor)),
                         type)) {
                     return true;
                 }
                 value = blob_at(cell(kCustomAttribute, row, column::kAttributeValue));
                 return false;
             });
    return value;
}

std::vector<MethodAttribute> ImageMetadata::method_attributes() const {
    std::vector<MethodAttribute> found;
    for (uint32_t row = 1; row <= layout_[kCustomAttribute].rows; ++row) {
        const uint32_t parent = cell(kCustomAttribute, row, column::kAttributeParent);
        if ((parent & kParentTagMask) != kMethodTag) {
            continue;
        }
        const mdToken type =
            attribute_type(cell(kCustomAttribute, row, column::kAttributeConstructor));
        if (type != 0) {
            found.push_back({token_of(kMethodDef, parent >> kParentTagBits), type,
                             blob_at(cell(kCustomAttribute, row, column::kAttributeValue))});
        }
    }
    return found;
}

mdToken ImageMetadata::base_type(mdTypeDef token) const {
    const uint32_t row = row_in(token);
    if (table_of(token) != kTypeDef || row == 0 || row > layout_[kTypeDef].rows) {
        return 0;
    }
    const uint32_t extends = cell(kTypeDef, row, column::kTypeDefExtends);
    switch (extends & 3U) {
        case 0:
            return extends == 0 ? 0 : token_of(kTypeDef, extends >> 2);
        case 1:
            return token_of(kTypeRef, extends >> 2);
        default:
            return 0;
    }
}

std::string ImageMetadata::assembly_of(mdTypeRef token) const {
    constexpr uint32_t kIsAssemblyRef = 2;  // tag of ResolutionScope
    if (table_of(token) != kTypeRef) {
        return {};
    }
    const uint32_t scope = cell(kTypeRef, row_in(token), column::kTypeRefScope);
    return (scope & 3U) == kIsAssemblyRef
               ? heap_text(string_at(cell(kAssemblyRef, scope >> 2, column::kAssemblyRefName)))
               : std::string();
}

}  // namespace umbra::clr
