// SPDX-License-Identifier: MIT
// Which types of a signature have values that can be told.
#include "src/agent/methods/argument_types.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

/// Types by their TypeRef: 1 is System.Span`1, and so on.
class Names final : public clr::TypeTokens {
  public:
    [[nodiscard]] clr::TypeChain chain(clr::mdToken token) const override {
        static const std::map<clr::mdToken, clr::TypeChain> kNames = {
            {0x01000001, {"System", {"Span`1"}}},
            {0x01000002, {"System", {"ReadOnlyMemory`1"}}},
            {0x01000003, {"System.Collections.Generic", {"List`1"}}},
            {0x01000004, {"System.Collections.Concurrent", {"ConcurrentDictionary`2"}}},
            {0x01000005, {"System.Collections.Generic", {"ICollection`1"}}},
            {0x01000006, {"Acme", {"Span`1"}}},
            {0x01000007, {"System", {"DayOfWeek"}}},
            {0x01000008, {"System", {"DateTime"}}},
            {0x01000009, {"System.Collections.Generic", {"List`1", "Enumerator"}}},
        };
        const auto known = kNames.find(token);
        return known == kNames.end() ? clr::TypeChain() : known->second;
    }
};

tl::expected<std::optional<clr::EnumType>, std::string> find_enum(clr::mdToken token) {
    if (token == 0x01000007) {
        return clr::EnumType{.is_signed = false, .is_flags = true, .constants = {{1, "Monday"}}};
    }
    if (token == 0x01000008) {
        return std::nullopt;
    }
    return tl::unexpected<std::string>("nobody knows it");
}

std::string told(const std::vector<uint8_t>& type, std::string_view member = "") {
    const auto found = argument_type(type, member, Names(), find_enum);
    if (!found) {
        return found.error();
    }
    return std::to_string(found->kind) + ' ' + std::to_string(static_cast<int>(found->form)) + ' ' +
           std::to_string(static_cast<int>(found->call)) +
           (found->counted.empty() ? "" : " counted") + (found->constants ? " enum" : "");
}

std::vector<uint8_t> generic(uint8_t kind, uint8_t row) {
    return {0x15, kind, static_cast<uint8_t>(row << 2 | 1), 0x01, 0x08};  // of int
}

constexpr uint8_t kClass = 0x12;
constexpr uint8_t kStruct = 0x11;

// Kind, form, call: numbers of protocol::ArgumentNamed, il::ArgumentProbe and ArgumentCall.
TEST(ArgumentTypes, PlainValuesAreToldAsTheyAre) {
    EXPECT_EQ(told({0x08}), "1 1 0") << "int";
    EXPECT_EQ(told({0x18}), "1 1 0") << "nint";
    EXPECT_EQ(told({0x05}), "2 2 0") << "byte";
    EXPECT_EQ(told({0x02}), "3 2 0") << "bool";
    EXPECT_EQ(told({0x03}), "4 2 0") << "char";
    EXPECT_EQ(told({0x0c}), "5 3 1") << "float";
    EXPECT_EQ(told({0x0e}), "6 0 2") << "string";
    EXPECT_EQ(told({0x1f, 0x09, 0x08}), "1 1 0") << "int with a modifier";
    EXPECT_EQ(told({kStruct, 7 << 2 | 1}), "7 2 0 enum");
}

TEST(ArgumentTypes, OfManyThingsTheirNumberIsTold) {
    EXPECT_EQ(told({0x1d, 0x08}, "Length"), "2 0 3") << "int[]";
    EXPECT_EQ(told({0x0e}, "Length"), "2 0 3") << "string";
    EXPECT_EQ(told({0x14, 0x08, 2, 0, 0}, "Length"), "2 0 3") << "int[,]";
    EXPECT_EQ(told(generic(kStruct, 1), "Length"), "2 4 4") << "Span";
    EXPECT_EQ(told(generic(kStruct, 2), "Length"), "2 4 5") << "ReadOnlyMemory";
    EXPECT_EQ(told(generic(kClass, 3), "Count"), "2 2 0 counted") << "List";
}

TEST(ArgumentTypes, WhatWouldRunCodeOfTheProgramOrTakeALockIsRefused) {
    for (const auto& type :
         {generic(kClass, 4), generic(kClass, 5), generic(kStruct, 6), generic(kClass, 3),
          generic(kStruct, 9), std::vector<uint8_t>{0x1c}, std::vector<uint8_t>{0x08}}) {
        EXPECT_NE(told(type, "Length").find("has no Length that can be told"), std::string::npos);
    }
    for (const auto& type : {generic(kClass, 4), generic(kClass, 5), generic(kStruct, 1),
                             generic(kStruct, 9), std::vector<uint8_t>{0x1d, 0x08}}) {
        EXPECT_NE(told(type, "Count").find("has no Count that can be told"), std::string::npos);
    }
}

TEST(ArgumentTypes, RefusalsSayWhatTheTypeIs) {
    EXPECT_EQ(told({kStruct, 8 << 2 | 1}), "its type is a struct");
    EXPECT_EQ(told({kStruct, 10 << 2 | 1}), "nobody knows it");
    EXPECT_EQ(told({0x10, 0x08}), "it is passed by reference");
    EXPECT_EQ(told({0x10, 0x1d, 0x08}, "Length"), "it is passed by reference");
    EXPECT_EQ(told({0x13, 0}), "its type is a type parameter");
    EXPECT_EQ(told({0x0f, 0x08}), "its type is a pointer");
    EXPECT_EQ(told({kClass, 5}), "its type is a class");
    EXPECT_EQ(told({0x01}), "the method returns nothing");
    EXPECT_EQ(told({}), "its type cannot be read");
}

TEST(ArgumentTypes, AnyBytesAreReadWithoutHarm) {
    std::mt19937 random(7);
    for (int round = 0; round < 100'000; ++round) {
        std::vector<uint8_t> type(random() % 8);
        for (uint8_t& byte : type) {
            byte = static_cast<uint8_t>(random() % 0x24);
        }
        for (const char* member : {"", "Length", "Count"}) {
            const auto found = argument_type(type, member, Names(), find_enum);
            EXPECT_TRUE(found || !found.error().empty());
        }
    }
}

}  // namespace
}  // namespace umbra::agent
