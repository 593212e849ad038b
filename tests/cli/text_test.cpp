// SPDX-License-Identifier: MIT
// Numbers and names as people read them.
#include "src/cli/terminal/text.h"

#include <gtest/gtest.h>

namespace umbra::cli {
namespace {

TEST(Duration, HasThreeDigitsAndTheUnitThatFits) {
    EXPECT_EQ(duration(0), "0 ns");
    EXPECT_EQ(duration(85), "85 ns");
    EXPECT_EQ(duration(999), "999 ns");
    EXPECT_EQ(duration(1'000), "1.00 us");
    EXPECT_EQ(duration(1'416), "1.42 us");
    EXPECT_EQ(duration(12'345), "12.3 us");
    EXPECT_EQ(duration(123'456), "123 us");
    EXPECT_EQ(duration(900'000'000), "900 ms");
    EXPECT_EQ(duration(2'500'000'000), "2.50 s");
    EXPECT_EQ(duration(7'200'000'000'000), "7200 s");
}

TEST(Duration, RoundsUpIntoTheNextUnitAndDigit) {
    EXPECT_EQ(duration(9'994), "9.99 us");
    EXPECT_EQ(duration(9'996), "10.0 us");
    EXPECT_EQ(duration(99'960), "100 us");
    EXPECT_EQ(duration(999'499), "999 us");
    EXPECT_EQ(duration(999'501), "1.00 ms");
}

TEST(Count, SeparatesThousands) {
    EXPECT_EQ(count(0), "0");
    EXPECT_EQ(count(999), "999");
    EXPECT_EQ(count(1'000), "1,000");
    EXPECT_EQ(count(635'621), "635,621");
    EXPECT_EQ(count(UINT64_MAX), "18,446,744,073,709,551,615");
    EXPECT_EQ(count(1, "call", "calls"), "1 call");
    EXPECT_EQ(count(2'000, "call", "calls"), "2,000 calls");
}

TEST(Width, CountsCharactersNotBytes) {
    EXPECT_EQ(width(""), 0U);
    EXPECT_EQ(width("J\xc3\xbcrgen"), 6U);
}

TEST(OneLine, HasNoBreaksAndTabs) {
    EXPECT_EQ(one_line("a\nb\tc"), "a b c");
}

TEST(Shortened, LeavesOutTheMiddle) {
    EXPECT_EQ(shortened("abcdefgh", 8), "abcdefgh");
    EXPECT_EQ(shortened("abcdefgh", 7), "ab..fgh");
    EXPECT_EQ(shortened("abcdefgh", 6), "ab..gh");
    EXPECT_EQ(shortened("abcdefgh", 2), "..");
    EXPECT_EQ(shortened("abcdefgh", 1), ".");
    EXPECT_EQ(shortened("abcdefgh", 0), "");
}

TEST(Shortened, CutsNoCharacter) {
    EXPECT_EQ(shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4), "\xc3\xa4..\xc3\xa4");
}

}  // namespace
}  // namespace umbra::cli
