// SPDX-License-Identifier: MIT
// Tests of reading metadata in place, on assemblies of the installed .NET and damaged copies.

#include "src/clr/image_metadata.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/clr/metadata_reader.h"
#include "src/clr/method_names.h"
#include "src/clr/pe_image.h"
#include "src/clr/signature.h"
#include "tests/clr/framework_images.h"
#include "tests/clr/uncounted.h"

namespace umbra::clr {
namespace {

constexpr mdToken kFirstType = 0x0200'0001;
constexpr mdToken kFirstMethod = 0x0600'0001;
constexpr const char* kAsync = "System.Runtime.CompilerServices.AsyncStateMachineAttribute";

/// Everything a name is made of.
std::string whole_name(const ImageMetadata& image, mdMethodDef token) {
    const auto method = image.method(token);
    if (!method) {
        return {};
    }
    const MetadataReader reader(image);
    const GenericNames generics{reader.generic_parameters(method->type),
                                reader.generic_parameters(token)};
    const auto signature = decode_method_signature(method->signature, reader, generics);
    return reader.full_name(method->type) + '.' + method->name +
           spell_list(generics.method, '<', '>') +
           (signature ? spell_parameters(*signature) + " -> " + signature->return_type : "?");
}

std::vector<std::string> all_names(const ImageMetadata& image) {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < image.method_count(); ++i) {
        names.push_back(whole_name(image, kFirstMethod + i));
    }
    return names;
}

class Image : public testing::Test {
  protected:
    void SetUp() override {
        if (!framework_) {
            GTEST_SKIP() << "no dotnet with a shared framework in PATH";
        }
    }

    std::vector<uint8_t> file(const char* assembly) const {
        return file_bytes(*framework_ / assembly);
    }
    static std::optional<ImageMetadata> read(Bytes bytes, ImageLayout layout) {
        return ImageMetadata::parse(metadata_of_image(bytes, layout));
    }

