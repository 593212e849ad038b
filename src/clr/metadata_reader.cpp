// SPDX-License-Identifier: MIT
// Every loop here is bounded: metadata of the target may be damaged or made to annoy.

#include "src/clr/metadata_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/utf8.h"

namespace umbra::clr {
namespace {

constexpr size_t kMaxNesting = 64;
constexpr uint32_t kTypeVisibilityMask = 7;  // CorTypeAttr
constexpr uint32_t kNestedPublic = 2;        // this and all above are nested

constexpr TokenTable table_of(mdToken token) {
    return static_cast<TokenTable>(token & static_cast<uint32_t>(TokenTable::kMask));
}

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
    if (length > kMaxNameChars) {
        return std::nullopt;
    }
    std::u16string long_text(length, u'\0');
    uint32_t again = 0;
    if (failed(call(long_text.data(), length, &again)) || again == 0 || again > length) {
        return std::nullopt;
    }
    return to_utf8({long_text.data(), again - 1});
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
void put_outermost(TypeChain& chain, std::string full) {
    const size_t dot = full.rfind('.', full.find('<', 1));
    if (dot != std::string::npos && dot > 0 && dot + 1 < full.size()) {
        chain.namespace_ = full.substr(0, dot);
        full.erase(0, dot + 1);
    }
    chain.names.push_back(std::move(full));
}

/// The type name at the start of a custom attribute value (ECMA-335 II.23.3): prolog, length,
/// UTF-8 text that escapes special characters by '\' and may go on with ", Assembly".
std::string first_type_argument(std::span<const uint8_t> value) {
    if (value.size() < 3 || value[0] != 1 || value[1] != 0) {
        return {};
    }
    size_t length = value[2];
    size_t start = 3;
    if ((length & 0xc0U) == 0x80 && value.size() >= 4) {
        length = ((length & 0x3fU) << 8) | value[3];
        start = 4;
    } else if (length >= 0x80) {
        return {};  // 16 KiB or more: no type a compiler makes
    }
    std::string name;
    for (size_t i = start; i < value.size() && i - start < length; ++i) {
        if (value[i] == ',') {
            break;
        }
        if (value[i] != '\\' || i + 1 == value.size()) {
            name.push_back(static_cast<char>(value[i]));
        } else {
            name.push_back(static_cast<char>(value[++i]));
        }
    }
    return name;
}

}  // namespace

std::optional<MetadataReader> MetadataReader::of_module(ICorProfilerInfo& info, ModuleID module) {
    constexpr uint32_t kOpenForRead = 0;
    ComPtr<IUnknown> unknown;
    if (failed(
            info.GetModuleMetaData(module, kOpenForRead, IMetaDataImport2::kIid, unknown.put())) ||
        !unknown) {
        return std::nullopt;
    }
    ComPtr<IMetaDataImport2> metadata;
    if (failed(unknown->QueryInterface(IMetaDataImport2::kIid, metadata.put_void())) || !metadata) {
        return std::nullopt;
    }
    return MetadataReader(std::move(metadata));
}

std::optional<MethodProperties> MetadataReader::method(mdMethodDef token) const {
    MethodProperties properties;
    const uint8_t* signature = nullptr;
    uint32_t signature_bytes = 0;
    auto name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
        return metadata_->GetMethodProps(token, &properties.type, text, capacity, length, nullptr,
                                         &signature, &signature_bytes, nullptr, nullptr);
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

std::optional<std::string> MetadataReader::type_def_name(mdTypeDef token, bool& nested) const {
    uint32_t flags = 0;
    auto name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
        return metadata_->GetTypeDefProps(token, text, capacity, length, &flags, nullptr);
    });
    nested = (flags & kTypeVisibilityMask) >= kNestedPublic;
    return name;
}

TypeChain MetadataReader::chain(mdToken token) const {
    std::vector<std::string> inside_out;
    for (bool nested = true; nested;) {
        std::optional<std::string> name;
        mdToken outer = 0;
        if (table_of(token) == TokenTable::kTypeDef) {
            name = type_def_name(token, nested);
            if (nested) {
                outer = enclosing_type(token);
            }
        } else if (table_of(token) == TokenTable::kTypeRef) {
            name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
                return metadata_->GetTypeRefProps(token, &outer, text, capacity, length);
            });
            nested = table_of(outer) == TokenTable::kTypeRef;
        }
        if (!name || inside_out.size() == kMaxNesting) {
            return {};
        }
        inside_out.push_back(*std::move(name));
        token = outer;
    }
    TypeChain chain;
    put_outermost(chain, std::move(inside_out.back()));
    inside_out.pop_back();
    chain.names.insert(chain.names.end(), std::make_move_iterator(inside_out.rbegin()),
                       std::make_move_iterator(inside_out.rend()));
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
    mdTypeDef outer = 0;
    return succeeded(metadata_->GetNestedClassProps(token, &outer)) ? outer : 0;
}

std::vector<std::string> MetadataReader::generic_parameters(mdToken owner) const {
    const auto tokens = read_list<mdGenericParam>(
        *metadata_.get(), [&](void** enumerator, mdGenericParam* out, uint32_t size, uint32_t* n) {
            return metadata_->EnumGenericParams(enumerator, owner, out, size, n);
        });
    std::vector<std::pair<uint32_t, std::string>> numbered;
    for (const mdGenericParam token : tokens) {
        uint32_t number = 0;
        auto name = read_text([&](char16_t* text, uint32_t capacity, uint32_t* length) {
            return metadata_->GetGenericParamProps(token, &number, nullptr, nullptr, nullptr, text,
                                                   capacity, length);
        });
        numbered.emplace_back(number, name ? *std::move(name) : std::string());
    }
    std::sort(numbered.begin(), numbered.end());
    std::vector<std::string> names;
    names.reserve(numbered.size());
    for (auto& [number, name] : numbered) {
        names.push_back(name.empty() ? "!" + std::to_string(number) : std::move(name));
    }
    return names;
}

std::vector<mdMethodDef> MetadataReader::methods_named(mdTypeDef type,
                                                       std::string_view name) const {
    const std::u16string wanted = to_utf16(name);
    return read_list<mdMethodDef>(
        *metadata_.get(), [&](void** enumerator, mdMethodDef* out, uint32_t size, uint32_t* n) {
            return metadata_->EnumMethodsWithName(enumerator, type, wanted.c_str(), out, size, n);
        });
}

std::string MetadataReader::type_in_attribute(mdMethodDef method, const char16_t* attribute) const {
    const void* value = nullptr;
    uint32_t bytes = 0;
    // "Not there" is the success code S_FALSE.
    if (metadata_->GetCustomAttributeByName(method, attribute, &value, &bytes) != kOk ||
        value == nullptr) {
        return {};
    }
    return first_type_argument({static_cast<const uint8_t*>(value), bytes});
}

}  // namespace umbra::clr
