// SPDX-License-Identifier: MIT
// Reads portable PDBs: where in the source a method begins. The format is "Portable PDB v1.0" of
// dotnet/runtime, docs/design/specs/PortablePdb-Metadata.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/clr/bytes.h"

namespace umbra::symbols {

using clr::Bytes;

/// Of the build that made both an image and its PDB.
using PdbId = std::array<uint8_t, 20>;

/// A place in a source file, both counted from 1; 0: none.
struct SourcePoint {
    uint32_t document = 0;
    uint32_t line = 0;
};

/// The place in the source of the code from `offset` on, in bytes of IL.
struct CodePoint {
    uint32_t offset = 0;
    SourcePoint place;
};

/// The tables of one PDB, in place: points into the bytes it was parsed from. They may be anything:
/// what they do not tell is empty.
class PortablePdb {
  public:
    /// Empty: these bytes are no portable PDB.
    static std::optional<PortablePdb> parse(Bytes pdb);

    [[nodiscard]] const PdbId& id() const { return id_; }
    [[nodiscard]] uint32_t methods() const { return table(kMethods).rows; }
    [[nodiscard]] uint32_t documents() const { return table(kDocuments).rows; }

    /// Places of a method's code in the source, in the order of the code, without code that the
    /// compiler has made up: what could be read of them. `method`: its row, which is its MethodDef
    /// token without the first byte. No more than `most` are told.
    [[nodiscard]] std::vector<CodePoint> points(uint32_t method, size_t most) const;

    /// The path of a document as the compiler was given it.
    [[nodiscard]] std::string document_name(uint32_t document) const;

    /// Calls `visit(move_next, kickoff)`: of an async method or an iterator the method that has its
    /// code, and the one that has its name.
    template <typename Visit>
    void for_each_state_machine(const Visit& visit) const {
        for (uint32_t row = 1; row <= table(kStateMachines).rows; ++row) {
            visit(cell(kStateMachines, row, 0), cell(kStateMachines, row, 1));
        }
    }

  private:
    enum TableOfPdb : uint8_t {  // numbers from kFirst on
        kDocuments,
        kMethods,
        kLocalScopes,
        kLocalVariables,
        kLocalConstants,
        kImportScopes,
        kStateMachines,
        kTables,
    };
    static constexpr size_t kMaxColumns = 6;
    struct Table {
        size_t start = 0;
        uint32_t rows = 0;
        std::array<uint8_t, kMaxColumns + 1> columns{};  ///< where each starts in a row
        uint8_t row_bytes = 0;
    };

    bool read_layout(Bytes pdb_stream);
    [[nodiscard]] const Table& table(TableOfPdb which) const { return layout_[which]; }
    [[nodiscard]] uint32_t cell(TableOfPdb which, uint32_t row, size_t column) const;

    PdbId id_{};
    Bytes tables_;
    Bytes blobs_;
    std::array<Table, kTables> layout_;
};

}  // namespace umbra::symbols
