// SPDX-License-Identifier: MIT
// Files put together by hand, byte by byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
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

}  // namespace umbra::symbols::test
