// SPDX-License-Identifier: MIT
// Fuzzes the decoder of a profile's compressed chunks, which goes past HDF5. An input: the table,
// its rows, the rows of a chunk; then the chunks, each deflated here or taken as they come. Does
// not cover: how a chunk is found in the file (profile_fuzz.cpp).
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/hdf5/chunk_codec.h"
#include "export/hdf5/chunk_decoder.h"
#include "export/hdf5/chunk_encoder.h"
#include "export/schema.h"
#include "tests/export/sample_profile.h"
#include "tests/fuzz/fuzz_target.h"

namespace umbra::fuzz {
namespace {

using schema::Table;

/// Tables of numbers; the others are left to HDF5.
const std::vector<const Table*>& number_tables() {
    static const std::vector<const Table*> kTables = [] {
        std::vector<const Table*> tables;
        for (const Table& table : schema::tables()) {
            const auto is_text = [](const schema::Column& column) {
                return column.type == schema::Type::kString;
            };
            if (std::ranges::none_of(table.columns, is_text)) {
                tables.push_back(&table);
            }
        }
        return tables;
    }();
    return kTables;
}

}  // namespace

void run(std::string_view input) {
    static const profile::Profile kSample = test::sample_profile();
    Input in(input);
    const Table& table = *number_tables()[in.byte() % number_tables().size()];
    const size_t rows = in.byte();
    const size_t rows_per_chunk = size_t{in.byte()} + 1;
    profile::Profile profile = kSample;
    const schema::MutableRows into = table.resize(profile, rows);
    const hdf5::RowLayout layout = hdf5::layout_of(table, table.rows(profile));
    const hdf5::ChunkDecoder decoder({.profile = profile,
                                      .table = table,
                                      .rows = into,
                                      .layout = layout,
                                      .rows_per_chunk = rows_per_chunk});
    hdf5::ChunkBatch batch;
    hdf5::Deflater deflater;
    while (batch.ends.size() * rows_per_chunk < rows) {
        if (in.flag()) {  // sound, with any rows
            std::vector<std::byte> raw(rows_per_chunk * layout.bytes);
            const std::string_view some = in.bytes(in.number() % (raw.size() + 1));
            for (size_t i = 0; i < some.size(); ++i) {
                raw[i] = static_cast<std::byte>(some[i]);
            }
            const std::span<const std::byte> deflated = deflater.deflate(raw);
            batch.bytes.insert(batch.bytes.end(), deflated.begin(), deflated.end());
        } else {
            for (const char c : in.bytes(in.number() % 4096)) {
                batch.bytes.push_back(static_cast<std::byte>(c));
            }
        }
        batch.ends.push_back(batch.bytes.size());
    }
    // The first chunk by itself, in memory of its exact size.
    if (!batch.ends.empty()) {
        const std::vector<std::byte> first(
            batch.bytes.begin(), batch.bytes.begin() + static_cast<std::ptrdiff_t>(batch.ends[0]));
        std::vector<std::byte> raw(rows_per_chunk * layout.bytes);
        (void)hdf5::inflate(first, raw);
    }
    if (decoder.decode(batch)) {
        require(schema::check_rows(profile, table).has_value(),
                "rows refer to rows that are there");
    }
}

std::vector<std::string> seeds() {
    const profile::Profile sample = test::sample_profile();
    std::vector<std::string> made;
    for (size_t number = 0; number < number_tables().size(); ++number) {
        const Table& table = *number_tables()[number];
        const schema::Rows rows = table.rows(sample);
        if (rows.count == 0) {
            continue;
        }
        const hdf5::RowLayout layout = hdf5::layout_of(table, rows);
        const hdf5::ChunkEncoder encoder({.profile = sample,
                                          .table = table,
                                          .rows = rows,
                                          .layout = layout,
                                          .rows_per_chunk = rows.count,
                                          .shuffled = true});
        const std::vector<std::byte> deflated = encoder.encode(0, 1).at(0).bytes;
        std::vector<std::byte> raw(rows.count * layout.bytes);
        require(hdf5::inflate(deflated, raw), "a chunk of our own can be read");
        const auto as_text = [](std::span<const std::byte> bytes) {
            return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        };
        Output head;
        head.byte(static_cast<uint32_t>(number)).byte(static_cast<uint32_t>(rows.count));
        head.byte(static_cast<uint32_t>(rows.count - 1));
        made.push_back(head.bytes() + Output().byte(0).number(deflated.size()).bytes() +
                       as_text(deflated));
        made.push_back(head.bytes() + Output().byte(1).number(raw.size()).bytes() + as_text(raw));
    }
    return made;
}

}  // namespace umbra::fuzz
