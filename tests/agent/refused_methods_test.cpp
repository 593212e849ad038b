// SPDX-License-Identifier: MIT
#include "src/agent/methods/refused_methods.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

using Names = std::vector<std::string>;

TEST(RefusedMethods, NamesTheFirstOfEachReasonAndCountsTheOthers) {
    RefusedMethods refused;
    for (size_t i = 0; i < RefusedMethods::kMaxNamed; ++i) {
        const std::string name = "Acme.Shop.M" + std::to_string(i);
        EXPECT_EQ(refused.add("its code is too large", std::array{name}, 1),
                  name + " is not timed: its code is too large");
    }
    EXPECT_EQ(refused.add("its code is too large", Names{"Acme.Shop.Last"}, 1), "");
    EXPECT_EQ(refused.add("it ends in jmp", Names{"Acme.Jump"}, 1),
              "Acme.Jump is not timed: it ends in jmp");
    EXPECT_EQ(refused.take_rest(), Names{"1 more method is not timed: its code is too large"});
    EXPECT_TRUE(refused.take_rest().empty()) << "it has been said";
    EXPECT_EQ(refused.add("its code is too large", Names{"A", "B"}, 2), "");
    EXPECT_EQ(refused.take_rest(), Names{"2 more methods are not timed: its code is too large"});
}

TEST(RefusedMethods, ManyAtOnceAreOneSentence) {
    RefusedMethods refused;
    EXPECT_EQ(refused.add("why", Names{"A", "B", "C"}, 3), "A, B, C are not timed: why");
    EXPECT_EQ(refused.add("why", Names{"D", "E", "F", "G", "H", "I"}, 9),
              "D, E, F, G, H and 4 more methods are not timed: why");
    EXPECT_EQ(refused.add("why", Names{"J"}, 1), "");
    EXPECT_EQ(refused.add("other", Names{}, 2), "");
    EXPECT_EQ(refused.take_rest(),
              (Names{"2 methods are not timed: other", "1 more method is not timed: why"}));
}

TEST(RefusedMethods, AReasonIsReadWhateverTheNamesAre) {
    RefusedMethods refused;
    const Names names(RefusedMethods::kMaxNamed, std::string(70'000, 'x'));
    const std::string text = refused.add("its code is too large", names, names.size());
    EXPECT_LT(text.size(), 800U);
    EXPECT_TRUE(text.ends_with("xxx... are not timed: its code is too large")) << text;
}

TEST(RefusedMethods, ANameIsCutBetweenCharacters) {
    RefusedMethods refused;
    const std::string long_name = std::string(RefusedMethods::kMaxNameBytes - 1, 'x') + "\u00e9()";
    EXPECT_TRUE(refused.add("why", Names{long_name}, 1).ends_with("xxx... is not timed: why"));
}

TEST(RefusedMethods, ANewCaptureBeginsAnew) {
    RefusedMethods refused;
    EXPECT_NE(refused.add("why", Names(20, "A"), 20), "");
    EXPECT_EQ(refused.add("why", Names{"B"}, 1), "");
    refused.forget();
    EXPECT_EQ(refused.add("why", Names{"C"}, 1), "C is not timed: why");
    EXPECT_TRUE(refused.take_rest().empty());
}

}  // namespace
}  // namespace umbra::agent
