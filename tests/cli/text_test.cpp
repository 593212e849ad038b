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

TEST(RoughDuration, HasTheDigitsItIsWorth) {
    EXPECT_EQ(rough_duration(0, 1), "~0 ns");
    EXPECT_EQ(rough_duration(7, 2), "~7 ns");
    EXPECT_EQ(rough_duration(23, 1), "~20 ns");
    EXPECT_EQ(rough_duration(156, 2), "~160 ns");
    EXPECT_EQ(rough_duration(1'416, 2), "~1.4 us");
    EXPECT_EQ(rough_duration(1'996, 2), "~2 us");
    EXPECT_EQ(rough_duration(996, 2), "~1 us");
    EXPECT_EQ(rough_duration(900'000'000, 2), "~900 ms");
    EXPECT_EQ(rough_duration(12'345'678, 1), "~10 ms");
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

constexpr std::string_view kWide = "\xe6\xb3\xa8\xe6\x96\x87";          // two ideographs
constexpr std::string_view kAcute = "e\xcc\x81";                        // e and a combining acute
constexpr std::string_view kFlag = "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa";  // two regional indicators

TEST(Width, CountsColumns) {
    EXPECT_EQ(width(""), 0U);
    EXPECT_EQ(width("plain"), 5U);
    EXPECT_EQ(width("J\xc3\xbcrgen"), 6U);
    EXPECT_EQ(width(kWide), 4U);
    EXPECT_EQ(width(kAcute), 1U);
    EXPECT_EQ(width("\xf0\x9f\x9a\x80"), 2U) << "a rocket";
    EXPECT_EQ(width("\xef\xbd\xb1"), 1U) << "a halfwidth katakana";
    EXPECT_EQ(width("\xef\xbf\xbd"), 1U) << "the replacement character";
    EXPECT_EQ(width("a\xe2\x80\x8b"
                    "b"),
              2U)
        << "a zero width space between";
    EXPECT_EQ(width("\xed\x95\x9c"), 2U) << "a Hangul syllable";
    EXPECT_EQ(width("\xff"), 1U) << "what is no UTF-8 shows as the replacement character";
}

TEST(TakeCharacter, KeepsWhatBelongsTogether) {
    const std::string all = std::string(kAcute) + std::string(kWide) + std::string(kFlag) + "x";
    std::string_view rest = all;
    EXPECT_EQ(take_character(rest).bytes, kAcute);
    EXPECT_EQ(take_character(rest).bytes, kWide.substr(0, 3));
    EXPECT_EQ(take_character(rest).bytes, kWide.substr(3));
    EXPECT_EQ(take_character(rest).bytes, kFlag);
    EXPECT_EQ(take_character(rest).bytes, "x");
    EXPECT_TRUE(rest.empty());
}

TEST(OneLine, HasNoBreaksAndTabs) {
    EXPECT_EQ(one_line("a\nb\tc"), "a b c");
    EXPECT_EQ(one_line("J\xc3\xbcrgen\n"), "J\xc3\xbcrgen ");
}

TEST(OneLine, TurnsNoDirection) {
    EXPECT_EQ(one_line("a\xe2\x80\xae"
                       "b"),
              "a\\u202e"
              "b")
        << "a right-to-left override";
    EXPECT_EQ(one_line("\xd7\x90"), "\xd7\x90") << "Hebrew stays";
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
    const std::string accents =
        std::string(kAcute) + std::string(kAcute) + std::string(kAcute) + std::string(kAcute);
    EXPECT_EQ(shortened(accents, 3), ".." + std::string(kAcute));
    EXPECT_EQ(shortened(accents, 4), accents);
}

TEST(Shortened, IsNeverTooWide) {
    std::string name;
    for (int i = 0; i < 5; ++i) {
        name += kWide;
        name += kFlag;
        name += kAcute;
        name += 'x';
    }
    for (std::size_t columns = 0; columns <= width(name) + 2; ++columns) {
        const std::string cut = shortened(name, columns);
        EXPECT_LE(width(cut), columns);
        EXPECT_GE(width(cut) + 2 * 4, std::min(columns, width(name))) << "and not much too short";
    }
}

}  // namespace
}  // namespace umbra::cli
