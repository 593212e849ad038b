// SPDX-License-Identifier: MIT
// Modules with types, methods and custom attributes, made by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/clr/metadata_schema.h"
#include "tests/symbols/made_bytes.h"

namespace umbra::symbols::test {

struct MadeModule {
    struct Reference {
        std::string namespace_;
        std::string name;
        uint32_t assembly = 0;  ///< row of assemblies, from 1; 0: of this module
    };
    struct Type {
        std::string namespace_;
        std::string name;
        clr::mdToken extends = 0;          ///< TypeDef or TypeRef
        std::vector<std::string> methods;  ///< that of an attribute begin with its constructor
        uint32_t inside = 0;               ///< row of the type it is nested in; 0: none
    };

    struct Attribute {
        uint32_t owner = 0;     ///< row of the method, or of the type, from 1
        clr::mdToken type = 0;  ///< TypeDef or TypeRef
        std::string text{};     ///< that its constructor is given
        bool is_of_type = false;
    };

    std::vector<std::string> assemblies{};
    std::vector<Reference> references{};
    std::vector<Type> types{};
    /// Sorted by the rows of their owners, methods before types of the same row.
    std::vector<Attribute> attributes{};
    std::vector<uint32_t> synchronized{};  ///< rows of methods, from 1

    [[nodiscard]] Content bytes() const {
        constexpr uint32_t kSection = 0x200;
        constexpr uint32_t kCliBytes = 72;
        const Content metadata = root();
        Maker image;
        image.u16(0x5a4d).pad_to(0x3c).u32(0x40);
        image.u32(0x4550).u16(0x8664).u16(1).pad_to(0x40 + 20).u16(240).u16(0);
        image.u16(0x20b).pad_to(0x58 + 108).u32(16);
        image.pad_to(0x58 + 112 + 14 * 8).u32(0x1000).u32(kCliBytes);
        image.pad_to(0x58 + 240).text(".text").pad_to(0x58 + 240 + 8);
        const auto size = static_cast<uint32_t>(kCliBytes + metadata.size());
        image.u32(size).u32(0x1000).u32(size).u32(kSection).pad_to(kSection);
        image.u32(kCliBytes).u32(0).u32(0x1000 + kCliBytes);
        image.u32(static_cast<uint32_t>(metadata.size())).pad_to(kSection + kCliBytes);
        return image.put(metadata).made;
    }

  private:
    /// Rows of all tables, and the heaps that they fill.
    struct Tables {
        Maker rows;
        Maker strings;
        Maker blobs;

        /// What is behind an attribute whose constructor takes a text; 0: nothing is.
        uint32_t attribute_value(const std::string& text) {
            if (text.empty()) {
                return 0;
            }
            const auto at = static_cast<uint32_t>(blobs.made.size());
            blobs.u8(static_cast<uint8_t>(text.size() + 5)).u16(1);
            blobs.u8(static_cast<uint8_t>(text.size())).text(text).u16(0);
            return at;
        }

        uint32_t string(const std::string& text) {
            if (text.empty()) {
                return 0;
            }
            const auto at = static_cast<uint32_t>(strings.made.size());
            strings.text(text).u8(0);
            return at;
        }
    };

    static uint32_t type_def_or_ref(clr::mdToken token) {
        return clr::row_in(token) << 2 | (clr::table_of(token) == clr::kTypeRef ? 1 : 0);
    }

    [[nodiscard]] uint32_t first_method_of(uint32_t type) const {
        uint32_t method = 1;
        for (uint32_t before = 1; before < type; ++before) {
            method += static_cast<uint32_t>(types[before - 1].methods.size());
        }
        return method;
    }

    [[nodiscard]] Tables tables() const {
        Tables made;
        made.strings.u8(0);
        made.blobs.u8(0);
        for (const Reference& one : references) {
            made.rows.u16(one.assembly == 0 ? 0 : one.assembly << 2 | 2);
            made.rows.u16(made.string(one.name)).u16(made.string(one.namespace_));
        }
        for (uint32_t row = 1; row <= types.size(); ++row) {
            const Type& one = types[row - 1];
            made.rows.u32(1).u16(made.string(one.name)).u16(made.string(one.namespace_));
            made.rows.u16(type_def_or_ref(one.extends)).u16(1).u16(first_method_of(row));
        }
        uint32_t method_row = 0;
        for (const Type& one : types) {
            for (const std::string& method : one.methods) {
                const bool locks =
                    std::ranges::find(synchronized, ++method_row) != synchronized.end();
                made.rows.u32(0x2000)
                    .u16(locks ? 0x20 : 0)
                    .u16(0)
                    .u16(made.string(method))
                    .u16(0)
                    .u16(1);
            }
        }
        for (uint32_t row = 1; row <= references.size(); ++row) {  // their constructors
            made.rows.u16(row << 3 | 1).u16(made.string(".ctor")).u16(0);
        }
        for (const Attribute& one : attributes) {
            const uint32_t row = clr::row_in(one.type);
            made.rows.u16(one.owner << 5 | (one.is_of_type ? 3 : 0));
            made.rows.u16(clr::table_of(one.type) == clr::kTypeRef ? row << 3 | 3
                                                                   : first_method_of(row) << 3 | 2);
            made.rows.u16(made.attribute_value(one.text));
        }
        for (const std::string& one : assemblies) {
            made.rows.u64(0).u32(0).u16(0).u16(made.string(one)).u16(0).u16(0);
        }
        for (uint32_t row = 1; row <= types.size(); ++row) {
            if (types[row - 1].inside != 0) {
                made.rows.u16(row).u16(types[row - 1].inside);
            }
        }
        return made;
    }

    [[nodiscard]] Content root() const {
        const auto count = [](const auto& rows) { return static_cast<uint32_t>(rows.size()); };
        const auto nested = static_cast<uint32_t>(
            std::ranges::count_if(types, [](const Type& one) { return one.inside != 0; }));
        const Tables made = tables();
        Maker stream;
        stream.u32(0).u8(2).u8(0).u8(0).u8(1);
        stream.u64(clr::set_of(clr::kTypeRef, clr::kTypeDef, clr::kMethodDef, clr::kMemberRef,
                               clr::kCustomAttribute, clr::kAssemblyRef) |
                   (nested == 0 ? 0 : clr::set_of(clr::kNestedClass)));
        stream.u64(clr::set_of(clr::kCustomAttribute));
        stream.u32(count(references)).u32(count(types));
        stream.u32(first_method_of(count(types) + 1) - 1).u32(count(references));
        stream.u32(count(attributes)).u32(count(assemblies));
        (nested == 0 ? stream : stream.u32(nested)).put(made.rows.made);
        return metadata_root(std::string("v4.0.30319\0\0", 12),
                             {{std::string("#~\0\0", 4), stream.made},
                              {std::string("#Strings\0\0\0\0", 12), made.strings.made},
                              {std::string("#Blob\0\0\0", 8), made.blobs.made}});
    }
};

}  // namespace umbra::symbols::test
