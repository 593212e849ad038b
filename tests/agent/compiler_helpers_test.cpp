// SPDX-License-Identifier: MIT
// The helpers of the installed core library: not that of .NET 9, whose helpers it has, too.
#include "src/agent/methods/compiler_helpers.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/clr/image_metadata.h"
#include "src/clr/pe_image.h"
#include "tests/clr/framework_images.h"

namespace umbra::agent {
namespace {

using clr::ImageLayout;

class CoreLibrary : public testing::Test {
  protected:
    void SetUp() override {
        const auto folder = clr::framework_directory();
        if (!folder) {
            GTEST_SKIP() << "no .NET is installed";
        }
        file_ = clr::file_bytes(*folder / "System.Private.CoreLib.dll");
        image_ = clr::ImageMetadata::parse(clr::metadata_of_image(file_, ImageLayout::kFlat));
        ASSERT_TRUE(image_);
    }

    [[nodiscard]] clr::MetadataReader metadata() const { return clr::MetadataReader(*image_); }
    [[nodiscard]] CompilerHelpers helpers() const {
        return {metadata(), [this](clr::mdMethodDef method) {
                    return clr::bytes_at(file_, ImageLayout::kFlat, image_->code_address(method));
                }};
    }
    [[nodiscard]] std::vector<clr::mdMethodDef> methods(const char* namespace_, const char* type,
                                                        const char* name) const {
        const auto found = metadata().methods_named(
            metadata().find_type({.namespace_ = namespace_, .names = {type}}), name);
        EXPECT_FALSE(found.empty()) << type << '.' << name;
        return found;
    }

    std::vector<uint8_t> file_;
    std::optional<clr::ImageMetadata> image_;
};

constexpr const char* kServices = "System.Runtime.CompilerServices";

TEST_F(CoreLibrary, HelpersAndWhatTheyMayHaveInlinedAreFound) {
    const CompilerHelpers helpers = this->helpers();
    for (const char* name : {"ChkCastAny", "IsInstanceOfClass", "StelemRef", "Unbox"}) {
        EXPECT_TRUE(helpers.contains(methods(kServices, "CastHelpers", name).front())) << name;
    }
    // Called by a helper, and by what that calls.
    EXPECT_TRUE(helpers.contains(methods(kServices, "CastCache", "TryGet").front()));
    EXPECT_TRUE(helpers.contains(methods(kServices, "CastCache", "KeyToBucket").front()));
    // It only throws.
    EXPECT_TRUE(
        helpers.contains(methods("System", "ThrowHelper", "ThrowOverflowException").front()));
}

TEST_F(CoreLibrary, EverythingElseIsNone) {
    const CompilerHelpers helpers = this->helpers();
    for (const clr::mdMethodDef method : methods("System", "String", "Concat")) {
        EXPECT_FALSE(helpers.contains(method));
    }
    EXPECT_FALSE(helpers.contains(methods("System", "Type", "GetMethod").front()));
    EXPECT_GT(helpers.size(), 20U);
    EXPECT_LT(helpers.size(), 200U) << "of more than 30,000 methods";
}

TEST_F(CoreLibrary, WhereNoneIsFoundAnyMethodMayBeOne) {
    const CompilerHelpers without_code(metadata(), [](clr::mdMethodDef) { return il::Bytes(); });
    EXPECT_TRUE(without_code.contains(methods(kServices, "CastHelpers", "ChkCastAny").front()));
    EXPECT_FALSE(without_code.contains(methods("System", "String", "Concat").front()));
    EXPECT_TRUE(CompilerHelpers().contains(methods("System", "String", "Concat").front()));
}

TEST_F(CoreLibrary, CallsAreResolvedThroughInstancesOfTypesAndMethods) {
    // Every operand of a call in the library: what is answered is a method of its own.
    size_t found = 0;
    for (uint32_t row = 1; row < 5000; ++row) {
        for (const uint32_t table : {0x0600'0000U, 0x0a00'0000U, 0x2b00'0000U}) {
            for (const clr::mdMethodDef method : image_->methods_called(table | row)) {
                found += metadata().method(method) ? 1U : 0U;
            }
        }
    }
    EXPECT_GT(found, 10'000U);
    EXPECT_TRUE(image_->methods_called(0x0a00'0000).empty());
    EXPECT_TRUE(image_->methods_called(0x2bff'ffff).empty() ||
                !metadata().method(image_->methods_called(0x2bff'ffff).front()));
    EXPECT_TRUE(image_->methods_called(0x0200'0001).empty());
}

TEST(CompilerHelpers, OfOneVersionOnlyAreFragile) {
    EXPECT_FALSE(CompilerHelpers::are_fragile(8));
    EXPECT_TRUE(CompilerHelpers::are_fragile(9));
    EXPECT_FALSE(CompilerHelpers::are_fragile(10));
    EXPECT_FALSE(CompilerHelpers::are_fragile(0)) << "that do not tell: none is that old";
}

}  // namespace
}  // namespace umbra::agent
