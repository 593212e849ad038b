// SPDX-License-Identifier: MIT
// Which handlers are found in what compilers make of calls of MapGet and the like.
#include "src/symbols/mapped_handlers.h"

#include <array>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::symbols {
namespace {

const std::vector<std::string> kLiterals = {"/orders", "{id}", "GET", "PUT", "name"};
const std::vector<std::string_view> kMethods = {"MapGet", "MapGroup", "MapMethods",
                                                "Map",    "",         "MapGrpc"};
enum Literal : uint8_t { kOrders, kId, kGetVerb, kPutVerb, kName };
enum Method : uint8_t { kMapGet, kMapGroup, kMapMethods, kMap, kOther, kMapGrpc };

/// Instructions of IL, one after the other.
class Il {
  public:
    Il& load_local(uint8_t number) { return put({0x11, number}); }
    Il& store_local(uint8_t number) { return put({0x13, number}); }
    Il& load_field(uint8_t number) { return put({0x7b, number, 0, 0, 0x04}); }
    Il& store_field(uint8_t number) { return put({0x7d, number, 0, 0, 0x04}); }
    Il& load(Literal literal) { return put({0x72, literal, 0, 0, 0x70}); }
    /// new Func<...>(Handler)
    Il& handler(uint8_t row) {
        return put({0x14, 0xfe, 0x06, row, 0, 0, 0x06, 0x73, 1, 0, 0, 0x0a});
    }
    Il& new_array() { return put({0x18, 0x8d, 1, 0, 0, 0x01}); }
    Il& call(Method method) { return put({0x28, method, 0, 0, 0x0a}); }
    Il& pop() { return put({0x26}); }
    Il& dup() { return put({0x25}); }

    Il& load_argument(uint8_t number) { return put({static_cast<uint8_t>(0x02 + number)}); }
    /// MapOrders(routes), of the module's own
    Il& call_own(uint8_t row) { return put({0x28, row, 0, 0, 0x06}); }

    [[nodiscard]] std::vector<std::string> found(std::string_view prefix = {}) const {
        std::vector<std::string> found;
        for (const MappedHandler& one : mapped(prefix).handlers) {
            EXPECT_EQ(one.method >> 24, 0x06U);
            found.push_back(std::to_string(one.method & 0xff) + " " + one.verb + " " + one.route);
        }
        return found;
    }

    [[nodiscard]] std::vector<std::string> handed(std::string_view prefix = {}) const {
        std::vector<std::string> handed;
        for (const HandedGroup& one : mapped(prefix).handed) {
            handed.push_back(std::to_string(one.method & 0xff) + " " + one.prefix);
        }
        return handed;
    }

  private:
    [[nodiscard]] Mapped mapped(std::string_view prefix) const {
        return mapped_handlers(
            code_, [](uint32_t token) { return kLiterals.at(token & 0xff); },
            [](uint32_t token) {
                return token >> 24 == 0x0a ? kMethods.at(token & 0xff) : std::string_view();
            },
            [](uint32_t token) { return token >> 24 == 0x06; }, prefix);
    }

    Il& put(std::initializer_list<uint8_t> bytes) {
        code_.insert(code_.end(), bytes);
        return *this;
    }

