// SPDX-License-Identifier: MIT
// Which methods the options of a command line ask for.
#include "src/cli/record/asked_outcome.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/base/pattern.h"

namespace umbra::cli {
namespace {

TEST(AskedPatterns, HaveTheMethodsThatEachOptionNames) {
    protocol::Welcome settings;
    settings.include = {"Acme.Load"};
    settings.also = {"Acme.Load"};
    settings.slowest = {"Acme.Load=3", "Acme.Load"};
    settings.arguments = {"Acme.Load(id)", " Acme.Load ( id, return )"};
    std::vector<std::string> options;
    for (const symbols::AskedPattern& asked : asked_patterns(settings)) {
        options.push_back(asked.option);
        EXPECT_TRUE(asked.methods.takes({"Acme.Load", "Acme.Load"}, Pattern::Fit::kExact))
            << asked.text;
        EXPECT_FALSE(asked.met);
    }
    EXPECT_EQ(options, (std::vector<std::string>{"--include", "--also", "--slowest", "--slowest",
                                                 "--args", "--args"}));
}

}  // namespace
}  // namespace umbra::cli
