// SPDX-License-Identifier: MIT
// Names of functions in less room than they need.
#include "src/cli/terminal/name_text.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "src/cli/terminal/text.h"

namespace umbra::cli {
namespace {

constexpr std::string_view kStore =
    "Store.Core.Index<TKey, TFunctions<TKey>>.Upsert<TInput>(ref TKey, ref TInput, out Status)";

TEST(ShortenedName, LeavesWhatFits) {
    EXPECT_EQ(shortened_name("Acme.Cart.Add(Item, int)", 24), "Acme.Cart.Add(Item, int)");
    EXPECT_EQ(shortened_name("", 4), "");
}

TEST(ShortenedName, LeavesOutParametersFirst) {
    EXPECT_EQ(shortened_name("Acme.Cart.Add(Item, int)", 23), "Acme.Cart.Add(Item..)");
    EXPECT_EQ(shortened_name("Acme.Cart.Add(Item, int)", 21), "Acme.Cart.Add(Item..)");
    EXPECT_EQ(shortened_name("Acme.Cart.Add(Item, int)", 17), "Acme.Cart.Add(..)");
}

TEST(ShortenedName, LeavesOutGenericArgumentsThenNamespaces) {
    EXPECT_EQ(shortened_name(kStore, 70),
              "Store.Core.Index<TKey, TFunctions<TKey>>.Upsert<TInput>(ref TKey, r..)");
    EXPECT_EQ(shortened_name(kStore, 58),
              "Store.Core.Index<..>.Upsert<..>(ref TKey, ref TInput, o..)");
    EXPECT_EQ(shortened_name(kStore, 34), "..Core.Index<..>.Upsert<..>(ref..)");
    EXPECT_EQ(shortened_name(kStore, 26), "..Index<..>.Upsert<..>(..)");
    EXPECT_EQ(shortened_name(kStore, 20), "..Upsert<..>(ref..)");
}

TEST(ShortenedName, KnowsWhatBelongsToAName) {
    EXPECT_EQ(shortened_name("Acme.Money.operator <<(Money, int)", 24), "..Money.operator <<(M..)");
    EXPECT_EQ(shortened_name("Acme.Shelf.this[Acme.Key, int].get", 31),
              "..Shelf.this[Acme.Key, int].get");
    EXPECT_EQ(shortened_name("Acme.Program.<Main>(string[])", 22), "..Program.<Main>(st..)");
    EXPECT_EQ(shortened_name("Acme.Cart.Add(Item, (int, string)) [body]", 24),
              "Acme.Cart.Add(..) [body]");
    EXPECT_EQ(shortened_name("Acme.Cart.Add(Item, int[]) [app.dll, copy 2]", 34),
              "..Cart.Add(It..) [app.dll, copy 2]");
    EXPECT_EQ(shortened_name("Acme.Cart.Add(Item) [#2] [body]", 27), "..Cart.Add(I..) [#2] [body]");
    EXPECT_EQ(shortened_name("Acme.Cart.Total.get [copy 2]", 24), "..Total.get [copy 2]");
    EXPECT_EQ(shortened_name("Acme.Text.Encoding", 12), "..t.Encoding");
    EXPECT_EQ(shortened_name("(paused: gc of generation 2, asked for by it)", 20),
              "(paused: ..or by it)");
    EXPECT_EQ(shortened_name("(compiling Acme.Cart.Add(Item, int))", 32),
              "(compiling Acme.Cart.Add(Ite..))");
    EXPECT_EQ(shortened_name("(compiling Acme.Web.Cart<int>.Add(Item, int))", 30),
              "(compiling ..Cart<..>.Add(..))");
    EXPECT_EQ(shortened_name("(compiling Acme.Cart.Add(Item, int))", 20), "(compilin..em, int))");
}

TEST(ShortenedName, IsNeverWiderThanItsRoom) {
    for (const std::string_view name :
         {kStore, std::string_view("a.b(c) [body]"), std::string_view("(("), std::string_view("))"),
          std::string_view("<<<.>.>("), std::string_view("x.operator <"), std::string_view(" ()"),
          std::string_view(
              "\xe6\xb3\xa8.\xe6\x96\x87<\xe6\x96\x87>.e\xcc\x81(\xe6\x96\x87\xe6\x96\x87)"),
          std::string_view("a\nb.c\xff(\xff)"), std::string_view("....()")}) {
        for (std::size_t columns = 0; columns < 100; ++columns) {
            EXPECT_LE(width(shortened_name(name, columns)), columns) << name;
        }
    }
}

}  // namespace
}  // namespace umbra::cli
