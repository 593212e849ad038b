// SPDX-License-Identifier: MIT
// Our shuffle and deflate against their definitions.
#include "export/hdf5/chunk_codec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <zlib.h>

#include <gtest/gtest.h>

namespace umbra::hdf5 {
namespace {

std::vector<uint64_t> noise(std::size_t count) {
    std::mt19937_64 random(count);  // NOLINT(cert-msc51-cpp): the same at every run
    std::vector<uint64_t> values(count);
    for (uint64_t& value : values) {
        value = random();
    }
    return values;
}

TEST(ChunkCodec, ShufflePutsByteKOfAllValuesIntoPlaneK) {
    for (const std::size_t count : {1U, 15U, 16U, 17U, 48U, 101U}) {
        for (const std::size_t bytes : {1U, 4U, 8U}) {
            const std::vector<uint64_t> values = noise(count);
            // A byte more, to see whether it stays.
            std::vector<std::byte> planes(count * bytes + 1, std::byte{0x5a});
            shuffle(values, bytes, planes.data());
            for (std::size_t k = 0; k < bytes; ++k) {
                for (std::size_t i = 0; i < count; ++i) {
                    ASSERT_EQ(planes[k * count + i], static_cast<std::byte>(values[i] >> (8 * k)))
                        << "byte " << k << " of value " << i << " of " << count;
                }
            }
            EXPECT_EQ(planes.back(), std::byte{0x5a});
        }
    }
}

void expect_round_trip(Deflater& deflater, std::span<const std::byte> raw) {
    const std::span<const std::byte> deflated = deflater.deflate(raw);
    std::vector<std::byte> inflated(raw.size() + 1);
    uLongf bytes = inflated.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(inflated.data()), &bytes,
                         reinterpret_cast<const Bytef*>(deflated.data()), deflated.size()),
              Z_OK);
    inflated.resize(bytes);
    EXPECT_TRUE(std::ranges::equal(inflated, raw));
}

TEST(ChunkCodec, ZlibInflatesWhatWasDeflated) {
    Deflater deflater;
    const std::vector<uint64_t> random = noise(40'000);
    expect_round_trip(deflater, std::as_bytes(std::span(random)));
    expect_round_trip(deflater, std::as_bytes(std::span(random).first(1)));
    const std::vector<std::byte> zeros(300'000);
    expect_round_trip(deflater, zeros);
    EXPECT_LT(deflater.deflate(zeros).size(), zeros.size() / 100);
}

TEST(ChunkCodec, UnshuffleIsTheWayBack) {
    for (const std::size_t count : {1U, 15U, 16U, 17U, 48U, 101U}) {
        for (const std::size_t bytes : {1U, 4U, 8U}) {
            const std::vector<uint64_t> values = noise(count);
            std::vector<std::byte> planes(count * bytes);
            shuffle(values, bytes, planes.data());
            for (const std::size_t used : {count, count - 1}) {
                std::vector<uint64_t> back(used, 0x5a5a5a5a5a5a5a5a);
                unshuffle(planes.data(), count, bytes, back);
                for (std::size_t i = 0; i < used; ++i) {
                    ASSERT_EQ(back[i], values[i] & (~uint64_t{0} >> (64 - 8 * bytes)))
                        << "value " << i << " of " << count;
                }
            }
        }
    }
}

TEST(ChunkCodec, InflateIsTheWayBackOfZlibAtAnyLevel) {
    const std::vector<uint64_t> random = noise(4'000);
    std::vector<std::byte> raw(100'000, std::byte{7});
    std::ranges::copy(std::as_bytes(std::span(random)), raw.begin() + 5'000);
    for (const int level : {0, 1, 6, 9}) {
        uLongf bytes = compressBound(raw.size());
        std::vector<std::byte> deflated(bytes);
        ASSERT_EQ(compress2(reinterpret_cast<Bytef*>(deflated.data()), &bytes,
                            reinterpret_cast<const Bytef*>(raw.data()), raw.size(), level),
                  Z_OK);
        deflated.resize(bytes);
        std::vector<std::byte> back(raw.size());
        EXPECT_TRUE(inflate(deflated, back)) << "level " << level;
        EXPECT_EQ(back, raw) << "level " << level;
    }
}

TEST(ChunkCodec, InflateRefusesWhatIsNotExactlyRight) {
    const std::vector<uint64_t> random = noise(1'000);
    const auto raw = std::as_bytes(std::span(random));
    Deflater deflater;
    const auto made = deflater.deflate(raw);
    const std::vector<std::byte> sound(made.begin(), made.end());
    std::vector<std::byte> back(raw.size());
    EXPECT_TRUE(inflate(sound, back));
    EXPECT_FALSE(inflate(std::span(sound).first(0), back));
    for (std::size_t bytes = 1; bytes < sound.size(); bytes += 97) {
        EXPECT_FALSE(inflate(std::span(sound).first(bytes), back)) << bytes << " bytes";
    }
    EXPECT_FALSE(inflate(std::span(sound).first(sound.size() - 1), back));
    for (std::size_t at = 0; at < sound.size(); at += at < 16 ? 1 : 101) {
        std::vector<std::byte> damaged = sound;
        damaged[at] ^= std::byte{0x55};
        EXPECT_FALSE(inflate(damaged, back)) << "byte " << at;
    }
    std::vector<std::byte> damaged = sound;
    damaged.back() ^= std::byte{1};
    EXPECT_FALSE(inflate(damaged, back)) << "checksum";
    back.resize(raw.size() + 1);
    EXPECT_FALSE(inflate(sound, back)) << "less than wanted";
    back.resize(raw.size() - 1);
    EXPECT_FALSE(inflate(sound, back)) << "more than wanted";
}

}  // namespace
}  // namespace umbra::hdf5
