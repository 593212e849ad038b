// SPDX-License-Identifier: MIT
#include "src/base/command_line.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace umbra {
namespace {

/// As /proc/PID/cmdline has them.
std::string proc_text(const std::vector<std::string>& arguments) {
    std::string text;
    for (const std::string& argument : arguments) {
        text += argument + '\0';
    }
    return text;
}

TEST(CommandLine, WhatNeedsNoQuotesHasNone) {
    EXPECT_EQ(line_of_arguments(proc_text({"dotnet", "/srv/shop.dll", "--port=\"5\"", "a\\b"})),
              "dotnet /srv/shop.dll --port=\"5\" a\\b");
    EXPECT_EQ(line_of_arguments(""), "");
}

TEST(CommandLine, BlanksAndQuotesStayWithinTheirArgument) {
    EXPECT_EQ(line_of_arguments(proc_text({"/srv/My App", "", "it's"})),
              "'/srv/My App' '' 'it'\\''s'");
}

TEST(CommandLine, AWordToBeTyped) {
    EXPECT_EQ(shell_word("out/app-2.h5"), "out/app-2.h5");
    EXPECT_EQ(shell_word("my app.h5"), "'my app.h5'");
    EXPECT_EQ(shell_word("Ann's.h5"), "'Ann'\\''s.h5'");
    EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
    EXPECT_EQ(shell_word(""), "''");
}

TEST(CommandLine, AProgramIsCalledWithoutTheEndingOfItsAssembly) {
    EXPECT_EQ(without_extension("Acme.Web.dll"), "Acme.Web");
    EXPECT_EQ(without_extension("old.exe"), "old");
    EXPECT_EQ(without_extension("Acme.Web"), "Acme.Web");
    EXPECT_EQ(without_extension(""), "");
}

TEST(CommandLine, TheLastArgumentMayBeCutOff) {
    EXPECT_EQ(line_of_arguments(std::string_view("a\0b c", 5)), "a 'b c'");
}

TEST(CommandLine, ALineHasTheArgumentsItWasMadeOf) {
    std::mt19937 random(4711);
    for (int round = 0; round < 2'000; ++round) {
        std::vector<std::string> arguments(random() % 5);
        for (std::string& argument : arguments) {
            for (size_t length = random() % 6; length > 0; --length) {
                argument += "ab '\\\"\t\n"[random() % 8];
            }
        }
        const std::string line = line_of_arguments(proc_text(arguments));
        EXPECT_EQ(arguments_of_line(line), arguments) << line;
    }
}

TEST(CommandLine, AnyTextIsTakenApart) {
    EXPECT_EQ(arguments_of_line(" dotnet  shop.dll "),
              (std::vector<std::string>{"dotnet", "shop.dll"}));
    EXPECT_EQ(arguments_of_line("it's never closed"), std::vector<std::string>{"its never closed"});
    EXPECT_EQ(arguments_of_line("\\"), std::vector<std::string>{"\\"});
    EXPECT_TRUE(arguments_of_line(" \t\n").empty());
}

}  // namespace
}  // namespace umbra
