// SPDX-License-Identifier: MIT
// Rows by number keep their values, packed or not, and packed ones take no more than themselves.
#include "src/replay/tree/paged_array.h"

#include <cstdint>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace umbra::replay {
namespace {

using Array = PagedArray<uint64_t, 16>;
using Rows = std::map<uint32_t, uint64_t>;

bool is_set(uint64_t row) {
    return row != 0;
}

Rows rows_of(const Array& array) {
    Rows rows;
    uint32_t least = 0;
    array.for_each([&](uint32_t number, uint64_t row) {
        EXPECT_GE(number, least);
        least = number + 1;
        if (row != 0) {
            rows[number] = row;
        }
    });
    return rows;
}

TEST(PagedArray, RowsComeBackWithTheirPage) {
    Array array;
    array[3] = 30;
    array[5] = 50;
    array[100] = 1000;
    array.pack(is_set);
    ASSERT_NE(array.find(5), nullptr);
    EXPECT_EQ(*array.find(5), 50U);
    EXPECT_EQ(array.find(4), nullptr);
    array[4] = 40;
    EXPECT_EQ(array[3], 30U);
    EXPECT_EQ(rows_of(array), (Rows{{3, 30}, {4, 40}, {5, 50}, {100, 1000}}));
}

TEST(PagedArray, PackedRowsTakeTheirOwnRoom) {
    Array array;
    for (uint32_t number = 0; number < 1'600; number += 16) {
        array[number] = 1;
    }
    EXPECT_GT(array.bytes(), 1'600 * sizeof(uint64_t));
    array.pack(is_set);
    EXPECT_LE(array.bytes(), 100 * (sizeof(uint64_t) + sizeof(uint32_t)));
}

TEST(PagedArray, HoldsWhatAMapHoldsHoweverOftenItIsPacked) {
    std::mt19937_64 random(7);
    Array array;
    Rows expected;
    for (uint64_t step = 0; step < 20'000; ++step) {
        const auto number = static_cast<uint32_t>(random() % 2'000);
        switch (random() % 100) {
            case 0:
                array.pack(is_set);
                break;
            case 1:
                ASSERT_EQ(rows_of(array), expected) << "step " << step;
                break;
            default:
                array[number] = expected[number] = step + 1;
        }
        const uint64_t* row = array.find(number);
        const auto known = expected.find(number);
        ASSERT_EQ(row == nullptr ? 0 : *row, known == expected.end() ? 0 : known->second);
    }
}

}  // namespace
}  // namespace umbra::replay
