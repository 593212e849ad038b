// SPDX-License-Identifier: MIT
#include "src/base/proc_text.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace umbra {
namespace {

TEST(StatField, FieldsAreCountedAsProcDoes) {
    const std::string_view stat = "4711 (dotnet) S 17 4711 4711 0 -1 4194560\n";
    EXPECT_EQ(stat_field(stat, 3), "S");
    EXPECT_EQ(stat_field(stat, 4), "17");
    EXPECT_EQ(stat_field(stat, 9), "4194560");
    EXPECT_EQ(stat_field(stat, 10), "");
}

TEST(StatField, ANameMayHoldAnything) {
    EXPECT_EQ(stat_field("1 (a) R 2 (b)) D 9 8", 3), "D");
    EXPECT_EQ(stat_field("1 (\n) Z 9", 3), "Z");
}

TEST(StatField, AnyTextIsTakenApart) {
    for (const std::string_view text : {"", ")", "1 (a)", "1 (a) ", "1 (a", "R 1 2 3"}) {
        for (int number = -1; number < 30; ++number) {
            EXPECT_EQ(stat_field(text, number), "") << '"' << text << "\" " << number;
        }
    }
}

TEST(StatusField, OneLineOfThatName) {
    const std::string_view status = "Name:\tUid: 5\nUid:\t0\t1000\t0\t0\nGid:";
    EXPECT_EQ(status_field(status, "Uid"), (std::vector<std::string_view>{"0", "1000", "0", "0"}));
    EXPECT_TRUE(status_field(status, "Gid").empty());
    EXPECT_TRUE(status_field(status, "id").empty());
    EXPECT_TRUE(status_field("", "Uid").empty());
    EXPECT_EQ(status_field("Uid: 7", "Uid"), std::vector<std::string_view>{"7"});
}

}  // namespace
}  // namespace umbra
