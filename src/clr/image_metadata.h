// SPDX-License-Identifier: MIT
// Reads metadata tables in place (ECMA-335 II.22 to II.24), without asking the runtime.
//
// Asking costs the target: for IMetaDataImport the runtime converts a module's metadata to its
// writable form, and from then on every look-up of its JIT and type loader takes a lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/clr/bytes.h"
#include "src/clr/metadata_records.h"

namespace umbra::clr {

/// The tables and heaps of one module. Points into the module's memory and is valid as long as
/// the module is loaded; it changes nothing and may be used on any thread. The bytes may be
/// anything: what they do not tell is empty. Reading the layout (`parse`) takes well under a
/// microsecond, so there is no need to keep it.
class ImageMetadata {
  public:
    /// `metadata` starts at the metadata root. Empty if that cannot be read, or holds the
    /// uncompressed tables of edit-and-continue.
    static std::optional<ImageMetadata> parse(Bytes metadata);

    [[nodiscard]] std::optional<MethodProperties> method(mdMethodDef token) const;

    /// A method's row as it stands: its name is not copied. Empty: there is no such method.
    [[nodiscard]] std::optional<MethodRow> method_row(mdMethodDef token) const;

    /// Where a method's body lies, relative to the image; 0: it has none.
    [[nodiscard]] uint32_t code_address(mdMethodDef token) const;

    /// The blob behind a StandAloneSig: the locals of a method.
    [[nodiscard]] Bytes signature(mdSignature token) const;

    /// Of a TypeDef or TypeRef.
    [[nodiscard]] std::optional<TypeProperties> type(mdToken token) const;

    /// 0: not nested.
    [[nodiscard]] mdTypeDef enclosing_type(mdTypeDef token) const;

    /// Types with this name, whatever they are nested in.
    [[nodiscard]] std::vector<mdTypeDef> types_named(std::string_view name) const;

    /// Of a type of this module; empty if it is no enum. At most `constants` of its constants.
    [[nodiscard]] std::optional<EnumType> enum_type(mdTypeDef token, size_t constants) const;

    /// A type of this module says that it implements an interface ("Namespace.Name") which is no
    /// instance of a generic one.
    [[nodiscard]] bool implements(mdTypeDef type, std::string_view interface) const;

    /// Types that do, in the order of the file.
    [[nodiscard]] std::vector<mdTypeDef> types_implementing(std::string_view interface) const;

    /// A field of a type of this module; 0: it has none of this name.
    [[nodiscard]] mdFieldDef field_named(mdTypeDef type, std::string_view name) const;

    /// Of a type or method.
    [[nodiscard]] std::vector<GenericParameter> generic_parameters(mdToken owner) const;

    /// Whether a MethodDef or MemberRef has this name.
    [[nodiscard]] bool is_member_named(mdToken member, std::string_view name) const;

    /// Methods of a type: the first of its rows, and the one behind its last.
    [[nodiscard]] std::pair<uint32_t, uint32_t> method_rows(mdTypeDef type) const;

    /// Methods of a type with this name.
    [[nodiscard]] std::vector<mdMethodDef> methods_named(mdTypeDef type,
                                                         std::string_view name) const;

    /// The methods of this module that an instruction with this operand may call (MethodDef,
    /// MemberRef or MethodSpec): of a type's instance all with that name. Empty: it calls another
    /// module's, or an array's.
    [[nodiscard]] std::vector<mdMethodDef> methods_called(mdToken operand) const;

    /// Of a method, in order; those without a row of their own are missing.
    [[nodiscard]] std::vector<ParameterProperties> parameters(mdMethodDef method) const;

    /// Value of the first attribute of this type ("Namespace.Name") a type, method or parameter
    /// carries, else empty.
    [[nodiscard]] Bytes attribute(mdToken owner, std::string_view type) const;

    /// Those of all methods, in the order of the file. Attributes that are instances of generic
    /// types are left out.
    [[nodiscard]] std::vector<MethodAttribute> method_attributes() const;

    /// What a type of this module extends, a TypeDef or TypeRef; 0: nothing, or an instance of a
    /// generic type.
    [[nodiscard]] mdToken base_type(mdTypeDef token) const;

    [[nodiscard]] std::optional<MemberReference> member_reference(mdMemberRef token) const;

