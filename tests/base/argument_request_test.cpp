// SPDX-License-Identifier: MIT
#include "src/base/argument_request.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace umbra {
namespace {

std::string names(std::string_view text) {
    const auto request = parse_argument_request(text);
    if (!request) {
        return request.error().context;
    }
    std::string all;
    for (const ArgumentName& name : request->values) {
        all += '[' + name.source + (name.member.empty() ? "" : '|' + name.member) + ']';
    }
    return all;
}

TEST(ArgumentRequest, NamesParametersPartsAndWhatIsGivenBack) {
    EXPECT_EQ(names("Acme.Orders.Load(id)"), "[id]");
    EXPECT_EQ(names(" Acme.Orders.Load ( id , items.Length,map.Count, return.Length,return ) "),
              "[id][items|Length][map|Count][return|Length][return]");
}

TEST(ArgumentRequest, IsAPatternLikeAnyOther) {
    const auto request = parse_argument_request("shop!Acme.*.Load(id)");
    ASSERT_TRUE(request);
    EXPECT_TRUE(request->methods.matches_module("shop.dll"));
    EXPECT_FALSE(request->methods.matches_module("other.dll"));
    EXPECT_TRUE(
        request->methods.takes({"Acme.Orders.Load", "Acme.Orders.Load"}, Pattern::Fit::kExact));
    EXPECT_FALSE(request->methods.takes({"Acme.Orders.LoadAll", "Acme.Orders.LoadAll"},
                                        Pattern::Fit::kExact));
    EXPECT_FALSE(request->many_methods) << "the wildcard is in the type";
    EXPECT_TRUE(parse_argument_request("Acme.Orders.Load*(id)")->many_methods);
    EXPECT_TRUE(parse_argument_request("*(id)")->many_methods);
    EXPECT_TRUE(
        parse_argument_request(R"(Zero\u200bWidth.Load(id))")
            ->methods.takes({"Zero\u200bWidth.Load", "Zero\u200bWidth.Load"}, Pattern::Fit::kExact))
        << "as a report writes the character";
}

TEST(ArgumentRequest, SaysWhatToWriteInstead) {
    for (const char* text : {"", "Load", "Load(", "Load)", "(id)", " (id)", "Load(id"}) {
        EXPECT_NE(names(text).find("names no arguments: write METHOD(name"), std::string::npos)
            << text;
    }
    for (const char* text : {"Load()", "Load(,)", "Load(id,)", "Load(.Length)", "Load(id.)",
                             "Load(id.Size)", "Load(a.b.Length)"}) {
        EXPECT_NE(names(text).find("names no argument: write a parameter"), std::string::npos)
            << text;
    }
    std::string many = "Load(a";
    for (int i = 0; i < 16; ++i) {
        many += ",a";
    }
    EXPECT_NE(names(many + ")").find("more than 16"), std::string::npos);
}

TEST(ArgumentRequest, AnyTextIsReadWithoutHarm) {
    constexpr std::string_view kPieces[] = {"(", ")",      ",",      ".", " ",
                                            "a", "Length", "return", "*", "!"};
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (auto piece = random() % 12; piece > 0; --piece) {
            text += kPieces[random() % std::size(kPieces)];
        }
        const auto request = parse_argument_request(text);
        EXPECT_TRUE(request ? !request->values.empty() : !request.error().context.empty()) << text;
    }
}

}  // namespace
}  // namespace umbra
