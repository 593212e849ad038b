// SPDX-License-Identifier: MIT
// Types by their name and by what they implement, their fields, and what an enum's constants are
// called (ECMA-335 II.14.3, II.22.9, II.22.15, II.22.23).
#include <array>

#include "src/clr/heap_text.h"
#include "src/clr/image_metadata.h"
#include "src/clr/metadata_schema.h"

namespace umbra::clr {
namespace {

constexpr uint32_t kFieldStatic = 0x10;   // CorFieldAttr
constexpr uint32_t kFieldLiteral = 0x40;  // CorFieldAttr
constexpr uint8_t kFieldConvention = 0x06;

/// How an enum's integer is stored; bytes is 0 for what is no integer.
struct Stored {
    size_t bytes = 0;
    bool is_signed = false;
};

/// From ELEMENT_TYPE_BOOLEAN to ELEMENT_TYPE_U8: bool, char, then signed and unsigned by turns.
constexpr std::array kStored = {
    Stored{1, false}, Stored{2, false}, Stored{1, true},  Stored{1, false}, Stored{2, true},
    Stored{2, false}, Stored{4, true},  Stored{4, false}, Stored{8, true},  Stored{8, false}};
static_assert(kStored.size() == ELEMENT_TYPE_U8 - ELEMENT_TYPE_BOOLEAN + 1);

Stored stored_as(uint8_t element) {
    return element >= ELEMENT_TYPE_BOOLEAN && element <= ELEMENT_TYPE_U8
               ? kStored[element - ELEMENT_TYPE_BOOLEAN]
               : Stored();
}

uint64_t extended(Bytes value, const Stored& stored) {
    uint64_t bits = 0;
    for (size_t byte = 0; byte < stored.bytes && byte < value.size(); ++byte) {
        bits |= uint64_t{value[byte]} << 8 * byte;
    }
    const size_t unused = 64 - 8 * stored.bytes;
    return stored.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused)
                            : bits;
}

}  // namespace

std::vector<mdTypeDef> ImageMetadata::types_named(std::string_view name) const {
    std::vector<mdTypeDef> found;
    for (uint32_t row = 1; row <= layout_[kTypeDef].rows && found.size() < kMaxListed; ++row) {
        if (string_at(cell(kTypeDef, row, column::kTypeDefName)) == name) {
            found.push_back(token_of(kTypeDef, row));
        }
    }
    return found;
}

mdToken ImageMetadata::implemented_in(uint32_t row) const {
    return decoded(cell(kInterfaceImpl, row, column::kImplementedInterface), 2, kPlainTypes);
}

bool ImageMetadata::implements(mdTypeDef type, std::string_view interface) const {
    if (table_of(type) != kTypeDef) {
        return false;
    }
    bool found = false;
    for_rows(kInterfaceImpl, column::kImplementingType, row_in(type), [&](uint32_t row) {
        found = is_named(implemented_in(row), interface);
        return !found;
    });
    return found;
}

std::vector<mdTypeDef> ImageMetadata::types_implementing(std::string_view interface) const {
    std::vector<mdTypeDef> found;
    for (uint32_t row = 1; row <= layout_[kInterfaceImpl].rows; ++row) {
        if (is_named(implemented_in(row), interface)) {
            found.push_back(
                token_of(kTypeDef, cell(kInterfaceImpl, row, column::kImplementingType)));
        }
    }
    return found;
}

mdFieldDef ImageMetadata::field_named(mdTypeDef type, std::string_view name) const {
    const auto [first, end] = rows_of(kTypeDef, type, column::kTypeDefFields, kField);
    for (uint32_t field = first; field < end; ++field) {
        if (string_at(cell(kField, field, column::kFieldName)) == name) {
            return token_of(kField, field);
        }
    }
    return 0;
}

std::optional<EnumType> ImageMetadata::enum_type(mdTypeDef token, size_t constants) const {
    constexpr uint32_t kIsField = 0;  // tag of HasConstant
    constexpr uint32_t kTagBits = 2;
    if (!is_named(base_type(token), "System.Enum")) {
        return std::nullopt;
    }
    const auto [first, end] = rows_of(kTypeDef, token, column::kTypeDefFields, kField);
    Stored stored;
    for (uint32_t field = first; field < end && stored.bytes == 0; ++field) {
        const Bytes signature = blob_at(cell(kField, field, column::kFieldSignature));
        if ((cell(kField, field, column::kFieldFlags) & kFieldStatic) == 0 &&
            signature.size() == 2 && signature[0] == kFieldConvention) {
            stored = stored_as(signature[1]);
        }
    }
    if (stored.bytes == 0) {
        return std::nullopt;
    }
    EnumType found;
    found.is_signed = stored.is_signed;
    found.is_flags = !attribute(token, "System.FlagsAttribute").empty();
    for (uint32_t field = first; field < end && found.constants.size() < constants; ++field) {
        if ((cell(kField, field, column::kFieldFlags) & kFieldLiteral) == 0) {
            continue;
        }
        for_rows(
            kConstant, column::kConstantParent, field << kTagBits | kIsField,
            [&](uint32_t constant) {
                found.constants.push_back(
                    {extended(blob_at(cell(kConstant, constant, column::kConstantValue)), stored),
                     heap_text(string_at(cell(kField, field, column::kFieldName)))});
                return false;
            });
    }
    return found;
}

}  // namespace umbra::clr
