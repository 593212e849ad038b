// SPDX-License-Identifier: MIT
// Names and signatures of the demonstration program.
#include "src/fakeclr/demo_shop.h"

#include <string>
#include <utility>

namespace umbra::fakeclr {
namespace {

const Blob kVoid{clr::ELEMENT_TYPE_VOID};
const Blob kInt{clr::ELEMENT_TYPE_I4};
const Blob kDouble{clr::ELEMENT_TYPE_R8};
const Blob kString{clr::ELEMENT_TYPE_STRING};
const Blob kStrings{clr::ELEMENT_TYPE_SZARRAY, clr::ELEMENT_TYPE_STRING};
const Blob kFirstTypeParameter{clr::ELEMENT_TYPE_VAR, 0};

constexpr bool kStatic = false;
constexpr bool kInstance = true;

FakeType& type(FakeModule& module, const char* name, FakeType* enclosing = nullptr) {
    return module.model->add_type(module, {.name = name, .enclosing = enclosing});
}

FakeMethod& method(FakeType& type, const char* name, Blob signature, bool precompiled = false) {
    return type.module->model->add_method(
        type, {.name = name, .signature = std::move(signature), .precompiled = precompiled});
}

/// What the compiler makes of an async method: a nested type with a MoveNext, and an attribute on
/// the method that says so.
FakeMethod& move_next_of(FakeMethod& start, const std::string& machine) {
    FakeType& owner = *start.type;
    const std::string machine_name = narrow(owner.name) + "+" + machine;
    Blob attribute{1, 0, static_cast<uint8_t>(machine_name.size())};
    attribute.insert(attribute.end(), machine_name.begin(), machine_name.end());
    attribute.insert(attribute.end(), {0, 0});
    owner.module->model->add_attribute(
        start, "System.Runtime.CompilerServices.AsyncStateMachineAttribute", attribute);
    return method(type(*owner.module, machine.c_str(), &owner), "MoveNext",
                  method_signature(kInstance, kVoid));
}

void add_framework(FakeModule& corelib, ShopCode& code) {
    constexpr bool kPrecompiled = true;
    code.format_exception = &type(corelib, "System.FormatException");
    code.string_split =
        &method(type(corelib, "System.String"), "Split",
                method_signature(kInstance, kStrings, {{clr::ELEMENT_TYPE_CHAR}}), kPrecompiled);
    code.decimal_parse = &method(type(corelib, "System.Double"), "Parse",
                                 method_signature(kStatic, kDouble, {kString}), kPrecompiled);
}

void add_orders(FakeModule& shop, FakeType& order, ShopCode& code) {
    const Blob an_order = class_signature(order.token);
    code.order_constructor =
        &method(order, ".ctor", method_signature(kInstance, kVoid, {kInt, kString}));

    FakeType& parser = type(shop, "Shop.Orders.OrderParser");
    code.parse_order = &method(parser, "Parse", method_signature(kInstance, an_order, {kString}));
    code.parse_line =
        &method(parser, "ParseLine", method_signature(kInstance, kVoid, {an_order, kString}));
    code.parse_price = &method(parser, "ParsePrice", method_signature(kStatic, kDouble, {kString}));

    FakeType& cart = type(shop, "Shop.Orders.Cart");
    code.cart_total = &method(cart, "Total", method_signature(kInstance, kDouble, {an_order}));
    code.cart_total_lambda = &method(type(shop, "<>c", &cart), "<Total>b__2_0",
                                     method_signature(kInstance, kDouble, {kString}));

    FakeType& taxes = type(shop, "Shop.Orders.TaxRules");
    code.tax_apply =
        &method(taxes, "Apply", method_signature(kStatic, kDouble, {kDouble, kString}));
    code.tax_rate = &method(taxes, "Rate", method_signature(kStatic, kDouble, {kString}));

    FakeModel& model = *shop.model;
    FakeType& repository =
        model.add_type(shop, {.name = "Shop.Storage.Repository`1", .generic_parameters = {"T"}});
    FakeMethod& save =
        method(repository, "Save", method_signature(kInstance, kVoid, {kFirstTypeParameter}));
    code.save_order = &model.instantiate(save, model.instantiate(repository, {&order}));
}

void add_services(FakeModule& shop, FakeType& order, ShopCode& code) {
    FakeType& program = type(shop, "Shop.Program");
    code.main = &method(program, "Main", method_signature(kStatic, kInt, {kStrings}));
    code.serve = &method(program, "Serve", method_signature(kStatic, kVoid, {kInt}));

    FakeType& catalog = type(shop, "Shop.Catalog");
    code.load_catalog = &method(catalog, "Load", method_signature(kStatic, kVoid));
    code.count_categories =
        &method(catalog, "CountBelow", method_signature(kInstance, kInt, {kInt}));

    FakeType& checkout = type(shop, "Shop.Checkout");
    const Blob an_order = class_signature(order.token);
    code.pay = &method(checkout, "PayAsync", method_signature(kInstance, kVoid, {an_order}));
    code.pay_move_next = &move_next_of(*code.pay, "<PayAsync>d__3");
    code.wait_for_bank = &method(checkout, "WaitForBank", method_signature(kInstance, kVoid));

    FakeType& mailer = type(shop, "Shop.Mailer");
    code.mailer_run = &method(mailer, "Run", method_signature(kInstance, kVoid));
    code.mailer_send = &method(mailer, "Send", method_signature(kInstance, kVoid, {kString}));
}

}  // namespace

ShopCode load_shop(FakeRuntime& runtime) {
    FakeModel& model = runtime.model();
    // The path of an installed runtime, so that a profiler tells framework from application.
    FakeModule& corelib = model.add_module(
        {.path =
             "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll",
         .has_precompiled_code = true});
    FakeModule& shop = model.add_module({.path = "/srv/shop/Shop.dll"});
    FakeType& order = type(shop, "Shop.Orders.Order");
    ShopCode code;
    add_framework(corelib, code);
    add_orders(shop, order, code);
    add_services(shop, order, code);
    runtime.load_module(corelib);
    runtime.load_module(shop);
    return code;
}

}  // namespace umbra::fakeclr
