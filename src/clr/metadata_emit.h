// SPDX-License-Identifier: MIT
// IMetaDataEmit (cor.h), as far as it is called: vtable order is the contract.
#pragma once

#include "src/clr/types.h"

// NOLINTBEGIN(misc-unused-parameters): the slots' own bodies look at no argument
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace umbra::clr {

/// Slots 3..26 of 3..51; those behind are not declared.
struct IMetaDataEmit : IUnknown {
    static constexpr Guid kIid = guid("{ba3fee4c-ecb9-4e41-83b7-183fa41cd859}");
    virtual HRESULT SetModuleProps(const char16_t* szName) UMBRA_NOTIMPL;              // 3
    virtual HRESULT Save(const char16_t* szFile, uint32_t dwSaveFlags) UMBRA_NOTIMPL;  // 4
    virtual HRESULT SaveToStream(void* pIStream, uint32_t dwSaveFlags) UMBRA_NOTIMPL;  // 5
    virtual HRESULT GetSaveSize(int32_t fSave, uint32_t* pdwSaveSize) UMBRA_NOTIMPL;   // 6
    virtual HRESULT DefineTypeDef(const char16_t* szTypeDef, uint32_t dwTypeDefFlags,
                                  mdToken tkExtends, mdToken* rtkImplements,
                                  mdTypeDef* ptd) UMBRA_NOTIMPL;  // 7
    virtual HRESULT DefineNestedType(const char16_t* szTypeDef, uint32_t dwTypeDefFlags,
                                     mdToken tkExtends, mdToken* rtkImplements,
                                     mdTypeDef tdEncloser, mdTypeDef* ptd) UMBRA_NOTIMPL;  // 8
    virtual HRESULT SetHandler(IUnknown* pUnk) UMBRA_NOTIMPL;                              // 9
    virtual HRESULT DefineMethod(mdTypeDef td, const char16_t* szName, uint32_t dwMethodFlags,
                                 const uint8_t* pvSigBlob, uint32_t cbSigBlob, uint32_t ulCodeRVA,
                                 uint32_t dwImplFlags,
                                 mdMethodDef* pmd) UMBRA_NOTIMPL;  // 10
    virtual HRESULT DefineMethodImpl(mdTypeDef td, mdToken tkBody,
                                     mdToken tkDecl) UMBRA_NOTIMPL;  // 11
    virtual HRESULT DefineTypeRefByName(mdToken tkResolutionScope, const char16_t* szName,
                                        mdTypeRef* ptr) UMBRA_NOTIMPL;  // 12
    virtual HRESULT DefineImportType(IUnknown* pAssemImport, const void* pbHashValue,
                                     uint32_t cbHashValue, IUnknown* pImport, mdTypeDef tdImport,
                                     IUnknown* pAssemEmit,
                                     mdTypeRef* ptr) UMBRA_NOTIMPL;  // 13
    virtual HRESULT DefineMemberRef(mdToken tkImport, const char16_t* szName,
                                    const uint8_t* pvSigBlob, uint32_t cbSigBlob,
                                    mdMemberRef* pmr) UMBRA_NOTIMPL;  // 14
    virtual HRESULT DefineImportMember(IUnknown* pAssemImport, const void* pbHashValue,
                                       uint32_t cbHashValue, IUnknown* pImport, mdToken mbMember,
                                       IUnknown* pAssemEmit, mdToken tkParent,
                                       mdMemberRef* pmr) UMBRA_NOTIMPL;  // 15
    virtual HRESULT DefineEvent(mdTypeDef td, const char16_t* szEvent, uint32_t dwEventFlags,
                                mdToken tkEventType, mdMethodDef mdAddOn, mdMethodDef mdRemoveOn,
                                mdMethodDef mdFire, mdMethodDef* rmdOtherMethods,
                                mdEvent* pmdEvent) UMBRA_NOTIMPL;  // 16
    virtual HRESULT SetClassLayout(mdTypeDef td, uint32_t dwPackSize,
                                   COR_FIELD_OFFSET* rFieldOffsets,
                                   uint32_t ulClassSize) UMBRA_NOTIMPL;  // 17
    virtual HRESULT DeleteClassLayout(mdTypeDef td) UMBRA_NOTIMPL;       // 18
    virtual HRESULT SetFieldMarshal(mdToken tk, const uint8_t* pvNativeType,
                                    uint32_t cbNativeType) UMBRA_NOTIMPL;  // 19
    virtual HRESULT DeleteFieldMarshal(mdToken tk) UMBRA_NOTIMPL;          // 20
    virtual HRESULT DefinePermissionSet(mdToken tk, uint32_t dwAction, const void* pvPermission,
                                        uint32_t cbPermission,
                                        mdPermission* ppm) UMBRA_NOTIMPL;  // 21
    virtual HRESULT SetRVA(mdMethodDef md, uint32_t ulRVA) UMBRA_NOTIMPL;  // 22
    virtual HRESULT GetTokenFromSig(const uint8_t* pvSig, uint32_t cbSig,
                                    mdSignature* pmsig) UMBRA_NOTIMPL;                         // 23
    virtual HRESULT DefineModuleRef(const char16_t* szName, mdModuleRef* pmur) UMBRA_NOTIMPL;  // 24
    virtual HRESULT SetParent(mdMemberRef mr, mdToken tk) UMBRA_NOTIMPL;                       // 25
    virtual HRESULT GetTokenFromTypeSpec(const uint8_t* pvSig, uint32_t cbSig,
                                         mdTypeSpec* ptypespec) UMBRA_NOTIMPL;  // 26
};

}  // namespace umbra::clr

#pragma GCC diagnostic pop
// NOLINTEND(misc-unused-parameters)
