// SPDX-License-Identifier: MIT
// Tests of display names, on names the C#, F# and Visual Basic compilers made.

#include "src/profile/names/display_name.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "src/base/utf8.h"
#include "src/profile/names/seen_text.h"

namespace umbra::profile {
namespace {

Function shown(const RawName& raw) {
    Function function;
    set_display_name(raw, function);
    return function;
}

/// What a name is made of and how it reads, then what most names have not; see RawName.
struct Case {
    const char* space;
    const char* type;
    const char* method;
    const char* parameters;
    const char* name;
    const char* user_parameters = "";
    const char* arguments = "";
    const char* result = "";
    bool is_static = false;
};

const Case kCases[] = {
    // plain methods and types
    {"Acme.Store", "Cart", "Add", "(Item, int)", "Acme.Store.Cart.Add(Item, int)", "", "", "void"},
    {"Acme.Store", "Cart<int>", "Add", "(Item, int)", "Acme.Store.Cart<int>.Add(Item, int)"},
    {"Acme", "Cart<int>+Line+Deep<string>", "Sum", "()", "Acme.Cart<int>.Line.Deep<string>.Sum()"},
    {"", "Program", "Run", "(string, T)", "Program.Run<string, T>(string, T)", "", "<string, T>"},
    {"Acme", "Cart", "Unknown", "", "Acme.Cart.Unknown"},
    {"Acme", "Sig", "A", "(int*, ref int, int[][,], delegate*<int, void>)",
     "Acme.Sig.A(int*, ref int, int[][,], delegate*<int, void>)"},
    {"Acme", "Map<(int, string), List<Pair<int>>>", "Get", "()",
     "Acme.Map<(int, string), List<Pair<int>>>.Get()"},
    // constructors and finalizers
    {"Acme", "Cart", ".ctor", "(int)", "Acme.Cart.Cart(int)"},
    {"Acme", "Cart<T>", ".ctor", "()", "Acme.Cart<T>.Cart()"},
    {"Acme", "Outer+Inner", ".ctor", "()", "Acme.Outer.Inner.Inner()"},
    {"Acme", "Cart", ".cctor", "()", "static Acme.Cart.Cart()"},
    {"Acme", "Cart<T>", "Finalize", "()", "Acme.Cart<T>.~Cart()"},
    {"Acme", "Cart", "Finalize", "(bool)", "Acme.Cart.Finalize(bool)"},
    // properties and events
    {"Acme", "Cart", "get_Total", "()", "Acme.Cart.Total.get"},
    {"Acme", "Cart", "set_Total", "(int)", "Acme.Cart.Total.set"},
    {"Acme", "Cart", "get_Item", "(int, string)", "Acme.Cart.this[int, string].get"},
    {"Acme", "Cart", "set_Item", "(int, Map<int, int>, T)",
     "Acme.Cart.this[int, Map<int, int>].set"},
    {"Acme", "Cart", "get_Item", "()", "Acme.Cart.Item.get"},
    {"System", "String", "get_Chars", "(int)", "System.String.Chars[int].get"},
    {"Acme", "Cart", "add_Sold", "(Action)", "Acme.Cart.Sold.add"},
    {"Acme", "Cart", "remove_Sold", "(Action)", "Acme.Cart.Sold.remove"},
    {"Acme", "Cart", "get_", "()", "Acme.Cart.get_()"},
    {"Acme", "Cart", "set_Id", "(int)", "Acme.Cart.Id.init", "", "", "void modreq(IsExternalInit)"},
    {"Acme", "Cart", "set_Item", "(int, int)", "Acme.Cart.this[int].init", "", "",
     "void modreq(IsExternalInit)"},
    {"Acme", "Texts", "get_Size", "(string)", "Acme.Texts.Size.get", "", "", "int", true},
    {"Acme", "Texts", "set_Size", "(string, int)", "Acme.Texts.Size.set", "", "", "void", true},
    // operators
    {"Acme", "Money", "op_Addition", "(Money, Money)", "Acme.Money.operator +(Money, Money)", "",
     "", "Money"},
    {"Acme", "Money", "op_CheckedAddition", "(Money, int)",
     "Acme.Money.operator checked +(Money, int)", "", "", "Money"},
    {"Acme", "Money", "op_UnsignedRightShift", "(Money, int)",
     "Acme.Money.operator >>>(Money, int)"},
    {"Acme", "Money", "op_AdditionAssignment", "(int)", "Acme.Money.operator +=(int)"},
    {"Acme", "Money", "op_IncrementAssignment", "()", "Acme.Money.operator ++()"},
    {"Acme", "Money", "op_True", "(Money)", "Acme.Money.operator true(Money)"},
    {"Acme", "Money", "op_Explicit", "(Money)", "Acme.Money.explicit operator int(Money)", "", "",
     "int"},
    {"Acme", "Money", "op_CheckedExplicit", "(Money)",
     "Acme.Money.explicit operator checked int(Money)", "", "", "int"},
    {"Acme", "Money", "op_Implicit", "(Money)", "Acme.Money.implicit operator string(Money)", "",
     "", "string"},
    {"Acme", "Money", "op_Implicit", "(Money)", "Acme.Money.implicit operator(Money)"},
    {"Acme", "Shop", "op_PlusDot", "(int, int)", "Acme.Shop.(+.)(int, int)"},
    {"Acme", "Shop", "op_BarGreaterGreater", "(int)", "Acme.Shop.(|>>)(int)"},
    {"Acme", "Shop", "op_GreaterGreaterEquals", "(int)", "Acme.Shop.(>>=)(int)"},
    {"Acme", "Shop", "op_TwiddlePlus", "(int)", "Acme.Shop.(~+)(int)"},
    {"Acme", "Shop", "op_PipeRight", "(int)", "Acme.Shop.(|>)(int)"},
    {"Acme", "Shop", "op_PlusTwo", "(int)", "Acme.Shop.op_PlusTwo(int)"},
    {"Acme", "Shop", "op_", "(int)", "Acme.Shop.op_(int)"},
    // explicit interface implementations
    {"Acme", "Cart<T>", "Acme.Store.IShop<T>.Buy", "(T)", "Acme.Cart<T>.IShop<T>.Buy(T)"},
    {"Acme", "Cart", "System.IDisposable.Dispose", "()", "Acme.Cart.IDisposable.Dispose()"},
    {"Acme", "Cart", "Acme.IShop<T>.get_Price", "()", "Acme.Cart.IShop<T>.Price.get"},
    {"Acme", "L", "System.Collections.IList.get_Item", "(int)", "Acme.L.IList.this[int].get"},
    {"Acme", "N", "System.IAdd<System.Int32,Acme.N>.op_Addition", "(N, N)",
     "Acme.N.IAdd<int, N>.operator +(N, N)"},
    {"Acme", "N", "IAdd<System.Int32[,],Acme.N>.Add", "()", "Acme.N.IAdd<int[,], N>.Add()"},
    // lambdas
    {"Acme", "Cart<T>+<>c", "<Add>b__30_0", "(int)", "Acme.Cart<T>.Add.lambda(int)"},
    {"Acme", "Cart<T>+<>c", "<Add>b__30_2", "(int)", "Acme.Cart<T>.Add.lambda#2(int)"},
    {"Acme", "Cart+<>c__DisplayClass3_0", "<Add>b__1", "()", "Acme.Cart.Add.lambda#1()"},
    {"Acme", "Cart", "<Add>b__3_0", "()", "Acme.Cart.Add.lambda()"},
    {"Acme", "Cart", "<Add>b__3_1#2", "()", "Acme.Cart.Add.lambda#1()"},
    {"Acme", "Cart+<>c__36<string>", "<Gen>b__36_0", "()", "Acme.Cart.Gen<string>.lambda()"},
    {"Acme", "Cart+<>c", "<.ctor>b__1_0", "()", "Acme.Cart.Cart.lambda()"},
    {"Acme", "Cart+<>c", "<get_Total>b__35_0", "()", "Acme.Cart.Total.get.lambda()"},
    {"Acme", "Cart+<>c", "<Acme.IShop<T>.Buy>b__2_0", "()", "Acme.Cart.IShop<T>.Buy.lambda()"},
    {"", "Program+<>c", "<<Main>$>b__0_1", "(int)", "Program.Main.lambda#1(int)"},
    {"Acme", "Cart+<>c", ".cctor", "()", "static Acme.Cart.closure.new()"},
    {"Acme", "Cart+<>c__DisplayClass3_0", ".ctor", "()", "Acme.Cart.closure.new()"},
    {"Acme", "Cart", "<Gen>b__3_0", "(U)", "Acme.Cart.Gen<U>.lambda(U)", "", "<U>"},
    // local functions
    {"Acme", "Cart", "<Gen>g__Pair|3_0", "(A, double)",
     "Acme.Cart.Gen<U>.Pair<A, double>(A, double)", "", "<U>.<A, double>"},
    {"Acme", "Cart", "<Gen>g__Pair|3_0", "()", "Acme.Cart.Gen<A<int>.B>.Pair()", "", "<A<int>.B>."},
    {"Acme", "Cart", "<Gen>g__Pair|3_0", "()", "Acme.Cart.Gen.Pair<A<int>.B>()", "", "<A<int>.B>"},
    {"Acme", "Cart", "<Add>g__Check|30_4", "(int)", "Acme.Cart.Add.Check(int)"},
    {"Acme", "Cart", "<Add>g__Check|30_4", "(V)", "Acme.Cart.Add.Check<V>(V)", "", "<V>"},
    {"Acme", "Cart", "<Add>g__Check|3_0", "(int, ref Cart.<>c__DisplayClass3_0)",
     "Acme.Cart.Add.Check(int)"},
    {"Acme", "Cart+<>c__DisplayClass3_0", "<Add>g__Deep|9", "(int)", "Acme.Cart.Add.Deep(int)"},
    {"", "Program", "<<Main>$>g__Local|0_2", "(int)", "Program.Main.Local(int)"},
    {"Acme", "C", "<<M>g__Outer|0_0>g__Inner|0_1", "()", "Acme.C.M.Outer.Inner()"},
    // async methods and iterators
    {"Acme", "Cart+<AddAsync>d__3", "MoveNext", "()", "Acme.Cart.AddAsync(Item)", "(Item)"},
    {"Acme", "Cart<int>+<Fire>d__26<string>", "MoveNext", "()",
     "Acme.Cart<int>.Fire<string>(string)", "(string)"},
    {"Acme", "Cart+<AddAsync>d__3", "MoveNext", "()", "Acme.Cart.AddAsync"},
    {"Acme", "Cart+<AddAsync>d__3", "SetStateMachine", "(IAsyncStateMachine)",
     "Acme.Cart.AddAsync.SetStateMachine(IAsyncStateMachine)"},
    {"Acme", "Cart+<Iter>d__3", ".ctor", "(int)", "Acme.Cart.Iter.new(int)"},
    {"Acme", "Cart+<Iter>d__3", "<>m__Finally1", "()", "Acme.Cart.Iter.finally()"},
    {"Acme", "Cart+<Iter>d__3", "System.Collections.Generic.IEnumerator<System.Int32>.get_Current",
     "()", "Acme.Cart.Iter.IEnumerator<int>.Current.get"},
    {"Acme", "Cart+<>c+<<AddAsync>b__24_0>d", "MoveNext", "()", "Acme.Cart.AddAsync.lambda()",
     "()"},
    {"Acme", "Cart+<>c__24<T>+<<Gen>b__24_0>d", "MoveNext", "()", "Acme.Cart.Gen<T>.lambda()",
     "()"},
    {"Acme", "Cart+<<Gen>g__Local|4_0>d<T, V>", "MoveNext", "()", "Acme.Cart.Gen<T>.Local<V>(V)",
     "(V)", "<T>.<V>"},
    {"Acme", "Cart+<>c+<<Gen>b__24_0>d<T>", "MoveNext", "()", "Acme.Cart.Gen<T>.lambda()", "()"},
    {"Acme", "Cart+<>c__DisplayClass30_0+<<Run>g__Local|6>d", "MoveNext", "()",
     "Acme.Cart.Run.Local(int)", "(int)"},
    {"", "Program+<<<Main>$>g__Local|0_2>d", "MoveNext", "()", "Program.Main.Local()", "()"},
    {"", "Program+<<Main>$>d__0", "MoveNext", "()", "Program.Main(string[])", "(string[])"},
    {"Acme", "Cart+<Acme-IShop<T>-Buy>d__7", "MoveNext", "()", "Acme.Cart.IShop<T>.Buy(T)", "(T)"},
    {"Acme", "Cart+<get_All>d__7", "MoveNext", "()", "Acme.Cart.All.get", "()"},
    // other names of the C# compiler
    {"", "Program", "<Main>$", "(string[])", "Program.Main(string[])"},
    {"Acme", "Item", "<Clone>$", "()", "Acme.Item.Clone()"},
    {"Acme", "Item", "PrintMembers", "(StringBuilder)", "Acme.Item.PrintMembers(StringBuilder)"},
    {"", "<>f__AnonymousType0<int>", "get_X", "()", "AnonymousType0<int>.X.get"},
    {"", "<>f__AnonymousType0<int>", ".ctor", "(int)", "AnonymousType0<int>.AnonymousType0(int)"},
    {"", "<>f__AnonymousType0<<X>j__TPar, int>", ".ctor", "(<X>j__TPar, int)",
     "AnonymousType0<X, int>.AnonymousType0(X, int)"},
    {"Acme", "Shop", "Take", "(<>f__AnonymousType0<int, List<<>f__AnonymousType1<string>>>)",
     "Acme.Shop.Take(AnonymousType0<int, List<AnonymousType1<string>>>)"},
    {"Acme", "<Program>F42DE0F2__Local", "M", "()", "Acme.Local.M()"},
    {"", "<PrivateImplementationDetails>", "ComputeStringHash", "(string)",
     "<PrivateImplementationDetails>.ComputeStringHash(string)"},
    {"", "<Module>", ".cctor", "()", "<Module>..cctor()"},
    {"Acme", "Derived", "<>n__0", "(int)", "Acme.Derived.<>n__0(int)"},
    // F#
    {"Acme", "Shop+make@9", "Invoke", "(int)", "Acme.Shop.make.closure(int)"},
    {"Acme", "Shop+make@9-1", "Invoke", "(int)", "Acme.Shop.make.closure#1(int)"},
    {"Acme", "Shop+make@9", ".ctor", "(int)", "Acme.Shop.make.closure.new(int)"},
    {"Acme", "Shop", "inner@9", "(int, int)", "Acme.Shop.inner(int, int)"},
    {"Acme", "Shop+tk@16", "MoveNext", "()", "Acme.Shop.tk(int)", "(int)"},
    {"Acme", "Shop+s@13", "GenerateNext", "(ref IEnumerable<int>)", "Acme.Shop.s"},
    {"Acme", "Shop+s@13", "GenerateNext", "(ref IEnumerable<int>)", "Acme.Shop.s(int)", "(int)"},
    {"Acme", "Shop", "|Even|Odd|", "(int)", "Acme.Shop.(|Even|Odd|)(int)"},
    {"<StartupCode$fs>.$Acme", "Shop", ".cctor", "()", "static <StartupCode$fs>.$Acme.Shop.Shop()"},
    // Visual Basic
    {"Acme", "Cart+VB$StateMachine_12_AddAsync", "MoveNext", "()", "Acme.Cart.AddAsync(Item)",
     "(Item)"},
    {"Acme", "Cart+_Closure$__1-0", "_Lambda$__0", "()", "Acme.Cart.lambda#0()"},
    {"Acme", "Program+_Closure$__", "_Lambda$__5-0", "(int)", "Acme.Program.lambda#5-0(int)"},
    // nothing of it all
    {"", "", "", "", ""},
    {"", "<", "<x", "(", "<.<x()"},
};

TEST(DisplayName, EveryKindOfNameReadsAsInTheSource) {
    for (const Case& one : kCases) {
        EXPECT_EQ(shown({one.space, one.type, one.method, one.arguments, one.parameters,
                         one.user_parameters, one.result, one.is_static})
                      .name,
                  one.name)
            << one.type << ' ' << one.method;
    }
}

TEST(DisplayName, NameIsSplitIntoItsParts) {
    const Function function =
        shown({"Acme.Store", "Cart<int>+Line+<>c", "<Add>b__3_1", "", "(Item)", "", ""});
    EXPECT_EQ(function.namespace_, "Acme.Store");
    EXPECT_EQ(function.type, "Cart<int>.Line");
    EXPECT_EQ(function.method, "Add.lambda#1");
    EXPECT_EQ(function.signature, "(Item)");
    EXPECT_EQ(function.name, "Acme.Store.Cart<int>.Line.Add.lambda#1(Item)");
    EXPECT_EQ(function.raw_name, "Acme.Store.Cart<int>/Line/<>c.<Add>b__3_1");
}

TEST(DisplayName, RawNameKeepsWhatTheCompilerMade) {
    EXPECT_EQ(shown({"Acme", "Cart+<AddAsync>d__3", "MoveNext", "", "()", "(Item)", ""}).raw_name,
              "Acme.Cart/<AddAsync>d__3.MoveNext");
    EXPECT_EQ(shown({"", "Program", "<Main>$", "", "()", "", ""}).raw_name, "Program.<Main>$");
}

TEST(DisplayName, OtherFieldsOfTheFunctionAreLeftAlone) {
    Function function;
    function.token = 7;
    function.module = 3;
    function.instrumented = true;
    set_display_name({"Acme", "Cart", "Add", "", "()", "", ""}, function);
    EXPECT_EQ(function.token, 7U);
    EXPECT_EQ(function.module, 3U);
    EXPECT_TRUE(function.instrumented);
}

TEST(DisplayName, CharactersThatAreNotSeenAreSpelledOutEverywhere) {
    const std::string hidden = "\xe2\x80\x8b";
    const Function function = shown(
        {hidden, "C" + hidden, hidden, "", "(" + hidden + ")", "", hidden + kInitOnly.data()});
    EXPECT_EQ(function.name, "\\u200b.C\\u200b.\\u200b(\\u200b)");
    EXPECT_EQ(function.raw_name, "\\u200b.C\\u200b.\\u200b");
    EXPECT_EQ(function.namespace_, "\\u200b");
    EXPECT_EQ(function.type, "C\\u200b");
    EXPECT_EQ(function.method, "\\u200b");
    EXPECT_EQ(function.signature, "(\\u200b)");
    EXPECT_EQ(function.return_type, "\\u200b");
}

TEST(DisplayName, AMethodWithoutANameIsNoConstructor) {
    EXPECT_EQ(shown({"N", "C", "", "", "(int)", "", ""}).name, "N.C.(unnamed)(int)");
    EXPECT_EQ(shown({"", "", "", "", "", "", ""}).method, "") << "its name has not been told";
}

TEST(DisplayName, LambdasNestedWithoutEndAreCutOff) {
    std::string method(30'000, '<');
    method += "M";
    for (int i = 0; i < 30'000; ++i) {
        method += ">b__0";
    }
    const std::string name = shown({"", "C", method, "", "()", "", ""}).name;
    EXPECT_TRUE(name.starts_with("C.<<<"));
    EXPECT_TRUE(name.ends_with(".lambda.lambda()"));
}

TEST(DisplayName, RandomNamesDoNoHarm) {
    constexpr std::string_view kPieces[] = {
        "<", ">", "+",      ".",      "@",      "d__",    "b__",    "g__",  "|",   "get_", "Foo",
        "0", "-", "(",      ")",      ",",      "`1",     "$",      "c",    "<>c", "op_",  "Item",
        "[", "]", "\u00e9", "\u3042", "\ufffd", "\u200b", "\u202e", "\x01", "\n"};
    std::mt19937 random(7);
    const auto text = [&] {
        std::string made;
        for (uint32_t count = random() % 8; count > 0; --count) {
            made += kPieces[random() % std::size(kPieces)];
        }
        return made;
    };
    for (int round = 0; round < 100'000; ++round) {
        const std::string type = text();
        const std::string method = text();
        const std::string parameters = text();
        const Function function = shown({"", type, method, "", parameters, parameters, ""});
        ASSERT_EQ(printable_utf8(function.name), function.name) << "parts of characters";
        ASSERT_EQ(seen_text(function.name), function.name);
        ASSERT_LE(function.name.size(),
                  24 * (type.size() + method.size() + parameters.size()) + 64);
    }
}

}  // namespace
}  // namespace umbra::profile
