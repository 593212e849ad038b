// SPDX-License-Identifier: MIT
// Tests of the UTF-8 helpers.

#include "src/base/utf8.h"

#include <random>

#include <gtest/gtest.h>

namespace umbra {
namespace {

TEST(Utf8, Utf16OfEveryWidthIsConverted) {
    EXPECT_EQ(to_utf8(u"a\u00e4\u20ac\U0001d11e"), "a\xc3\xa4\xe2\x82\xac\xf0\x9d\x84\x9e");
    EXPECT_EQ(to_utf8(u""), "");
}

TEST(Utf8, LoneSurrogatesBecomeReplacementCharacters) {
    const char16_t high_alone[] = {0xd834, 'x', 0};
    const char16_t low_alone[] = {0xdd1e, 'x', 0};
    const char16_t high_at_the_end[] = {'x', 0xd834, 0};
    const char16_t two_highs[] = {0xd834, 0xd834, 0xdd1e, 0};
    EXPECT_EQ(to_utf8(high_alone), "\xef\xbf\xbdx");
    EXPECT_EQ(to_utf8(low_alone), "\xef\xbf\xbdx");
    EXPECT_EQ(to_utf8(high_at_the_end), "x\xef\xbf\xbd");
    EXPECT_EQ(to_utf8(two_highs), "\xef\xbf\xbd\xf0\x9d\x84\x9e");
}

TEST(Utf8, PrintableTextIsUntouched) {
    const std::string text = "Acme.K\xc3\xb6nig\t\xe2\x82\xac\n\xf0\x9d\x84\x9e";
    EXPECT_EQ(printable_utf8(text), text);
}

TEST(Utf8, MalformedBytesBecomeReplacementCharacters) {
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(printable_utf8("\x80"), bad);
    EXPECT_EQ(printable_utf8("\xff"), bad);
    EXPECT_EQ(printable_utf8("\xc3"), bad);                                // cut short
    EXPECT_EQ(printable_utf8("\xc3("), bad + "(");                         // wrong continuation
    EXPECT_EQ(printable_utf8("\xc0\xaf"), bad + bad);                      // overlong
    EXPECT_EQ(printable_utf8("\xe0\x80\x80"), bad + bad + bad);            // overlong
    EXPECT_EQ(printable_utf8("\xed\xa0\x80"), bad + bad + bad);            // surrogate
    EXPECT_EQ(printable_utf8("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // beyond Unicode
}

TEST(Utf8, ControlCharactersDoNotReachATerminal) {
    EXPECT_EQ(printable_utf8(std::string_view("\x1b[0m\0\x7f", 6)),
              "\xef\xbf\xbd[0m\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(printable_utf8("\xc2\x9b"), "\xef\xbf\xbd");  // CSI as one code point
}

TEST(Utf8, CleaningTwiceChangesNothingMore) {
    std::mt19937 random(17);
    for (int round = 0; round < 5'000; ++round) {
        std::string bytes(random() % 24, '\0');
        for (char& byte : bytes) {
            byte = static_cast<char>(random() % 2 == 0 ? random() : 0xc0U + random() % 0x38U);
        }
        const std::string once = printable_utf8(bytes);
        EXPECT_EQ(printable_utf8(once), once);
    }
}

}  // namespace
}  // namespace umbra