    const std::optional<std::filesystem::path> framework_ = framework_directory();
};

TEST_F(Image, TellsEnumsAndTheirConstants) {
    const auto bytes = file("System.Private.CoreLib.dll");
    const auto image = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(image);
    const MetadataReader reader(*image);
    const auto type = [&](const char* namespace_, std::vector<std::string> names) {
        return image->enum_type(reader.find_type({namespace_, std::move(names)}), 100);
    };
    const auto name = [](const EnumType& of, uint64_t value) -> std::string {
        const auto known = std::ranges::find(of.constants, value, &EnumType::Constant::value);
        return known == of.constants.end() ? "" : known->name;
    };
    const auto day = type("System", {"DayOfWeek"});
    ASSERT_TRUE(day);
    EXPECT_EQ(day->constants.size(), 7U);
    EXPECT_EQ(name(*day, 5), "Friday");
    EXPECT_TRUE(day->is_signed && !day->is_flags);
    const auto access = type("System.IO", {"FileAccess"});
    ASSERT_TRUE(access);
    EXPECT_TRUE(access->is_flags);
    const auto nested = type("System.Diagnostics", {"DebuggableAttribute", "DebuggingModes"});
    ASSERT_TRUE(nested);
    EXPECT_EQ(name(*nested, 0x100), "DisableOptimizations");
    const auto wide = type("System.Diagnostics.Tracing", {"EventKeywords"});  // a long
    ASSERT_TRUE(wide);
    EXPECT_EQ(name(*wide, UINT64_MAX), "All");
    const auto narrow = type("System", {"TypeCode"});
    ASSERT_TRUE(narrow);
    EXPECT_EQ(image->enum_type(reader.find_type({"System", {"TypeCode"}}), 3)->constants.size(),
              3U);
    EXPECT_FALSE(type("System", {"DateTime"})) << "a struct";
    EXPECT_FALSE(type("System", {"Enum"}));
    EXPECT_FALSE(type("System", {"NoSuchType"}));
    EXPECT_FALSE(type("Acme", {"DayOfWeek"})) << "another namespace";
}

TEST_F(Image, TellsKnownMethodsWithTheirSignatures) {
    const auto bytes = file("System.Private.CoreLib.dll");
    const auto image = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(image);
    const std::vector<std::string> names = all_names(*image);
    for (const char* known :
         {"System.String.Concat(string, string) -> string",
          "System.Collections.Generic.List`1.Add(T) -> void",
          "System.Collections.Generic.List`1+Enumerator.MoveNext() -> bool",
          "System.Collections.Generic.Dictionary`2.TryGetValue(TKey, ref TValue) -> bool",
          "System.Array.Resize<T>(ref T[], int) -> void", "System.Object..ctor() -> void"}) {
        EXPECT_EQ(std::count(names.begin(), names.end(), known), 1) << known;
    }
    EXPECT_EQ(std::count(names.begin(), names.end(), ""), 0);
    EXPECT_FALSE(image->method(kFirstMethod + image->method_count()));
    EXPECT_FALSE(image->method(kFirstMethod - 1));
    EXPECT_FALSE(image->method(kFirstType));
}

TEST_F(Image, GivesEveryMethodToTheTypeThatDeclaresIt) {
    const auto bytes = file("System.Linq.dll");
    const auto image = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(image);
    ASSERT_GT(image->method_count(), 1000U);
    std::map<mdTypeDef, size_t> methods_of;
    for (uint32_t i = 0; i < image->method_count(); ++i) {
        const auto method = image->method(kFirstMethod + i);
        ASSERT_TRUE(method);
        ++methods_of[method->type];
        const auto same = image->methods_named(method->type, method->name);
        EXPECT_EQ(std::count(same.begin(), same.end(), kFirstMethod + i), 1) << method->name;
    }
    size_t generic_overloads = 0;
    for (const auto& [type, count] : methods_of) {
        if (MetadataReader(*image).full_name(type) == "System.Linq.Enumerable") {
            generic_overloads = image->methods_named(type, "Select").size();
        }
    }
    EXPECT_EQ(generic_overloads, 2U);
}

TEST_F(Image, TellsHowParametersArePassed) {
    const auto bytes = file("System.Private.CoreLib.dll");
    const auto image = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(image);
    const MetadataReader reader(*image);
    int outs = 0;
    int collecting = 0;
    for (uint32_t i = 0; i < image->method_count(); ++i) {
        const auto method = image->method(kFirstMethod + i);
        for (const ParameterProperties& one : image->parameters(kFirstMethod + i)) {
            outs += method->name == "TryGetValue" && one.out && one.number == 2 ? 1 : 0;
            collecting += method->name == "Concat" &&
                                  reader.has_attribute(one.token, "System.ParamArrayAttribute")
                              ? 1
                              : 0;
        }
    }
    EXPECT_GT(outs, 5);
    EXPECT_GE(collecting, 2);
    EXPECT_TRUE(image->parameters(kFirstMethod + image->method_count()).empty());
    EXPECT_TRUE(image->parameters(kFirstType).empty());
}

TEST_F(Image, ListsTheAttributesThatMethodsCarry) {
    const auto bytes = file("System.Private.CoreLib.dll");
    const auto image = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(image);
    const MetadataReader reader(*image);
    std::map<mdMethodDef, int> async;
    for (const MethodAttribute& one : image->method_attributes()) {
        const auto type = image->type(one.type);
        ASSERT_TRUE(type);
        if (type->namespace_ + '.' + type->name == kAsync) {
            ++async[one.method];
            EXPECT_EQ(image->type(image->base_type(one.type))->name, "StateMachineAttribute");
        }
    }
    EXPECT_GT(async.size(), 50U);
    for (uint32_t i = 0; i < image->method_count(); ++i) {
        EXPECT_EQ(async.contains(kFirstMethod + i), reader.has_attribute(kFirstMethod + i, kAsync));
    }
}

TEST_F(Image, TellsWhoseReferencedTypesAre) {
    const auto bytes = file("System.Linq.dll");
    const auto image = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(image);
    std::map<std::string, std::string> assemblies;
    for (mdTypeRef type = 0x0100'0001; image->type(type); ++type) {
        assemblies[image->type(type)->name] = image->assembly_of(type);
    }
    EXPECT_EQ(assemblies["Object"], "System.Runtime");
    EXPECT_EQ(image->assembly_of(kFirstType), "");
    EXPECT_EQ(image->base_type(kFirstMethod), 0U);
}

TEST_F(Image, ReadsTheSameFromBothLayouts) {
    for (const char* assembly : {"System.Private.CoreLib.dll", "System.Linq.dll"}) {
        const auto flat = file(assembly);
        const auto mapped = laid_out_as_mapped(flat);
        const auto of_flat = read(flat, ImageLayout::kFlat);
        const auto of_mapped = read(mapped, ImageLayout::kMapped);
        ASSERT_TRUE(of_flat && of_mapped) << assembly;
        EXPECT_EQ(all_names(*of_flat), all_names(*of_mapped)) << assembly;
        EXPECT_EQ(loaded_image(mapped.data(), ImageLayout::kMapped).size(), mapped.size());
        EXPECT_LE(loaded_image(flat.data(), ImageLayout::kFlat).size(), flat.size());
    }
}

TEST_F(Image, LeadsFromAsyncMethodsToTheirStateMachines) {
    const auto bytes = file("System.Private.CoreLib.dll");
    const auto image = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(image);
    const MetadataReader reader(*image);
    std::map<std::string, mdTypeDef> nested;
    for (mdTypeDef type = kFirstType; image->type(type); ++type) {
        if (reader.enclosing_type(type) != 0) {
            nested[reader.full_name(type)] = type;
        }
    }
    int async = 0;
    for (uint32_t i = 0; i < image->method_count(); ++i) {
        const std::string machine = reader.type_in_attribute(kFirstMethod + i, kAsync);
        if (!machine.empty()) {
            ++async;
            ASSERT_TRUE(nested.contains(machine)) << machine;
            EXPECT_EQ(reader.enclosing_type(nested[machine]),
                      image->method(kFirstMethod + i)->type);
        }
    }
    EXPECT_GT(async, 50);
}

/// Where in an image the tables' stream starts.
size_t tables_offset(Bytes bytes) {
    const Bytes metadata = metadata_of_image(bytes, ImageLayout::kFlat);
    const auto root = static_cast<size_t>(metadata.data() - bytes.data());
    for (size_t at = root; at < root + 256; ++at) {
        if (std::memcmp(&bytes[at], "#~\0\0", 4) == 0) {
            return root + load<uint32_t>(bytes, at - 8);
        }
    }
    return 0;
}

TEST_F(Image, UnsortedTablesAreSearchedWhole) {
    auto bytes = file("System.Linq.dll");
    const auto sorted = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(sorted);
    const auto names = all_names(*sorted);
    const size_t tables = tables_offset(bytes);
    ASSERT_NE(tables, 0U);
    std::fill_n(bytes.begin() + static_cast<long>(tables) + 16, 8, uint8_t{0});
    const auto unsorted = read(bytes, ImageLayout::kFlat);
    ASSERT_TRUE(unsorted);
    EXPECT_EQ(all_names(*unsorted), names);
}

TEST_F(Image, TablesOfEditAndContinueAreLeftToTheRuntime) {
    auto bytes = file("System.Linq.dll");
    const std::string_view name("#~\0\0", 4);
    const auto at = std::search(bytes.begin(), bytes.end(), name.begin(), name.end());
    ASSERT_NE(at, bytes.end());
    at[1] = '-';
    EXPECT_FALSE(read(bytes, ImageLayout::kFlat));
}

TEST(NoImage, HasNoMetadata) {
    for (const ImageLayout layout : {ImageLayout::kFlat, ImageLayout::kMapped}) {
        EXPECT_TRUE(metadata_of_image({}, layout).empty());
        const std::vector<uint8_t> zeros(5000);
        EXPECT_TRUE(loaded_image(zeros.data(), layout).empty());
        EXPECT_TRUE(metadata_of_image(zeros, layout).empty());
    }
    EXPECT_FALSE(ImageMetadata::parse({}));
}

// ---- a runtime that has the image ----------------------------------------------------------

class ImageRuntime final : public InfoBase {
  public:
    const uint8_t* base = nullptr;
    uint32_t flags = COR_PRF_MODULE_DISK;
    mdMethodDef method = kFirstMethod;
    int imports = 0;

