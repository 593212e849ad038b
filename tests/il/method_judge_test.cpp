// SPDX-License-Identifier: MIT
// Verdicts on the methods of real assemblies, with all they call in others.
#include "src/il/method_judge.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/base/read_file.h"
#include "src/clr/metadata_schema.h"
#include "tests/clr/framework_images.h"

namespace umbra::il {
namespace {

/// The files of the installed framework.
class Framework final : public Assemblies {
  public:
    explicit Framework(std::string folder) : folder_(std::move(folder)) {}

    CodeImage* find(std::string_view name, const CodeImage& /*from*/) override {
        return load(name);
    }
    CodeImage* core() override { return load("System.Private.CoreLib"); }
    CodeImage* load(std::string_view name) {
        const auto [place, added] = images_.try_emplace(std::string(name));
        const std::string path = folder_ + '/' + std::string(name) + ".dll";
        if (added) {
            place->second = CodeImage::of_file(FileParts(path), path);
        }
        return place->second.get();
    }

  private:
    std::string folder_;
    std::map<std::string, std::shared_ptr<CodeImage>, std::less<>> images_;
};

/// A method by its name, the only one or the one with so many parameters.
clr::mdMethodDef method_of(CodeImage& image, const clr::TypeChain& type, const std::string& name,
                           std::optional<uint32_t> parameters = std::nullopt) {
    for (const clr::mdMethodDef method :
         image.metadata().methods_named(image.find_type(type), name)) {
        const auto row = image.metadata().method_row(method);
        if (!parameters || row->signature[1] == *parameters) {
            return method;
        }
    }
    return 0;
}

class MethodJudgeTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto folder = clr::framework_directory();
        if (!folder) {
            GTEST_SKIP() << "dotnet is not installed";
        }
        framework_ = std::make_unique<Framework>(*folder);
        ASSERT_NE(framework_->core(), nullptr);
    }

    std::unique_ptr<Framework> framework_;
};

TEST_F(MethodJudgeTest, TellsWhatMayTakeTimeFromWhatCannot) {
    CodeImage& core = *framework_->core();
    MethodJudge judge(*framework_, [](const CodeImage&, clr::mdMethodDef) { return false; });
    const auto left_out = [&](const clr::TypeChain& type, const std::string& name,
                              std::optional<uint32_t> parameters = std::nullopt) {
        const clr::mdMethodDef method = method_of(core, type, name, parameters);
        EXPECT_NE(method, 0U) << name;
        return judge.leaves_out(core, method);
    };
    const clr::TypeChain list{"System.Collections.Generic", {"List`1"}};
    const clr::TypeChain text{"System", {"String"}};
    EXPECT_TRUE(left_out(list, "get_Count"));
    EXPECT_TRUE(left_out(list, "get_Item"));  // its guard lies beside the way
    EXPECT_TRUE(left_out(text, "get_Length"));
    EXPECT_TRUE(left_out({"System", {"Object"}}, ".ctor"));
    EXPECT_FALSE(left_out(list, "RemoveAt"));
    EXPECT_FALSE(left_out(list, "ToArray"));
    EXPECT_FALSE(left_out(text, "ToUpperInvariant"));
    EXPECT_FALSE(left_out({"System", {"GC"}}, "Collect", 0));
    EXPECT_FALSE(left_out({"System.Threading", {"Thread"}}, "Sleep", 1));
}

TEST_F(MethodJudgeTest, AnAccessorMayPassOnToWhatIsTimed) {
    CodeImage& core = *framework_->core();
    MethodJudge none(*framework_, [](const CodeImage&, clr::mdMethodDef) { return false; });
    const clr::mdMethodDef local = method_of(core, {"System", {"TimeZoneInfo"}}, "get_Local");
    ASSERT_NE(local, 0U);
    EXPECT_FALSE(none.leaves_out(core, local));

    Framework again(core.path().substr(0, core.path().rfind('/')));
    CodeImage& same = *again.core();
    MethodJudge all(again, [](const CodeImage&, clr::mdMethodDef) { return true; });
    EXPECT_EQ(all.judgement(same, local).finding, Finding::kPassesOn)
        << reason(all.judgement(same, local).finding);
    EXPECT_TRUE(all.leaves_out(same, local));
    EXPECT_FALSE(all.calls_nothing_timed(same, local));
}

TEST_F(MethodJudgeTest, TheOrderOfQuestionsChangesNoVerdict) {
    for (const char* name : {"System.Collections", "System.Linq", "System.Private.CoreLib"}) {
        std::vector<std::vector<bool>> verdicts;
        for (const bool backwards : {false, true}) {
            Framework framework(
                framework_->core()->path().substr(0, framework_->core()->path().rfind('/')));
            CodeImage& image = *framework.load(name);
            MethodJudge judge(framework, [](const CodeImage&, clr::mdMethodDef) { return true; });
            const uint32_t count = image.metadata().method_count();
            std::vector<bool>& found = verdicts.emplace_back(count + 1);
            size_t left_out = 0;
            for (uint32_t i = 1; i <= count; ++i) {
                const uint32_t row = backwards ? count + 1 - i : i;
                found[row] = judge.leaves_out(image, clr::token_of(clr::kMethodDef, row));
                left_out += found[row] ? size_t{1} : size_t{0};
            }
            EXPECT_GT(left_out, count / 20) << name;
            EXPECT_LT(left_out, count / 2) << name;
        }
        EXPECT_EQ(verdicts[0], verdicts[1]) << name;
    }
}

TEST_F(MethodJudgeTest, OfAFileTheBodiesAreThoseOfTheWholeImageAndLittleElseIsRead) {
    const std::string& core = framework_->core()->path();
    for (const char* name : {"System.Collections.dll", "System.Private.CoreLib.dll"}) {
        const std::string path = core.substr(0, core.rfind('/') + 1) + name;
        const std::string bytes = read_file(path, size_t{1} << 30).value();
        size_t read = 0;
        const auto image = CodeImage::of_file(
            [&](size_t offset, size_t most) {
                std::string text = FileParts(path)(offset, most);
                read += text.size();
                return text;
            },
            path);
        ASSERT_NE(image, nullptr);
        EXPECT_LT(read, bytes.size() / 2);
        const auto whole = CodeImage::make(clr::bytes_of(bytes), clr::ImageLayout::kFlat, path);
        size_t bodies = 0;
        for (uint32_t row = 1; row <= whole->metadata().method_count(); ++row) {
            const auto method = whole->metadata().method_row(clr::token_of(clr::kMethodDef, row));
            const auto expected = whole->body(*method);
            for (int again = 0; again < 2; ++again) {
                const auto body = image->body(*method);
                ASSERT_EQ(body.has_value(), expected.has_value()) << row;
                if (body) {
                    EXPECT_TRUE(std::ranges::equal(body->code, expected->code)) << row;
                    EXPECT_EQ(body->clauses, expected->clauses) << row;
                    EXPECT_EQ(body->local_signature, expected->local_signature) << row;
                }
            }
            bodies += expected ? size_t{1} : size_t{0};
        }
        EXPECT_GT(bodies, 500U);
    }
}

}  // namespace
}  // namespace umbra::il