    /// The method, a MethodDef or MemberRef, that a MethodSpec is an instance of; 0: none.
    [[nodiscard]] mdToken generic_method(mdMethodSpec token) const;

    /// The blob behind a TypeSpec.
    [[nodiscard]] Bytes type_specification(mdTypeSpec token) const;

    /// TypeAttributes of a type of this module.
    [[nodiscard]] uint32_t type_flags(mdTypeDef token) const;

    /// Where a TypeRef or an ExportedType is to be found: AssemblyRef, File, ModuleRef, Module, or
    /// a token of its own kind, that of the type around it; 0: not known.
    [[nodiscard]] mdToken scope(mdToken type) const;

    /// What a literal (ldstr) stands for; empty: there is none.
    [[nodiscard]] std::string literal(mdString token) const;

    /// Simple name of an AssemblyRef; lies in the module's memory.
    [[nodiscard]] std::string_view assembly_name(mdToken assembly) const;

    /// Types whose definitions are elsewhere: the last part of a name, and the namespace.
    [[nodiscard]] uint32_t exported_type_count() const;
    [[nodiscard]] std::pair<std::string_view, std::string_view> exported_type(
        mdExportedType token) const;

    /// Last part of the name of a TypeDef; lies in the module's memory.
    [[nodiscard]] std::string_view type_name(mdTypeDef token) const;

    /// Simple name of the assembly that a TypeRef is of; empty: it names none.
    [[nodiscard]] std::string assembly_of(mdTypeRef token) const;

    [[nodiscard]] uint32_t method_count() const;
    [[nodiscard]] uint32_t type_count() const;

    /// All methods that have IL: neither abstract nor foreign.
    [[nodiscard]] std::vector<mdMethodDef> methods_with_code() const;

  private:
    static constexpr size_t kTables = 0x2d;
    static constexpr size_t kMaxColumns = 9;

    struct Table {
        uint32_t start = 0;  ///< in tables_
        uint32_t rows = 0;
        bool sorted = false;
        /// Where each column starts in a row; the next one starts where it ends.
        std::array<uint8_t, kMaxColumns + 1> columns{};
        uint8_t row_bytes = 0;
    };

    bool find_streams(Bytes metadata);
    bool read_layout();

    [[nodiscard]] uint32_t cell(uint8_t table, uint32_t row, size_t column) const;
    [[nodiscard]] std::string_view string_at(uint32_t index) const;
    [[nodiscard]] Bytes blob_at(uint32_t index) const;
    /// Calls `visit(row)` for the rows that hold `key`, as long as it answers true.
    template <typename Visit>
    void for_rows(uint8_t table, size_t column, uint32_t key, const Visit& visit) const;
    /// Rows of `owned` that belong to one of `table`, whose `column` says where they start: the
    /// first, and the one behind the last.
    [[nodiscard]] std::pair<uint32_t, uint32_t> rows_of(uint8_t table, mdToken owner, size_t column,
                                                        uint8_t owned) const;
    /// Row of the type that declares a method.
    [[nodiscard]] uint32_t type_of_method(uint32_t method) const;
    /// Type of an attribute, by the constructor it was made with; 0: it is no plain type.
    [[nodiscard]] mdToken attribute_type(uint32_t constructor) const;
    /// The interface in a row of InterfaceImpl; 0: an instance of a generic one.
    [[nodiscard]] mdToken implemented_in(uint32_t row) const;
    /// Of a TypeDef or TypeRef: its name is this one ("Namespace.Name").
    [[nodiscard]] bool is_named(mdToken type, std::string_view name) const;

    Bytes tables_;
    Bytes strings_;
    Bytes blobs_;
    Bytes literals_;  ///< UTF-16
    std::array<Table, kTables> layout_;
};

template <typename Visit>
void ImageMetadata::for_rows(uint8_t table, size_t column, uint32_t key, const Visit& visit) const {
    const Table& in = layout_[table];
    uint32_t row = 1;
    if (in.sorted) {
        uint32_t end = in.rows + 1;
        while (row < end) {
            const uint32_t middle = row + (end - row) / 2;
            if (cell(table, middle, column) < key) {
                row = middle + 1;
            } else {
                end = middle;
            }
        }
    }
    for (; row <= in.rows; ++row) {
        const bool match = cell(table, row, column) == key;
        if ((match && !visit(row)) || (!match && in.sorted)) {
            return;
        }
    }
}

}  // namespace umbra::clr
