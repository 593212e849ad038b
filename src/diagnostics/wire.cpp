// SPDX-License-Identifier: MIT
// Messages of the diagnostics IPC protocol, as bytes.
#include "src/diagnostics/wire.h"

#include <algorithm>

#include "src/base/utf8.h"

namespace umbra::diagnostics {
namespace {

constexpr std::string_view kMagic{"DOTNET_IPC_V1\0", 14};
constexpr std::byte kServerSet{0xff};
constexpr std::byte kOk{0x00};
constexpr std::byte kError{0xff};

void put_little_endian(Bytes& out, uint64_t value, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        out.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
}

uint64_t little_endian(std::span<const std::byte> bytes) {
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
    }
    return value;
}

}  // namespace

void PayloadWriter::u32(uint32_t value) {
    put_little_endian(payload_, value, 4);
}

void PayloadWriter::bytes(std::span<const std::byte> bytes) {
    payload_.insert(payload_.end(), bytes.begin(), bytes.end());
}

void PayloadWriter::string(std::string_view utf8) {
    Bytes units;
    while (!utf8.empty()) {
        const char32_t c = take_utf8(utf8);
        if (c > 0xffff) {
            put_little_endian(units, 0xd800 + ((c - 0x10000) >> 10), 2);
            put_little_endian(units, 0xdc00 + ((c - 0x10000) & 0x3ff), 2);
        } else {
            put_little_endian(units, c, 2);
        }
    }
    put_little_endian(units, 0, 2);
    u32(static_cast<uint32_t>(units.size() / 2));
    bytes(units);
}

std::optional<Bytes> frame(Command command, std::span<const std::byte> payload) {
    const size_t size = kHeaderBytes + payload.size();
    if (size > kMaxIpcMessageBytes) {
        return std::nullopt;
    }
    Bytes message;
    message.reserve(size);
    for (const char c : kMagic) {
        message.push_back(static_cast<std::byte>(c));
    }
    put_little_endian(message, size, 2);
    const auto code = static_cast<uint16_t>(command);
    message.push_back(static_cast<std::byte>(code >> 8));
    message.push_back(static_cast<std::byte>(code));
    put_little_endian(message, 0, 2);
    message.insert(message.end(), payload.begin(), payload.end());
    return message;
}

std::optional<ReplyHeader> parse_reply_header(std::span<const std::byte> header) {
    constexpr size_t kSize = 14;
    constexpr size_t kSet = 16;
    constexpr size_t kCommand = 17;
    const auto same = [](std::byte byte, char c) { return byte == static_cast<std::byte>(c); };
    if (header.size() < kHeaderBytes ||
        !std::equal(kMagic.begin(), kMagic.end(), header.begin(),
                    [&](char c, std::byte byte) { return same(byte, c); })) {
        return std::nullopt;
    }
    const uint64_t size = little_endian(header.subspan(kSize, 2));
    const bool is_error = header[kCommand] == kError;
    if (size < kHeaderBytes || header[kSet] != kServerSet ||
        (!is_error && header[kCommand] != kOk)) {
        return std::nullopt;
    }
    return ReplyHeader{.payload_bytes = size - kHeaderBytes, .is_error = is_error};
}

std::optional<std::span<const std::byte>> PayloadReader::take(size_t count) {
    if (count > rest_.size()) {
        rest_ = {};
        return std::nullopt;
    }
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
}

std::optional<uint32_t> PayloadReader::u32() {
    const auto bytes = take(4);
    return bytes ? std::optional(static_cast<uint32_t>(little_endian(*bytes))) : std::nullopt;
}

std::optional<uint64_t> PayloadReader::u64() {
    const auto bytes = take(8);
    return bytes ? std::optional(little_endian(*bytes)) : std::nullopt;
}

bool PayloadReader::skip(size_t count) {
    return take(count).has_value();
}

std::optional<std::string> PayloadReader::string() {
    const std::optional<uint32_t> units = u32();
    if (!units) {
        return std::nullopt;
    }
    const auto bytes = take(size_t{*units} * 2);
    if (!bytes) {
        return std::nullopt;
    }
    std::u16string text;
    for (size_t at = 0; at < bytes->size(); at += 2) {
        text.push_back(static_cast<char16_t>(little_endian(bytes->subspan(at, 2))));
    }
    text.resize(std::min(text.find(u'\0'), text.size()));
    return printable_utf8(to_utf8(text));
}

}  // namespace umbra::diagnostics
