// SPDX-License-Identifier: MIT
// The two-call pattern, enumerations and UTF-16 of the COM interface end here.

#include "src/clr/imported_metadata.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "src/base/utf8.h"
#include "src/clr/metadata_schema.h"

namespace umbra::clr {
namespace {

constexpr mdTypeDef kModuleType = 0x02000001;  // <Module>, which no enumeration has

/// `call(buffer, capacity, &length)` fills UTF-16 text; length counts the terminating zero. Short
/// names, nearly all, need one call and no memory.
template <typename Call>
std::optional<std::string> read_text(const Call& call) {
    std::array<char16_t, 256> short_text;
    uint32_t length = 0;
    if (failed(call(short_text.data(), static_cast<uint32_t>(short_text.size()), &length))) {
        return std::nullopt;
    }
    if (length == 0) {
        return std::string();
    }
    if (length <= short_text.size()) {
        return to_utf8({short_text.data(), length - 1});
    }
    std::u16string long_text(std::min(length, kMaxNameChars), u'\0');
    const auto room = static_cast<uint32_t>(long_text.size());
    uint32_t again = 0;
    if (failed(call(long_text.data(), room, &again)) || again == 0) {
        return std::nullopt;
    }
    return to_utf8({long_text.data(), std::min(again, room) - 1});
}

/// `next(&enumerator, buffer, capacity, &count)` fills one batch of an enumeration.
template <typename Token, typename Next>
std::vector<Token> read_list(IMetaDataImport2& metadata, const Next& next) {
    std::vector<Token> all;
    std::array<Token, 32> batch;
    void* enumerator = nullptr;
    uint32_t count = 0;
    while (
        all.size() < kMaxListed &&
        succeeded(next(&enumerator, batch.data(), static_cast<uint32_t>(batch.size()), &count)) &&
        count > 0 && count <= batch.size()) {
        all.insert(all.end(), batch.begin(), batch.begin() + count);
        count = 0;
    }
    if (enumerator != nullptr) {
        metadata.CloseEnum(enumerator);
    }
    return all;
}

std::u16string to_utf16(std::string_view text) {
    std::u16string out;
    while (!text.empty()) {
        const char32_t c = take_utf8(text);
        if (c >= 0x10000) {
            out.push_back(static_cast<char16_t>(0xd800 + ((c - 0x10000) >> 10)));
            out.push_back(static_cast<char16_t>(0xdc00 + ((c - 0x10000) & 0x3ff)));
        } else {
            out.push_back(static_cast<char16_t>(c));
        }
    }
    return out;
}

/// Splits "Acme.Store.Cart" of an outermost type. What follows a '<' inside is a name the
/// compiler made and may hold dots of its own.
void split_namespace(TypeProperties& type) {
    const size_t dot = type.name.rfind('.', type.name.find('<', 1));
    if (dot != std::string::npos && dot > 0 && dot + 1 < type.name.size()) {
        type.namespace_ = type.name.substr(0, dot);
        type.name.erase(0, dot + 1);
    }
}

}  // namespace

std::optional<ImportedMetadata> ImportedMetadata::of_module(ICorProfilerInfo& info, ModuleID module,
                                                            bool emitted) {
    constexpr uint32_t kOpenForRead = 0;
    ComPtr<IUnknown> unknown;
    if (failed(
            info.GetModuleMetaData(module, kOpenForRead, IMetaDataImport2::kIid, unknown.put())) ||
        !unknown) {
        return std::nullopt;
    }
    auto metadata = query<IMetaDataImport2>(*unknown.get());
    if (!metadata) {
        return std::nullopt;
    }
    return ImportedMetadata(std::move(metadata), emitted);
}

Bytes ImportedMetadata::signature(mdSignature token) const {
    const uint8_t* blob = nullptr;
    uint32_t bytes = 0;
    if (failed(metadata_->GetSigFromToken(token, &blob, &bytes)) || blob == nullptr) {
        return {};
    }
    return {blob, bytes};
}

std::optional<MethodProperties> ImportedMetadata::method(mdMethodDef token) const {
    MethodProperties properties;
    const uint8_t* signature = nullptr;
    uint32_t signature_bytes = 0;
    auto name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
        return metadata_->GetMethodProps(token, &properties.type, text, capacity, length, nullptr,
                                         &signature, &signature_bytes, nullptr,
                                         &properties.implementation);
    });
    if (!name) {
        return std::nullopt;
    }
    properties.name = *std::move(name);
    if (signature != nullptr) {
        properties.signature = {signature, signature_bytes};
    }
    return properties;
}

