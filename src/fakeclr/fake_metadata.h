// SPDX-License-Identifier: MIT
// IMetaDataImport2 over one module of the model.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "src/fakeclr/clr_names.h"

namespace umbra::fakeclr {

struct FakeMethod;
struct FakeModule;
struct FakeType;
struct FakeTypeRef;

/// Copies text the way the runtime does: `*length` counts the terminating zero, a short buffer gets
/// a cut and terminated text. All pointers may be null.
void copy_text(const char16_t* text, size_t size, char16_t* buffer, uint32_t capacity,
               uint32_t* length);

/// Lives as long as its module; counts its references so that a test can see a leaked one. Safe on
/// any thread.
class FakeMetadata final : public IMetaDataImport2 {
  public:
    explicit FakeMetadata(FakeModule& module) : module_(module) {}

    /// References handed out and not given back.
    [[nodiscard]] long references() const { return references_.load(); }
    /// Enumerators opened and not closed.
    [[nodiscard]] long open_enumerators() const { return open_enumerators_.load(); }

    HRESULT QueryInterface(const Guid& riid, void** ppv) override;
    uint32_t AddRef() override;
    uint32_t Release() override;

    void CloseEnum(void* hEnum) override;
    HRESULT CountEnum(void* hEnum, uint32_t* pulCount) override;
    HRESULT ResetEnum(void* hEnum, uint32_t ulPos) override;
    HRESULT EnumTypeDefs(void** phEnum, mdTypeDef* rTypeDefs, uint32_t cMax,
                         uint32_t* pcTypeDefs) override;
    HRESULT FindTypeDefByName(const char16_t* szTypeDef, mdToken tkEnclosingClass,
                              mdTypeDef* ptd) override;
    HRESULT GetScopeProps(char16_t* szName, uint32_t cchName, uint32_t* pchName,
                          Guid* pmvid) override;
    HRESULT GetModuleFromScope(mdModule* pmd) override;
    HRESULT GetTypeDefProps(mdTypeDef td, char16_t* szTypeDef, uint32_t cchTypeDef,
                            uint32_t* pchTypeDef, uint32_t* pdwTypeDefFlags,
                            mdToken* ptkExtends) override;
    HRESULT GetTypeRefProps(mdTypeRef tr, mdToken* ptkResolutionScope, char16_t* szName,
                            uint32_t cchName, uint32_t* pchName) override;
    HRESULT EnumMethods(void** phEnum, mdTypeDef cl, mdMethodDef* rMethods, uint32_t cMax,
                        uint32_t* pcTokens) override;
    HRESULT EnumMethodsWithName(void** phEnum, mdTypeDef cl, const char16_t* szName,
                                mdMethodDef* rMethods, uint32_t cMax, uint32_t* pcTokens) override;
    HRESULT GetMethodProps(mdMethodDef mb, mdTypeDef* pClass, char16_t* szMethod,
                           uint32_t cchMethod, uint32_t* pchMethod, uint32_t* pdwAttr,
                           const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob, uint32_t* pulCodeRVA,
                           uint32_t* pdwImplFlags) override;
    HRESULT GetSigFromToken(mdSignature mdSig, const uint8_t** ppvSig, uint32_t* pcbSig) override;
    HRESULT GetCustomAttributeByName(mdToken tkObj, const char16_t* szName, const void** ppData,
                                     uint32_t* pcbData) override;
    int32_t IsValidToken(mdToken tk) override;
    HRESULT GetNestedClassProps(mdTypeDef tdNestedClass, mdTypeDef* ptdEnclosingClass) override;
    HRESULT EnumGenericParams(void** phEnum, mdToken tk, mdGenericParam* rGenericParams,
                              uint32_t cMax, uint32_t* pcGenericParams) override;
    HRESULT GetGenericParamProps(mdGenericParam gp, uint32_t* pulParamSeq, uint32_t* pdwParamFlags,
                                 mdToken* ptOwner, uint32_t* reserved, char16_t* wzname,
                                 uint32_t cchName, uint32_t* pchName) override;

  private:
    struct Enumerator {
        std::vector<mdToken> tokens;
        size_t position = 0;
    };

    /// Definitions only: instantiations share a token with theirs.
    [[nodiscard]] const FakeType* type_def(mdTypeDef token) const;
    [[nodiscard]] const FakeMethod* method_def(mdMethodDef token) const;
    [[nodiscard]] const FakeTypeRef* type_ref(mdTypeRef token) const;
    /// The first call of an enumeration fills `handle`; each call hands out the next tokens.
    HRESULT next(void** handle, const std::vector<mdToken>& tokens, mdToken* out, uint32_t capacity,
                 uint32_t* count);

    FakeModule& module_;
    std::atomic<long> references_{0};
    std::atomic<long> open_enumerators_{0};
};

}  // namespace umbra::fakeclr
