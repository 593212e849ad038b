// SPDX-License-Identifier: MIT
#include "src/symbols/portable_pdb.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/symbols/made_symbols.h"

namespace umbra::symbols {
namespace {

using test::MadePdb;

constexpr size_t kAll = 1000;

/// Line of the first point of a method, 0: it has none.
uint32_t first_line(const PortablePdb& pdb, uint32_t method) {
    const std::vector<CodePoint> points = pdb.points(method, kAll);
    return points.empty() ? 0 : points.front().place.line;
}

std::string first_file(const PortablePdb& pdb, uint32_t method) {
    const std::vector<CodePoint> points = pdb.points(method, kAll);
    return points.empty() ? "" : pdb.document_name(points.front().place.document);
}

TEST(PortablePdb, TellsWhereMethodsBegin) {
    const auto bytes = test::sample_pdb().bytes();
    const auto pdb = PortablePdb::parse(bytes);
    ASSERT_TRUE(pdb);
    EXPECT_EQ(pdb->id(), test::sample_pdb().id);
    EXPECT_EQ(pdb->methods(), 4U);
    EXPECT_EQ(first_line(*pdb, 1), 12U);
    EXPECT_EQ(first_file(*pdb, 1), "/src/Shop.cs");
    EXPECT_EQ(first_line(*pdb, 2), 0U) << "it has no code of the source";
    EXPECT_EQ(first_line(*pdb, 3), 7U) << "behind code that the compiler has made up";
    EXPECT_EQ(first_line(*pdb, 4), 300U);
    EXPECT_EQ(first_file(*pdb, 4), "/src/Cart.g.cs");
    EXPECT_EQ(first_line(*pdb, 0), 0U);
    EXPECT_EQ(first_line(*pdb, 5), 0U);
}

TEST(PortablePdb, TellsEachPointOfAMethod) {
    const auto bytes = test::sample_pdb().bytes();
    const auto pdb = PortablePdb::parse(bytes);
    ASSERT_TRUE(pdb);
    const std::vector<CodePoint> plain = pdb->points(1, kAll);
    ASSERT_EQ(plain.size(), 2U);
    EXPECT_EQ(pdb->points(1, 1).size(), 1U);
    EXPECT_EQ(plain[0].offset, 0U);
    EXPECT_EQ(plain[1].offset, 3U);
    EXPECT_EQ(plain[1].place.line, 15U);
    EXPECT_EQ(plain[1].place.document, 1U);
    const std::vector<CodePoint> behind = pdb->points(3, kAll);
    ASSERT_EQ(behind.size(), 2U) << "what the compiler has made up is none";
    EXPECT_EQ(behind[0].offset, 1U);
    EXPECT_EQ(behind[1].offset, 4U);
}

TEST(PortablePdb, TellsWhichMethodHasTheCodeOfAnother) {
    for (const uint32_t rows : {4U, 70'000U}) {
        MadePdb made = test::sample_pdb();
        made.methods_of_image = rows;
        const auto bytes = made.bytes();
        const auto pdb = PortablePdb::parse(bytes);
        ASSERT_TRUE(pdb);
        std::vector<std::pair<uint32_t, uint32_t>> found;
        pdb->for_each_state_machine(
            [&](uint32_t move_next, uint32_t kickoff) { found.emplace_back(move_next, kickoff); });
        EXPECT_EQ(found, made.state_machines) << rows;
    }
}

TEST(PortablePdb, IsNoneWhereTheBytesAreSomethingElse) {
    EXPECT_FALSE(PortablePdb::parse({}));
    const std::string windows =
        "Microsoft C/C++ MSF 7.00\r\n\x1a"
        "DS";
    EXPECT_FALSE(
        PortablePdb::parse({reinterpret_cast<const uint8_t*>(windows.data()), windows.size()}));
    const auto whole = test::sample_pdb().bytes();
    for (size_t size = 0; size < whole.size(); ++size) {
        const auto pdb = PortablePdb::parse(Bytes(whole).first(size));
        if (pdb) {
            for (uint32_t method = 0; method <= pdb->methods(); ++method) {
                for (const CodePoint& point : pdb->points(method, kAll)) {
                    EXPECT_LE(point.place.document, pdb->documents());
                }
            }
        }
    }
}

TEST(PortablePdb, RandomDamageDoesNoHarm) {
    std::mt19937 random(11);
    const auto whole = test::sample_pdb().bytes();
    for (int round = 0; round < 20'000; ++round) {
        auto bytes = whole;
        for (uint32_t damages = 1 + random() % 4; damages > 0; --damages) {
            bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
        }
        const auto pdb = PortablePdb::parse(bytes);
        for (uint32_t method = 0; pdb && method <= std::min(pdb->methods(), 10U); ++method) {
            for (const CodePoint& point : pdb->points(method, kAll)) {
                ASSERT_LE(point.place.document, pdb->documents());
                ASSERT_NE(point.place.line, 0U);
            }
        }
        for (uint32_t document = 0; pdb && document <= std::min(pdb->documents(), 4U); ++document) {
            // Of 4,096 bytes none takes more room than an escape, "\\u001b".
            ASSERT_LE(pdb->document_name(document).size(), 6 * size_t{4096});
        }
    }
}

}  // namespace
}  // namespace umbra::symbols
