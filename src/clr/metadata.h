// SPDX-License-Identifier: MIT
// The metadata import interfaces (cor.h): vtable order is the contract (slot numbers at each line).
#pragma once

#include "src/clr/types.h"

// NOLINTBEGIN(misc-unused-parameters): the slots' own bodies look at no argument
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace umbra::clr {

/// Slots 3..64.
struct IMetaDataImport : IUnknown {
    static constexpr Guid kIid = guid("{7dac8207-d3ae-4c75-9b67-92801a497d44}");
    virtual void CloseEnum(void* hEnum) {}                                     // 3
    virtual HRESULT CountEnum(void* hEnum, uint32_t* pulCount) UMBRA_NOTIMPL;  // 4
    virtual HRESULT ResetEnum(void* hEnum, uint32_t ulPos) UMBRA_NOTIMPL;      // 5
    virtual HRESULT EnumTypeDefs(void** phEnum, mdTypeDef* rTypeDefs, uint32_t cMax,
                                 uint32_t* pcTypeDefs) UMBRA_NOTIMPL;  // 6
    virtual HRESULT EnumInterfaceImpls(void** phEnum, mdTypeDef td, mdInterfaceImpl* rImpls,
                                       uint32_t cMax, uint32_t* pcImpls) UMBRA_NOTIMPL;  // 7
    virtual HRESULT EnumTypeRefs(void** phEnum, mdTypeRef* rTypeRefs, uint32_t cMax,
                                 uint32_t* pcTypeRefs) UMBRA_NOTIMPL;  // 8
    virtual HRESULT FindTypeDefByName(const char16_t* szTypeDef, mdToken tkEnclosingClass,
                                      mdTypeDef* ptd) UMBRA_NOTIMPL;  // 9
    virtual HRESULT GetScopeProps(char16_t* szName, uint32_t cchName, uint32_t* pchName,
                                  Guid* pmvid) UMBRA_NOTIMPL;         // 10
    virtual HRESULT GetModuleFromScope(mdModule* pmd) UMBRA_NOTIMPL;  // 11
    virtual HRESULT GetTypeDefProps(mdTypeDef td, char16_t* szTypeDef, uint32_t cchTypeDef,
                                    uint32_t* pchTypeDef, uint32_t* pdwTypeDefFlags,
                                    mdToken* ptkExtends) UMBRA_NOTIMPL;  // 12
    virtual HRESULT GetInterfaceImplProps(mdInterfaceImpl iiImpl, mdTypeDef* pClass,
                                          mdToken* ptkIface) UMBRA_NOTIMPL;  // 13
    virtual HRESULT GetTypeRefProps(mdTypeRef tr, mdToken* ptkResolutionScope, char16_t* szName,
                                    uint32_t cchName, uint32_t* pchName) UMBRA_NOTIMPL;  // 14
    virtual HRESULT ResolveTypeRef(mdTypeRef tr, const Guid& riid, IUnknown** ppIScope,
                                   mdTypeDef* ptd) UMBRA_NOTIMPL;  // 15
    virtual HRESULT EnumMembers(void** phEnum, mdTypeDef cl, mdToken* rMembers, uint32_t cMax,
                                uint32_t* pcTokens) UMBRA_NOTIMPL;  // 16
    virtual HRESULT EnumMembersWithName(void** phEnum, mdTypeDef cl, const char16_t* szName,
                                        mdToken* rMembers, uint32_t cMax,
                                        uint32_t* pcTokens) UMBRA_NOTIMPL;  // 17
    virtual HRESULT EnumMethods(void** phEnum, mdTypeDef cl, mdMethodDef* rMethods, uint32_t cMax,
                                uint32_t* pcTokens) UMBRA_NOTIMPL;  // 18
    virtual HRESULT EnumMethodsWithName(void** phEnum, mdTypeDef cl, const char16_t* szName,
                                        mdMethodDef* rMethods, uint32_t cMax,
                                        uint32_t* pcTokens) UMBRA_NOTIMPL;  // 19
    virtual HRESULT EnumFields(void** phEnum, mdTypeDef cl, mdFieldDef* rFields, uint32_t cMax,
                               uint32_t* pcTokens) UMBRA_NOTIMPL;  // 20
    virtual HRESULT EnumFieldsWithName(void** phEnum, mdTypeDef cl, const char16_t* szName,
                                       mdFieldDef* rFields, uint32_t cMax,
                                       uint32_t* pcTokens) UMBRA_NOTIMPL;  // 21
    virtual HRESULT EnumParams(void** phEnum, mdMethodDef mb, mdParamDef* rParams, uint32_t cMax,
                               uint32_t* pcTokens) UMBRA_NOTIMPL;  // 22
    virtual HRESULT EnumMemberRefs(void** phEnum, mdToken tkParent, mdMemberRef* rMemberRefs,
                                   uint32_t cMax, uint32_t* pcTokens) UMBRA_NOTIMPL;  // 23
    virtual HRESULT EnumMethodImpls(void** phEnum, mdTypeDef td, mdToken* rMethodBody,
                                    mdToken* rMethodDecl, uint32_t cMax,
                                    uint32_t* pcTokens) UMBRA_NOTIMPL;  // 24
    virtual HRESULT EnumPermissionSets(void** phEnum, mdToken tk, uint32_t dwActions,
                                       mdPermission* rPermission, uint32_t cMax,
                                       uint32_t* pcTokens) UMBRA_NOTIMPL;  // 25
    virtual HRESULT FindMember(mdTypeDef td, const char16_t* szName, const uint8_t* pvSigBlob,
                               uint32_t cbSigBlob, mdToken* pmb) UMBRA_NOTIMPL;  // 26
    virtual HRESULT FindMethod(mdTypeDef td, const char16_t* szName, const uint8_t* pvSigBlob,
                               uint32_t cbSigBlob, mdMethodDef* pmb) UMBRA_NOTIMPL;  // 27
    virtual HRESULT FindField(mdTypeDef td, const char16_t* szName, const uint8_t* pvSigBlob,
                              uint32_t cbSigBlob, mdFieldDef* pmb) UMBRA_NOTIMPL;  // 28
    virtual HRESULT FindMemberRef(mdTypeRef td, const char16_t* szName, const uint8_t* pvSigBlob,
                                  uint32_t cbSigBlob, mdMemberRef* pmr) UMBRA_NOTIMPL;  // 29
    virtual HRESULT GetMethodProps(mdMethodDef mb, mdTypeDef* pClass, char16_t* szMethod,
                                   uint32_t cchMethod, uint32_t* pchMethod, uint32_t* pdwAttr,
                                   const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob,
                                   uint32_t* pulCodeRVA,
                                   uint32_t* pdwImplFlags) UMBRA_NOTIMPL;  // 30
    virtual HRESULT GetMemberRefProps(mdMemberRef mr, mdToken* ptk, char16_t* szMember,
                                      uint32_t cchMember, uint32_t* pchMember,
                                      const uint8_t** ppvSigBlob,
                                      uint32_t* pbSig) UMBRA_NOTIMPL;  // 31
    virtual HRESULT EnumProperties(void** phEnum, mdTypeDef td, mdProperty* rProperties,
                                   uint32_t cMax, uint32_t* pcProperties) UMBRA_NOTIMPL;  // 32
    virtual HRESULT EnumEvents(void** phEnum, mdTypeDef td, mdEvent* rEvents, uint32_t cMax,
                               uint32_t* pcEvents) UMBRA_NOTIMPL;  // 33
    virtual HRESULT GetEventProps(mdEvent ev, mdTypeDef* pClass, const char16_t* szEvent,
                                  uint32_t cchEvent, uint32_t* pchEvent, uint32_t* pdwEventFlags,
                                  mdToken* ptkEventType, mdMethodDef* pmdAddOn,
                                  mdMethodDef* pmdRemoveOn, mdMethodDef* pmdFire,
                                  mdMethodDef* rmdOtherMethod, uint32_t cMax,
                                  uint32_t* pcOtherMethod) UMBRA_NOTIMPL;  // 34
    virtual HRESULT EnumMethodSemantics(void** phEnum, mdMethodDef mb, mdToken* rEventProp,
                                        uint32_t cMax, uint32_t* pcEventProp) UMBRA_NOTIMPL;  // 35
    virtual HRESULT GetMethodSemantics(mdMethodDef mb, mdToken tkEventProp,
                                       uint32_t* pdwSemanticsFlags) UMBRA_NOTIMPL;  // 36
    virtual HRESULT GetClassLayout(mdTypeDef td, uint32_t* pdwPackSize,
                                   COR_FIELD_OFFSET* rFieldOffset, uint32_t cMax,
                                   uint32_t* pcFieldOffset,
                                   uint32_t* pulClassSize) UMBRA_NOTIMPL;  // 37
    virtual HRESULT GetFieldMarshal(mdToken tk, const uint8_t** ppvNativeType,
                                    uint32_t* pcbNativeType) UMBRA_NOTIMPL;  // 38
    virtual HRESULT GetRVA(mdToken tk, uint32_t* pulCodeRVA,
                           uint32_t* pdwImplFlags) UMBRA_NOTIMPL;  // 39
    virtual HRESULT GetPermissionSetProps(mdPermission pm, uint32_t* pdwAction,
                                          const void** ppvPermission,
                                          uint32_t* pcbPermission) UMBRA_NOTIMPL;  // 40
    virtual HRESULT GetSigFromToken(mdSignature mdSig, const uint8_t** ppvSig,
                                    uint32_t* pcbSig) UMBRA_NOTIMPL;  // 41
    virtual HRESULT GetModuleRefProps(mdModuleRef mur, char16_t* szName, uint32_t cchName,
                                      uint32_t* pchName) UMBRA_NOTIMPL;  // 42
    virtual HRESULT EnumModuleRefs(void** phEnum, mdModuleRef* rModuleRefs, uint32_t cmax,
                                   uint32_t* pcModuleRefs) UMBRA_NOTIMPL;  // 43
    virtual HRESULT GetTypeSpecFromToken(mdTypeSpec typespec, const uint8_t** ppvSig,
                                         uint32_t* pcbSig) UMBRA_NOTIMPL;                     // 44
    virtual HRESULT GetNameFromToken(mdToken tk, const char** pszUtf8NamePtr) UMBRA_NOTIMPL;  // 45
    virtual HRESULT EnumUnresolvedMethods(void** phEnum, mdToken* rMethods, uint32_t cMax,
                                          uint32_t* pcTokens) UMBRA_NOTIMPL;  // 46
    virtual HRESULT GetUserString(mdString stk, char16_t* szString, uint32_t cchString,
                                  uint32_t* pchString) UMBRA_NOTIMPL;  // 47
    virtual HRESULT GetPinvokeMap(mdToken tk, uint32_t* pdwMappingFlags, char16_t* szImportName,
                                  uint32_t cchImportName, uint32_t* pchImportName,
                                  mdModuleRef* pmrImportDLL) UMBRA_NOTIMPL;  // 48
    virtual HRESULT EnumSignatures(void** phEnum, mdSignature* rSignatures, uint32_t cmax,
                                   uint32_t* pcSignatures) UMBRA_NOTIMPL;  // 49
    virtual HRESULT EnumTypeSpecs(void** phEnum, mdTypeSpec* rTypeSpecs, uint32_t cmax,
                                  uint32_t* pcTypeSpecs) UMBRA_NOTIMPL;  // 50
    virtual HRESULT EnumUserStrings(void** phEnum, mdString* rStrings, uint32_t cmax,
                                    uint32_t* pcStrings) UMBRA_NOTIMPL;  // 51
    virtual HRESULT GetParamForMethodIndex(mdMethodDef md, uint32_t ulParamSeq,
                                           mdParamDef* ppd) UMBRA_NOTIMPL;  // 52
    virtual HRESULT EnumCustomAttributes(void** phEnum, mdToken tk, mdToken tkType,
                                         mdCustomAttribute* rCustomAttributes, uint32_t cMax,
                                         uint32_t* pcCustomAttributes) UMBRA_NOTIMPL;  // 53
    virtual HRESULT GetCustomAttributeProps(mdCustomAttribute cv, mdToken* ptkObj, mdToken* ptkType,
                                            const void** ppBlob,
                                            uint32_t* pcbSize) UMBRA_NOTIMPL;  // 54
    virtual HRESULT FindTypeRef(mdToken tkResolutionScope, const char16_t* szName,
                                mdTypeRef* ptr) UMBRA_NOTIMPL;  // 55
    virtual HRESULT GetMemberProps(mdToken mb, mdTypeDef* pClass, char16_t* szMember,
                                   uint32_t cchMember, uint32_t* pchMember, uint32_t* pdwAttr,
                                   const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob,
                                   uint32_t* pulCodeRVA, uint32_t* pdwImplFlags,
                                   uint32_t* pdwCPlusTypeFlag, const void** ppValue,
                                   uint32_t* pcchValue) UMBRA_NOTIMPL;  // 56
    virtual HRESULT GetFieldProps(mdFieldDef mb, mdTypeDef* pClass, char16_t* szField,
                                  uint32_t cchField, uint32_t* pchField, uint32_t* pdwAttr,
                                  const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob,
                                  uint32_t* pdwCPlusTypeFlag, const void** ppValue,
                                  uint32_t* pcchValue) UMBRA_NOTIMPL;  // 57
    virtual HRESULT GetPropertyProps(mdProperty prop, mdTypeDef* pClass, const char16_t* szProperty,
                                     uint32_t cchProperty, uint32_t* pchProperty,
                                     uint32_t* pdwPropFlags, const uint8_t** ppvSig,
                                     uint32_t* pbSig, uint32_t* pdwCPlusTypeFlag,
                                     const void** ppDefaultValue, uint32_t* pcchDefaultValue,
                                     mdMethodDef* pmdSetter, mdMethodDef* pmdGetter,
                                     mdMethodDef* rmdOtherMethod, uint32_t cMax,
                                     uint32_t* pcOtherMethod) UMBRA_NOTIMPL;  // 58
    virtual HRESULT GetParamProps(mdParamDef tk, mdMethodDef* pmd, uint32_t* pulSequence,
                                  char16_t* szName, uint32_t cchName, uint32_t* pchName,
                                  uint32_t* pdwAttr, uint32_t* pdwCPlusTypeFlag,
                                  const void** ppValue, uint32_t* pcchValue) UMBRA_NOTIMPL;  // 59
    virtual HRESULT GetCustomAttributeByName(mdToken tkObj, const char16_t* szName,
                                             const void** ppData,
                                             uint32_t* pcbData) UMBRA_NOTIMPL;  // 60
    virtual int32_t IsValidToken(mdToken tk) { return 0; }                      // 61
    virtual HRESULT GetNestedClassProps(mdTypeDef tdNestedClass,
                                        mdTypeDef* ptdEnclosingClass) UMBRA_NOTIMPL;  // 62
    virtual HRESULT GetNativeCallConvFromSig(const void* pvSig, uint32_t cbSig,
                                             uint32_t* pCallConv) UMBRA_NOTIMPL;  // 63
    virtual HRESULT IsGlobal(mdToken pd, int32_t* pbGlobal) UMBRA_NOTIMPL;        // 64
};

/// Slots 65..72.
struct IMetaDataImport2 : IMetaDataImport {
    static constexpr Guid kIid = guid("{fce5efa0-8bba-4f8e-a036-8f2022b08466}");
    virtual HRESULT EnumGenericParams(void** phEnum, mdToken tk, mdGenericParam* rGenericParams,
                                      uint32_t cMax,
                                      uint32_t* pcGenericParams) UMBRA_NOTIMPL;  // 65
    virtual HRESULT GetGenericParamProps(mdGenericParam gp, uint32_t* pulParamSeq,
                                         uint32_t* pdwParamFlags, mdToken* ptOwner,
                                         uint32_t* reserved, char16_t* wzname, uint32_t cchName,
                                         uint32_t* pchName) UMBRA_NOTIMPL;  // 66
    virtual HRESULT GetMethodSpecProps(mdMethodSpec mi, mdToken* tkParent,
                                       const uint8_t** ppvSigBlob,
                                       uint32_t* pcbSigBlob) UMBRA_NOTIMPL;  // 67
    virtual HRESULT EnumGenericParamConstraints(
        void** phEnum, mdGenericParam tk, mdGenericParamConstraint* rGenericParamConstraints,
        uint32_t cMax,
        uint32_t* pcGenericParamConstraints) UMBRA_NOTIMPL;  // 68
    virtual HRESULT GetGenericParamConstraintProps(mdGenericParamConstraint gpc,
                                                   mdGenericParam* ptGenericParam,
                                                   mdToken* ptkConstraintType) UMBRA_NOTIMPL;  // 69
    virtual HRESULT GetPEKind(uint32_t* pdwPEKind, uint32_t* pdwMAchine) UMBRA_NOTIMPL;        // 70
    virtual HRESULT GetVersionString(char16_t* pwzBuf, uint32_t ccBufSize,
                                     uint32_t* pccBufSize) UMBRA_NOTIMPL;  // 71
    virtual HRESULT EnumMethodSpecs(void** phEnum, mdToken tk, mdMethodSpec* rMethodSpecs,
                                    uint32_t cMax, uint32_t* pcMethodSpecs) UMBRA_NOTIMPL;  // 72
};

}  // namespace umbra::clr

#pragma GCC diagnostic pop
// NOLINTEND(misc-unused-parameters)
