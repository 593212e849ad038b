// SPDX-License-Identifier: MIT
#include "src/symbols/source_lines.h"

#include <unistd.h>

#include <gtest/gtest.h>

#include "src/clr/metadata_schema.h"
#include "tests/support/temporary_folder.h"
#include "tests/symbols/made_module.h"
#include "tests/symbols/made_symbols.h"

namespace umbra::symbols {
namespace {

using test::kBuild;
using test::MadeImage;
using test::MadePdb;
using test::write_file;

class SourceLinesOf : public testing::Test {
  protected:
    /// app.dll, whose first method begins in this line.
    void build(uint32_t line) {
        const MadePdb pdb{.id = kBuild,
                          .documents = {{"", "src", "Shop.cs"}},
                          .methods = {{.document = 1, .line = line}},
                          .state_machines = {},
                          .methods_of_image = 1};
        write_file(folder_.file("app.dll"),
                   MadeImage{.id = kBuild, .embedded = pdb.bytes()}.bytes());
    }
    /// A profile of a process with the first methods of app.dll.
    profile::Profile of_methods(uint32_t pid, uint32_t methods) {
        profile::Profile profile;
        profile.session.pid = pid;
        profile.modules.emplace_back().path = folder_.file("app.dll");
        for (uint32_t row = 1; row <= methods; ++row) {
            profile::Function& method = profile.functions.emplace_back();
            method.module = 0;
            method.token = clr::token_of(clr::kMethodDef, row);
        }
        return profile;
    }
    /// Of that method, in a new profile of the process.
    profile::Function described(uint32_t pid) {
        profile::Profile profile = of_methods(pid, 1);
        lines_.add_to(profile);
        return profile.functions[0];
    }

    umbra::test::TemporaryFolder folder_;
    SourceLines lines_{{}};
    const uint32_t pid_ = static_cast<uint32_t>(getpid());
};

TEST_F(SourceLinesOf, AModuleIsReadOnceForEachProcess) {
    build(33);
    EXPECT_EQ(described(pid_).line, 33U);
    EXPECT_EQ(described(pid_).file, "/src/Shop.cs");
    build(44);
    EXPECT_EQ(described(pid_).line, 33U) << "what the process has loaded";
    const uint32_t other = static_cast<uint32_t>(getppid());
    EXPECT_EQ(described(other).line, 44U);
}

// Code made at run time may have inlined what starts it, so that nobody has seen that.
TEST_F(SourceLinesOf, AnAsyncEndpointIsKnownByItsStateMachine) {
    const auto reference = [](uint32_t row) { return clr::token_of(clr::kTypeRef, row); };
    const test::MadeModule module = {
        .assemblies = {"mvc"},
        .references = {{"Microsoft.AspNetCore.Mvc", "HttpGetAttribute", 1},
                       {"System.Runtime.CompilerServices", "AsyncStateMachineAttribute", 1}},
        .types = {{"", "<Module>", 0, {}},
                  {"Acme", "Shop", 0, {"List", "Load"}},
                  {"", "<Load>d__1", 0, {"MoveNext"}, 2},
                  {"Acme", "Other", 0, {}},
                  {"", "<Load>d__1", 0, {"MoveNext"}, 4}},
        .attributes = {{2, reference(1), "load"}, {2, reference(2), "Acme.Shop+<Load>d__1"}}};
    write_file(folder_.file("app.dll"), module.bytes());
    profile::Profile profile = of_methods(pid_, 4);
    for (profile::Function& method : profile.functions) {
        method.instrumented = true;
    }
    lines_.add_to(profile);
    EXPECT_EQ(profile.functions[0].endpoint, "");
    EXPECT_EQ(profile.functions[1].endpoint, "GET /load");
    EXPECT_EQ(profile.functions[2].endpoint, "GET /load");
    EXPECT_EQ(profile.functions[3].endpoint, "");
}

// Else a script that starts a program a thousand times has a thousand copies of its lines in
// memory.
TEST_F(SourceLinesOf, WhatWasReadForAProcessIsForgottenAfterItsEnd) {
    build(33);
    EXPECT_EQ(described(pid_).line, 33U);
    build(44);
    lines_.forget(static_cast<uint32_t>(getppid()));
    EXPECT_EQ(described(pid_).line, 33U) << "another process has ended";
    lines_.forget(pid_);
    EXPECT_EQ(described(pid_).line, 44U);
}

// The process ended before it had told them.
TEST_F(SourceLinesOf, NamesThatAreMissingComeFromTheModule) {
    const test::MadeModule made{
        .types = {{.namespace_ = "Acme", .name = "Cart", .methods = {"Add"}}}};
    write_file(folder_.file("app.dll"), made.bytes());
    profile::Profile profile;
    profile.session.pid = pid_;
    profile.modules.emplace_back().path = folder_.file("app.dll");
    profile.functions.resize(3);
    for (uint32_t row = 0; row < profile.functions.size(); ++row) {
        profile::Function& function = profile.functions[row];
        function.name = "as it was";
        function.module = 0;
        function.token = clr::token_of(clr::kMethodDef, row == 1 ? 2 : 1);
    }
    profile.functions[2].method = "known";
    described(pid_);  // the module has been read before, without a name in question
    lines_.add_to(profile);
    EXPECT_EQ(profile.functions[0].name, "Acme.Cart.Add");
    EXPECT_EQ(profile.functions[0].type, "Cart");
    EXPECT_EQ(profile.functions[1].name, "as it was") << "the module has no such method";
    EXPECT_EQ(profile.functions[2].name, "as it was");
}

TEST_F(SourceLinesOf, AModuleOfWhichNothingWasTimedIsNotRead) {
    build(33);
    profile::Profile profile = of_methods(pid_, 1);
    profile::Function& compiled = profile.functions[0];
    compiled.method = "Add";
    lines_.add_to(profile);
    EXPECT_EQ(compiled.line, 0U);
    compiled.instrumented = true;
    lines_.add_to(profile);
    EXPECT_EQ(compiled.line, 33U);
}

TEST_F(SourceLinesOf, MethodsThatTakeALockAreKnown) {
    const test::MadeModule made{
        .types = {{.namespace_ = "Acme", .name = "Gate", .methods = {"Free", "Waits", "Last"}}},
        .synchronized = {2}};
    write_file(folder_.file("app.dll"), made.bytes());
    profile::Profile profile = of_methods(pid_, 4);
    lines_.add_to(profile);
    for (const profile::Function& function : profile.functions) {
        EXPECT_EQ(function.synchronized, clr::row_in(function.token) == 2) << function.name;
    }
}

}  // namespace
}  // namespace umbra::symbols
