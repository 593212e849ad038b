// SPDX-License-Identifier: MIT
#include "src/symbols/method_places.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/symbols/made_symbols.h"

namespace umbra::symbols {
namespace {

using test::MadeImage;
using test::MadePdb;
using test::MadeType;

constexpr uint32_t kAll = 1000;

std::vector<uint32_t> lines_of(const MadePdb& made, const std::vector<MadeType>& types,
                               uint32_t most = kAll) {
    const auto bytes = made.bytes();
    const auto pdb = PortablePdb::parse(bytes);
    std::vector<uint32_t> lines;
    if (pdb) {
        const auto image = MadeImage{.id = made.id, .types = types}.bytes();
        for (const SourcePoint& place : method_places(*pdb, image, most)) {
            lines.push_back(place.line);
        }
    }
    return lines;
}

using Lines = std::vector<uint32_t>;

MadePdb pdb_of(std::vector<test::MadeMethod> methods) {
    return {.documents = {{"", "a.cs"}, {"", "b.cs"}},
            .methods = std::move(methods),
            .state_machines = {},
            .methods_of_image = 4};
}

TEST(MethodPlaces, AMethodBeginsAtItsTopmostPoint) {
    const MadePdb pdb = pdb_of(
        {{.document = 1, .line = 20, .rises = true}, {.document = 1, .line = 30, .rises = false}});
    EXPECT_EQ(lines_of(pdb, {{"A", {{"Loop"}, {"Plain"}}}}), (Lines{18, 30}));
    EXPECT_EQ(lines_of(pdb, {}), (Lines{18, 30})) << "without metadata";
}

TEST(MethodPlaces, AConstructorBeginsWhereItCallsAnother) {
    const MadePdb pdb = pdb_of({{.document = 1, .line = 20}, {.document = 1, .line = 30}});
    const test::Content code = test::constructor_code();
    EXPECT_EQ(lines_of(pdb, {{"A", {{".ctor", code}, {"NoConstructor", code}}}}), (Lines{23, 30}));
    EXPECT_EQ(lines_of(pdb, {{"A", {{".ctor", {0x2a}}, {".ctor"}}}}), (Lines{20, 30}))
        << "that of a struct calls none";
    EXPECT_EQ(lines_of(pdb, {{"A", {{".ctor", {0x28, 1, 0}}, {".ctor", {0x24}}}}}), (Lines{20, 30}))
        << "code that ends within an instruction, or has one that does not exist";
}

TEST(MethodPlaces, WhatTheCompilerMadeUpLiesWhereItsTypeBegins) {
    const MadePdb pdb = pdb_of(
        {{}, {.document = 2, .line = 30}, {.document = 1, .line = 7}, {.document = 2, .line = 25}});
    const test::MadeCode method = {"M"};
    EXPECT_EQ(lines_of(pdb, {{"A", {method, method, method, method}}}), (Lines{25, 30, 7, 25}))
        << "in the file of its first method";
    EXPECT_EQ(lines_of(pdb, {{"A", {method}}, {"B", {method, method, method}}}),
              (Lines{0, 30, 7, 25}));
}

TEST(MethodPlaces, NoMoreAreToldThanAskedFor) {
    const MadePdb pdb = pdb_of({{.document = 1, .line = 20}, {.document = 1, .line = 30}, {}});
    EXPECT_EQ(lines_of(pdb, {{"A", {{"M"}, {"M"}, {"M"}}}}, 2), (Lines{20, 30}));
}

TEST(MethodPlaces, MethodsThatSeveralTypesClaimAreOfOne) {
    const MadePdb pdb = pdb_of({{.document = 1, .line = 20}, {}, {.document = 1, .line = 30}, {}});
    const test::MadeCode method = {"M"};
    std::vector<MadeType> types = {{"A", {method, method}}, {"B", {method, method}}};
    EXPECT_EQ(lines_of(pdb, types), (Lines{20, 20, 30, 30}));
    types.push_back({.name = "C", .methods = {}, .first_method = 1});
    types.push_back({.name = "D", .methods = {}, .first_method = 2});
    EXPECT_EQ(lines_of(pdb, types), (Lines{20, 20, 30, 30}));
}

TEST(MethodPlaces, RandomDamageDoesNoHarm) {
    std::mt19937 random(12);
    const auto pdb_bytes = test::sample_pdb().bytes();
    const auto pdb = PortablePdb::parse(pdb_bytes);
    ASSERT_TRUE(pdb);
    const auto whole = test::sample_image().bytes();
    for (int round = 0; round < 20'000; ++round) {
        auto image = whole;
        for (uint32_t damages = 1 + random() % 4; damages > 0; --damages) {
            image[random() % image.size()] = static_cast<uint8_t>(random());
        }
        for (const SourcePoint& place : method_places(*pdb, image, kAll)) {
            ASSERT_LE(place.document, pdb->documents());
        }
    }
}

}  // namespace
}  // namespace umbra::symbols