std::vector<mdMethodDef> ImportedMetadata::methods_with_code() const {
    auto types = read_list<mdTypeDef>(
        *metadata_.get(), [&](void** enumerator, mdTypeDef* out, uint32_t size, uint32_t* n) {
            return metadata_->EnumTypeDefs(enumerator, out, size, n);
        });
    types.push_back(kModuleType);
    std::vector<mdMethodDef> found;
    for (const mdTypeDef type : types) {
        const auto methods = read_list<mdMethodDef>(
            *metadata_.get(), [&](void** enumerator, mdMethodDef* out, uint32_t size, uint32_t* n) {
                return metadata_->EnumMethods(enumerator, type, out, size, n);
            });
        std::ranges::copy_if(methods, std::back_inserter(found), [&](mdMethodDef method) {
            constexpr uint32_t kAbstractOrForeign = 0x2400;  // mdAbstract, mdPinvokeImpl
            uint32_t attributes = 0;
            uint32_t address = 0;
            uint32_t flags = 0;
            return succeeded(metadata_->GetMethodProps(method, nullptr, nullptr, 0, nullptr,
                                                       &attributes, nullptr, nullptr, &address,
                                                       &flags)) &&
                   (address != 0 || (emitted_ && (attributes & kAbstractOrForeign) == 0)) &&
                   (flags & kCodeTypeMask) == 0;
        });
    }
    return found;
}

std::optional<TypeProperties> ImportedMetadata::type(mdToken token) const {
    TypeProperties type;
    std::optional<std::string> name;
    if (table_of(token) == kTypeDef) {
        uint32_t flags = 0;
        name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
            return metadata_->GetTypeDefProps(token, text, capacity, length, &flags, nullptr);
        });
        if ((flags & kTypeVisibilityMask) >= kNestedPublic) {
            type.enclosing = enclosing_type(token);
            if (type.enclosing == 0) {
                return std::nullopt;
            }
        }
    } else if (table_of(token) == kTypeRef) {
        mdToken scope = 0;
        name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
            return metadata_->GetTypeRefProps(token, &scope, text, capacity, length);
        });
        type.enclosing = table_of(scope) == kTypeRef ? scope : 0;
    }
    if (!name) {
        return std::nullopt;
    }
    type.name = *std::move(name);
    if (type.enclosing == 0) {
        split_namespace(type);
    }
    return type;
}

mdTypeDef ImportedMetadata::enclosing_type(mdTypeDef token) const {
    mdTypeDef outer = 0;
    return succeeded(metadata_->GetNestedClassProps(token, &outer)) ? outer : 0;
}

std::vector<GenericParameter> ImportedMetadata::generic_parameters(mdToken owner) const {
    const auto tokens = read_list<mdGenericParam>(
        *metadata_.get(), [&](void** enumerator, mdGenericParam* out, uint32_t size, uint32_t* n) {
            return metadata_->EnumGenericParams(enumerator, owner, out, size, n);
        });
    std::vector<GenericParameter> found;
    for (const mdGenericParam token : tokens) {
        GenericParameter parameter;
        auto name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
            return metadata_->GetGenericParamProps(token, &parameter.number, nullptr, nullptr,
                                                   nullptr, text, capacity, length);
        });
        parameter.name = name ? *std::move(name) : std::string();
        found.push_back(std::move(parameter));
    }
    return found;
}

std::vector<mdMethodDef> ImportedMetadata::methods_named(mdTypeDef type,
                                                         std::string_view name) const {
    const std::u16string wanted = to_utf16(name);
    return read_list<mdMethodDef>(
        *metadata_.get(), [&](void** enumerator, mdMethodDef* out, uint32_t size, uint32_t* n) {
            return metadata_->EnumMethodsWithName(enumerator, type, wanted.c_str(), out, size, n);
        });
}

std::vector<ParameterProperties> ImportedMetadata::parameters(mdMethodDef method) const {
    const auto tokens = read_list<mdParamDef>(
        *metadata_.get(), [&](void** enumerator, mdParamDef* out, uint32_t size, uint32_t* n) {
            return metadata_->EnumParams(enumerator, method, out, size, n);
        });
    std::vector<ParameterProperties> found;
    for (const mdParamDef token : tokens) {
        uint32_t number = 0;
        uint32_t flags = 0;
        auto name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
            return metadata_->GetParamProps(token, nullptr, &number, text, capacity, length, &flags,
                                            nullptr, nullptr, nullptr);
        });
        if (name) {
            found.push_back({.token = token,
                             .number = number,
                             .in = (flags & kParamIn) != 0,
                             .out = (flags & kParamOut) != 0,
                             .name = *std::move(name)});
        }
    }
    return found;
}

Bytes ImportedMetadata::attribute(mdToken owner, std::string_view type) const {
    const void* value = nullptr;
    uint32_t bytes = 0;
    // "Not there" is the success code S_FALSE.
    if (metadata_->GetCustomAttributeByName(owner, to_utf16(type).c_str(), &value, &bytes) != kOk ||
        value == nullptr) {
        return {};
    }
    return {static_cast<const uint8_t*>(value), bytes};
}

}  // namespace umbra::clr
