// SPDX-License-Identifier: MIT
// Which runtimes of a process a choice takes, and what is no choice.
#include "src/base/runtime_choice.h"

#include <string>

#include <gtest/gtest.h>

namespace umbra {
namespace {

/// Which of three runtimes, 10.0.12, 9.0.18 and another 9.0.18, a choice takes by itself.
std::string taken(std::string_view text) {
    const Result<RuntimeChoice> choice = RuntimeChoice::parse(text);
    if (!choice) {
        return choice.error().context;
    }
    std::string places;
    uint32_t place = 0;
    for (const std::string_view version : {"10.0.12", "9.0.18", "9.0.18"}) {
        if (choice->takes(++place, version)) {
            places += std::to_string(place);
        }
    }
    return places;
}

TEST(RuntimeChoice, TakesAllThePlaceOrTheVersion) {
    EXPECT_EQ(taken(""), "123");
    EXPECT_EQ(taken("all"), "123");
    EXPECT_EQ(taken("first"), "1");
    EXPECT_EQ(taken("one:1"), "1");
    EXPECT_EQ(taken("one:3"), "3");
    EXPECT_EQ(taken("one:4"), "");
    EXPECT_EQ(taken("one:9"), "23");
    EXPECT_EQ(taken("one:9.0"), "23");
    EXPECT_EQ(taken("one:10.0.12"), "1");
    EXPECT_EQ(taken("one:10.0.1"), "") << "10.0.12 is another version";
    EXPECT_EQ(taken("one:5"), "") << "a version from here on";
}

TEST(RuntimeChoice, SaysWhatIsNone) {
    for (const char* text : {"none", "one", "one:", "one:0", "one:x", "one:9.", "one:.9", "one:9 ",
                             "one:-1", "first:1", "ALL", "one:99999999999"}) {
        EXPECT_NE(taken(text).find(std::string("'") + text + "' chooses no runtimes"),
                  std::string::npos)
            << text;
    }
}

TEST(RuntimeChoice, KnowsWhetherItTakesOne) {
    EXPECT_FALSE(RuntimeChoice().takes_one());
    EXPECT_TRUE(RuntimeChoice::parse("first")->takes_one());
    EXPECT_TRUE(RuntimeChoice::parse("one:9")->takes_one());
}

}  // namespace
}  // namespace umbra
