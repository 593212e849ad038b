// SPDX-License-Identifier: MIT
#include "src/symbols/portable_pdb.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/symbols/made_symbols.h"

namespace umbra::symbols {
namespace {

using test::MadePdb;

TEST(PortablePdb, TellsWhereMethodsBegin) {
    const auto bytes = test::sample_pdb().bytes();
    const auto pdb = PortablePdb::parse(bytes);
    ASSERT_TRUE(pdb);
    EXPECT_EQ(pdb->id(), test::sample_pdb().id);
    EXPECT_EQ(pdb->methods(), 4U);
    EXPECT_EQ(pdb->first_point(1).line, 12U);
    EXPECT_EQ(pdb->document_name(pdb->first_point(1).document), "/src/Shop.cs");
    EXPECT_EQ(pdb->first_point(2).line, 0U) << "it has no code of the source";
    EXPECT_EQ(pdb->first_point(3).line, 7U) << "behind code that the compiler has made up";
    EXPECT_EQ(pdb->first_point(4).line, 300U);
    EXPECT_EQ(pdb->document_name(pdb->first_point(4).document), "/src/Cart.g.cs");
    EXPECT_EQ(pdb->first_point(0).line, 0U);
    EXPECT_EQ(pdb->first_point(5).line, 0U);
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
                EXPECT_LE(pdb->first_point(method).document, pdb->documents());
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
            const SourcePoint point = pdb->first_point(method);
            ASSERT_LE(point.document, pdb->documents());
            ASSERT_LE(pdb->document_name(point.document).size(), 4 * size_t{4096});
        }
    }
}

}  // namespace
}  // namespace umbra::symbols
