// SPDX-License-Identifier: MIT
// Which methods of a module an instruction of its code may call.
#include "src/clr/image_metadata.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/signature.h"

namespace umbra::clr {

mdTypeDef ImageMetadata::type_of_member(uint32_t parent) const {
    constexpr uint32_t kIsTypeDef = 0;  // tags of MemberRefParent
    constexpr uint32_t kIsTypeSpec = 4;
    const uint32_t row = parent >> 3;
    if ((parent & 7U) == kIsTypeDef) {
        return token_of(kTypeDef, row);
    }
    if ((parent & 7U) != kIsTypeSpec) {
        return 0;
    }
    Bytes spec = blob_at(cell(kTypeSpec, row, 0));
    if (load<uint8_t>(spec, 0) != ELEMENT_TYPE_GENERICINST || spec.size() < 2) {
        return 0;
    }
    spec = spec.subspan(2);  // it, and whether the type is a class
    const mdToken type = take_type_token(spec).value_or(0);
    return table_of(type) == kTypeDef ? type : 0;
}

std::vector<mdMethodDef> ImageMetadata::methods_called(mdToken token) const {
    constexpr uint32_t kIsMemberRef = 1;  // tag of MethodDefOrRef
    if (table_of(token) == kMethodSpec) {
        const uint32_t method = cell(kMethodSpec, row_in(token), column::kMethodSpecMethod);
        token = token_of((method & 1U) == kIsMemberRef ? kMemberRef : kMethodDef, method >> 1);
    }
    if (table_of(token) == kMethodDef) {
        return {token};
    }
    if (table_of(token) != kMemberRef) {
        return {};
    }
    const uint32_t row = row_in(token);
    return methods_named(type_of_member(cell(kMemberRef, row, column::kMemberRefClass)),
                         string_at(cell(kMemberRef, row, column::kMemberRefName)));
}

}  // namespace umbra::clr
