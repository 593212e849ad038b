// SPDX-License-Identifier: MIT
// What stands below the table of changes.
#include "src/cli/text/diff_text.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace umbra::cli {
namespace {

std::string detectable(double relative) {
    profile::Diff diff;
    diff.detectable = {"Acme.Cart.Add(Item)", 28'400'000, relative};
    Compared compared;
    compared.before.runs.resize(1);
    compared.after.runs.resize(1);
    for (const Fact& fact : diff_facts(compared, diff)) {
        if (fact.name == "detectable") {
            return fact.parts.at(0);
        }
    }
    return "";
}

TEST(DetectableChange, IsAPercentageWhereThatTellsSomething) {
    EXPECT_EQ(detectable(0.042),
              "in Acme.Cart.Add(Item), 28.4 ms, changes from 4.2% upwards are found");
    EXPECT_EQ(detectable(3.1),
              "in Acme.Cart.Add(Item), 28.4 ms, changes from 310% upwards are found");
}

TEST(DetectableChange, IsNoneWhereRunsDifferTooMuch) {
    for (const double relative : {10.0, 8.2e17, std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(detectable(relative),
                  "in Acme.Cart.Add(Item), 28.4 ms, not even ten times as much would be found: "
                  "the runs differ too much");
    }
}

}  // namespace
}  // namespace umbra::cli
