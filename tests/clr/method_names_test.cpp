// SPDX-License-Identifier: MIT
// Tests of method_name() and class_name() on a module and a runtime filled by hand.

#include "src/clr/method_names.h"

#include <gtest/gtest.h>

#include "src/clr/metadata_reader.h"
#include "tests/clr/fake_runtime.h"

namespace umbra::clr {
namespace {

constexpr ClassID kInt = 1;
constexpr ClassID kCanon = 2;
constexpr ClassID kString = 3;
constexpr ClassID kList = 4;  // of string
constexpr ClassID kPlain = 5;
constexpr ClassID kNotLoaded = 99;

/// int, string, __Canon, List<T> and Acme.Plain, and room for what a test adds.
class MethodNames : public testing::Test {
  protected:
    MethodNames() {
        runtime_.classes[kInt] = {.type = type(u"System.Int32")};
        runtime_.classes[kCanon] = {.type = type(u"System.__Canon")};
        runtime_.classes[kString] = {.type = type(u"System.String")};
        list_ = type(u"System.Collections.Generic.List`1", 0, {u"T"});
        runtime_.classes[kList] = {.type = list_, .arguments = {kString}};
        runtime_.classes[kPlain] = {.type = plain_ = type(u"Acme.Plain")};
    }
    ~MethodNames() override { EXPECT_EQ(runtime_.metadata.open_enumerations, 0); }

    mdTypeDef type(std::u16string name, mdTypeDef enclosing = 0,
                   std::vector<std::u16string> parameters = {}) {
        return runtime_.metadata.add(
            FakeMetadata::Type{.name = std::move(name),
                               .enclosing = enclosing,
                               .generic_parameters = std::move(parameters)});
    }
    /// A method of no interest in itself is `void M()`.
    mdMethodDef method(mdTypeDef owner, std::u16string name,
                       std::vector<uint8_t> signature = {0x20, 0, 0x01},
                       std::vector<std::u16string> parameters = {}) {
        return runtime_.metadata.add(
            FakeMetadata::Method{.type = owner,
                                 .name = std::move(name),
                                 .signature = std::move(signature),
                                 .generic_parameters = std::move(parameters)});
    }
    ClassID class_of(mdTypeDef of, std::vector<ClassID> arguments = {}) {
        const ClassID id = 1000 + runtime_.classes.size();
        runtime_.classes[id] = {.type = of, .arguments = std::move(arguments)};
        return id;
    }
    MethodName named(ClassID class_id, mdMethodDef token, std::vector<ClassID> arguments = {}) {
        runtime_.functions[1] = {class_id, token, std::move(arguments)};
        auto name = method_name(runtime_, 1);
        EXPECT_TRUE(name) << name.error().context;
        return name ? *name : MethodName{};
    }

