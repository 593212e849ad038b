// SPDX-License-Identifier: MIT
#include "src/base/nearest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/base/nearest_patterns.h"

namespace umbra {
namespace {

using Names = std::vector<std::string>;

TEST(Nearest, CountsWhatHasToBeTyped) {
    EXPECT_EQ(edit_distance("report", "report"), 0U);
    EXPECT_EQ(edit_distance("reprot", "report"), 1U) << "two letters swapped";
    EXPECT_EQ(edit_distance("repot", "report"), 1U);
    EXPECT_EQ(edit_distance("", "run"), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, NamesNothingThatIsFar) {
    const Names commands = {"run", "report", "start", "stop", "top"};
    EXPECT_EQ(nearest("reprot", commands, 1), Names{"report"});
    EXPECT_EQ(nearest("REPORT", commands, 1), Names{"report"});
    EXPECT_EQ(nearest("stp", commands, 1), Names{"stop"});
    EXPECT_EQ(nearest("frobnicate", commands, 3), Names());
    EXPECT_EQ(nearest("", commands, 3), Names());
}

TEST(NearestPatterns, ArePatternsWhereOneIsWanted) {
    const Names names = {"HelloShop.TaxTable.RateOf", "HelloShop.Order.Country.get",
                         "HelloShop.Program.Main"};
    EXPECT_EQ(nearest_patterns("HelloShp.*", names), Names{"HelloShop.*"});
    EXPECT_EQ(nearest_patterns("HelloShop.TaxTabel.*", names), Names{"HelloShop.TaxTable.*"});
    EXPECT_EQ(nearest_patterns("TaxTabel.*", names), Names{"TaxTable.*"});
    EXPECT_EQ(nearest_patterns("app!RateOff", names), Names{"RateOf"});
    EXPECT_EQ(nearest_patterns("TaxTable.RatOf(Order)", names), Names{"TaxTable.RateOf"});
    EXPECT_EQ(nearest_patterns("*", names), Names());
}

}  // namespace
}  // namespace umbra
