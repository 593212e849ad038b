// SPDX-License-Identifier: MIT
// What stands below the table of changes.
#include "src/cli/text/diff_text.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace umbra::cli {
namespace {

std::string sight(double relative) {
    profile::Diff diff;
    diff.sight = {"Acme.Cart.Add(Item)", 28'400'000, relative};
    Compared compared;
    compared.before.runs.resize(1);
    compared.after.runs.resize(1);
    for (const Fact& fact : diff_facts(compared, diff)) {
        if (fact.name == "sight") {
            return fact.parts.at(0);
        }
    }
    return "";
}

TEST(Sight, IsAPercentageWhereThatTellsSomething) {
    EXPECT_EQ(sight(0.042), "in Acme.Cart.Add(Item), 28.4 ms, changes from 4.2% upwards are found");
    EXPECT_EQ(sight(3.1), "in Acme.Cart.Add(Item), 28.4 ms, changes from 310% upwards are found");
}

TEST(Sight, IsNoneWhereRunsDifferTooMuch) {
    for (const double relative : {10.0, 8.2e17, std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(sight(relative),
                  "in Acme.Cart.Add(Item), 28.4 ms, not even ten times as much would be found: "
                  "the runs differ too much");
    }
}

}  // namespace
}  // namespace umbra::cli
