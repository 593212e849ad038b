// SPDX-License-Identifier: MIT
#include "src/symbols/portable_pdb.h"

#include <bit>
#include <string_view>

#include "src/base/utf8.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/metadata_streams.h"

namespace umbra::symbols {
namespace {

using clr::load;
using clr::take_compressed;

constexpr size_t kFirst = 0x30;  // the number of Document, first of the tables of PDBs
constexpr uint32_t kMostRows = 0xffffff;
constexpr size_t kMostNameBytes = 4096;

/// A signed integer of ECMA-335 II.23.2: rotated, its sign in the lowest bit.
bool take_signed(Bytes& bytes, int32_t& value) {
    const size_t before = bytes.size();
    uint32_t bits = 0;
    if (!take_compressed(bytes, bits)) {
        return false;
    }
    const size_t taken = before - bytes.size();
    const int sign_bit = taken == 1 ? 6 : taken == 2 ? 13 : 28;
    value = static_cast<int32_t>(bits >> 1);
    if ((bits & 1U) != 0) {
        value -= int32_t{1} << sign_bit;
    }
    return true;
}

enum class Taken { kSpan, kHidden, kDamaged };

/// Takes lines and columns of one point: its height and width, then where it begins; `first`: as
/// itself, otherwise as the distance from `line`, that of the point before.
Taken take_span(Bytes& rest, bool first, uint32_t& line) {
    uint32_t lines = 0;
    uint32_t width = 0;
    int32_t columns = 0;
    if (!take_compressed(rest, lines) ||
        !(lines == 0 ? take_compressed(rest, width) : take_signed(rest, columns))) {
        return Taken::kDamaged;
    }
    if (lines == 0 && width == 0) {
        return Taken::kHidden;
    }
    uint32_t ignored = 0;
    int32_t further = 0;
    if (first) {
        return take_compressed(rest, line) && take_compressed(rest, ignored) ? Taken::kSpan
                                                                             : Taken::kDamaged;
    }
    if (!take_signed(rest, further) || !take_signed(rest, columns)) {
        return Taken::kDamaged;
    }
    line += static_cast<uint32_t>(further);
    return Taken::kSpan;
}

}  // namespace

std::optional<PortablePdb> PortablePdb::parse(Bytes pdb) {
    PortablePdb parsed;
    Bytes own;
    const bool sound = clr::for_each_stream(pdb, [&](std::string_view name, Bytes stream) {
        if (name == "#Pdb") {
            own = stream;
        } else if (name == "#~") {
            parsed.tables_ = stream;
        } else if (name == "#Blob") {
            parsed.blobs_ = stream;
        }
        return true;
    });
    if (!sound || own.size() < parsed.id_.size() || !parsed.read_layout(own)) {
        return std::nullopt;
    }
    std::copy_n(own.begin(), parsed.id_.size(), parsed.id_.begin());
    return parsed;
}

bool PortablePdb::read_layout(Bytes pdb_stream) {
    clr::LargeTables large{};
    // The rows of the image's tables, which rows here refer to.
    size_t at = sizeof(PdbId) + 4;
    const auto referenced = load<uint64_t>(pdb_stream, at);
    at += 8;
    for (uint64_t left = referenced; left != 0; left &= left - 1) {
        const auto number = static_cast<size_t>(std::countr_zero(left));
        if (number >= kFirst) {
            return false;
        }
        clr::note_if_large(large, number, load<uint32_t>(pdb_stream, at));
        at += 4;
    }
    const auto present = load<uint64_t>(tables_, 8);
    constexpr size_t kCustom = kFirst + kTables;  // CustomDebugInformation: the last, and not read
    if ((present & ((uint64_t{1} << kFirst) - 1)) != 0 || present >> (kCustom + 1) != 0) {
        return false;
    }
    size_t start = 24;
    for (uint64_t left = present; left != 0; left &= left - 1) {
        const auto number = static_cast<size_t>(std::countr_zero(left));
        const auto rows = load<uint32_t>(tables_, start);
        if (rows > kMostRows) {
            return false;
        }
        clr::note_if_large(large, number, rows);
        if (number != kCustom) {
            layout_[number - kFirst].rows = rows;
        }
        start += 4;
    }
    const auto width = clr::column_widths(load<uint8_t>(tables_, 6), large);
    const auto row_of = [&](size_t number) -> uint8_t {
        return (large[0] >> number & 1U) != 0 ? 4 : 2;
    };
    const uint8_t text = width[clr::kString];
    const uint8_t guid = width[clr::kGuid];
    const uint8_t blob = width[clr::kBlob];
    const uint8_t method = row_of(clr::kMethodDef);
    const std::array<std::array<uint8_t, kMaxColumns>, kTables> columns = {{
        {blob, guid, blob, guid},
        {row_of(kFirst + kDocuments), blob},
        {method, row_of(kFirst + kImportScopes), row_of(kFirst + kLocalVariables),
         row_of(kFirst + kLocalConstants), 4, 4},
        {2, 2, text},
        {text, blob},
        {row_of(kFirst + kImportScopes), blob},
        {method, method},
    }};
    for (size_t i = 0; i < kTables; ++i) {
        Table& table = layout_[i];
        for (size_t column = 0; column < kMaxColumns; ++column) {
            table.row_bytes = static_cast<uint8_t>(table.row_bytes + columns[i][column]);
            table.columns[column + 1] = table.row_bytes;
        }
        table.start = start;
        const size_t bytes = size_t{table.rows} * table.row_bytes;
        if (start > tables_.size() || bytes > tables_.size() - start) {
            return false;
        }
        start += bytes;
    }
    return true;
}

uint32_t PortablePdb::cell(TableOfPdb which, uint32_t row, size_t column) const {
    const Table& in = table(which);
    if (row == 0 || row > in.rows) {
        return 0;
    }
    const size_t at = in.start + size_t{row - 1} * in.row_bytes + in.columns[column];
    return in.columns[column + 1] - in.columns[column] == 4 ? load<uint32_t>(tables_, at)
                                                            : load<uint16_t>(tables_, at);
}

std::vector<CodePoint> PortablePdb::points(uint32_t method, size_t most) const {
    std::vector<CodePoint> found;
    Bytes rest = clr::blob_in(blobs_, cell(kMethods, method, 1));
    CodePoint now{.offset = 0, .place = {.document = cell(kMethods, method, 0)}};
    uint32_t ignored = 0;
    if (rest.empty() || !take_compressed(rest, ignored) ||  // the signature of the locals
        (now.place.document == 0 && !take_compressed(rest, now.place.document))) {
        return found;
    }
    for (bool first = true; !rest.empty() && found.size() < most; first = false) {
        uint32_t distance = 0;
        if (!take_compressed(rest, distance)) {
            break;
        }
        if (distance == 0 && !first) {
            if (!take_compressed(rest, now.place.document)) {
                break;
            }
            continue;
        }
        now.offset += distance;
        const Taken taken = take_span(rest, found.empty(), now.place.line);
        if (taken == Taken::kHidden) {
            continue;
        }
        if (taken == Taken::kDamaged || now.place.line == 0 || now.place.document == 0 ||
            now.place.document > documents()) {
            break;
        }
        found.push_back(now);
    }
    return found;
}

std::string PortablePdb::document_name(uint32_t document) const {
    Bytes parts = clr::blob_in(blobs_, cell(kDocuments, document, 0));
    uint8_t separator = 0;
    std::string name;
    if (!clr::take_byte(parts, separator)) {
        return name;
    }
    for (bool first = true; !parts.empty(); first = false) {
        uint32_t index = 0;
        if (!take_compressed(parts, index)) {
            break;
        }
        if (!first && separator != 0) {
            name += static_cast<char>(separator);
        }
        const Bytes part = clr::blob_in(blobs_, index);
        if (part.size() > kMostNameBytes - std::min(kMostNameBytes, name.size())) {
            return {};
        }
        name.append(reinterpret_cast<const char*>(part.data()), part.size());
    }
    return printable_utf8(name);
}

}  // namespace umbra::symbols
