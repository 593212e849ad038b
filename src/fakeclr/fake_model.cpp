// SPDX-License-Identifier: MIT
// Builds the model and answers which ids are alive.
#include "src/fakeclr/fake_model.h"

#include <mutex>
#include <utility>

#include "src/clr/metadata_schema.h"
#include "src/fakeclr/fake_emit.h"
#include "src/fakeclr/fake_metadata.h"

namespace umbra::fakeclr {
namespace {

constexpr uint8_t kHasThis = 0x20;
constexpr uint8_t kGeneric = 0x10;

/// Compressed unsigned integer (ECMA-335 II.23.2).
void append_compressed(Blob& blob, uint32_t value) {
    if (value < 0x80) {
        blob.push_back(static_cast<uint8_t>(value));
    } else if (value < 0x4000) {
        blob.push_back(static_cast<uint8_t>(0x80 | (value >> 8)));
        blob.push_back(static_cast<uint8_t>(value));
    } else {
        blob.push_back(static_cast<uint8_t>(0xc0 | (value >> 24)));
        blob.push_back(static_cast<uint8_t>(value >> 16));
        blob.push_back(static_cast<uint8_t>(value >> 8));
        blob.push_back(static_cast<uint8_t>(value));
    }
}

std::vector<std::u16string> widen_all(const std::vector<std::string>& texts) {
    std::vector<std::u16string> wide;
    wide.reserve(texts.size());
    for (const std::string& text : texts) {
        wide.push_back(widen(text));
    }
    return wide;
}

std::string type_name(const FakeType& type) {
    const std::string own = narrow(type.name);
    return type.enclosing == nullptr ? own : type_name(*type.enclosing) + "+" + own;
}

}  // namespace

Blob method_signature(bool instance, const Blob& result, const std::vector<Blob>& parameters,
                      uint32_t generic_parameters) {
    Blob blob{
        static_cast<uint8_t>((instance ? kHasThis : 0) | (generic_parameters > 0 ? kGeneric : 0))};
    if (generic_parameters > 0) {
        append_compressed(blob, generic_parameters);
    }
    append_compressed(blob, static_cast<uint32_t>(parameters.size()));
    blob.insert(blob.end(), result.begin(), result.end());
    for (const Blob& parameter : parameters) {
        blob.insert(blob.end(), parameter.begin(), parameter.end());
    }
    return blob;
}

Blob class_signature(mdToken token) {
    constexpr uint32_t kTypeRefTag = 1;  // TypeDefOrRef: 0 = TypeDef, 1 = TypeRef
    const bool reference = clr::table_of(token) == clr::kTypeRef;
    Blob blob{clr::ELEMENT_TYPE_CLASS};
    append_compressed(blob, (clr::row_in(token) << 2) | (reference ? kTypeRefTag : 0));
    return blob;
}

std::u16string widen(std::string_view ascii) {
    return {ascii.begin(), ascii.end()};
}

std::string narrow(std::u16string_view text) {
    std::string ascii;
    for (const char16_t unit : text) {
        ascii.push_back(unit < 0x80 ? static_cast<char>(unit) : '?');
    }
    return ascii;
}

FakeModel::FakeModel() = default;
FakeModel::~FakeModel() = default;

FakeModule& FakeModel::add_module(const ModuleSpec& spec) {
    const std::unique_lock lock(mutex_);
    FakeModule& module = modules_.emplace_back();
    module.model = this;
    module.path = widen(spec.path);
    module.has_precompiled_code = spec.has_precompiled_code;
    module.dynamic = spec.dynamic;
    module.metadata = std::make_unique<FakeMetadata>(module);
    module.emit = std::make_unique<FakeEmit>(module);
    module_ids_.insert(module.id());
    return module;
}

FakeType& FakeModel::place_type(FakeModule& module) {
    FakeType& type = module.types.emplace_back();
    type.module = &module;
    type_ids_.insert(type.id());
    return type;
}

FakeMethod& FakeModel::place_method(FakeModule& module, FunctionID reuse_id) {
    FakeMethod& method = module.methods.emplace_back();
    method.id = reuse_id != 0 ? reuse_id : reinterpret_cast<FunctionID>(&method);
    methods_[method.id] = &method;
    return method;
}

FakeType& FakeModel::add_type(FakeModule& module, const TypeSpec& spec) {
    const std::unique_lock lock(mutex_);
    FakeType& type = place_type(module);
    type.enclosing = spec.enclosing;
    type.token = module.next_type++;
    type.name = widen(spec.name);
    type.generic_parameters = widen_all(spec.generic_parameters);
    return type;
}

FakeMethod& FakeModel::add_method(FakeType& type, const MethodSpec& spec) {
    const std::unique_lock lock(mutex_);
    FakeMethod& method = place_method(*type.module, spec.reuse_id);
    method.type = &type;
    method.token = type.module->next_method++;
    method.name = widen(spec.name);
    method.signature = spec.signature;
    method.is_static = (spec.signature.at(0) & kHasThis) == 0;
    method.precompiled = spec.precompiled;
    method.generic_parameters = widen_all(spec.generic_parameters);
    method.full_name = type_name(type) + "." + spec.name;
    return method;
}

FakeType& FakeModel::instantiate(FakeType& definition, std::vector<FakeType*> arguments) {
    const std::unique_lock lock(mutex_);
    FakeType& type = place_type(*definition.module);
    type.enclosing = definition.enclosing;
    type.token = definition.token;
    type.name = definition.name;
    type.generic_parameters = definition.generic_parameters;
    type.type_arguments = std::move(arguments);
    return type;
}

FakeMethod& FakeModel::instantiate(FakeMethod& definition, FakeType& type,
                                   std::vector<FakeType*> arguments) {
    const std::unique_lock lock(mutex_);
    FakeMethod& method = place_method(*definition.type->module, 0);
    method.type = &type;
    method.token = definition.token;
    method.name = definition.name;
    method.signature = definition.signature;
    method.is_static = definition.is_static;
    method.precompiled = definition.precompiled;
    method.generic_parameters = definition.generic_parameters;
    method.type_arguments = std::move(arguments);
    method.full_name = definition.full_name;
    return method;
}

FakeType& FakeModel::array_of(FakeType& element, uint32_t rank) {
    const std::unique_lock lock(mutex_);
    FakeType& type = place_type(*element.module);
    type.element = &element;
    type.rank = rank;
    return type;
}

mdTypeRef FakeModel::add_type_ref(FakeModule& module, const std::string& name, mdToken scope) {
    const std::unique_lock lock(mutex_);
    const auto row = static_cast<uint32_t>(module.type_refs.size()) + 1;
    const mdTypeRef token = clr::token_of(clr::kTypeRef, row);
    module.type_refs.push_back({token, scope, widen(name)});
    return token;
}

void FakeModel::add_attribute(FakeMethod& method, const std::string& attribute, Blob value) {
    const std::unique_lock lock(mutex_);
    method.custom_attributes.emplace_back(widen(attribute), std::move(value));
}

FakeModule* FakeModel::module(ModuleID id) const {
    const std::shared_lock lock(mutex_);
    return module_ids_.contains(id) ? reinterpret_cast<FakeModule*>(id) : nullptr;
}

FakeType* FakeModel::type(ClassID id) const {
    const std::shared_lock lock(mutex_);
    return type_ids_.contains(id) ? reinterpret_cast<FakeType*>(id) : nullptr;
}

FakeMethod* FakeModel::method(FunctionID id) const {
    const std::shared_lock lock(mutex_);
    const auto found = methods_.find(id);
    return found == methods_.end() ? nullptr : found->second;
}

std::vector<FakeModule*> FakeModel::loaded_modules() const {
    const std::shared_lock lock(mutex_);
    std::vector<FakeModule*> loaded;
    for (const ModuleID id : module_ids_) {
        auto* module = reinterpret_cast<FakeModule*>(id);
        if (module->loaded) {
            loaded.push_back(module);
        }
    }
    return loaded;
}

std::vector<FakeMethod*> FakeModel::compiled_methods() const {
    const std::shared_lock lock(mutex_);
    std::vector<FakeMethod*> compiled;
    for (const auto& [id, method] : methods_) {
        const CompiledBody* body = method->body.load(std::memory_order_acquire);
        if (body != nullptr && !body->precompiled) {
            compiled.push_back(method);
        }
    }
    return compiled;
}

std::vector<FakeMethod*> FakeModel::methods_of(ModuleID module, mdMethodDef token) const {
    const std::shared_lock lock(mutex_);
    std::vector<FakeMethod*> found;
    for (const auto& [id, method] : methods_) {
        if (method->token == token && method->type->module->id() == module) {
            found.push_back(method);
        }
    }
    return found;
}

void FakeModel::set_loaded(FakeModule& module, bool image_rejected) {
    const std::unique_lock lock(mutex_);
    module.image_rejected = image_rejected;
    module.loaded = true;
}

void FakeModel::forget(FakeModule& module) {
    const std::unique_lock lock(mutex_);
    module.loaded = false;
    module_ids_.erase(module.id());
    for (const FakeType& type : module.types) {
        type_ids_.erase(type.id());
    }
    for (const FakeMethod& method : module.methods) {
        const auto found = methods_.find(method.id);
        if (found != methods_.end() && found->second == &method) {
            methods_.erase(found);
        }
    }
}

const CompiledBody* FakeModel::keep(FakeMethod& method, const CompiledBody& body) {
    const std::unique_lock lock(mutex_);
    return &method.bodies.emplace_back(body);
}

}  // namespace umbra::fakeclr
