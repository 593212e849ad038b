// SPDX-License-Identifier: MIT
#include "src/base/source_name.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "src/base/pattern.h"

namespace umbra {
namespace {

TEST(SourceName, IsWhatTheSourceCallsAMethod) {
    EXPECT_EQ(source_name("Acme.Orders.Handle"), "Acme.Orders.Handle");
    EXPECT_EQ(source_name("Acme.Orders.<Handle>d__3.MoveNext"), "Acme.Orders.Handle");
    EXPECT_EQ(source_name("Acme.Orders.<Handle>b__3_0"), "Acme.Orders.Handle.lambda");
    EXPECT_EQ(source_name("Acme.Orders.<>c.<Handle>b__3_0"), "Acme.Orders.Handle.lambda");
    EXPECT_EQ(source_name("Acme.Orders.<>c__DisplayClass1_0.<Handle>b__1"),
              "Acme.Orders.Handle.lambda");
    EXPECT_EQ(source_name("Acme.Orders.<Handle>g__Check|3_1"), "Acme.Orders.Handle.Check");
    EXPECT_EQ(source_name("Acme.Orders.<>c.<<Handle>b__0_1>d.MoveNext"),
              "Acme.Orders.Handle.lambda");
    EXPECT_EQ(source_name("Acme.Orders.<<Handle>g__Inner|0_0>d.MoveNext"),
              "Acme.Orders.Handle.Inner");
    EXPECT_EQ(source_name("Acme.Orders.get_Total"), "Acme.Orders.Total.get");
    EXPECT_EQ(source_name("Acme.Orders.set_Total"), "Acme.Orders.Total.set");
    EXPECT_EQ(source_name("Acme.Orders..ctor"), "Acme.Orders.Orders");
    EXPECT_EQ(source_name("Orders..ctor"), "Orders.Orders");
    EXPECT_EQ(source_name("Acme.Orders..cctor"), "Acme.Orders.Orders");
    EXPECT_EQ(source_name("Acme.Orders.Finalize"), "Acme.Orders.~Orders");
    EXPECT_EQ(source_name("Acme.Orders.<>c__DisplayClass1_0..ctor"), "Acme.Orders.closure.new");
    EXPECT_EQ(source_name("Acme.Orders.<Acme.ILoader.Load>d__2.MoveNext"),
              "Acme.Orders.Acme.ILoader.Load");
}

TEST(SourceName, LeavesOtherNamesAsTheyAre) {
    // An enumerator that somebody has written himself.
    EXPECT_EQ(source_name("Acme.Range.Steps.MoveNext"), "Acme.Range.Steps.MoveNext");
    EXPECT_EQ(source_name("Acme.Orders.getter"), "Acme.Orders.getter");
    EXPECT_EQ(source_name("Main"), "Main");
    EXPECT_EQ(source_name(""), "");
}

TEST(SourceName, TakesNamesThatNoCompilerMakes) {
    for (const char* name : {"<", "<>", ">", "<<", "<a", "a.<b.c", ".", "..", "<>.", "<>g__",
                             "<a>g__", "<a>g__|", "<<a>", "..ctor", "<a>b__.", "get_"}) {
        EXPECT_LE(source_name(name).size(), 2 * std::string(name).size() + 8) << name;
    }
}

TEST(WrittenName, IsThatOfTheSourceWhereAReportShowsMore) {
    for (const auto& [shown, in_metadata] :
         {std::pair("HelloShop.TaxTable.RateOf(Order)", "HelloShop.TaxTable.RateOf"),
          std::pair("HelloShop.Order.Country.get", "HelloShop.Order.get_Country"),
          std::pair("HelloShop.Program.WriteOrder.lambda#1(int)",
                    "HelloShop.Program.<>c.<WriteOrder>b__0_1"),
          std::pair("Acme.Cart<int>.Line.Sum<T>(Func<int, T>) [#2]", "Acme.Cart.Line.Sum"),
          std::pair("Acme.Cart.Cart(int, (int, string))", "Acme.Cart..ctor"),
          std::pair("static Acme.Cart.Cart()", "Acme.Cart..cctor"),
          std::pair("Acme.Cart.~Cart()", "Acme.Cart.Finalize"),
          std::pair("Acme.Cart.this[int].set", "Acme.Cart.set_Item"),
          std::pair("Acme.Cart.Id.init", "Acme.Cart.set_Id"),
          std::pair("Acme.Cart.closure.new()", "Acme.Cart.<>c__DisplayClass1_0..ctor"),
          std::pair("Acme.Orders.LoadAsync(int) [body]", "Acme.Orders.<LoadAsync>d__3.MoveNext"),
          std::pair("Program.Main(string[])", "Program.<Main>$")}) {
        EXPECT_EQ(written_name(shown), source_name(in_metadata)) << shown;
    }
}

TEST(WrittenName, LeavesPatternsAsTheyAre) {
    for (const char* pattern : {"Acme.*", "*!Acme.?art.*", "RateOf", "*", "", "Names.(+.)", "a<b",
                                "<PrivateImplementationDetails>.Throw", "Acme.Cart.operator <"}) {
        EXPECT_EQ(written_name(pattern), pattern);
    }
}

TEST(Pattern, TakesNamesAsTheyAreShownAndTheirEnds) {
    const auto takes = [](const char* pattern, const char* in_metadata, Pattern::Fit fit) {
        return Pattern(pattern).takes({in_metadata, source_name(in_metadata)}, fit);
    };
    using Fit = Pattern::Fit;
    EXPECT_TRUE(
        takes("HelloShop.TaxTable.RateOf(Order)", "HelloShop.TaxTable.RateOf", Fit::kExact));
    EXPECT_TRUE(takes("HelloShop.Order.Country.get", "HelloShop.Order.get_Country", Fit::kExact));
    EXPECT_TRUE(takes("HelloShop.Order.get_Country", "HelloShop.Order.get_Country", Fit::kExact));
    EXPECT_FALSE(takes("RateOf", "HelloShop.TaxTable.RateOf", Fit::kExact));
    EXPECT_TRUE(takes("RateOf", "HelloShop.TaxTable.RateOf", Fit::kPart));
    EXPECT_TRUE(takes("TaxTable.*", "HelloShop.TaxTable.RateOf", Fit::kPart));
    EXPECT_FALSE(takes("Table.*", "HelloShop.TaxTable.RateOf", Fit::kPart)) << "no dot before it";
    EXPECT_FALSE(takes("rateof", "HelloShop.TaxTable.RateOf", Fit::kPart));
    EXPECT_TRUE(takes("rateof", "HelloShop.TaxTable.RateOf", Fit::kAnyCase));
    EXPECT_TRUE(takes("helloshop.*", "HelloShop.TaxTable.RateOf", Fit::kAnyCase));
    EXPECT_FALSE(takes("helloshp.*", "HelloShop.TaxTable.RateOf", Fit::kAnyCase));
}

TEST(Pattern, NamesAMethodAlsoWithParameters) {
    EXPECT_TRUE(Pattern("Acme.Cart.Add(Item.Line?)").names_a_method());
    EXPECT_TRUE(Pattern("RateOf").names_a_method());
    EXPECT_FALSE(Pattern("Acme.Cart.*(int)").names_a_method());
    EXPECT_TRUE(Pattern("Acme.Money.operator !=(Money, Money)").matches_module("any.dll"));
}

}  // namespace
}  // namespace umbra
