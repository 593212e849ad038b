// SPDX-License-Identifier: MIT
// Fuzzes the rule for trivial methods on whole assemblies: an input is an image, all of whose
// methods are judged. Covers what leads from a token to the method that it names, types that are
// said to be elsewhere, and bodies; each assembly that it refers to is the image itself.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/clr/metadata_schema.h"
#include "src/il/method_judge.h"
#include "tests/clr/framework_images.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/symbols/made_module.h"

namespace umbra::fuzz {
namespace {

constexpr uint32_t kJudged = 500;

class Itself final : public il::Assemblies {
  public:
    explicit Itself(il::CodeImage& image) : image_(image) {}
    il::CodeImage* find(std::string_view name, const il::CodeImage& /*from*/) override {
        return name.empty() ? nullptr : &image_;
    }
    il::CodeImage* core() override { return &image_; }

  private:
    il::CodeImage& image_;
};

std::vector<il::Finding> findings(const std::string& bytes, bool backwards) {
    const auto read = [&bytes](size_t offset, size_t most) {
        return offset < bytes.size() ? bytes.substr(offset, most) : std::string();
    };
    const std::shared_ptr<il::CodeImage> image = il::CodeImage::of_file(read, "/app/fuzzed.dll");
    std::vector<il::Finding> found;
    if (!image) {
        return found;
    }
    Itself assemblies(*image);
    il::MethodJudge judge(
        assemblies, [](const il::CodeImage&, clr::mdMethodDef method) { return method % 2 == 0; });
    const uint32_t count = std::min(image->metadata().method_count(), kJudged);
    found.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = backwards ? count - 1 - i : i;
        const clr::mdMethodDef method = clr::token_of(clr::kMethodDef, at + 1);
        const il::Judgement judgement = judge.judgement(*image, method);
        require(judgement.finding != il::Finding::kTrivial ||
                    (judgement.bytes > 0 && judgement.bytes <= il::kMostBytesTogether),
                "a trivial method is short");
        found[at] = judgement.finding;
        [[maybe_unused]] const bool left_out = judge.leaves_out(*image, method);
    }
    return found;
}

}  // namespace

void run(std::string_view input) {
    const std::string bytes(input);
    const std::vector<il::Finding> forwards = findings(bytes, false);
    const std::vector<il::Finding> backwards = findings(bytes, true);
    for (size_t i = 0; i < forwards.size(); ++i) {
        require((forwards[i] == il::Finding::kTrivial) == (backwards[i] == il::Finding::kTrivial),
                "the order of questions changes no verdict");
    }
}

std::vector<std::string> seeds() {
    using clr::token_of;
    const symbols::test::Content module = symbols::test::MadeModule{
        .assemblies = {"beside"},
        .references = {{"Acme", "Base", 1}},
        .types = {{"Acme", "Cart", token_of(clr::kTypeRef, 1), {".ctor", "get_Total", "Add"}}},
        .attributes = {}}.bytes();
    std::vector<std::string> all = {std::string(module.begin(), module.end())};
    // Code to begin with, where there is any at hand.
    if (const auto framework = clr::framework_directory()) {
        const auto file =
            clr::file_bytes(*framework / "System.Runtime.CompilerServices.VisualC.dll");
        all.emplace_back(file.begin(), file.end());
    }
    return all;
}

}  // namespace umbra::fuzz
