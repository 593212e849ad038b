// SPDX-License-Identifier: MIT
// Metadata and instantiations, read through the interfaces and through the project's own reader.
#include "src/fakeclr/fake_metadata.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/clr/metadata_emit.h"
#include "src/clr/metadata_reader.h"
#include "src/clr/method_names.h"
#include "src/fakeclr/fake_runtime.h"

namespace umbra::fakeclr {
namespace {

struct Metadata : testing::Test {
    clr::MethodName name(const FakeMethod& method) {
        auto named = clr::method_name(runtime.info(), method.id);
        EXPECT_TRUE(named.has_value());
        return named.value_or(clr::MethodName{});
    }

    FakeRuntime runtime;
    FakeModel& model = runtime.model();
    FakeModule& core = model.add_module({.path = "/dotnet/System.Private.CoreLib.dll"});
    FakeType& string = model.add_type(core, {.name = "System.String"});
    FakeModule& shop = model.add_module({.path = "/app/Shop.dll"});
    FakeType& box = model.add_type(shop, {.name = "Shop.Box`1", .generic_parameters = {"T"}});
};

TEST_F(Metadata, ARegularMethodIsNamedWithItsParameters) {
    FakeType& cart = model.add_type(shop, {.name = "Shop.Cart"});
    const clr::mdTypeRef list = model.add_type_ref(shop, "System.IO.Stream");
    FakeMethod& add = model.add_method(
        cart, {.name = "Add",
               .signature = method_signature(true, {clr::ELEMENT_TYPE_I4},
                                             {{clr::ELEMENT_TYPE_STRING}, class_signature(list)})});
    const clr::MethodName named = name(add);
    EXPECT_EQ(named.namespace_, "Shop");
    EXPECT_EQ(named.type, "Cart");
    EXPECT_EQ(named.method, "Add");
    EXPECT_EQ(named.parameters, "(string, Stream)");
    EXPECT_EQ(named.token, add.token);
    EXPECT_EQ(named.module, shop.id());
}

TEST_F(Metadata, InstantiationsAreToldExactly) {
    FakeType& box_of_string = model.instantiate(box, {&string});
    FakeMethod& put =
        model.add_method(box, {.name = "Put",
                               .signature = method_signature(true, {clr::ELEMENT_TYPE_VOID},
                                                             {{clr::ELEMENT_TYPE_VAR, 0}}, 1),
                               .generic_parameters = {"U"}});
    FakeMethod& exact = model.instantiate(put, box_of_string, {&model.array_of(string)});
    const clr::MethodName named = name(exact);
    EXPECT_EQ(named.type, "Box<string>");
    EXPECT_EQ(named.method_args, "<string[]>");
    EXPECT_EQ(named.parameters, "(string)");
    EXPECT_EQ(name(put).type, "Box<T>");
}

TEST_F(Metadata, NestedTypesKnowTheirEnclosingType) {
    FakeType& inner = model.add_type(shop, {.name = "<>c", .enclosing = &box});
    FakeMethod& lambda = model.add_method(inner, {.name = "<Run>b__0"});
    EXPECT_EQ(name(lambda).namespace_, "Shop");
    EXPECT_EQ(name(lambda).method, "<Run>b__0");
}

TEST_F(Metadata, MethodsWithIlAreListed) {
    model.add_method(box, {.name = "A"});
    model.add_method(box,
                     {.name = "B", .signature = method_signature(true, {clr::ELEMENT_TYPE_I8})});
    const Blob structure{clr::ELEMENT_TYPE_VALUETYPE, 8};
    model.add_method(box, {.name = "C", .signature = method_signature(true, structure)});
    FakeModule& made = model.add_module({.path = "", .dynamic = true});
    FakeMethod& dynamic = model.add_method(model.add_type(made, {.name = "D"}), {.name = "D"});
    const auto reader = clr::MetadataReader::of_module(runtime.info(), shop.id());
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->methods_with_code(), (std::vector<clr::mdMethodDef>{0x06000001, 0x06000002}));
    const auto of_made = clr::MetadataReader::of_module(runtime.info(), made.id());
    ASSERT_TRUE(of_made && of_made->method(dynamic.token));
    EXPECT_EQ(of_made->methods_with_code(), std::vector<clr::mdMethodDef>{dynamic.token});
}

TEST_F(Metadata, SignaturesThatAreAddedHaveTokens) {
    const Blob first{0x00, 0x00, clr::ELEMENT_TYPE_VOID};
    const Blob second{0x07, 0x01, clr::ELEMENT_TYPE_I};
    clr::ComPtr<clr::IMetaDataEmit> emit;
    ASSERT_EQ(shop.metadata->QueryInterface(clr::IMetaDataEmit::kIid, emit.put_void()), clr::kOk);
    std::vector<clr::mdSignature> tokens;
    for (const Blob* signature : {&first, &second, &first}) {
        clr::mdSignature& token = tokens.emplace_back();
        ASSERT_EQ(emit->GetTokenFromSig(signature->data(), static_cast<uint32_t>(signature->size()),
                                        &token),
                  clr::kOk);
    }
    EXPECT_EQ(tokens, (std::vector<clr::mdSignature>{0x11000001, 0x11000002, 0x11000001}));
    const auto reader = clr::MetadataReader::of_module(runtime.info(), shop.id());
    const clr::Bytes read = reader->signature(tokens[1]);
    EXPECT_EQ(Blob(read.begin(), read.end()), second);
    EXPECT_TRUE(reader->signature(0x11000003).empty());
    EXPECT_EQ(emit->DefineTypeRefByName(0, u"X", nullptr), clr::kNotImplemented);
}

TEST_F(Metadata, NothingIsLeftOpen) {
    FakeMethod& method = model.add_method(box, {.name = "Any"});
    name(method);
    EXPECT_EQ(shop.metadata->references(), 0);
    EXPECT_EQ(shop.metadata->open_enumerators(), 0);
}

TEST_F(Metadata, UnknownTokensAreRefused) {
    EXPECT_TRUE(clr::failed(
        shop.metadata->GetTypeDefProps(0x02001234, nullptr, 0, nullptr, nullptr, nullptr)));
    EXPECT_TRUE(clr::failed(shop.metadata->GetMethodProps(
        0x06001234, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)));
    EXPECT_EQ(shop.metadata->IsValidToken(box.token), 1);
    EXPECT_EQ(shop.metadata->IsValidToken(0x02001234), 0);
}

TEST_F(Metadata, TextIsCutAtTheBufferAndItsWholeLengthTold) {
    char16_t text[4];
    uint32_t length = 0;
    EXPECT_EQ(shop.metadata->GetTypeDefProps(box.token, text, 4, &length, nullptr, nullptr),
              clr::kOk);
    EXPECT_EQ(std::u16string(text), u"Sho");
    EXPECT_EQ(length, 11U);
}

}  // namespace
}  // namespace umbra::fakeclr
