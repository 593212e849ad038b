// SPDX-License-Identifier: MIT
// Custom attributes, and what leads from the type of one to the types it extends (ECMA-335
// II.22.10, II.22.37, II.22.38).
#include <array>
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

/// By the tag of CustomAttributeType, whose first two are not used.
constexpr std::array kConstructors = {kModule, kModule, kMethodDef, kMemberRef};

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
    const mdToken method = decoded(constructor, 3, kConstructors);
    if (table_of(method) == kMethodDef) {
        return token_of(kTypeDef, type_of_method(row_in(method)));
    }
    return table_of(method) == kMemberRef
               ? decoded(cell(kMemberRef, row_in(method), column::kMemberRefClass), 3, kPlainTypes)
               : 0;
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
    return table_of(token) == kTypeDef
               ? decoded(cell(kTypeDef, row_in(token), column::kTypeDefExtends), 2, kPlainTypes)
               : 0;
}

std::string ImageMetadata::assembly_of(mdTypeRef token) const {
    return heap_text(assembly_name(scope(token)));
}

}  // namespace umbra::clr
