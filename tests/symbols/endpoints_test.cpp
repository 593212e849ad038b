// SPDX-License-Identifier: MIT
// Which methods are found to be actions of controllers, on modules made by hand; what is mapped is
// in mapped_handlers_test.cpp.
#include "src/symbols/endpoints.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include <gtest/gtest.h>

#include "src/clr/metadata_schema.h"
#include "tests/symbols/made_module.h"

namespace umbra::symbols {
namespace {

using clr::mdToken;
using test::Content;
using test::MadeModule;

constexpr mdToken kBase = clr::token_of(clr::kTypeDef, 2);
constexpr mdToken kGet = clr::token_of(clr::kTypeRef, 1);
constexpr mdToken kPost = clr::token_of(clr::kTypeRef, 2);
constexpr mdToken kRoute = clr::token_of(clr::kTypeRef, 3);
constexpr mdToken kOther = clr::token_of(clr::kTypeRef, 4);

using Names = std::map<uint32_t, std::string>;

/// Two controllers, the second without a route of its own.
Names names_of(const std::vector<MadeModule::Attribute>& attributes) {
    const MadeModule module = {
        .assemblies = {"mvc"},
        .references = {{"Microsoft.AspNetCore.Mvc", "HttpGetAttribute", 1},
                       {"Microsoft.AspNetCore.Mvc", "HttpPostAttribute", 1},
                       {"Microsoft.AspNetCore.Mvc", "RouteAttribute", 1},
                       {"Acme", "HttpGetAttribute", 1}},
        .types = {{"", "<Module>", 0, {}},
                  {"Acme", "OrdersController", 0, {"List", "LoadAsync", "Add"}},
                  {"Acme", "Late", kBase, {"Show"}}},
        .attributes = attributes};
    Names names;
    const Content image = module.bytes();
    for (const Endpoint& one : endpoints(image)) {
        names[one.row] = one.name;
    }
    return names;
}

MadeModule::Attribute of_type(uint32_t type, const std::string& route) {
    return {type, kRoute, route, true};
}

TEST(Endpoints, AnActionsRouteBeginsWithThatOfItsController) {
    EXPECT_EQ(names_of({{1, kGet, ""},
                        {2, kGet, "{id}/[action]"},
                        of_type(2, "api/[controller]"),
                        {3, kPost, "/add"}}),
              (Names{{1, "GET /api/Orders"}, {2, "GET /api/Orders/{id}/Load"}, {3, "POST /add"}}));
}

TEST(Endpoints, ARouteIsInherited) {
    EXPECT_EQ(names_of({of_type(2, "base/[controller]"), {4, kGet, "x"}}),
              (Names{{4, "GET /base/Late/x"}}));
}

TEST(Endpoints, VerbAndRouteMayStandApart) {
    EXPECT_EQ(names_of({{1, kGet, ""}, {1, kRoute, "all"}}), (Names{{1, "GET /all"}}));
}

TEST(Endpoints, AMethodMayAnswerSeveral) {
    EXPECT_EQ(names_of({{1, kGet, "a"}, {1, kPost, "b"}}), (Names{{1, "GET /a, POST /b"}}));
    EXPECT_EQ(names_of({{1, kGet, "a"}, {1, kGet, "b"}}), (Names{{1, "GET /a, GET /b"}}));
}

TEST(Endpoints, AttributesOfOthersSayNothing) {
    EXPECT_EQ(names_of({{1, kOther, "a"}, {2, kRoute, "b"}}), Names());
}

TEST(Endpoints, RowsBehindTheLastAreNamelessWhateverTheFirstByteOfNamesIs) {
    Content image = MadeModule{.types = {{"", "<Module>", 0, {}}}}.bytes();
    constexpr std::string_view kName = "<Module>";
    const auto name = std::search(image.begin(), image.end(), kName.begin(), kName.end());
    ASSERT_NE(name, image.end());
    *std::prev(name) = 'x';
    EXPECT_TRUE(endpoints(image).empty());
}

TEST(Endpoints, AnyBytesAreAllowed) {
    EXPECT_TRUE(endpoints({}).empty());
    Content image = MadeModule{.types = {{"", "<Module>", 0, {}}}}.bytes();
    for (std::size_t size = 0; size < image.size(); size += 7) {
        (void)endpoints(clr::Bytes(image).first(size));
    }
}

}  // namespace
}  // namespace umbra::symbols
