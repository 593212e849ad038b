// SPDX-License-Identifier: MIT
// Bytes as text (RFC 4648, section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "export/sink.h"

namespace umbra {

/// Puts what it is given into `below`, which it leaves unfinished and which must outlive it.
class Base64Sink final : public Sink {
  public:
    explicit Base64Sink(Sink& below) : below_(below) {}

  private:
    Status write(std::span<const std::byte> bytes) override {
        std::string text;
        text.reserve(bytes.size() / 3 * 4 + 4);
        for (const std::byte byte : bytes) {
            group_ = group_ << 8U | std::to_integer<uint32_t>(byte);
            if (++in_group_ == 3) {
                put_group(text, 4);
            }
        }
        below_.put(text);
        return {};
    }

    Status commit() override {
        if (in_group_ > 0) {
            const std::size_t digits = in_group_ + 1;
            group_ <<= 8U * (3 - in_group_);
            std::string text;
            put_group(text, digits);
            text.append(4 - digits, '=');
            below_.put(text);
        }
        return {};
    }

    void put_group(std::string& text, std::size_t digits) {
        constexpr std::string_view kDigits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (std::size_t i = 0; i < digits; ++i) {
            text += kDigits[group_ >> (18 - 6 * i) & 0x3fU];
        }
        group_ = 0;
        in_group_ = 0;
    }

    Sink& below_;
    uint32_t group_ = 0;  ///< bytes that are not yet a whole group, the last one lowest
    std::size_t in_group_ = 0;
};

}  // namespace umbra
