// SPDX-License-Identifier: MIT
// What a fuzz target is made of, and what it takes its input apart with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace umbra::fuzz {

// Each target defines these two; libfuzzer_main.cpp or replay_main.cpp calls them.

/// One input, of any bytes. Ends the process where something does not hold that must.
void run(std::string_view input);
/// Inputs to begin with: sound ones, made by the code that writes what the target reads.
[[nodiscard]] std::vector<std::string> seeds();

/// Ends the process, in every build, unless `holds`.
inline void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", what);
        std::abort();
    }
}

/// Takes values off the front of an input. Behind its end all are zero.
class Input {
  public:
    explicit Input(std::string_view bytes) : rest_(bytes) {}

    [[nodiscard]] bool empty() const { return rest_.empty(); }
    [[nodiscard]] std::string_view rest() const { return rest_; }

    uint8_t byte() {
        const std::string_view taken = bytes(1);
        return taken.empty() ? uint8_t{0} : static_cast<uint8_t>(taken[0]);
    }
    bool flag() { return (byte() & 1U) != 0; }
    /// Below `bound`, which is 1 to 256.
    uint32_t below(uint32_t bound) { return byte() % bound; }
    /// Small ones take a byte; those of n bytes, greatest values too, n more.
    uint64_t number() {
        const uint8_t first = byte();
        if (first < kLong) {
            return first;
        }
        uint64_t value = 0;
        for (uint32_t i = 0; i <= first - uint32_t{kLong}; ++i) {
            value |= uint64_t{byte()} << (8 * i);
        }
        return value;
    }
    uint32_t number32() { return static_cast<uint32_t>(number()); }
    /// Fewer at the end.
    std::string_view bytes(size_t count) {
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    /// At most 255 bytes.
    std::string text() { return std::string(bytes(byte())); }

    static constexpr uint8_t kLong = 0xf8;

  private:
    std::string_view rest_;
};

/// Puts together what Input takes apart.
class Output {
  public:
    Output& byte(uint32_t value) {
        bytes_.push_back(static_cast<char>(value));
        return *this;
    }
    Output& number(uint64_t value) {
        if (value < Input::kLong) {
            return byte(static_cast<uint32_t>(value));
        }
        uint32_t count = 1;
        while (count < 8 && (value >> (8 * count)) != 0) {
            ++count;
        }
        byte(Input::kLong + count - 1);
        for (uint32_t i = 0; i < count; ++i) {
            byte(static_cast<uint32_t>((value >> (8 * i)) & 0xffU));
        }
        return *this;
    }
    Output& text(std::string_view text) {
        text = text.substr(0, 255);
        byte(static_cast<uint32_t>(text.size()));
        bytes_ += text;
        return *this;
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

}  // namespace umbra::fuzz
