// SPDX-License-Identifier: MIT
// What is said of a pattern that no method of a program matches.
#include "src/symbols/asked_methods.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace umbra::symbols {
namespace {

std::string unmet(const std::string& text) {
    const std::vector<MethodList> read = {
        {.module = "hello-shop.dll", .names = {"HelloShop.Order.Total", "HelloShop.Cart.Add"}}};
    return unmet_text({.option = "--include", .text = text, .methods = Pattern(text)}, read);
}

TEST(AskedMethods, ThatNothingMatchesAreToldWithWhatComesNearest) {
    EXPECT_EQ(unmet("HelloShp.*"),
              "--include 'HelloShp.*' matches none of the 2 methods of hello-shop.dll; nearest: "
              "HelloShop.*");
    EXPECT_EQ(unmet("Acme.*"),
              "--include 'Acme.*' matches none of the 2 methods of hello-shop.dll");
}

TEST(AskedMethods, OfTheNameOfAModuleTheFileIsTheNearest) {
    EXPECT_EQ(unmet("Hello-Shop"),
              "--include 'Hello-Shop' matches none of the 2 methods of hello-shop.dll; nearest: "
              "hello-shop.dll");
}

TEST(AskedMethods, OfAFolderTheProgramsOwnAssembliesComeFirstHoweverManyThereAre) {
    const test::TemporaryFolder folder;
    for (int number = 0; number < 200; ++number) {
        std::ofstream(folder.path() / fmt::format("System.Part{}.dll", number));
    }
    for (const char* name : {"zoo.dll", "acme.dll", "Microsoft.CSharp.dll", "zoo.pdb"}) {
        std::ofstream(folder.path() / name);
    }
    const std::vector<std::string> found = assemblies_in(folder.path());
    ASSERT_EQ(found.size(), 203U);
    EXPECT_EQ(found[0], folder.path() / "acme.dll");
    EXPECT_EQ(found[1], folder.path() / "zoo.dll");
    EXPECT_EQ(found[2], folder.path() / "Microsoft.CSharp.dll");
}

}  // namespace
}  // namespace umbra::symbols
