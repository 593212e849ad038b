// SPDX-License-Identifier: MIT
// The program umbra-demo-target plays: a small web shop, as types and methods of a FakeModel.
#pragma once

#include "src/fakeclr/fake_runtime.h"

namespace umbra::fakeclr {

/// The shop's methods and the framework methods it uses; all live as long as the runtime.
// Fields: one for each method of the program, as a list of names.
struct ShopCode {
    FakeType* format_exception = nullptr;
    FakeMethod* string_split = nullptr;
    FakeMethod* decimal_parse = nullptr;

    FakeMethod* main = nullptr;
    FakeMethod* serve = nullptr;
    FakeMethod* load_catalog = nullptr;
    FakeMethod* count_categories = nullptr;
    FakeMethod* parse_order = nullptr;
    FakeMethod* parse_line = nullptr;
    FakeMethod* parse_price = nullptr;
    FakeMethod* order_constructor = nullptr;
    FakeMethod* cart_total = nullptr;
    FakeMethod* cart_total_lambda = nullptr;
    FakeMethod* tax_apply = nullptr;
    FakeMethod* tax_rate = nullptr;
    FakeMethod* pay = nullptr;
    FakeMethod* pay_move_next = nullptr;
    FakeMethod* wait_for_bank = nullptr;
    FakeMethod* save_order = nullptr;
    FakeMethod* mailer_run = nullptr;
    FakeMethod* mailer_send = nullptr;
};

/// Builds the framework's and the shop's module and loads both.
[[nodiscard]] ShopCode load_shop(FakeRuntime& runtime);

}  // namespace umbra::fakeclr
