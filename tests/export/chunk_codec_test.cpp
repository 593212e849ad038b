// SPDX-License-Identifier: MIT
// Our shuffle and deflate against their definitions.
#include "export/chunk_codec.h"

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

}  // namespace
}  // namespace umbra::hdf5
