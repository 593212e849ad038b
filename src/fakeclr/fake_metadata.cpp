// SPDX-License-Identifier: MIT
// Metadata calls answered from the model, with the runtime's status codes.
#include "src/fakeclr/fake_metadata.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "src/clr/metadata_schema.h"
#include "src/fakeclr/fake_emit.h"
#include "src/fakeclr/fake_model.h"
#include "src/fakeclr/il_code.h"

namespace umbra::fakeclr {
namespace {

constexpr HRESULT kRecordNotFound = clr::corprof_error(0x1130);  // CLDB_E_RECORD_NOTFOUND
constexpr uint32_t kPublic = 1;                                  // CorTypeAttr visibility
constexpr uint32_t kNestedPublic = 2;
constexpr uint32_t kMethodPublic = 6;  // CorMethodAttr
constexpr uint32_t kMethodStatic = 0x10;
constexpr mdToken kObjectRef = 0x01000001;
constexpr mdToken kModuleToken = 0x00000001;
constexpr uint32_t kSomeAddress = 0x2000;  // of IL: there is no image that it could lie in

// Generic parameter tokens are made up on the fly: 0x2a, owner kind, owner row, number.
constexpr uint32_t kOwnerIsMethod = 0x00800000;
constexpr uint32_t kOwnerShift = 8;
constexpr uint32_t kOwnerRows = 0x7fff;

}  // namespace

void copy_text(const char16_t* text, size_t size, char16_t* buffer, uint32_t capacity,
               uint32_t* length) {
    put(length, static_cast<uint32_t>(size + 1));
    if (buffer != nullptr && capacity > 0) {
        const size_t copied = std::min<size_t>(size, capacity - 1);
        std::copy_n(text, copied, buffer);
        buffer[copied] = u'\0';
    }
}

HRESULT FakeMetadata::QueryInterface(const Guid& riid, void** ppv) {
    if (ppv == nullptr) {
        return kPointer;
    }
    if (riid == IUnknown::kIid || riid == IMetaDataImport::kIid || riid == IMetaDataImport2::kIid) {
        AddRef();
        *ppv = static_cast<IMetaDataImport2*>(this);
        return kOk;
    }
    if (riid == clr::IMetaDataEmit::kIid) {
        AddRef();
        *ppv = module_.emit.get();
        return kOk;
    }
    *ppv = nullptr;
    return kNoInterface;
}

uint32_t FakeMetadata::AddRef() {
    return static_cast<uint32_t>(references_.fetch_add(1) + 1);
}

uint32_t FakeMetadata::Release() {
    return static_cast<uint32_t>(references_.fetch_sub(1) - 1);
}

const FakeType* FakeMetadata::type_def(mdTypeDef token) const {
    const auto found = std::ranges::find_if(module_.types, [&](const FakeType& type) {
        return type.token == token && type.element == nullptr && type.type_arguments.empty();
    });
    return found == module_.types.end() ? nullptr : &*found;
}

const FakeMethod* FakeMetadata::method_def(mdMethodDef token) const {
    const auto found = std::ranges::find(module_.methods, token, &FakeMethod::token);
    return found == module_.methods.end() ? nullptr : &*found;
}

const FakeTypeRef* FakeMetadata::type_ref(mdTypeRef token) const {
    const auto found = std::ranges::find(module_.type_refs, token, &FakeTypeRef::token);
    return found == module_.type_refs.end() ? nullptr : &*found;
}

HRESULT FakeMetadata::next(void** handle, const std::vector<mdToken>& tokens, mdToken* out,
                           uint32_t capacity, uint32_t* count) {
    put(count, 0U);
    if (*handle == nullptr) {
        if (tokens.empty()) {
            return kFalse;
        }
        *handle = new Enumerator{tokens, 0};
        ++open_enumerators_;
    }
    auto& enumerator = *static_cast<Enumerator*>(*handle);
    const size_t left = enumerator.tokens.size() - enumerator.position;
    const size_t taken = std::min<size_t>(left, capacity);
    std::copy_n(enumerator.tokens.begin() + static_cast<std::ptrdiff_t>(enumerator.position), taken,
                out);
    enumerator.position += taken;
    put(count, static_cast<uint32_t>(taken));
    return taken > 0 ? kOk : kFalse;
}

void FakeMetadata::CloseEnum(void* hEnum) {
    if (hEnum != nullptr) {
        delete static_cast<Enumerator*>(hEnum);
        --open_enumerators_;
    }
}

HRESULT FakeMetadata::CountEnum(void* hEnum, uint32_t* pulCount) {
    const auto* enumerator = static_cast<const Enumerator*>(hEnum);
    put(pulCount, enumerator == nullptr ? 0U : static_cast<uint32_t>(enumerator->tokens.size()));
    return kOk;
}

HRESULT FakeMetadata::ResetEnum(void* hEnum, uint32_t ulPos) {
    if (auto* enumerator = static_cast<Enumerator*>(hEnum)) {
        enumerator->position = std::min<size_t>(ulPos, enumerator->tokens.size());
    }
    return kOk;
}

HRESULT FakeMetadata::EnumTypeDefs(void** phEnum, mdTypeDef* rTypeDefs, uint32_t cMax,
                                   uint32_t* pcTypeDefs) {
    const std::shared_lock lock(module_.model->mutex());
    std::vector<mdToken> tokens;
    for (const FakeType& type : module_.types) {
        if (type.element == nullptr && type.type_arguments.empty()) {
            tokens.push_back(type.token);
        }
    }
    return next(phEnum, tokens, rTypeDefs, cMax, pcTypeDefs);
}

HRESULT FakeMetadata::FindTypeDefByName(const char16_t* szTypeDef, mdToken tkEnclosingClass,
                                        mdTypeDef* ptd) {
    const std::shared_lock lock(module_.model->mutex());
    for (const FakeType& type : module_.types) {
        const mdToken enclosing = type.enclosing == nullptr ? 0 : type.enclosing->token;
        if (type.name == szTypeDef && type.element == nullptr &&
            enclosing == (clr::row_in(tkEnclosingClass) != 0 ? tkEnclosingClass : 0)) {
            put(ptd, type.token);
            return kOk;
        }
    }
    return kRecordNotFound;
}

HRESULT FakeMetadata::GetScopeProps(char16_t* szName, uint32_t cchName, uint32_t* pchName,
                                    Guid* pmvid) {
    const std::u16string& path = module_.path;
    const size_t start = path.rfind(u'/') + 1;  // npos + 1 is 0
    copy_text(path.data() + start, path.size() - start, szName, cchName, pchName);
    put(pmvid, Guid{static_cast<uint32_t>(module_.id()), 0, 0, {}});
    return kOk;
}

HRESULT FakeMetadata::GetModuleFromScope(mdModule* pmd) {
    put(pmd, kModuleToken);
    return kOk;
}

HRESULT FakeMetadata::GetTypeDefProps(mdTypeDef td, char16_t* szTypeDef, uint32_t cchTypeDef,
                                      uint32_t* pchTypeDef, uint32_t* pdwTypeDefFlags,
                                      mdToken* ptkExtends) {
    const std::shared_lock lock(module_.model->mutex());
    const FakeType* type = type_def(td);
    if (type == nullptr) {
        return kRecordNotFound;
    }
    copy_text(type->name.data(), type->name.size(), szTypeDef, cchTypeDef, pchTypeDef);
    put(pdwTypeDefFlags, type->enclosing == nullptr ? kPublic : kNestedPublic);
    put(ptkExtends, kObjectRef);
    return kOk;
}

HRESULT FakeMetadata::GetTypeRefProps(mdTypeRef tr, mdToken* ptkResolutionScope, char16_t* szName,
                                      uint32_t cchName, uint32_t* pchName) {
    const std::shared_lock lock(module_.model->mutex());
    const FakeTypeRef* reference = type_ref(tr);
    if (reference == nullptr) {
        return kRecordNotFound;
    }
    put(ptkResolutionScope, reference->scope);
    copy_text(reference->name.data(), reference->name.size(), szName, cchName, pchName);
    return kOk;
}

HRESULT FakeMetadata::EnumMethods(void** phEnum, mdTypeDef cl, mdMethodDef* rMethods, uint32_t cMax,
                                  uint32_t* pcTokens) {
    return EnumMethodsWithName(phEnum, cl, nullptr, rMethods, cMax, pcTokens);
}

HRESULT FakeMetadata::EnumMethodsWithName(void** phEnum, mdTypeDef cl, const char16_t* szName,
                                          mdMethodDef* rMethods, uint32_t cMax,
                                          uint32_t* pcTokens) {
    const std::shared_lock lock(module_.model->mutex());
    std::vector<mdToken> tokens;
    for (const FakeMethod& method : module_.methods) {
        const bool wanted =
            method.type->token == cl && (szName == nullptr || method.name == szName);
        if (wanted && std::ranges::find(tokens, method.token) == tokens.end()) {
            tokens.push_back(method.token);
        }
    }
    return next(phEnum, tokens, rMethods, cMax, pcTokens);
}

HRESULT FakeMetadata::GetMethodProps(mdMethodDef mb, mdTypeDef* pClass, char16_t* szMethod,
                                     uint32_t cchMethod, uint32_t* pchMethod, uint32_t* pdwAttr,
                                     const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob,
                                     uint32_t* pulCodeRVA, uint32_t* pdwImplFlags) {
    const std::shared_lock lock(module_.model->mutex());
    const FakeMethod* method = method_def(mb);
    if (method == nullptr) {
        return kRecordNotFound;
    }
    put(pClass, method->type->token);
    copy_text(method->name.data(), method->name.size(), szMethod, cchMethod, pchMethod);
    put(pdwAttr, kMethodPublic | (method->is_static ? kMethodStatic : 0));
    put(ppvSigBlob, static_cast<const uint8_t*>(method->signature.data()));
    put(pcbSigBlob, static_cast<uint32_t>(method->signature.size()));
    put(pulCodeRVA, own_il(method->signature).empty() ? 0U : kSomeAddress + method->token);
    put(pdwImplFlags, 0U);
    return kOk;
}

HRESULT FakeMetadata::GetSigFromToken(mdSignature mdSig, const uint8_t** ppvSig, uint32_t* pcbSig) {
    const std::shared_lock lock(module_.model->mutex());
    const size_t row = clr::row_in(mdSig);
    if (clr::table_of(mdSig) != clr::kStandAloneSig || row == 0 ||
        row > module_.signatures.size()) {
        return kRecordNotFound;
    }
    const Blob& signature = module_.signatures[row - 1];
    put(ppvSig, signature.data());
    put(pcbSig, static_cast<uint32_t>(signature.size()));
    return kOk;
}

HRESULT FakeMetadata::GetCustomAttributeByName(mdToken tkObj, const char16_t* szName,
                                               const void** ppData, uint32_t* pcbData) {
    const std::shared_lock lock(module_.model->mutex());
    const FakeMethod* method = method_def(tkObj);
    if (method != nullptr) {
        for (const auto& [name, value] : method->custom_attributes) {
            if (name == szName) {
                put(ppData, static_cast<const void*>(value.data()));
                put(pcbData, static_cast<uint32_t>(value.size()));
                return kOk;
            }
        }
    }
    put(pcbData, 0U);
    return kFalse;
}

int32_t FakeMetadata::IsValidToken(mdToken tk) {
    const std::shared_lock lock(module_.model->mutex());
    return type_def(tk) != nullptr || method_def(tk) != nullptr || type_ref(tk) != nullptr ? 1 : 0;
}

HRESULT FakeMetadata::GetNestedClassProps(mdTypeDef tdNestedClass, mdTypeDef* ptdEnclosingClass) {
    const std::shared_lock lock(module_.model->mutex());
    const FakeType* type = type_def(tdNestedClass);
    if (type == nullptr || type->enclosing == nullptr) {
        return kRecordNotFound;
    }
    put(ptdEnclosingClass, type->enclosing->token);
    return kOk;
}

HRESULT FakeMetadata::EnumGenericParams(void** phEnum, mdToken tk, mdGenericParam* rGenericParams,
                                        uint32_t cMax, uint32_t* pcGenericParams) {
    const std::shared_lock lock(module_.model->mutex());
    const bool of_method = clr::table_of(tk) == clr::kMethodDef;
    const FakeMethod* method = of_method ? method_def(tk) : nullptr;
    const FakeType* type = of_method ? nullptr : type_def(tk);
    const size_t parameters = method != nullptr ? method->generic_parameters.size()
                              : type != nullptr ? type->generic_parameters.size()
                                                : 0;
    const uint32_t owner = (tk & kOwnerRows) << kOwnerShift;
    std::vector<mdToken> tokens;
    for (uint32_t i = 0; i < parameters; ++i) {
        tokens.push_back(
            clr::token_of(clr::kGenericParam, (of_method ? kOwnerIsMethod : 0) | owner | i));
    }
    return next(phEnum, tokens, rGenericParams, cMax, pcGenericParams);
}

HRESULT FakeMetadata::GetGenericParamProps(mdGenericParam gp, uint32_t* pulParamSeq,
                                           uint32_t* pdwParamFlags, mdToken* ptOwner,
                                           uint32_t* reserved, char16_t* wzname, uint32_t cchName,
                                           uint32_t* pchName) {
    const std::shared_lock lock(module_.model->mutex());
    const bool of_method = (gp & kOwnerIsMethod) != 0;
    const uint32_t row = (gp >> kOwnerShift) & kOwnerRows;
    const uint32_t number = gp & 0xff;
    const mdToken owner = clr::token_of(of_method ? clr::kMethodDef : clr::kTypeDef, row);
    const FakeMethod* method = of_method ? method_def(owner) : nullptr;
    const FakeType* type = of_method ? nullptr : type_def(owner);
    const std::vector<std::u16string>* names = method != nullptr ? &method->generic_parameters
                                               : type != nullptr ? &type->generic_parameters
                                                                 : nullptr;
    if (clr::table_of(gp) != clr::kGenericParam || names == nullptr || number >= names->size()) {
        return kRecordNotFound;
    }
    put(pulParamSeq, number);
    put(pdwParamFlags, 0U);
    put(ptOwner, owner);
    put(reserved, 0U);
    copy_text((*names)[number].data(), (*names)[number].size(), wzname, cchName, pchName);
    return kOk;
}

}  // namespace umbra::fakeclr
