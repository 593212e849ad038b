// SPDX-License-Identifier: MIT
// Rows are found by arithmetic; every read is checked against the end of its stream.

#include "src/clr/image_metadata.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "src/base/utf8.h"
#include "src/clr/heap_text.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/metadata_streams.h"

namespace umbra::clr {

std::optional<ImageMetadata> ImageMetadata::parse(Bytes metadata) {
    ImageMetadata image;
    if (!image.find_streams(metadata) || !image.read_layout()) {
        return std::nullopt;
    }
    return image;
}

bool ImageMetadata::find_streams(Bytes metadata) {
    const bool sound = for_each_stream(metadata, [this](std::string_view name, Bytes stream) {
        if (name == "#~") {
            tables_ = stream;
        } else if (name == "#Strings") {
            strings_ = stream;
        } else if (name == "#Blob") {
            blobs_ = stream;
        } else if (name == "#US") {
            literals_ = stream;
        }
        return name != "#-";
    });
    return sound && !tables_.empty();
}

bool ImageMetadata::read_layout() {
    const auto present = load<uint64_t>(tables_, 8);
    const auto sorted = load<uint64_t>(tables_, 16);
    if (present >> kTables != 0 || (present & set_of(kFieldPtr, kMethodPtr, kParamPtr)) != 0) {
        return false;
    }
    const auto heaps = load<uint8_t>(tables_, 6);
    constexpr uint8_t kExtraData = 0x40;
    size_t start = 24;
    LargeTables large{};
    for (uint64_t left = present; left != 0; left &= left - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(left));
        const auto rows = load<uint32_t>(tables_, start);
        if (rows > 0xffffff) {
            return false;  // tokens have 24 bits for it
        }
        layout_[i].rows = rows;
        note_if_large(large, i, rows);
        start += 4;
    }
    if ((heaps & kExtraData) != 0) {
        start += 4;
    }
    const auto width = column_widths(heaps, large);
    for (uint64_t left = present; left != 0; left &= left - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(left));
        Table& table = layout_[i];
        for (size_t column = 0; column < kMaxColumns && kColumns[i][column] != kNone; ++column) {
            table.row_bytes = static_cast<uint8_t>(table.row_bytes + width[kColumns[i][column]]);
            table.columns[column + 1] = table.row_bytes;
        }
        const size_t bytes = size_t{table.rows} * table.row_bytes;
        if (start > tables_.size() || bytes > tables_.size() - start) {
            return false;
        }
        table.start = static_cast<uint32_t>(start);
        table.sorted = (sorted >> i & 1U) != 0;
        start += bytes;
    }
    return true;
}

uint32_t ImageMetadata::cell(uint8_t table, uint32_t row, size_t column) const {
    const Table& in = layout_[table];
    if (row == 0 || row > in.rows) {
        return 0;
    }
    const size_t at = in.start + size_t{row - 1} * in.row_bytes + in.columns[column];
    return in.columns[column + 1] - in.columns[column] == 4 ? load<uint32_t>(tables_, at)
                                                            : load<uint16_t>(tables_, at);
}

std::string_view ImageMetadata::string_at(uint32_t index) const {
    // 0 is the empty string whatever lies there (ECMA-335 II.24.2.3), which makes rows that are not
    // there nameless: who goes through a table by name comes to its end.
    if (index == 0 || index >= strings_.size()) {
        return {};
    }
    const auto* text = reinterpret_cast<const char*>(strings_.data() + index);
    const size_t rest = strings_.size() - index;
    const size_t length = strnlen(text, std::min<size_t>(rest, kMaxNameChars - 1));
    return length == rest ? std::string_view() : cut_utf8({text, rest}, length);
}

Bytes ImageMetadata::blob_at(uint32_t index) const {
    return blob_in(blobs_, index);
}

std::pair<uint32_t, uint32_t> ImageMetadata::rows_of(uint8_t table, mdToken owner, size_t column,
                                                     uint8_t owned) const {
    const uint32_t row = row_in(owner);
    const uint32_t rows = layout_[table].rows;
    if (table_of(owner) != table || row == 0 || row > rows) {
        return {};
    }
    uint32_t end = layout_[owned].rows + 1;
    if (row < rows) {
        end = std::min(end, cell(table, row + 1, column));
    }
    return {std::max(cell(table, row, column), 1U), end};
}

uint32_t ImageMetadata::type_of_method(uint32_t method) const {
    // The last type whose methods start at or before this one; those before it in the table that
    // start there too have none.
    uint32_t first = 1;
    uint32_t end = layout_[kTypeDef].rows + 1;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (cell(kTypeDef, middle, column::kTypeDefMethods) <= method) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first - 1;
}

std::optional<MethodProperties> ImageMetadata::method(mdMethodDef token) const {
    const std::optional<MethodRow> row = method_row(token);
    if (!row) {
        return std::nullopt;
    }
    return MethodProperties{.name = heap_text(row->name),
                            .type = row->type,
                            .implementation = row->implementation,
                            .signature = row->signature};
}

uint32_t ImageMetadata::code_address(mdMethodDef token) const {
    return table_of(token) == kMethodDef ? cell(kMethodDef, row_in(token), column::kMethodRva) : 0;
}

Bytes ImageMetadata::signature(mdSignature token) const {
    const uint32_t row = row_in(token);
    if (table_of(token) != kStandAloneSig || row == 0 || row > layout_[kStandAloneSig].rows) {
        return {};
    }
    return blob_at(cell(kStandAloneSig, row, 0));
}

