// SPDX-License-Identifier: MIT
// Text in which nothing hides.
#include "src/profile/names/seen_text.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "src/base/utf8.h"

namespace umbra::profile {
namespace {

std::string utf8(char32_t c) {
    std::string text;
    append_utf8(text, c);
    return text;
}

TEST(SeenText, IsUntouchedWhereAllIsSeen) {
    for (const char* text : {"", "Acme.Cart<int>.Add(Item, int)", "a\\u202e",
                             "Gr\xc3\xb6\xc3\x9f"
                             "e e\xcc\x81 \xd7\x90\xe5\xba\x97\xf0\x9f\x98\x80\xef\xbf\xbd"}) {
        EXPECT_EQ(seen_text(text), text);
    }
}

TEST(SeenText, SpellsOutWhatHasNoWidthOrTurnsTheDirection) {
    for (const auto& [first, last] :
         {std::pair(0x200b, 0x200f), std::pair(0x2028, 0x202e), std::pair(0x2060, 0x206f),
          std::pair(0xfeff, 0xfeff), std::pair(0xfff9, 0xfffb), std::pair(0x0, 0x1f),
          std::pair(0x7f, 0xa0), std::pair(0xad, 0xad), std::pair(0x34f, 0x34f),
          std::pair(0x61c, 0x61c), std::pair(0x115f, 0x1160), std::pair(0x180b, 0x180e),
          std::pair(0x2000, 0x200a), std::pair(0x3000, 0x3000), std::pair(0x3164, 0x3164),
          std::pair(0xfe00, 0xfe0f), std::pair(0xfffe, 0xffff)}) {
        for (int c = first; c <= last; ++c) {
            std::string expected;
            append_code_point(expected, static_cast<char32_t>(c));
            EXPECT_EQ(seen_text(utf8(static_cast<char32_t>(c))), expected) << std::hex << c;
            EXPECT_EQ(expected.size(), 6U);
        }
    }
    EXPECT_EQ(seen_text("a\xe2\x80\xae"
                        "b"),
              "a\\u202eb");
    EXPECT_EQ(seen_text(utf8(0xe0001)), "\\U000e0001") << "a language tag";
}

TEST(SeenText, BytesThatAreNoTextAreSeenToo) {
    EXPECT_EQ(seen_text("a\xff"), "a\xef\xbf\xbd");
}

/// One text for each character, and each of one line.
TEST(SeenText, KeepsCharactersApart) {
    std::set<std::string> texts;
    size_t characters = 0;
    for (char32_t c = 0; c < 0x30000; ++c) {
        if (c >= 0xd800 && c <= 0xdfff) {
            continue;
        }
        ++characters;
        texts.insert(seen_text(utf8(c)));
    }
    EXPECT_EQ(texts.size(), characters);
}

}  // namespace
}  // namespace umbra::profile
