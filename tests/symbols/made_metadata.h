// SPDX-License-Identifier: MIT
// Metadata of an image made by hand: types, their methods with code, and one reference to a
// constructor, which is token 0x0a000001.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/symbols/made_bytes.h"

namespace umbra::symbols::test {

struct MadeCode {
    std::string name;
    Content code{};  ///< shorter than 64 bytes; empty: the method has none
};

struct MadeType {
    std::string name;
    std::vector<MadeCode> methods;
    uint32_t first_method = 0;  ///< its row, as the type says; 0: of `methods`
};

/// What lies from address `at` of the image on: the CLI header, metadata, and code.
inline Content made_metadata(const std::vector<MadeType>& types, uint32_t at) {
    constexpr uint32_t kCliHeader = 72;
    Maker strings;
    strings.u8(0);
    const auto text = [&](const std::string& name) {
        const auto index = static_cast<uint32_t>(strings.made.size());
        strings.text(name).u8(0);
        return index;
    };
    uint32_t methods = 0;
    for (const MadeType& type : types) {
        methods += static_cast<uint32_t>(type.methods.size());
    }
    // Module, TypeDef, MethodDef, MemberRef; every index has two bytes.
    constexpr uint64_t kTables = 1U << 0x00 | 1U << 0x02 | 1U << 0x06 | 1U << 0x0a;
    Maker tables;
    tables.u32(0).u8(2).u8(0).u8(0).u8(1).u64(kTables).u64(0);
    tables.u32(1).u32(static_cast<uint32_t>(types.size())).u32(methods).u32(1);
    tables.u16(0).u16(text("app.dll")).u16(0).u16(0).u16(0);
    uint32_t first = 1;
    for (const MadeType& type : types) {
        tables.u32(0).u16(text(type.name)).u16(0).u16(0).u16(1);
        tables.u16(type.first_method != 0 ? type.first_method : first);
        first += static_cast<uint32_t>(type.methods.size());
    }
    const size_t rows_of_methods = tables.made.size();
    tables.pad_to(rows_of_methods + methods * size_t{14} + 6);
    Maker code;
    Maker rows;
    const auto names = [&] {
        std::vector<uint32_t> indexes;
        for (const MadeType& type : types) {
            for (const MadeCode& method : type.methods) {
                indexes.push_back(text(method.name));
            }
        }
        return indexes;
    }();
    const uint32_t constructor = text(".ctor");
    Maker root;
    root.u32(0x424a5342).u16(1).u16(1).u32(0).u32(12).text(std::string("v4.0.30319\0\0", 12));
    root.u16(0).u16(2);
    const auto root_bytes = static_cast<uint32_t>(root.made.size() + 12 + 20);
    const auto table_bytes = static_cast<uint32_t>(tables.made.size());
    const auto string_bytes = static_cast<uint32_t>(strings.made.size());
    root.u32(root_bytes).u32(table_bytes).text(std::string("#~\0\0", 4));
    root.u32(root_bytes + table_bytes).u32(string_bytes).text(std::string("#Strings\0\0\0\0", 12));
    const uint32_t code_at = at + kCliHeader + root_bytes + table_bytes + string_bytes;
    size_t number = 0;
    for (const MadeType& type : types) {
        for (const MadeCode& method : type.methods) {
            const auto place = static_cast<uint32_t>(code_at + code.made.size());
            rows.u32(method.code.empty() ? 0 : place).u16(0).u16(0);
            rows.u16(names[number++]).u16(0).u16(1);
            if (!method.code.empty()) {  // with a header of one byte
                code.u8(static_cast<uint32_t>(method.code.size()) << 2 | 2).put(method.code);
            }
        }
    }
    rows.u16(1 << 3).u16(constructor).u16(0);
    std::copy(rows.made.begin(), rows.made.end(),
              tables.made.begin() + static_cast<std::ptrdiff_t>(rows_of_methods));
    Maker all;
    all.u32(kCliHeader).u16(2).u16(5).u32(at + kCliHeader);
    all.u32(root_bytes + table_bytes + string_bytes).pad_to(kCliHeader);
    return all.put(root.made).put(tables.made).put(strings.made).put(code.made).made;
}

/// Code of a constructor: four bytes, the call of another constructor, and its end.
inline Content constructor_code() {
    return Maker().u8(0).u8(0).u8(0).u8(2).u8(0x28).u32(0x0a000001).u8(0x2a).made;
}

}  // namespace umbra::symbols::test
