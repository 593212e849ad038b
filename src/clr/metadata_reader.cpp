// SPDX-License-Identifier: MIT
// Every loop here is bounded: metadata of the target may be damaged or made to annoy.

#include "src/clr/metadata_reader.h"

#include <algorithm>

#include "src/clr/metadata_schema.h"
#include "src/clr/pe_image.h"

namespace umbra::clr {
namespace {

constexpr size_t kMaxNesting = 64;

/// The type name at the start of a custom attribute value (ECMA-335 II.23.3): prolog, length,
/// UTF-8 text that escapes special characters by '\' and may go on with ", Assembly".
std::string first_type_argument(Bytes value) {
    uint32_t length = 0;
    if (load<uint16_t>(value, 0) != 1) {
        return {};
    }
    value = value.subspan(2);
    if (!take_compressed(value, length)) {
        return {};
    }
    value = value.first(std::min<size_t>(value.size(), length));
    std::string name;
    for (size_t i = 0; i < value.size() && value[i] != ','; ++i) {
        const bool escaped = value[i] == '\\' && i + 1 < value.size();
        name.push_back(static_cast<char>(value[escaped ? ++i : i]));
    }
    return name;
}

/// Where a module lies. No base: the runtime does not tell.
struct Place {
    const uint8_t* base = nullptr;
    uint32_t flags = 0;

    [[nodiscard]] bool is_dynamic() const { return (flags & COR_PRF_MODULE_DYNAMIC) != 0; }
};

Place place_of(ICorProfilerInfo3& info, ModuleID module) {
    Place place;
    const HRESULT status =
        info.GetModuleInfo2(module, &place.base, 0, nullptr, nullptr, nullptr, &place.flags);
    return failed(status) ? Place() : place;
}

ModuleImage image_at(const Place& place) {
    if (place.base == nullptr || place.is_dynamic()) {
        return {};
    }
    const ImageLayout layout =
        (place.flags & COR_PRF_MODULE_FLAT_LAYOUT) != 0 ? ImageLayout::kFlat : ImageLayout::kMapped;
    return {.bytes = loaded_image(place.base, layout),
            .layout = layout,
            .lasting = (place.flags & COR_PRF_MODULE_COLLECTIBLE) == 0};
}

}  // namespace

ModuleImage module_image(ICorProfilerInfo3& info, ModuleID module) {
    return image_at(place_of(info, module));
}

Bytes method_code(ICorProfilerInfo3& info, ModuleID module, mdMethodDef method) {
    const uint8_t* header = nullptr;
    uint32_t bytes = 0;
    if (failed(info.GetILFunctionBody(module, method, &header, &bytes)) || header == nullptr) {
        return {};
    }
    return {header, bytes};
}

std::optional<MetadataReader> MetadataReader::of_module(ICorProfilerInfo3& info, ModuleID module) {
    const Place place = place_of(info, module);
    const ModuleImage loaded = image_at(place);
    if (const auto image = ImageMetadata::parse(metadata_of_image(loaded.bytes, loaded.layout))) {
        return MetadataReader(*image);
    }
    auto imported = ImportedMetadata::of_module(info, module, place.is_dynamic());
    if (!imported) {
        return std::nullopt;
    }
    return MetadataReader(*std::move(imported));
}

std::optional<MethodProperties> MetadataReader::method(mdMethodDef token) const {
    return std::visit([&](const auto& source) { return source.method(token); }, source_);
}

Bytes MetadataReader::signature(mdSignature token) const {
    return std::visit([&](const auto& source) { return source.signature(token); }, source_);
}

TypeChain MetadataReader::chain(mdToken token) const {
    TypeChain chain;
    do {
        auto type = std::visit([&](const auto& source) { return source.type(token); }, source_);
        if (!type || chain.names.size() == kMaxNesting) {
            return {};
        }
        chain.names.push_back(std::move(type->name));
        chain.namespace_ = std::move(type->namespace_);
        token = type->enclosing;
    } while (token != 0);
    std::reverse(chain.names.begin(), chain.names.end());
    return chain;
}

std::string MetadataReader::full_name(mdTypeDef token) const {
    const TypeChain types = chain(token);
    std::string name = types.namespace_;
    char separator = '.';
    for (const std::string& type : types.names) {
        if (!name.empty()) {
            name += separator;
        }
        name += type;
        separator = '+';
    }
    return name;
}

mdTypeDef MetadataReader::enclosing_type(mdTypeDef token) const {
    return std::visit([&](const auto& source) { return source.enclosing_type(token); }, source_);
}

mdTypeDef MetadataReader::find_type(const TypeChain& wanted) const {
    if (image() == nullptr || wanted.names.empty()) {
        return 0;
    }
    const std::vector<mdTypeDef> types = image()->types_named(wanted.names.back());
    const auto found = std::ranges::find_if(types, [&](mdTypeDef token) {
        const TypeChain chain = this->chain(token);
        return chain.namespace_ == wanted.namespace_ && chain.names == wanted.names;
    });
    return found == types.end() ? 0 : *found;
}

std::vector<std::string> MetadataReader::generic_parameters(mdToken owner) const {
    auto parameters =
        std::visit([&](const auto& source) { return source.generic_parameters(owner); }, source_);
    std::ranges::sort(parameters, {}, &GenericParameter::number);
    std::vector<std::string> names;
    names.reserve(parameters.size());
    for (auto& [number, name] : parameters) {
        names.push_back(name.empty() ? "!" + std::to_string(number) : std::move(name));
    }
    return names;
}

TypeChain MetadataReader::foreign_type_called(mdToken operand) const {
    if (image() == nullptr) {
        return {};
    }
    const mdToken method =
        table_of(operand) == kMethodSpec ? image()->generic_method(operand) : operand;
    const auto reference = image()->member_reference(method);
    return reference && table_of(reference->parent) == kTypeRef ? chain(reference->parent)
                                                                : TypeChain();
}

std::vector<mdMethodDef> MetadataReader::methods_named(mdTypeDef type,
                                                       std::string_view name) const {
    return std::visit([&](const auto& source) { return source.methods_named(type, name); },
                      source_);
}

std::vector<mdMethodDef> MetadataReader::methods_with_code() const {
    return std::visit([](const auto& source) { return source.methods_with_code(); }, source_);
}

std::vector<ParameterProperties> MetadataReader::parameters(mdMethodDef method) const {
    return std::visit([&](const auto& source) { return source.parameters(method); }, source_);
}

bool MetadataReader::has_attribute(mdToken owner, std::string_view attribute) const {
    // A value is never empty: it starts with two bytes of its own.
    return !std::visit([&](const auto& source) { return source.attribute(owner, attribute); },
                       source_)
                .empty();
}

std::string MetadataReader::type_in_attribute(mdMethodDef method,
                                              std::string_view attribute) const {
    return first_type_argument(std::visit(
        [&](const auto& source) { return source.attribute(method, attribute); }, source_));
}

std::string MetadataReader::state_machine(mdMethodDef method) const {
    for (const std::string_view attribute :
         {"System.Runtime.CompilerServices.AsyncStateMachineAttribute",
          "System.Runtime.CompilerServices.IteratorStateMachineAttribute",
          "System.Runtime.CompilerServices.AsyncIteratorStateMachineAttribute"}) {
        if (std::string machine = type_in_attribute(method, attribute); !machine.empty()) {
            return machine;
        }
    }
    return {};
}

}  // namespace umbra::clr
