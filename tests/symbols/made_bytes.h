// SPDX-License-Identifier: MIT
// Files put together by hand, byte by byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace umbra::symbols::test {

using Content = std::vector<uint8_t>;

class Maker {
  public:
    Maker& u8(uint32_t value) { return little(value, 1); }
    Maker& u16(uint32_t value) { return little(value, 2); }
    Maker& u32(uint32_t value) { return little(value, 4); }
    Maker& u64(uint64_t value) { return little(value, 8); }
    Maker& text(const std::string& bytes) { return put({bytes.begin(), bytes.end()}); }
    Maker& put(const Content& bytes) {
        made.insert(made.end(), bytes.begin(), bytes.end());
        return *this;
    }
    /// ECMA-335 II.23.2, below 2^14.
    Maker& compressed(uint32_t value) {
        return value < 0x80 ? u8(value) : u8(0x80 | value >> 8).u8(value & 0xff);
    }
    Maker& pad_to(size_t size) {
        made.resize(std::max(made.size(), size));
        return *this;
    }

    Content made;

  private:
    Maker& little(uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) {
            made.push_back(static_cast<uint8_t>(value >> (8 * i)));
        }
        return *this;
    }
};

/// A metadata root with its streams behind it. Its version and the names of the streams are padded
/// with zeros to a multiple of four bytes.
inline Content metadata_root(const std::string& version,
                             const std::vector<std::pair<std::string, Content>>& streams) {
    Maker root;
    root.u32(0x424a5342).u16(1).u16(1).u32(0).u32(static_cast<uint32_t>(version.size()));
    root.text(version).u16(0).u16(static_cast<uint32_t>(streams.size()));
    size_t at = root.made.size();
    for (const auto& [name, content] : streams) {
        at += 8 + name.size();
    }
    for (const auto& [name, content] : streams) {
        root.u32(static_cast<uint32_t>(at)).u32(static_cast<uint32_t>(content.size())).text(name);
        at += content.size();
    }
    for (const auto& [name, content] : streams) {
        root.put(content);
    }
    return root.made;
}

}  // namespace umbra::symbols::test
