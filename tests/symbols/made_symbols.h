// SPDX-License-Identifier: MIT
// Images and portable PDBs made by hand, byte by byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

#include "src/symbols/portable_pdb.h"
#include "tests/symbols/made_bytes.h"
#include "tests/symbols/made_metadata.h"

namespace umbra::symbols::test {

/// The points of one method, of which the first with a line is its first line.
struct MadeMethod {
    uint32_t document = 0;
    uint32_t line = 0;          ///< 0: the method has no points
    bool hidden_first = false;  ///< code that the compiler has made up comes before
    uint32_t moved_from = 0;    ///< another document, that the method is said to be in at first
    bool rises = false;         ///< its second point is two lines above the first; else three below
};

struct MadePdb {
    PdbId id{};
    std::vector<std::vector<std::string>> documents;  ///< the parts of their paths
    std::vector<MadeMethod> methods;
    std::vector<std::pair<uint32_t, uint32_t>> state_machines;  ///< move next, kickoff
    uint32_t methods_of_image = 0;  ///< as the PDB tells it; wide indexes from 65,536 on

    [[nodiscard]] Content bytes() const;

  private:
    static Content points_of(const MadeMethod& method) {
        Maker points;
        points.compressed(0);
        const uint32_t first = method.moved_from != 0 ? method.moved_from : method.document;
        points.compressed(first);  // as the table names none
        bool any = false;
        if (method.hidden_first || method.moved_from != 0) {
            points.compressed(0).compressed(0).compressed(0);
            any = true;
        }
        if (method.moved_from != 0) {
            points.compressed(0).compressed(method.document);
        }
        points.compressed(any ? 1 : 0);                // offset
        points.compressed(0).compressed(7);            // one line, seven columns
        points.compressed(method.line).compressed(5);  // from here
        points.compressed(3).compressed(2).u8(0x7f).u8(method.rises ? 0x7d : 6).u8(0);
        return points.made;
    }
};

inline Content MadePdb::bytes() const {
    Maker blobs;
    blobs.u8(0);
    const auto blob = [&](const Content& content) {
        const auto at = static_cast<uint32_t>(blobs.made.size());
        blobs.compressed(static_cast<uint32_t>(content.size())).put(content);
        return at;
    };
    Maker rows;
    for (const std::vector<std::string>& parts : documents) {
        Maker name;
        name.u8('/');
        for (const std::string& part : parts) {
            name.compressed(part.empty() ? 0 : blob({part.begin(), part.end()}));
        }
        rows.u16(blob(name.made)).u16(0).u16(0).u16(0);
    }
    for (const MadeMethod& method : methods) {
        rows.u16(0).u16(method.line == 0 ? 0 : blob(points_of(method)));
    }
    for (const auto& [move_next, kickoff] : state_machines) {
        if (methods_of_image >= 0x10000) {
            rows.u32(move_next).u32(kickoff);
        } else {
            rows.u16(move_next).u16(kickoff);
        }
    }
    Maker tables;
    tables.u32(0).u8(2).u8(0).u8(0).u8(1);
    tables.u64(uint64_t{0b1000011} << 0x30).u64(0);
    tables.u32(static_cast<uint32_t>(documents.size()));
    tables.u32(static_cast<uint32_t>(methods.size()));
    tables.u32(static_cast<uint32_t>(state_machines.size()));
    tables.put(rows.made);
    Maker own;
    own.put({id.begin(), id.end()}).u32(0).u64(uint64_t{1} << 6).u32(methods_of_image);

    return metadata_root(std::string("PDB v1.0\0\0\0\0", 12),
                         {{std::string("#Pdb\0\0\0\0", 8), own.made},
                          {std::string("#~\0\0", 4), tables.made},
                          {std::string("#Blob\0\0\0", 8), blobs.made}});
}

/// Two documents, and methods of every kind.
inline MadePdb sample_pdb() {
    return {.id = {1, 2, 3},
            .documents = {{"", "src", "Shop.cs"}, {"", "src", "Cart.g.cs"}},
            .methods = {{.document = 1, .line = 12},
                        {},
                        {.document = 2, .line = 7, .hidden_first = true},
                        {.document = 2, .line = 300, .moved_from = 1}},
            .state_machines = {{4, 2}},
            .methods_of_image = 4};
}

struct MadeImage {
    PdbId id{};
    bool portable = true;
    std::string pdb_path = "/obj/app.pdb";
    Content embedded{};             ///< a PDB to deflate into it; empty: none
    std::vector<MadeType> types{};  ///< empty: no metadata either

