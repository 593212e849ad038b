// SPDX-License-Identifier: MIT
// The methods that async calls go through, in every core library that is installed.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/segment.h"
#include "src/agent/async/core_probes.h"
#include "src/agent/async_types.h"
#include "src/clr/image_metadata.h"
#include "src/clr/pe_image.h"
#include "src/il/method_body.h"
#include "src/il/signature.h"
#include "tests/clr/framework_images.h"

namespace umbra::agent {
namespace {

using clr::ImageLayout;

struct CoreLibrary {
    std::string version;
    std::vector<uint8_t> file;
    clr::ImageMetadata image;

    [[nodiscard]] clr::MetadataReader metadata() const { return clr::MetadataReader(image); }
    [[nodiscard]] clr::Bytes body(clr::mdMethodDef method) const {
        return clr::bytes_at(file, ImageLayout::kFlat, image.code_address(method));
    }
};

/// Of all versions beside the newest.
std::vector<CoreLibrary> core_libraries() {
    std::vector<CoreLibrary> found;
    const auto newest = clr::framework_directory();
    if (!newest) {
        return found;
    }
    for (const auto& version : std::filesystem::directory_iterator(newest->parent_path())) {
        std::vector<uint8_t> file = clr::file_bytes(version.path() / "System.Private.CoreLib.dll");
        if (const auto image =
                clr::ImageMetadata::parse(clr::metadata_of_image(file, ImageLayout::kFlat))) {
            found.push_back({version.path().filename(), std::move(file), *image});
        }
    }
    return found;
}

class CoreMethodsOf : public testing::Test {
  protected:
    void SetUp() override {
        if (libraries_.empty()) {
            GTEST_SKIP() << "no .NET is installed";
        }
    }
    const std::vector<CoreLibrary> libraries_ = core_libraries();
};

TEST_F(CoreMethodsOf, EveryInstalledRuntimeAreAllFound) {
    for (const CoreLibrary& library : libraries_) {
        const CoreMethods found = CoreMethods::find(library.metadata(), 1);
        EXPECT_EQ(found.missing, std::vector<std::string>()) << library.version;
        EXPECT_TRUE(found.suffices);
        std::set<clr::mdMethodDef> different;
        for (const CorePlace& place : found.places) {
            different.insert(place.method);
        }
        const bool runtime_async = library.version.starts_with("11.");
        EXPECT_EQ(found.follows_runtime_async, runtime_async) << library.version;
        EXPECT_EQ(found.tokens.stack.tell_awaited(), runtime_async) << library.version;
        EXPECT_EQ(different.size(), runtime_async ? 30U : 26U) << library.version;
    }
}

TEST_F(CoreMethodsOf, EveryInstalledRuntimeTakeTheirProbes) {
    for (const CoreLibrary& library : libraries_) {
        const CoreMethods found = CoreMethods::find(library.metadata(), 1);
        for (const CorePlace& place : found.places) {
            const auto method = library.metadata().method(place.method);
            const std::string name = library.version + ": " + method->name;
            const auto body = il::MethodBody::parse(library.body(place.method));
            ASSERT_TRUE(body) << name;
            const auto result = il::return_type(method->signature);
            const auto locals = il::probe_locals(
                library.metadata().signature(body->local_signature),
                place.probe.end.address != 0 ? *result
                                             : il::ReturnType{.is_void = true, .type = {}});
            ASSERT_TRUE(locals) << name;
            const auto made = il::instrument(*body, place.probe, found.tokens, *locals, 0x11000001);
            ASSERT_TRUE(made) << name;
            EXPECT_TRUE(il::MethodBody::parse(made->body)) << name;
        }
    }
}

TEST_F(CoreMethodsOf, ALibraryWithoutThemSaysWhichItLacks) {
    const auto folder = clr::framework_directory();
    const std::vector<uint8_t> file = clr::file_bytes(*folder / "System.Linq.dll");
    const auto image = clr::ImageMetadata::parse(clr::metadata_of_image(file, ImageLayout::kFlat));
    ASSERT_TRUE(image);
    const CoreMethods found = CoreMethods::find(clr::MetadataReader(*image), 1);
    EXPECT_FALSE(found.suffices);
    EXPECT_TRUE(found.places.empty());
    EXPECT_EQ(found.missing.size(), 28U);
    EXPECT_NE(std::ranges::find(found.missing, "ThreadPoolWorkQueue.Enqueue"), found.missing.end());
}

TEST_F(CoreMethodsOf, TheFrameworkStateMachinesAreToldFromIterators) {
    for (const CoreLibrary& library : libraries_) {
        const clr::MetadataReader metadata = library.metadata();
        const std::vector<clr::mdMethodDef> machines = state_machines_in(metadata);
        std::set<uint8_t> traits;
        for (const clr::mdMethodDef machine : machines) {
            EXPECT_EQ(metadata.method(machine)->name, "MoveNext");
            traits.insert(traits_of(metadata, machine));
        }
        EXPECT_FALSE(traits.contains(0)) << library.version;
        if (!library.version.starts_with("11.")) {  // where they are runtime async
            EXPECT_TRUE(traits.contains(hotpath::kStateMachine)) << library.version;
        }
        // An iterator that is not async.
        const auto boxes = metadata.find_type(
            {.namespace_ = "System.Collections.Generic", .names = {"List`1", "Enumerator"}});
        EXPECT_EQ(traits_of(metadata, metadata.methods_named(boxes, "MoveNext").front()), 0);
    }
}

}  // namespace
}  // namespace umbra::agent
