// SPDX-License-Identifier: MIT
// IMetaDataEmit (cor.h), as far as it is called: vtable order is the contract.
#pragma once

#include "src/clr/types.h"

namespace umbra::clr {

/// Slots 3..26 of 3..51; those behind are not declared.
struct IMetaDataEmit : IUnknown {
    static constexpr Guid kIid{
        0xba3fee4c, 0xecb9, 0x4e41, {0x83, 0xb7, 0x18, 0x3f, 0xa4, 0x1c, 0xd8, 0x59}};
    virtual HRESULT SetModuleProps(const char16_t* szName) = 0;              // 3
    virtual HRESULT Save(const char16_t* szFile, uint32_t dwSaveFlags) = 0;  // 4
    virtual HRESULT SaveToStream(void* pIStream, uint32_t dwSaveFlags) = 0;  // 5
    virtual HRESULT GetSaveSize(int32_t fSave, uint32_t* pdwSaveSize) = 0;   // 6
    virtual HRESULT DefineTypeDef(const char16_t* szTypeDef, uint32_t dwTypeDefFlags,
                                  mdToken tkExtends, mdToken* rtkImplements,
                                  mdTypeDef* ptd) = 0;  // 7
    virtual HRESULT DefineNestedType(const char16_t* szTypeDef, uint32_t dwTypeDefFlags,
                                     mdToken tkExtends, mdToken* rtkImplements,
                                     mdTypeDef tdEncloser, mdTypeDef* ptd) = 0;  // 8
    virtual HRESULT SetHandler(IUnknown* pUnk) = 0;                              // 9
    virtual HRESULT DefineMethod(mdTypeDef td, const char16_t* szName, uint32_t dwMethodFlags,
                                 const uint8_t* pvSigBlob, uint32_t cbSigBlob, uint32_t ulCodeRVA,
                                 uint32_t dwImplFlags,
                                 mdMethodDef* pmd) = 0;                                  // 10
    virtual HRESULT DefineMethodImpl(mdTypeDef td, mdToken tkBody, mdToken tkDecl) = 0;  // 11
    virtual HRESULT DefineTypeRefByName(mdToken tkResolutionScope, const char16_t* szName,
                                        mdTypeRef* ptr) = 0;  // 12
    virtual HRESULT DefineImportType(IUnknown* pAssemImport, const void* pbHashValue,
                                     uint32_t cbHashValue, IUnknown* pImport, mdTypeDef tdImport,
                                     IUnknown* pAssemEmit,
                                     mdTypeRef* ptr) = 0;  // 13
    virtual HRESULT DefineMemberRef(mdToken tkImport, const char16_t* szName,
                                    const uint8_t* pvSigBlob, uint32_t cbSigBlob,
                                    mdMemberRef* pmr) = 0;  // 14
    virtual HRESULT DefineImportMember(IUnknown* pAssemImport, const void* pbHashValue,
                                       uint32_t cbHashValue, IUnknown* pImport, mdToken mbMember,
                                       IUnknown* pAssemEmit, mdToken tkParent,
                                       mdMemberRef* pmr) = 0;  // 15
    virtual HRESULT DefineEvent(mdTypeDef td, const char16_t* szEvent, uint32_t dwEventFlags,
                                mdToken tkEventType, mdMethodDef mdAddOn, mdMethodDef mdRemoveOn,
                                mdMethodDef mdFire, mdMethodDef* rmdOtherMethods,
                                mdEvent* pmdEvent) = 0;  // 16
    virtual HRESULT SetClassLayout(mdTypeDef td, uint32_t dwPackSize,
                                   COR_FIELD_OFFSET* rFieldOffsets,
                                   uint32_t ulClassSize) = 0;  // 17
    virtual HRESULT DeleteClassLayout(mdTypeDef td) = 0;       // 18
    virtual HRESULT SetFieldMarshal(mdToken tk, const uint8_t* pvNativeType,
                                    uint32_t cbNativeType) = 0;  // 19
    virtual HRESULT DeleteFieldMarshal(mdToken tk) = 0;          // 20
    virtual HRESULT DefinePermissionSet(mdToken tk, uint32_t dwAction, const void* pvPermission,
                                        uint32_t cbPermission,
                                        mdPermission* ppm) = 0;  // 21
    virtual HRESULT SetRVA(mdMethodDef md, uint32_t ulRVA) = 0;  // 22
    virtual HRESULT GetTokenFromSig(const uint8_t* pvSig, uint32_t cbSig,
                                    mdSignature* pmsig) = 0;                         // 23
    virtual HRESULT DefineModuleRef(const char16_t* szName, mdModuleRef* pmur) = 0;  // 24
    virtual HRESULT SetParent(mdMemberRef mr, mdToken tk) = 0;                       // 25
    virtual HRESULT GetTokenFromTypeSpec(const uint8_t* pvSig, uint32_t cbSig,
                                         mdTypeSpec* ptypespec) = 0;  // 26
};

}  // namespace umbra::clr