    [[nodiscard]] Content bytes() const {
        constexpr uint32_t kSection = 0x200;
        Maker code_view;
        code_view.u32(0x53445352).put({id.begin(), id.begin() + 16}).u32(1).text(pdb_path).u8(0);
        Content deflated;
        if (!embedded.empty()) {
            deflated = deflate();
        }
        const uint32_t entries = embedded.empty() ? 1 : 2;
        const auto first = static_cast<uint32_t>(kSection + entries * 28);
        const auto second = static_cast<uint32_t>(first + code_view.made.size());
        Maker section;
        section.u32(0).put({id.begin() + 16, id.end()}).u16(0x100).u16(portable ? 0x504d : 0);
        section.u32(2).u32(static_cast<uint32_t>(code_view.made.size())).u32(0).u32(first);
        if (!embedded.empty()) {
            section.u32(0).u32(0).u16(0x100).u16(0x100).u32(17);
            section.u32(static_cast<uint32_t>(deflated.size() + 8)).u32(0).u32(second);
        }
        section.put(code_view.made);
        if (!embedded.empty()) {
            section.u32(0x4244504d).u32(static_cast<uint32_t>(embedded.size())).put(deflated);
        }
        const auto metadata = static_cast<uint32_t>(0x1000 + section.made.size());
        if (!types.empty()) {
            section.put(made_metadata(types, metadata));
        }
        const auto size = static_cast<uint32_t>(section.made.size());
        Maker image;
        image.u16(0x5a4d).pad_to(0x3c).u32(0x40);
        image.u32(0x4550).u16(0x8664).u16(1).pad_to(0x40 + 20).u16(240).u16(0);
        image.u16(0x20b).pad_to(0x58 + 108).u32(16);
        image.pad_to(0x58 + 112 + 6 * 8).u32(0x1000).u32(entries * 28);
        image.pad_to(0x58 + 112 + 14 * 8).u32(types.empty() ? 0 : metadata).u32(72);
        image.pad_to(0x58 + 240).text(".text").pad_to(0x58 + 240 + 8);
        image.u32(size).u32(0x1000).u32(size).u32(kSection);
        return image.pad_to(kSection).put(section.made).made;
    }

  private:
    [[nodiscard]] Content deflate() const {
        z_stream stream{};
        deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
        Content in = embedded;
        Content out(deflateBound(&stream, in.size()));
        stream.next_in = in.data();
        stream.avail_in = static_cast<uInt>(in.size());
        stream.next_out = out.data();
        stream.avail_out = static_cast<uInt>(out.size());
        ::deflate(&stream, Z_FINISH);
        out.resize(stream.total_out);
        deflateEnd(&stream);
        return out;
    }
};

/// A build of a module.
inline constexpr PdbId kBuild = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

inline void write_file(const std::string& path, const Content& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

/// An image with the sample PDB in it; its third method is a constructor.
inline MadeImage sample_image() {
    return {.id = sample_pdb().id,
            .embedded = sample_pdb().bytes(),
            .types = {{"Shop", {{"Run"}, {"Later"}}},
                      {"Cart", {{".ctor", constructor_code()}, {"MoveNext"}}}}};
}

}  // namespace umbra::symbols::test