std::optional<TypeProperties> ImageMetadata::type(mdToken token) const {
    const uint32_t row = row_in(token);
    std::string_view namespace_;
    std::string_view name;
    mdToken enclosing = 0;
    if (table_of(token) == kTypeDef) {
        namespace_ = string_at(cell(kTypeDef, row, column::kTypeDefNamespace));
        name = string_at(cell(kTypeDef, row, column::kTypeDefName));
        const uint32_t flags = cell(kTypeDef, row, column::kTypeDefFlags);
        if ((flags & kTypeVisibilityMask) >= kNestedPublic) {
            enclosing = enclosing_type(token);
            if (enclosing == 0) {
                return std::nullopt;
            }
        }
    } else if (table_of(token) == kTypeRef) {
        namespace_ = string_at(cell(kTypeRef, row, column::kTypeRefNamespace));
        name = string_at(cell(kTypeRef, row, column::kTypeRefName));
        const mdToken in = scope(token);
        enclosing = table_of(in) == kTypeRef ? in : 0;
    }
    if (name.empty()) {
        return std::nullopt;
    }
    TypeProperties type{
        .namespace_ = heap_text(namespace_), .name = heap_text(name), .enclosing = enclosing};
    if (enclosing != 0 && !type.namespace_.empty()) {
        type.name.insert(0, std::exchange(type.namespace_, {}) + '.');
    }
    return type;
}

mdTypeDef ImageMetadata::enclosing_type(mdTypeDef token) const {
    uint32_t enclosing = 0;
    for_rows(kNestedClass, column::kNestedType, row_in(token), [&](uint32_t row) {
        enclosing = cell(kNestedClass, row, column::kEnclosingType);
        return false;
    });
    return enclosing != 0 ? token_of(kTypeDef, enclosing) : 0;
}

std::vector<GenericParameter> ImageMetadata::generic_parameters(mdToken owner) const {
    std::vector<GenericParameter> found;
    if (table_of(owner) != kTypeDef && table_of(owner) != kMethodDef) {
        return found;
    }
    const uint32_t key = row_in(owner) << 1 | (table_of(owner) == kMethodDef ? 1U : 0U);
    for_rows(kGenericParam, column::kParameterOwner, key, [&](uint32_t row) {
        found.push_back({cell(kGenericParam, row, column::kParameterNumber),
                         heap_text(string_at(cell(kGenericParam, row, column::kParameterName)))});
        return found.size() < kMaxListed;
    });
    return found;
}

bool ImageMetadata::is_member_named(mdToken member, std::string_view name) const {
    const uint32_t row = row_in(member);
    if (row == 0) {
        return false;
    }
    return (table_of(member) == kMethodDef &&
            string_at(cell(kMethodDef, row, column::kMethodName)) == name) ||
           (table_of(member) == kMemberRef &&
            string_at(cell(kMemberRef, row, column::kMemberRefName)) == name);
}

std::pair<uint32_t, uint32_t> ImageMetadata::method_rows(mdTypeDef type) const {
    return rows_of(kTypeDef, type, column::kTypeDefMethods, kMethodDef);
}

std::vector<mdMethodDef> ImageMetadata::methods_named(mdTypeDef type, std::string_view name) const {
    std::vector<mdMethodDef> found;
    const auto [first, end] = method_rows(type);
    for (uint32_t method = first; method < end && found.size() < kMaxListed; ++method) {
        if (string_at(cell(kMethodDef, method, column::kMethodName)) == name) {
            found.push_back(token_of(kMethodDef, method));
        }
    }
    return found;
}

std::vector<mdMethodDef> ImageMetadata::methods_with_code() const {
    std::vector<mdMethodDef> found;
    for (uint32_t method = 1; method <= method_count(); ++method) {
        if (cell(kMethodDef, method, column::kMethodRva) != 0 &&
            (cell(kMethodDef, method, column::kMethodImplFlags) & kCodeTypeMask) == 0) {
            found.push_back(token_of(kMethodDef, method));
        }
    }
    return found;
}

std::vector<ParameterProperties> ImageMetadata::parameters(mdMethodDef method) const {
    std::vector<ParameterProperties> found;
    const auto [first, end] = rows_of(kMethodDef, method, column::kMethodParameters, kParam);
    for (uint32_t row = first; row < end && found.size() < kMaxListed; ++row) {
        const uint32_t flags = cell(kParam, row, column::kParamFlags);
        found.push_back({.token = token_of(kParam, row),
                         .number = cell(kParam, row, column::kParamNumber),
                         .in = (flags & kParamIn) != 0,
                         .out = (flags & kParamOut) != 0,
                         .name = heap_text(string_at(cell(kParam, row, column::kParamName)))});
    }
    return found;
}

std::string ImageMetadata::literal(mdString token) const {
    constexpr uint32_t kLiteral = 0x70;  // of no table
    // A byte behind the text says whether all of it is plain.
    const Bytes bytes = table_of(token) == kLiteral ? blob_in(literals_, row_in(token)) : Bytes();
    std::u16string text(std::min<size_t>(bytes.size() / 2, kMaxNameChars), u'\0');
    for (size_t i = 0; i < text.size(); ++i) {
        text[i] = load<char16_t>(bytes, 2 * i);
    }
    return to_utf8(text);
}

uint32_t ImageMetadata::method_count() const {
    return layout_[kMethodDef].rows;
}

uint32_t ImageMetadata::type_count() const {
    return layout_[kTypeDef].rows;
}

}  // namespace umbra::clr
