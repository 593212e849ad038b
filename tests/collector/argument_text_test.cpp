// SPDX-License-Identifier: MIT
// Values of arguments as text.
#include "src/collector/tables/argument_text.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "src/base/utf8.h"

namespace umbra::collector {
namespace {

using protocol::ArgumentNamed;
using replay::ArgumentContent;

ArgumentContent number(uint64_t bits) {
    return {.kind = ArgumentContent::kNumber, .bits = bits};
}

ArgumentContent text(std::string_view kept, uint32_t code_units) {
    ArgumentContent content{
        .kind = ArgumentContent::kText,
        .bits = hotpath::make_text_length(code_units, static_cast<uint32_t>(kept.size()))};
    std::memcpy(content.text.data(), kept.data(), kept.size());
    return content;
}

std::string shown(uint64_t bits, uint8_t kind, std::string type = "") {
    ArgumentNamed named;
    named.kind = kind;
    named.type = std::move(type);
    return argument_text(number(bits), &named);
}

std::string shown(double value, std::string type = "double") {
    return shown(std::bit_cast<uint64_t>(value), ArgumentNamed::kReal, std::move(type));
}

std::string shown(std::string_view kept, uint32_t code_units) {
    return argument_text(text(kept, code_units), nullptr);
}

TEST(ArgumentText, NumbersAreReadByTheirKind) {
    constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();
    EXPECT_EQ(shown(kAll, ArgumentNamed::kSigned), "-1");
    EXPECT_EQ(shown(kAll, ArgumentNamed::kUnsigned), "18446744073709551615");
    EXPECT_EQ(shown(kAll, 99), "18446744073709551615");
    EXPECT_EQ(argument_text(number(kAll), nullptr), "18446744073709551615");
    EXPECT_EQ(shown(0, ArgumentNamed::kBoolean), "false");
    EXPECT_EQ(shown(1, ArgumentNamed::kBoolean), "true");
    EXPECT_EQ(shown(2, ArgumentNamed::kBoolean), "true (2)");
    EXPECT_EQ(argument_text({}, nullptr), "null");
}

TEST(ArgumentText, RealsAreAsShortAsReadsBackTheSame) {
    EXPECT_EQ(shown(0.1), "0.1");
    EXPECT_EQ(shown(-0.0), "-0");
    EXPECT_EQ(shown(1e300), "1e+300");
    EXPECT_EQ(shown(double{0.1F}), "0.10000000149011612");
    EXPECT_EQ(shown(double{0.1F}, "float"), "0.1");
    EXPECT_EQ(shown(0.1, "float"), "0.1");  // no float at all, told by a hostile agent
    EXPECT_EQ(shown(1e300, "float"), "1e+300");
    EXPECT_EQ(shown(std::numeric_limits<double>::infinity()), "Infinity");
    EXPECT_EQ(shown(-std::numeric_limits<double>::infinity(), "float"), "-Infinity");
    EXPECT_EQ(shown(0xfff8'0000'0000'0000, ArgumentNamed::kReal), "NaN");
    EXPECT_EQ(shown(0x7ff8'0000'0000'0001, ArgumentNamed::kReal), "NaN (0x7ff8000000000001)");
}

TEST(ArgumentText, CharactersAndTextsAreQuotedAsInCSharp) {
    EXPECT_EQ(shown('x', ArgumentNamed::kCharacter), "'x'");
    EXPECT_EQ(shown('\'', ArgumentNamed::kCharacter), "'\\''");
    EXPECT_EQ(shown('"', ArgumentNamed::kCharacter), "'\"'");
    EXPECT_EQ(shown(0xd83d, ArgumentNamed::kCharacter), "'\\ud83d'");
    EXPECT_EQ(shown(0x10000, ArgumentNamed::kCharacter), "65536");
    EXPECT_EQ(shown("it's", 4), "\"it's\"");
    EXPECT_EQ(shown("a\"b\\c\n\t\r", 8), "\"a\\\"b\\\\c\\n\\t\\r\"");
    EXPECT_EQ(shown(std::string_view("\0\x1b\x7f", 3), 3), "\"\\0\\u001b\\u007f\"");
    EXPECT_EQ(shown("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 4),
              "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
    EXPECT_EQ(shown("\xe2\x80\xae", 1), "\"\\u202e\"");  // would turn a terminal's line around
}

TEST(ArgumentText, LongTextsTellTheirLength) {
    EXPECT_EQ(shown("abc", 120), "\"abc\"... (120 chars)");
    EXPECT_EQ(shown("\xf0\x9f\x98\x80", 2), "\"\xf0\x9f\x98\x80\"");
    EXPECT_EQ(shown("\xf0\x9f\x98\x80", 3), "\"\xf0\x9f\x98\x80\"... (3 chars)");
    EXPECT_EQ(shown("abc", 1), "\"abc\" (1 chars)");
    EXPECT_EQ(shown("", 0), "\"\"");
}

TEST(ArgumentText, LoneSurrogatesAndNonsenseAreEscaped) {
    EXPECT_EQ(shown("\xed\xa0\xbd", 1), "\"\\ud83d\"");
    EXPECT_EQ(shown("\xed\xbf\xbf!", 2), "\"\\udfff!\"");
    EXPECT_EQ(shown("\\ud83d", 6), "\"\\\\ud83d\"");
    EXPECT_EQ(shown("\xff\xef\xbf\xbd", 2), "\"\\xff\xef\xbf\xbd\"");
    EXPECT_EQ(shown("\xed\xa0", 2), "\"\\xed\\xa0\"");
}

TEST(ArgumentText, EnumsAreToldByTheNamesOfTheirConstants) {
    ArgumentNamed access;
    access.kind = ArgumentNamed::kFlags;
    access.constants = {{0, "None"}, {1, "Read"}, {2, "Write"}, {3, "ReadWrite"}, {8, "Delete"}};
    const auto name = [&](uint64_t value) { return argument_text(number(value), &access); };
    EXPECT_EQ(name(0), "None");
    EXPECT_EQ(name(2), "Write");
    EXPECT_EQ(name(3), "ReadWrite");
    EXPECT_EQ(name(9), "Read | Delete");
    EXPECT_EQ(name(11), "ReadWrite | Delete");
    EXPECT_EQ(name(4), "4");
    EXPECT_EQ(name(5), "5");
    EXPECT_EQ(name(static_cast<uint64_t>(-1)), "-1");
    access.kind = ArgumentNamed::kSigned;
    EXPECT_EQ(name(3), "ReadWrite");
    EXPECT_EQ(name(9), "9") << "not to be combined";
    access.constants = {{1, "Read\n\x1b"}};
    EXPECT_EQ(name(1), "Read\n\\u001b");
    EXPECT_EQ(name(0), "0");
    access.constants = {{1, ""}, {1, "Read"}, {2, ""}};
    EXPECT_EQ(name(1), "Read");
    EXPECT_EQ(name(3), "3");
}

TEST(ArgumentText, DifferentBytesGiveDifferentTextsOfPrintableUtf8) {
    std::mt19937_64 random(1);
    constexpr std::string_view kPieces[] = {"\\",   "\"",   "x", "u0041", "\xed",      "\xa0",
                                            "\xbd", "A",    "n", "\n",    "\xc3",      "\xa4",
                                            "\xf0", "\x9f", "0", "...",   " (2 chars)"};
    std::set<std::pair<std::string, uint32_t>> contents;
    std::set<std::string> texts;
    for (int round = 0; round < 20'000; ++round) {
        std::string kept;
        for (uint64_t piece = random() % 5; piece-- > 0;) {
            kept += kPieces[random() % std::size(kPieces)];
        }
        const auto code_units = static_cast<uint32_t>(random() % 12);
        contents.emplace(kept, code_units);
        const std::string text = shown(kept, code_units);
        EXPECT_EQ(text, printable_utf8(text));
        EXPECT_EQ(text.find('\n'), std::string::npos);
        texts.insert(text);
    }
    EXPECT_EQ(texts.size(), contents.size());
}

}  // namespace
}  // namespace umbra::collector
