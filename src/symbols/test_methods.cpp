// SPDX-License-Identifier: MIT
#include "src/symbols/test_methods.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "src/clr/image_metadata.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/pe_image.h"

namespace umbra::symbols {
namespace {

using clr::ImageMetadata;
using clr::mdToken;

constexpr std::size_t kMostTestAssemblies = 16;
constexpr std::size_t kMostTypes = 4096;  // of attributes that are looked at in one module
constexpr int kMostAttributeBases = 16;   // between an attribute and that of the framework

struct KnownAttribute {
    std::string_view namespace_;
    std::string_view name;
    std::string_view framework;
};

/// What the frameworks look for themselves; the others that they have extend one of these.
constexpr std::array kKnown = {
    KnownAttribute{"Xunit", "FactAttribute", "xUnit"},
    KnownAttribute{"Xunit", "TheoryAttribute", "xUnit"},
    KnownAttribute{"NUnit.Framework", "TestAttribute", "NUnit"},
    KnownAttribute{"NUnit.Framework", "TestCaseAttribute", "NUnit"},
    KnownAttribute{"NUnit.Framework", "TestCaseSourceAttribute", "NUnit"},
    KnownAttribute{"NUnit.Framework", "CombiningStrategyAttribute", "NUnit"},
    KnownAttribute{"NUnit.Framework", "TheoryAttribute", "NUnit"},
    KnownAttribute{"Microsoft.VisualStudio.TestTools.UnitTesting", "TestMethodAttribute", "MSTest"},
    KnownAttribute{"TUnit.Core", "TestAttribute", "TUnit"},
};

/// Looks up what the types of attributes extend.
class AttributeTypes {
  public:
    explicit AttributeTypes(const ReadAssembly& read) : read_(read) {}

    /// Empty: the type is no attribute of a test framework.
    std::string_view framework_of(const ImageMetadata* module, mdToken type) {
        for (int bases = 0; bases <= kMostAttributeBases; ++bases) {
            const auto properties = module->type(type);
            if (!properties) {
                return {};
            }
            for (const KnownAttribute& known : kKnown) {
                if (properties->namespace_ == known.namespace_ && properties->name == known.name) {
                    return known.framework;
                }
            }
            if (clr::table_of(type) == clr::kTypeRef) {
                // The framework's own extend none of a test framework.
                const bool system = properties->namespace_.starts_with("System.") ||
                                    properties->namespace_ == "System";
                if (system || properties->enclosing != 0 || !find(module, type, *properties)) {
                    return {};
                }
            }
            type = module->base_type(type);
        }
        return {};
    }

  private:
    struct Assembly {
        std::vector<uint8_t> bytes;
        std::optional<ImageMetadata> metadata;
    };

    /// From a reference to the type itself, which is in another module. False: it is not found.
    bool find(const ImageMetadata*& module, mdToken& type, const clr::TypeProperties& properties) {
        const ImageMetadata* other = assembly(module->assembly_of(type));
        if (other == nullptr) {
            return false;
        }
        for (const mdToken candidate : other->types_named(properties.name)) {
            const auto found = other->type(candidate);
            if (found && found->enclosing == 0 && found->namespace_ == properties.namespace_) {
                module = other;
                type = candidate;
                return true;
            }
        }
        return false;
    }

    const ImageMetadata* assembly(const std::string& name) {
        if (name.empty() || name.find('/') != std::string::npos) {
            return nullptr;
        }
        auto found = assemblies_.find(name);
        if (found == assemblies_.end()) {
            if (assemblies_.size() == kMostTestAssemblies) {
                return nullptr;
            }
            found = assemblies_.emplace(name, std::make_unique<Assembly>()).first;
            Assembly& made = *found->second;
            made.bytes = read_(name);
            made.metadata =
                ImageMetadata::parse(clr::metadata_of_image(made.bytes, clr::ImageLayout::kFlat));
        }
        return found->second->metadata ? &*found->second->metadata : nullptr;
    }

    const ReadAssembly& read_;
    std::map<std::string, std::unique_ptr<Assembly>> assemblies_;
};

}  // namespace

std::vector<TestMethod> test_methods(clr::Bytes image, const ReadAssembly& read) {
    const auto metadata =
        ImageMetadata::parse(clr::metadata_of_image(image, clr::ImageLayout::kFlat));
    std::vector<TestMethod> tests;
    if (!metadata) {
        return tests;
    }
    AttributeTypes types(read);
    std::map<mdToken, std::string_view> frameworks;
    for (const clr::MethodAttribute& attribute : metadata->method_attributes()) {
        auto known = frameworks.find(attribute.type);
        if (known == frameworks.end()) {
            if (frameworks.size() == kMostTypes) {
                continue;
            }
            known =
                frameworks.emplace(attribute.type, types.framework_of(&*metadata, attribute.type))
                    .first;
        }
        if (!known->second.empty()) {
            tests.push_back({clr::row_in(attribute.method), known->second});
        }
    }
    std::ranges::stable_sort(tests, {}, &TestMethod::row);
    tests.erase(
        std::unique(tests.begin(), tests.end(),
                    [](const TestMethod& a, const TestMethod& b) { return a.row == b.row; }),
        tests.end());
    return tests;
}

}  // namespace umbra::symbols
