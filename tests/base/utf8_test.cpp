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

TEST(Utf8, LoneSurrogatesAreSpelledOut) {
    const char16_t high_alone[] = {0xd834, 'x', 0};
    const char16_t low_alone[] = {0xdd1e, 'x', 0};
    const char16_t high_at_the_end[] = {'x', 0xd834, 0};
    const char16_t two_highs[] = {0xd834, 0xd834, 0xdd1e, 0};
    EXPECT_EQ(to_utf8(high_alone), "\\ud834x");
    EXPECT_EQ(to_utf8(low_alone), "\\udd1ex");
    EXPECT_EQ(to_utf8(high_at_the_end), "x\\ud834");
    EXPECT_EQ(to_utf8(two_highs), "\\ud834\xf0\x9d\x84\x9e");
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
    EXPECT_EQ(printable_utf8("\xed\x9f"), bad + bad);                      // cut short
    EXPECT_EQ(printable_utf8("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // beyond Unicode
}

TEST(Utf8, ControlCharactersDoNotReachATerminal) {
    EXPECT_EQ(printable_utf8(std::string_view("\x1b[0m\0\x7f", 6)), "\\u001b[0m\\u0000\\u007f");
    EXPECT_EQ(printable_utf8("\xc2\x9b"), "\\u009b");  // CSI as one code point
}

TEST(Utf8, LoneSurrogatesInUtf8AreSpelledOut) {
    EXPECT_EQ(printable_utf8("a\xed\xa0\xbd"), "a\\ud83d");
    EXPECT_EQ(printable_utf8("\xed\xbf\xbf!"), "\\udfff!");
    EXPECT_EQ(printable_utf8("\xed\x9f\xbf"), "\xed\x9f\xbf") << "the last before them";
}

TEST(Utf8, CodePointsThatAreSpelledOutAreReadBack) {
    for (const char32_t c : {U'\0', U'a', U'\u202e', U'\U000e0001'}) {
        std::string spelled = "x";
        append_code_point(spelled, c);
        std::string expected = "x";
        append_utf8(expected, c);
        EXPECT_EQ(read_code_points(spelled), expected) << spelled;
    }
    for (const char* text : {"", "\\", "a\\", "\\u", "\\u20", "\\u20-e", "\\u 02e", "\\\\x41",
                             "\\ud83d", "\\U00110000", "\\U0000d83d", "C:\\users"}) {
        EXPECT_EQ(read_code_points(text), text);
    }
    EXPECT_EQ(read_code_points("\\u0041\\\\u0042\\u00"), "A\\B\\u00");
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