    HRESULT GetModuleInfo2(ModuleID, const uint8_t** out, uint32_t, uint32_t*, char16_t*,
                           AssemblyID*, uint32_t* module_flags) override {
        *out = base;
        *module_flags = flags;
        return kOk;
    }
    HRESULT GetModuleMetaData(ModuleID, uint32_t, const Guid&, IUnknown**) override {
        ++imports;
        return kFail;
    }
    HRESULT GetFunctionInfo2(FunctionID, COR_PRF_FRAME_INFO, ClassID* class_id, ModuleID* module,
                             mdToken* token, uint32_t, uint32_t* count, ClassID*) override {
        *class_id = 0;
        *module = 1;
        *token = method;
        *count = 0;
        return kOk;
    }
};

TEST_F(Image, NamesAreReadWithoutAskingForTheImportInterface) {
    const auto flat = file("System.Linq.dll");
    const auto mapped = laid_out_as_mapped(flat);
    const auto image = read(flat, ImageLayout::kFlat);
    ASSERT_TRUE(image);
    ImageRuntime runtime;
    for (const bool is_flat : {true, false}) {
        runtime.base = is_flat ? flat.data() : mapped.data();
        runtime.flags = COR_PRF_MODULE_DISK | (is_flat ? COR_PRF_MODULE_FLAT_LAYOUT : 0U);
        for (uint32_t i = 0; i < image->method_count(); ++i) {
            runtime.method = kFirstMethod + i;
            const auto name = method_name(runtime, 1);
            ASSERT_TRUE(name);
            EXPECT_EQ(name->method, image->method(runtime.method)->name);
            const auto of_file = method_name(*image, runtime.method);
            ASSERT_TRUE(of_file);
            EXPECT_EQ(of_file->type + of_file->method_args + of_file->parameters,
                      name->type + name->method_args + name->parameters);
            EXPECT_EQ(of_file->token, runtime.method);
        }
        EXPECT_FALSE(method_name(*image, kFirstMethod + image->method_count()));
    }
    EXPECT_EQ(runtime.imports, 0);
}

TEST_F(Image, ModulesWithoutOneAreReadThroughTheRuntime) {
    const auto flat = file("System.Linq.dll");
    ImageRuntime runtime;
    EXPECT_FALSE(MetadataReader::of_module(runtime, 1));
    EXPECT_EQ(runtime.imports, 1);
    runtime.base = flat.data();
    runtime.flags = COR_PRF_MODULE_DYNAMIC | COR_PRF_MODULE_FLAT_LAYOUT;
    EXPECT_FALSE(MetadataReader::of_module(runtime, 1));
    EXPECT_EQ(runtime.imports, 2);
}

// ---- damage --------------------------------------------------------------------------------

class DamagedImage : public Image {
  protected:
    /// Asks for a handful of everything; the answers do not matter.
    void ask(Bytes bytes, ImageLayout layout) {
        const auto image = read(bytes, layout);
        if (!image) {
            return;
        }
        ++readable_;
        const MetadataReader reader(*image);
        for (int i = 0; i < 8; ++i) {
            const uint32_t row = i == 0 ? random() : random() % 8000;
            answers_ += whole_name(*image, kFirstMethod + row).size();
            answers_ += reader.full_name(kFirstType + row).size();
            answers_ += reader.chain(0x0100'0000 + row).names.size();
            answers_ += reader.type_in_attribute(kFirstMethod + row, kAsync).size();
            answers_ += reader.parameters(kFirstMethod + row).size();
            if (const auto type = image->enum_type(kFirstType + row, 8)) {
                answers_ += type->constants.size();
            }
            answers_ += reader.methods_named(kFirstType + row, "MoveNext").size();
            answers_ += reader.enclosing_type(kFirstType + row);
        }
    }
    uint32_t random() { return static_cast<uint32_t>(random_()); }

    std::mt19937 random_{20240229};
    int readable_ = 0;
    size_t answers_ = 0;
};

TEST_F(DamagedImage, FlippedBytesGiveAnswersOrNone) {
    constexpr int kRounds = 20000;
    const auto sound = file("System.Linq.dll");
    for (const ImageLayout layout : {ImageLayout::kFlat, ImageLayout::kMapped}) {
        auto bytes = layout == ImageLayout::kFlat ? sound : laid_out_as_mapped(sound);
        const Bytes metadata = metadata_of_image(bytes, layout);
        const auto root = static_cast<size_t>(metadata.data() - bytes.data());
        readable_ = 0;
        for (int round = 0; round < kRounds; ++round) {
            std::vector<std::pair<size_t, uint8_t>> undo;
            for (uint32_t flips = 1 + random() % 40; flips > 0; --flips) {
                // Headers of the image, of the metadata, all metadata; by turns.
                const size_t at = round % 3 == 0   ? random() % 1024
                                  : round % 3 == 1 ? root + random() % 512
                                                   : root + random() % metadata.size();
                undo.emplace_back(at, bytes[at]);
                bytes[at] = static_cast<uint8_t>(random());
            }
            ask(bytes, layout);
            for (; !undo.empty(); undo.pop_back()) {
                bytes[undo.back().first] = undo.back().second;
            }
        }
        EXPECT_GT(readable_, kRounds / 10);
    }
    EXPECT_GT(answers_, 0U);
}

TEST_F(DamagedImage, TruncatedBytesGiveAnswersOrNone) {
    const auto sound = file("System.Linq.dll");
    for (const ImageLayout layout : {ImageLayout::kFlat, ImageLayout::kMapped}) {
        const auto whole = layout == ImageLayout::kFlat ? sound : laid_out_as_mapped(sound);
        for (int round = 0; round < 400; ++round) {
            const size_t length = random() % (round % 2 == 0 ? 2048 : whole.size());
            const std::vector<uint8_t> bytes(whole.begin(),
                                             whole.begin() + static_cast<long>(length));
            ask(bytes, layout);
        }
        // Metadata cut short keeps its streams' addresses, but not their ends.
        const Bytes metadata = metadata_of_image(whole, layout);
        for (int round = 0; round < 400; ++round) {
            const size_t length = random() % metadata.size();
            const std::vector<uint8_t> bytes(metadata.begin(),
                                             metadata.begin() + static_cast<long>(length));
            if (const auto image = ImageMetadata::parse(bytes)) {
                answers_ += whole_name(*image, kFirstMethod + random() % 1000).size();
            }
        }
    }
}

}  // namespace
}  // namespace umbra::clr
