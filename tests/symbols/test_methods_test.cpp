// SPDX-License-Identifier: MIT
// Which methods are found to be tests, on modules made by hand.
#include "src/symbols/test_methods.h"

#include <map>

#include <gtest/gtest.h>

#include "src/clr/metadata_schema.h"
#include "tests/symbols/made_module.h"

namespace umbra::symbols {
namespace {

using clr::mdToken;
using test::Content;
using test::MadeModule;

constexpr mdToken def(uint32_t row) {
    return clr::token_of(clr::kTypeDef, row);
}
constexpr mdToken ref(uint32_t row) {
    return clr::token_of(clr::kTypeRef, row);
}

using Tests = std::map<uint32_t, std::string_view>;

/// The tests of a module, with what lies beside it.
class TestMethods : public testing::Test {
  protected:
    Tests tests_of(const MadeModule& module) { return tests_of(module.bytes()); }
    Tests tests_of(const Content& image) {
        Tests found;
        for (const TestMethod& one : test_methods(image, [this](const std::string& name) {
                 asked_.push_back(name);
                 const auto beside = beside_.find(name);
                 return beside == beside_.end() ? Content() : beside->second.bytes();
             })) {
            found[one.row] = one.framework;
        }
        return found;
    }

    std::map<std::string, MadeModule> beside_;
    std::vector<std::string> asked_;  ///< for which assemblies
};

TEST_F(TestMethods, CarryAnAttributeOfAFramework) {
    const MadeModule module = {
        .assemblies = {"frameworks"},
        .references = {{"Xunit", "FactAttribute", 1},
                       {"Xunit", "TheoryAttribute", 1},
                       {"NUnit.Framework", "TestCaseAttribute", 1},
                       {"Microsoft.VisualStudio.TestTools.UnitTesting", "TestMethodAttribute", 1},
                       {"TUnit.Core", "TestAttribute", 1},
                       {"System", "ObsoleteAttribute", 1},
                       {"Acme", "FactAttribute", 1}},
        .types = {{"", "<Module>", 0, {}},
                  {"Acme", "Tests", 0, {"A", "B", "C", "D", "E", "F", "G", "H"}}},
        .attributes = {{1, ref(1)},
                       {2, ref(6)},
                       {2, ref(2)},
                       {3, ref(3)},
                       {3, ref(3)},
                       {4, ref(4)},
                       {5, ref(5)},
                       {6, ref(6)},
                       {7, ref(7)}}};
    EXPECT_EQ(tests_of(module),
              (Tests{{1, "xUnit"}, {2, "xUnit"}, {3, "NUnit"}, {4, "MSTest"}, {5, "TUnit"}}));
    EXPECT_EQ(asked_, std::vector<std::string>{"frameworks"}) << "once, for Acme.FactAttribute";
}

TEST_F(TestMethods, CarryAnAttributeThatExtendsOne) {
    beside_["extensions"] = {.assemblies = {"xunit.core"},
                             .references = {{"Xunit", "TheoryAttribute", 1}},
                             .types = {{"", "<Module>", 0, {}},
                                       {"Other", "SlowAttribute", 0, {".ctor"}},
                                       {"Acme", "SlowAttribute", def(4), {".ctor"}},
                                       {"Acme", "BaseAttribute", ref(1), {".ctor"}}}};
    const MadeModule module = {
        .assemblies = {"extensions", "xunit.core"},
        .references = {{"Acme", "SlowAttribute", 1},
                       {"Other", "SlowAttribute", 1},
                       {"Xunit", "FactAttribute", 2},
                       {"Acme", "NoneAttribute", 1}},
        .types = {{"", "<Module>", 0, {}},
                  {"", "OwnAttribute", ref(3), {".ctor"}},
                  {"", "FarAttribute", ref(1), {".ctor"}},
                  {"", "Tests", 0, {"A", "B", "C", "D", "E"}}},
        .attributes = {{3, def(2)}, {4, def(3)}, {5, ref(1)}, {6, ref(2)}, {7, ref(4)}}};
    EXPECT_EQ(tests_of(module), (Tests{{3, "xUnit"}, {4, "xUnit"}, {5, "xUnit"}}));
}

TEST_F(TestMethods, AreNotFoundThroughTypesThatExtendEachOther) {
    beside_["a"] = {.assemblies = {"a"},
                    .references = {{"", "Second", 1}},
                    .types = {{"", "First", ref(1), {".ctor"}}, {"", "Second", def(1), {".ctor"}}}};
    const MadeModule module = {.assemblies = {"a"},
                               .references = {{"", "First", 1}},
                               .types = {{"", "Self", def(1), {".ctor", "A", "B"}}},
                               .attributes = {{2, def(1)}, {3, ref(1)}}};
    EXPECT_EQ(tests_of(module), Tests());
}

TEST_F(TestMethods, AreLookedForBesideTheModuleAlone) {
    const MadeModule module = {
        .assemblies = {"../../etc/secret", "", "beside"},
        .references = {{"", "A", 1}, {"", "B", 2}, {"", "C", 3}, {"", "D", 0}},
        .types = {{"", "Tests", 0, {"A", "B", "C", "D"}}},
        .attributes = {{1, ref(1)}, {2, ref(2)}, {3, ref(3)}, {4, ref(4)}}};
    EXPECT_EQ(tests_of(module), Tests());
    EXPECT_EQ(asked_, std::vector<std::string>{"beside"});
}

TEST_F(TestMethods, AreNoneOfWhatIsNoModule) {
    EXPECT_EQ(tests_of(Content()), Tests());
    EXPECT_EQ(tests_of(Content{'M', 'Z', 1, 2, 3}), Tests());
    EXPECT_EQ(tests_of(MadeModule()), Tests());
}

TEST_F(TestMethods, AFewAssembliesAreReadAndNoMore) {
    MadeModule module = {.types = {{"", "Tests", 0, {}}}};
    for (uint32_t i = 1; i <= 100; ++i) {
        module.assemblies.push_back("a" + std::to_string(i));
        module.references.push_back({"", "A", i});
        module.types[0].methods.emplace_back("M");
        module.attributes.push_back({i, ref(i)});
    }
    EXPECT_EQ(tests_of(module), Tests());
    EXPECT_EQ(asked_.size(), 16U);
}

}  // namespace
}  // namespace umbra::symbols
