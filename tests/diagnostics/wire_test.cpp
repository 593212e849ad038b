// SPDX-License-Identifier: MIT
#include "src/diagnostics/wire.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace umbra::diagnostics {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        text.push_back(static_cast<char>(byte));
    }
    return text;
}

Bytes bytes_of(std::string_view text) {
    Bytes bytes;
    for (const char c : text) {
        bytes.push_back(static_cast<std::byte>(c));
    }
    return bytes;
}

TEST(Frame, HasMagicSizeSetAndCommand) {
    PayloadWriter payload;
    payload.u32(5);
    const auto message = frame(Command::kAttachProfiler, payload.payload());
    ASSERT_TRUE(message);
    EXPECT_EQ(text_of(*message), std::string("DOTNET_IPC_V1\0\x18\0\x03\x01\0\0\x05\0\0\0", 24));
}

TEST(Frame, IsRefusedWhereItsSizeDoesNotFit) {
    EXPECT_TRUE(frame(Command::kAttachProfiler, Bytes(kMaxIpcMessageBytes - kHeaderBytes)));
    EXPECT_FALSE(frame(Command::kAttachProfiler, Bytes(kMaxIpcMessageBytes - kHeaderBytes + 1)));
}

TEST(Payload, StringsAreUtf16WithTheirNulCounted) {
    PayloadWriter payload;
    payload.string("a\xc3\xa9\xf0\x9f\x98\x80");  // a, e acute, one outside the basic plane
    EXPECT_EQ(text_of(payload.payload()),
              std::string("\x05\0\0\0a\0\xe9\0\x3d\xd8\x00\xde\0\0", 14));
    PayloadReader reader(payload.payload());
    EXPECT_EQ(reader.string(), "a\xc3\xa9\xf0\x9f\x98\x80");
}

TEST(Payload, WhatIsMissingIsNoField) {
    const Bytes bytes = bytes_of(std::string("\x03\0\0\0a\0", 6));
    PayloadReader reader(bytes);
    EXPECT_FALSE(reader.string());
    EXPECT_FALSE(reader.u32());
    PayloadReader empty(Bytes{});
    EXPECT_FALSE(empty.u64());
    EXPECT_FALSE(empty.skip(1));
}

TEST(Payload, AnEmptyStringMayHaveNoNul) {
    const Bytes bytes(4);
    PayloadReader reader(bytes);
    EXPECT_EQ(reader.string(), "");
}

TEST(ReplyHeader, ComesFromTheServerSetAlone) {
    const std::string ok("DOTNET_IPC_V1\0\x18\0\xff\0\0\0", 20);
    ASSERT_TRUE(parse_reply_header(bytes_of(ok)));
    EXPECT_EQ(parse_reply_header(bytes_of(ok))->payload_bytes, 4U);
    EXPECT_FALSE(parse_reply_header(bytes_of(ok))->is_error);
    for (const size_t spoilt : {size_t{0}, size_t{12}, size_t{14}, size_t{16}, size_t{17}}) {
        std::string bad = ok;
        bad[spoilt] = '\x01';
        bad[15] = '\0';
        EXPECT_FALSE(parse_reply_header(bytes_of(bad))) << spoilt;
    }
    EXPECT_FALSE(parse_reply_header(bytes_of(ok.substr(0, 19))));
}

TEST(Payload, AnyBytesAreReadWithoutHarm) {
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
        Bytes bytes(random() % 64);
        for (std::byte& byte : bytes) {
            // Small numbers make lengths that are sometimes right.
            byte = static_cast<std::byte>(random() % 3 == 0 ? random() : random() % 4);
        }
        (void)parse_reply_header(bytes);
        PayloadReader reader(bytes);
        while (reader.u32() && reader.string() && reader.u64()) {
        }
        EXPECT_FALSE(reader.skip(bytes.size() + 1));
    }
}

}  // namespace
}  // namespace umbra::diagnostics
