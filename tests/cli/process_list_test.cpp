// SPDX-License-Identifier: MIT
#include "src/cli/process_list.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/cli/named_process.h"

namespace umbra::cli {
namespace {

ListedProcess process(pid_t pid, std::string_view profiler) {
    ListedProcess listed;
    listed.pid = pid;
    listed.user = "shop";
    listed.own = true;
    listed.runtime = "10.0.12";
    listed.architecture = "x64";
    listed.profiler = profiler;
    listed.command_line = "dotnet shop.dll --port 5000";
    return listed;
}

TEST(ProcessTable, HasARowForEachProcess) {
    std::vector<ListedProcess> list = {process(71, "none"), process(4711, "another")};
    list[1].library = "/opt/other/libother.so";
    EXPECT_EQ(process_table(list, false, 0),
              " pid  runtime  profiler              command\n"
              "  71  10.0.12  none                  dotnet shop.dll --port 5000\n"
              "4711  10.0.12  another: libother.so  dotnet shop.dll --port 5000\n");
}

TEST(ProcessTable, UsersShowWhereTheyDiffer) {
    std::vector<ListedProcess> list = {process(71, "none"), process(72, "dormant")};
    list[1].user = "root";
    list[1].own = false;
    EXPECT_EQ(process_table(list, false, 0),
              "pid  user  runtime  profiler  command\n"
              " 71  shop  10.0.12  none      dotnet shop.dll --port 5000\n"
              " 72  root  10.0.12  dormant   dotnet shop.dll --port 5000\n");
}

TEST(ProcessTable, CommandsAreCutToTheTerminal) {
    EXPECT_EQ(process_table({process(71, "none")}, false, 46),
              "pid  runtime  profiler  command\n"
              " 71  10.0.12  none      dotnet sho..-port 5000\n");
    // A terminal that is too narrow for the rest shows something of each all the same.
    EXPECT_EQ(process_table({process(71, "none")}, false, 5),
              "pid  runtime  profiler  command\n"
              " 71  10.0.12  none      dotnet ..rt 5000\n");
}

TEST(ProcessTable, WhatCannotBeProfiledSaysWhy) {
    std::vector<ListedProcess> list = {process(71, "unknown")};
    list[0].runtime.clear();
    list[0].obstacle = "process 71 belongs to shop";
    EXPECT_EQ(process_table(list, true, 0),
              "pid  runtime  profiler  command\n"
              " 71  -        unknown   dotnet shop.dll --port 5000\n"
              "     belongs to shop\n");
    EXPECT_EQ(process_table(list, false, 0),
              "pid  runtime  profiler  command\n"
              " 71  -        unknown   dotnet shop.dll --port 5000\n");
}

TEST(ProcessJson, HasEveryField) {
    const auto json = nlohmann::json::parse(process_json({process(71, "dormant")}));
    ASSERT_EQ(json.size(), 1U);
    EXPECT_EQ(json[0]["pid"], 71);
    EXPECT_EQ(json[0]["profiler"], "dormant");
    EXPECT_EQ(json[0]["runtime"], "10.0.12");
    EXPECT_EQ(json[0]["command_line"], "dotnet shop.dll --port 5000");
    EXPECT_EQ(process_json({}), "[]\n");
}

TEST(ProcessNamed, IsMeantByTheNameOfItsProgram) {
    std::vector<ListedProcess> list = {process(71, "none"), process(72, "none")};
    list[1].command_line = "/srv/mail/Mail-Server --fast";
    for (const char* name : {"shop", "shop.dll", "Shop"}) {
        EXPECT_EQ(process_named(name, list).value(), 71) << name;
    }
    EXPECT_EQ(process_named("mail-server", list).value(), 72);
    EXPECT_EQ(process_named("4711").value(), 4711);
    EXPECT_EQ(process_named("shp", list).error().context,
              "there is no .NET process called 'shp'; is 'shop' meant?");
    EXPECT_EQ(process_named("bank", {}).error().context,
              "there is no .NET process called 'bank'; 'umbra ps' finds none that runs");
}

TEST(ProcessNamed, ABlankIsAPartOfTheName) {
    std::vector<ListedProcess> list = {process(71, "none"), process(72, "none")};
    list[0].command_line = "'/srv/our apps/My App' --fast";
    list[1].command_line = "dotnet '/srv/our apps/J\u00fcrgen\u2019s Shop.dll' x.dll";
    EXPECT_EQ(process_named("My App", list).value(), 71);
    EXPECT_EQ(process_named("J\u00fcrgen\u2019s Shop", list).value(), 72);
}

TEST(ProcessNamed, TheProgramOfDotnetStandsBehindItsOptions) {
    std::vector<ListedProcess> list = {process(71, "none"), process(72, "none")};
    list[0].command_line =
        "/usr/bin/dotnet exec --depsfile a.deps.json --fx-version 10.0.0 Shop.dll b.dll";
    list[1].command_line = "dotnet run -e DOTNET_STARTUP_HOOKS=/opt/Hook.dll --project mail";
    EXPECT_EQ(process_named("Shop", list).value(), 71);
    EXPECT_EQ(process_named("dotnet", list).value(), 72);
    EXPECT_FALSE(process_named("Hook", list));
}

TEST(ProcessNamed, OfSeveralIsRefused) {
    const std::vector<ListedProcess> list = {process(71, "none"), process(72, "none")};
    EXPECT_EQ(
        process_named("shop", list).error().context,
        "'shop' fits 2 processes: 71 (dotnet shop.dll --port 5000), 72 (dotnet shop.dll --port "
        "5000); say which by its number");
}

TEST(ProcessNamed, WhatIsExactlyCalledThatWins) {
    std::vector<ListedProcess> list = {process(71, "none"), process(72, "none")};
    list[1].command_line = "dotnet Shop.dll";
    EXPECT_EQ(process_named("Shop", list).value(), 72);
}

}  // namespace
}  // namespace umbra::cli