    FakeRuntime runtime_;
    mdTypeDef list_ = 0;
    mdTypeDef plain_ = 0;
};

TEST_F(MethodNames, PlainMethodComesInPieces) {
    const mdMethodDef add = method(plain_, u"Add", {0x20, 2, 0x08, 0x0e, 0x1d, 0x08});
    const MethodName name = named(kPlain, add);
    EXPECT_EQ(name.module, FakeRuntime::kModule);
    EXPECT_EQ(name.token, add);
    EXPECT_EQ(name.namespace_, "Acme");
    EXPECT_EQ(name.type, "Plain");
    EXPECT_EQ(name.method, "Add");
    EXPECT_EQ(name.method_args, "");
    EXPECT_EQ(name.parameters, "(string, int[])");
    EXPECT_EQ(name.return_type, "int");
    EXPECT_EQ(name.user_parameters, "");
}

TEST_F(MethodNames, NestedTypesComeOutermostFirstWithExactArguments) {
    const mdTypeDef outer = type(u"Acme.Outer`1", 0, {u"T"});
    const mdTypeDef inner = type(u"Inner`1", outer, {u"T", u"U"});
    const mdTypeDef leaf = type(u"Leaf", inner, {u"T", u"U"});
    const mdMethodDef run = method(leaf, u"Run", {0x20, 2, 0x01, 0x13, 0, 0x13, 1});
    const MethodName name = named(class_of(leaf, {kInt, kList}), run);
    EXPECT_EQ(name.namespace_, "Acme");
    EXPECT_EQ(name.type, "Outer<int>+Inner<List<string>>+Leaf");
    EXPECT_EQ(name.parameters, "(int, List<string>)");
}

TEST_F(MethodNames, SharedOrUnknownArgumentsKeepTheNameOfTheParameter) {
    const mdTypeDef map = type(u"Acme.Map`2", 0, {u"TKey", u"TValue"});
    const mdMethodDef get = method(map, u"Get", {0x20, 2, 0x01, 0x13, 0, 0x13, 1});
    EXPECT_EQ(named(class_of(map, {kCanon, kInt}), get).type, "Map<TKey, int>");
    EXPECT_EQ(named(class_of(map, {kNotLoaded, kInt}), get).type, "Map<TKey, int>");
    EXPECT_EQ(named(0, get).type, "Map<TKey, TValue>");
    EXPECT_EQ(named(0, get).parameters, "(TKey, TValue)");
    const ClassID list_of_shared = class_of(list_, {kCanon});
    EXPECT_EQ(named(class_of(map, {list_of_shared, kInt}), get).type, "Map<List<T>, int>");
}

TEST_F(MethodNames, MethodArgumentsAreExactAndSpelledInTheParameters) {
    const mdMethodDef generic =
        method(plain_, u"Of", {0x30, 2, 2, 0x01, 0x1e, 0, 0x1e, 1}, {u"A", u"B"});
    EXPECT_EQ(named(kPlain, generic, {kInt, kCanon}).method_args, "<int, B>");
    EXPECT_EQ(named(kPlain, generic, {kInt, kCanon}).parameters, "(int, B)");
    EXPECT_EQ(named(kPlain, generic).method_args, "<A, B>");
}

TEST_F(MethodNames, MoreArgumentsThanTheFirstBufferHoldsAreReadInASecondCall) {
    std::vector<std::u16string> parameters;
    for (int i = 0; i < 20; ++i) {
        parameters.push_back(u"T" + std::u16string(1, static_cast<char16_t>(u'a' + i)));
    }
    const mdTypeDef wide = type(u"Wide`20", 0, parameters);
    EXPECT_EQ(
        class_name(runtime_, class_of(wide, std::vector<ClassID>(20, kInt))),
        "Wide<int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, "
        "int, int, int, int>");
}

TEST_F(MethodNames, LongNamesAreReadWholeAndEndlessOnesAreCut) {
    const std::u16string longest(5000, u'n');
    EXPECT_EQ(named(kPlain, method(plain_, longest)).method, std::string(5000, 'n'));
    for (const uint32_t length : {kMaxNameChars - 1, kMaxNameChars, kMaxNameChars + 1000}) {
        const mdMethodDef endless = method(plain_, std::u16string(length, u'n'));
        EXPECT_EQ(named(kPlain, endless).method, std::string(kMaxNameChars - 1, 'n')) << length;
    }
}

TEST_F(MethodNames, ForeignCharactersBecomeUtf8) {
    std::u16string name = u"\u00c4ndern\U0001d11e";
    name += char16_t{0xd800};
    EXPECT_EQ(named(kPlain, method(plain_, name)).method, "\xc3\x84ndern\xf0\x9d\x84\x9e\\ud800");
}

TEST_F(MethodNames, DamagedSignatureLeavesOnlyTheParametersOut) {
    const MethodName name = named(kPlain, method(plain_, u"Odd", {0x20, 0x7f, 0x01}));
    EXPECT_EQ(name.method, "Odd");
    EXPECT_EQ(name.parameters, "");
}

TEST_F(MethodNames, UnknownFunctionIsAnError) {
    const auto name = method_name(runtime_, 4711);
    ASSERT_FALSE(name);
    EXPECT_EQ(name.error().code, ErrorCode::kNotFound);
}

TEST_F(MethodNames, TypesNestedInACircleHaveNoName) {
    const mdTypeDef second = plain_ + 2;
    const mdTypeDef first = type(u"First", second);
    ASSERT_EQ(type(u"Second", first), second);
    EXPECT_EQ(class_name(runtime_, class_of(first)), "");
}

TEST_F(MethodNames, ArgumentsNestedWithoutEndAreCutOff) {
    const ClassID self = class_of(list_);
    runtime_.classes[self].arguments = {self};
    const std::string name = class_name(runtime_, self);
    EXPECT_TRUE(name.starts_with("System.Collections.Generic.List<List<List<"));
    EXPECT_LT(name.size(), 1000U);

    const mdTypeDef pair = type(u"Acme.Pair`2", 0, {u"A", u"B"});
    const ClassID both = class_of(pair);
    runtime_.classes[both].arguments = {both, both};  // doubles at every level
    EXPECT_LT(class_name(runtime_, both).size(), kMaxSpellingBytes);
}

// ---- what signatures do not tell -------------------------------------------------------------

TEST_F(MethodNames, WaysToPassAreThoseOfTheSource) {
    const std::u16string services = u"System.Runtime.CompilerServices.";
    std::vector<uint8_t> signature = {0x00, 6, 0x01};
    for (int i = 0; i < 5; ++i) {
        signature.insert(signature.end(), {0x10, 0x08});
    }
    signature.insert(signature.end(), {0x1d, 0x0e});
    const mdMethodDef token = runtime_.metadata.add(
        FakeMetadata::Method{.type = plain_,
                             .name = u"Pass",
                             .signature = signature,
                             .parameters = {{0, 2},
                                            {1, 2},
                                            {2, 1, services + u"IsReadOnlyAttribute"},
                                            {3, 1, services + u"RequiresLocationAttribute"},
                                            {4, 1},
                                            {5, 3},
                                            {6, 0, u"System.ParamArrayAttribute"}}});
    EXPECT_EQ(named(kPlain, token).parameters,
              "(out int, in int, ref readonly int, ref int, ref int, params string[])");
    EXPECT_TRUE(named(kPlain, token).is_static);
}

TEST_F(MethodNames, ParametersWithoutOrderAreLeftAlone) {
    const mdMethodDef token = runtime_.metadata.add(
        FakeMetadata::Method{.type = plain_,
                             .name = u"Pass",
                             .signature = {0x20, 2, 0x01, 0x10, 0x08, 0x10, 0x08},
                             .parameters = {{2, 2}, {1, 2}, {3, 2}, {~0U, 2}}});
    EXPECT_EQ(named(kPlain, token).parameters, "(ref int, out int)");
    EXPECT_FALSE(named(kPlain, token).is_static);
}

TEST_F(MethodNames, LocalFunctionsRepeatTheParametersOfTheirMethod) {
    method(plain_, u"Gen", {0x10, 1, 0, 0x01}, {u"U"});
    const mdMethodDef local = method(plain_, u"<Gen>g__Pair|3_0", {0x10, 2, 0, 0x01}, {u"U", u"V"});
    EXPECT_EQ(named(kPlain, local, {kInt, kCanon}).method_args, "<int>.<V>");
    const mdMethodDef bare = method(plain_, u"<Gen>g__Bare|3_1", {0x10, 1, 0, 0x01}, {u"U"});
    EXPECT_EQ(named(kPlain, bare, {kInt}).method_args, "<int>.");
    const mdMethodDef orphan = method(plain_, u"<Gone>g__Pair|4_0", {0x10, 1, 0, 0x01}, {u"U"});
    EXPECT_EQ(named(kPlain, orphan, {kInt}).method_args, "<int>");
    method(plain_, u"Gen", {0x10, 2, 0, 0x01}, {u"A", u"B"});  // now it may be either
    EXPECT_EQ(named(kPlain, local, {kInt, kCanon}).method_args, "<int, V>");
}

// ---- state machines ------------------------------------------------------------------------

class StateMachines : public MethodNames {
  protected:
    /// The MoveNext of a state machine type; its user parameters.
    std::string user_parameters(mdTypeDef machine, std::vector<ClassID> arguments = {}) {
        return named(class_of(machine, std::move(arguments)), method(machine, u"MoveNext"))
            .user_parameters;
    }
    mdMethodDef attributed(mdTypeDef owner, std::u16string name, std::vector<uint8_t> signature,
                           std::u16string attribute, std::string machine,
                           std::vector<std::u16string> parameters = {}) {
        return runtime_.metadata.add(FakeMetadata::Method{
            .type = owner,
            .name = std::move(name),
            .signature = std::move(signature),
            .generic_parameters = std::move(parameters),
            .attribute = u"System.Runtime.CompilerServices." + std::move(attribute),
            .attribute_type = std::move(machine)});
    }
};

TEST_F(StateMachines, AttributeTellsOverloadsApart) {
    attributed(plain_, u"AddAsync", {0x20, 1, 0x01, 0x08}, u"AsyncStateMachineAttribute",
               "Acme.Plain+<AddAsync>d__3");
    attributed(plain_, u"AddAsync", {0x20, 1, 0x01, 0x0e}, u"AsyncStateMachineAttribute",
               "Acme.Plain+<AddAsync>d__4");
    EXPECT_EQ(user_parameters(type(u"<AddAsync>d__4", plain_)), "(string)");
    EXPECT_EQ(user_parameters(type(u"<AddAsync>d__3", plain_)), "(int)");
    EXPECT_EQ(user_parameters(type(u"<AddAsync>d__5", plain_)), "");
}

TEST_F(StateMachines, IteratorsOfBothKindsAreFound) {
    attributed(plain_, u"Iter", {0x20, 1, 0x01, 0x08}, u"IteratorStateMachineAttribute",
               "Acme.Plain+<Iter>d__1");
    attributed(plain_, u"Iter", {0x20, 1, 0x01, 0x0a}, u"AsyncIteratorStateMachineAttribute",
               "Acme.Plain+<Iter>d__2, App, Version=1.0.0.0");
    EXPECT_EQ(user_parameters(type(u"<Iter>d__1", plain_)), "(int)");
    EXPECT_EQ(user_parameters(type(u"<Iter>d__2", plain_)), "(long)");
}

TEST_F(StateMachines, VisualBasicNamesThemItsWay) {
    attributed(plain_, u"AddAsync", {0x20, 1, 0x01, 0x08}, u"AsyncStateMachineAttribute",
               "Acme.Plain+VB$StateMachine_3_AddAsync");
    attributed(plain_, u"AddAsync", {0x20, 1, 0x01, 0x0e}, u"AsyncStateMachineAttribute",
               "Acme.Plain+VB$StateMachine_4_AddAsync");
    EXPECT_EQ(user_parameters(type(u"VB$StateMachine_4_AddAsync", plain_)), "(string)");
    EXPECT_EQ(user_parameters(type(u"VB$StateMachine_3_AddAsync", plain_)), "(int)");
    EXPECT_EQ(user_parameters(type(u"VB$StateMachine_", plain_)), "");
}

TEST_F(StateMachines, WithoutAttributeASingleMethodOfTheNameIsTaken) {
    method(plain_, u"tk", {0x00, 1, 0x01, 0x08});
    EXPECT_EQ(user_parameters(type(u"tk@16", plain_)), "(int)");
    method(plain_, u"<<Main>$>g__Local|0_2", {0x00, 1, 0x01, 0x0e});
    EXPECT_EQ(user_parameters(type(u"<<<Main>$>g__Local|0_2>d", plain_)), "(string)");
    method(plain_, u"Acme.IShop<T>.Buy", {0x00, 1, 0x01, 0x0a});
    EXPECT_EQ(user_parameters(type(u"<Acme-IShop<T>-Buy>d__7", plain_)), "(long)");
}

TEST_F(StateMachines, ArgumentsOfTheMachineAreSharedOutToTypeAndMethod) {
    const mdTypeDef cart = type(u"Acme.Cart`1", 0, {u"T"});
    attributed(cart, u"Fire", {0x30, 1, 2, 0x01, 0x1e, 0, 0x13, 0}, u"AsyncStateMachineAttribute",
               "Acme.Cart`1+<Fire>d__2`1", {u"U"});
    const mdTypeDef machine = type(u"<Fire>d__2`1", cart, {u"T", u"U"});
    EXPECT_EQ(user_parameters(machine, {kInt, kList}), "(List<string>, int)");
    const MethodName body = named(class_of(machine, {kInt, kList}), method(machine, u"MoveNext"));
    EXPECT_EQ(body.method_args, "<List<string>>");
}

TEST_F(StateMachines, OtherTypesWithMoveNextHaveNoUserMethod) {
    EXPECT_EQ(user_parameters(plain_), "");
    EXPECT_EQ(user_parameters(type(u"Enumerator", plain_)), "");
    EXPECT_EQ(user_parameters(type(u"<unbalanced", plain_)), "");
    EXPECT_EQ(user_parameters(type(u"<>c", plain_)), "");
}

// ---- classes -------------------------------------------------------------------------------

TEST_F(MethodNames, ClassNamesCarryTheirNamespace) {
    EXPECT_EQ(class_name(runtime_, kPlain), "Acme.Plain");
    EXPECT_EQ(class_name(runtime_, kInt), "System.Int32");
    EXPECT_EQ(class_name(runtime_, kList), "System.Collections.Generic.List<string>");
    EXPECT_EQ(class_name(runtime_, class_of(type(u"Failure", plain_))), "Acme.Plain.Failure");
    EXPECT_EQ(class_name(runtime_, class_of(type(u"NoNamespace"))), "NoNamespace");
    EXPECT_EQ(class_name(runtime_, class_of(type(u"<StartupCode$fs>.$Acme"))),
              "<StartupCode$fs>.$Acme");
    EXPECT_EQ(class_name(runtime_, kNotLoaded), "");
    EXPECT_EQ(class_name(runtime_, 0), "");
}

TEST_F(MethodNames, ArraysAreSpelledFromTheOutsideIn) {
    runtime_.classes[20] = {.array_of = ELEMENT_TYPE_I4, .element = kInt, .rank = 2};
    runtime_.classes[21] = {.array_of = ELEMENT_TYPE_SZARRAY, .element = 20, .rank = 1};
    EXPECT_EQ(class_name(runtime_, class_of(list_, {20})),
              "System.Collections.Generic.List<int[,]>");
    EXPECT_EQ(class_name(runtime_, class_of(list_, {21})),
              "System.Collections.Generic.List<int[][,]>");
}

TEST_F(MethodNames, TypeReferencesNestToo) {
    const mdTypeRef outer = runtime_.metadata.add(FakeMetadata::TypeRef{.name = u"Lib.Outer`1"});
    runtime_.metadata.add(FakeMetadata::TypeRef{.name = u"Inner", .scope = outer});
    // GENERICINST CLASS TypeRef 2 <int>
    const mdMethodDef token = method(plain_, u"Use", {0x00, 1, 0x01, 0x15, 0x12, 0x09, 1, 0x08});
    EXPECT_EQ(named(kPlain, token).parameters, "(Outer<int>.Inner)");
}

}  // namespace
}  // namespace umbra::clr