    std::vector<uint8_t> code_;
};

using Found = std::vector<std::string>;

TEST(MappedHandlers, AreThoseOfEachCall) {
    Il il;
    il.load_local(0).load(kOrders).handler(1).call(kMapGet).pop();
    il.load_local(0).load(kId).handler(2).call(kMap).pop();
    EXPECT_EQ(il.found(), (Found{"1 GET /orders", "2  /{id}"}));
}

TEST(MappedHandlers, HaveThePrefixOfTheirGroup) {
    Il il;
    il.load_local(0).load(kOrders).call(kMapGroup).call(kOther).store_local(1);
    il.load_local(1).load(kId).handler(1).call(kMapGet).pop();
    il.load_local(0).load(kId).handler(2).call(kMapGet).pop();
    il.load_local(1).load(kName).call(kMapGroup).store_field(7);
    il.load_field(7).load(kId).handler(3).call(kMapGet).pop();
    EXPECT_EQ(il.found(), (Found{"1 GET /orders/{id}", "2 GET /{id}", "3 GET /orders/name/{id}"}));
}

TEST(MappedHandlers, AGroupMayBeUsedAtOnce) {
    Il il;
    il.load_local(0).load(kOrders).call(kMapGroup).load(kId).handler(1).call(kMapGet).store_local(
        1);
    il.load_local(1).load(kName).handler(2).call(kMapGet).pop();
    EXPECT_EQ(il.found(), (Found{"1 GET /orders/{id}", "2 GET /name"})) << "the second is no group";
}

TEST(MappedHandlers, APlaceThatIsUsedAgainForgetsItsGroup) {
    Il il;
    il.load_local(0).load(kOrders).call(kMapGroup).store_local(1);
    il.load_local(0).store_local(1);
    il.load_local(1).load(kId).handler(1).call(kMapGet).pop();
    EXPECT_EQ(il.found(), (Found{"1 GET /{id}"}));
}

TEST(MappedHandlers, VerbsAreListed) {
    Il il;
    il.load_local(0).load(kOrders).new_array().load(kGetVerb).load(kPutVerb).handler(1);
    il.call(kMapMethods).pop();
    EXPECT_EQ(il.found(), (Found{"1 GET|PUT /orders"}));
}

TEST(MappedHandlers, WhatIsComputedIsNotGuessed) {
    Il il;
    il.load_local(0).load(kOrders).load(kId).call(kOther).handler(1).call(kMapGet).pop();
    il.load_local(0).load(kOrders).handler(1).call(kOther).call(kMapGet).load(kName).call(kOther);
    il.load_local(0).load_field(1).handler(2).call(kMapGet).pop();
    il.load_local(0).load(kOrders).handler(3).call(kMapGrpc).pop();
    il.load_local(0).load(kOrders).load_local(5).call(kMapGet).pop();
    EXPECT_EQ(il.found(), Found());
}

TEST(MappedHandlers, AGroupMayStayOnTheStack) {
    Il il;
    il.load_local(0).load(kOrders).call(kMapGroup).dup().load(kId).handler(1).call(kMapGet).pop();
    il.dup().call_own(1).pop().load(kName).handler(2).call(kMapGet).pop();
    EXPECT_EQ(il.found(), (Found{"1 GET /orders/{id}", "2 GET /orders/name"}));
    EXPECT_EQ(il.handed(), (Found{"1 /orders"}));
}

TEST(MappedHandlers, AGroupMayBeTheFirstArgument) {
    Il il;
    il.load_argument(0).load(kId).handler(1).call(kMapGet).pop();
    il.load_argument(0).load(kName).call(kMapGroup).store_local(1);
    il.load_local(1).load(kId).handler(2).call(kMapGet).pop();
    il.load_argument(1).load(kId).handler(3).call(kMapGet).pop();
    EXPECT_EQ(il.found("/orders"),
              (Found{"1 GET /orders/{id}", "2 GET /orders/name/{id}", "3 GET /{id}"}));
}

TEST(MappedHandlers, AGroupMayBeHandedOn) {
    Il il;
    il.load_local(0).load(kOrders).call(kMapGroup).load(kName).call(kOther).call_own(1).pop();
    il.load_local(0).call_own(2);
    il.load_local(0).load(kOrders).call(kMapGroup).store_local(1);
    il.load_local(1).call_own(3).call_own(4).pop();
    il.load_argument(0).call_own(5);
    EXPECT_EQ(il.handed("/api"), (Found{"1 /orders", "2 ", "3 /orders", "4 /orders", "5 /api"}));
}

TEST(MappedHandlers, AGroupThatNobodyKeepsIsNotHandedOn) {
    Il il;
    il.load_local(0).load(kOrders).call(kMapGroup).pop();
    il.load_local(0).call_own(1);
    EXPECT_EQ(il.handed(), (Found{"1 "}));
}

TEST(MappedHandlers, AnyBytesAreAllowed) {
    std::mt19937 random(7);
    for (int turn = 0; turn < 20'000; ++turn) {
        std::vector<uint8_t> code(random() % 64);
        for (uint8_t& byte : code) {
            constexpr std::array<uint8_t, 10> kUsual = {0x11, 0x13, 0x72, 0x28, 0x8d,
                                                        0xfe, 0x06, 0x7b, 0x7d, 0x26};
            byte = random() % 2 == 0 ? kUsual.at(random() % kUsual.size())
                                     : static_cast<uint8_t>(random());
        }
        (void)mapped_handlers(
            code, [](uint32_t token) { return kLiterals[token % kLiterals.size()]; },
            [](uint32_t token) { return kMethods[token % kMethods.size()]; },
            [](uint32_t token) { return token % 2 == 0; }, "/orders");
    }
}

TEST(JoinRoute, HasOneSlashBetweenParts) {
    EXPECT_EQ(join_route("", ""), "/");
    EXPECT_EQ(join_route("/api/", "/orders/"), "/api/orders");
    EXPECT_EQ(join_route("api", ""), "/api");
    EXPECT_EQ(join_route("//", "x"), "/x");
}

}  // namespace
}  // namespace umbra::symbols
