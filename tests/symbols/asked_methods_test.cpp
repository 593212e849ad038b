// SPDX-License-Identifier: MIT
// What is said of a pattern that no method of a program matches.
#include "src/symbols/asked_methods.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace umbra::symbols
