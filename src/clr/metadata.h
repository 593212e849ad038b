// SPDX-License-Identifier: MIT
// The metadata import interfaces (cor.h): vtable order is the contract (slot numbers at each line).
#pragma once

#include "src/clr/types.h"

namespace umbra::clr {

/// Slots 3..64.
struct IMetaDataImport : IUnknown {
    static constexpr Guid kIid{
        0x7dac8207, 0xd3ae, 0x4c75, {0x9b, 0x67, 0x92, 0x80, 0x1a, 0x49, 0x7d, 0x44}};
    virtual void CloseEnum(void* hEnum) = 0;                         // 3
    virtual HRESULT CountEnum(void* hEnum, uint32_t* pulCount) = 0;  // 4
    virtual HRESULT ResetEnum(void* hEnum, uint32_t ulPos) = 0;      // 5
    virtual HRESULT EnumTypeDefs(void** phEnum, mdTypeDef* rTypeDefs, uint32_t cMax,
                                 uint32_t* pcTypeDefs) = 0;  // 6
    virtual HRESULT EnumInterfaceImpls(void** phEnum, mdTypeDef td, mdInterfaceImpl* rImpls,
                                       uint32_t cMax, uint32_t* pcImpls) = 0;  // 7
    virtual HRESULT EnumTypeRefs(void** phEnum, mdTypeRef* rTypeRefs, uint32_t cMax,
                                 uint32_t* pcTypeRefs) = 0;  // 8
    virtual HRESULT FindTypeDefByName(const char16_t* szTypeDef, mdToken tkEnclosingClass,
                                      mdTypeDef* ptd) = 0;  // 9
    virtual HRESULT GetScopeProps(char16_t* szName, uint32_t cchName, uint32_t* pchName,
                                  Guid* pmvid) = 0;         // 10
    virtual HRESULT GetModuleFromScope(mdModule* pmd) = 0;  // 11
    virtual HRESULT GetTypeDefProps(mdTypeDef td, char16_t* szTypeDef, uint32_t cchTypeDef,
                                    uint32_t* pchTypeDef, uint32_t* pdwTypeDefFlags,
                                    mdToken* ptkExtends) = 0;  // 12
    virtual HRESULT GetInterfaceImplProps(mdInterfaceImpl iiImpl, mdTypeDef* pClass,
                                          mdToken* ptkIface) = 0;  // 13
    virtual HRESULT GetTypeRefProps(mdTypeRef tr, mdToken* ptkResolutionScope, char16_t* szName,
                                    uint32_t cchName, uint32_t* pchName) = 0;  // 14
    virtual HRESULT ResolveTypeRef(mdTypeRef tr, const Guid& riid, IUnknown** ppIScope,
                                   mdTypeDef* ptd) = 0;  // 15
    virtual HRESULT EnumMembers(void** phEnum, mdTypeDef cl, mdToken* rMembers, uint32_t cMax,
                                uint32_t* pcTokens) = 0;  // 16
    virtual HRESULT EnumMembersWithName(void** phEnum, mdTypeDef cl, const char16_t* szName,
                                        mdToken* rMembers, uint32_t cMax,
                                        uint32_t* pcTokens) = 0;  // 17
    virtual HRESULT EnumMethods(void** phEnum, mdTypeDef cl, mdMethodDef* rMethods, uint32_t cMax,
                                uint32_t* pcTokens) = 0;  // 18
    virtual HRESULT EnumMethodsWithName(void** phEnum, mdTypeDef cl, const char16_t* szName,
                                        mdMethodDef* rMethods, uint32_t cMax,
                                        uint32_t* pcTokens) = 0;  // 19
    virtual HRESULT EnumFields(void** phEnum, mdTypeDef cl, mdFieldDef* rFields, uint32_t cMax,
                               uint32_t* pcTokens) = 0;  // 20
    virtual HRESULT EnumFieldsWithName(void** phEnum, mdTypeDef cl, const char16_t* szName,
                                       mdFieldDef* rFields, uint32_t cMax,
                                       uint32_t* pcTokens) = 0;  // 21
    virtual HRESULT EnumParams(void** phEnum, mdMethodDef mb, mdParamDef* rParams, uint32_t cMax,
                               uint32_t* pcTokens) = 0;  // 22
    virtual HRESULT EnumMemberRefs(void** phEnum, mdToken tkParent, mdMemberRef* rMemberRefs,
                                   uint32_t cMax, uint32_t* pcTokens) = 0;  // 23
    virtual HRESULT EnumMethodImpls(void** phEnum, mdTypeDef td, mdToken* rMethodBody,
                                    mdToken* rMethodDecl, uint32_t cMax,
                                    uint32_t* pcTokens) = 0;  // 24
    virtual HRESULT EnumPermissionSets(void** phEnum, mdToken tk, uint32_t dwActions,
                                       mdPermission* rPermission, uint32_t cMax,
                                       uint32_t* pcTokens) = 0;  // 25
    virtual HRESULT FindMember(mdTypeDef td, const char16_t* szName, const uint8_t* pvSigBlob,
                               uint32_t cbSigBlob, mdToken* pmb) = 0;  // 26
    virtual HRESULT FindMethod(mdTypeDef td, const char16_t* szName, const uint8_t* pvSigBlob,
                               uint32_t cbSigBlob, mdMethodDef* pmb) = 0;  // 27
    virtual HRESULT FindField(mdTypeDef td, const char16_t* szName, const uint8_t* pvSigBlob,
                              uint32_t cbSigBlob, mdFieldDef* pmb) = 0;  // 28
    virtual HRESULT FindMemberRef(mdTypeRef td, const char16_t* szName, const uint8_t* pvSigBlob,
                                  uint32_t cbSigBlob, mdMemberRef* pmr) = 0;  // 29
    virtual HRESULT GetMethodProps(mdMethodDef mb, mdTypeDef* pClass, char16_t* szMethod,
                                   uint32_t cchMethod, uint32_t* pchMethod, uint32_t* pdwAttr,
                                   const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob,
                                   uint32_t* pulCodeRVA, uint32_t* pdwImplFlags) = 0;  // 30
    virtual HRESULT GetMemberRefProps(mdMemberRef mr, mdToken* ptk, char16_t* szMember,
                                      uint32_t cchMember, uint32_t* pchMember,
                                      const uint8_t** ppvSigBlob, uint32_t* pbSig) = 0;  // 31
    virtual HRESULT EnumProperties(void** phEnum, mdTypeDef td, mdProperty* rProperties,
                                   uint32_t cMax, uint32_t* pcProperties) = 0;  // 32
    virtual HRESULT EnumEvents(void** phEnum, mdTypeDef td, mdEvent* rEvents, uint32_t cMax,
                               uint32_t* pcEvents) = 0;  // 33
    virtual HRESULT GetEventProps(mdEvent ev, mdTypeDef* pClass, const char16_t* szEvent,
                                  uint32_t cchEvent, uint32_t* pchEvent, uint32_t* pdwEventFlags,
                                  mdToken* ptkEventType, mdMethodDef* pmdAddOn,
                                  mdMethodDef* pmdRemoveOn, mdMethodDef* pmdFire,
                                  mdMethodDef* rmdOtherMethod, uint32_t cMax,
                                  uint32_t* pcOtherMethod) = 0;  // 34
    virtual HRESULT EnumMethodSemantics(void** phEnum, mdMethodDef mb, mdToken* rEventProp,
                                        uint32_t cMax, uint32_t* pcEventProp) = 0;  // 35
    virtual HRESULT GetMethodSemantics(mdMethodDef mb, mdToken tkEventProp,
                                       uint32_t* pdwSemanticsFlags) = 0;  // 36
    virtual HRESULT GetClassLayout(mdTypeDef td, uint32_t* pdwPackSize,
                                   COR_FIELD_OFFSET* rFieldOffset, uint32_t cMax,
                                   uint32_t* pcFieldOffset, uint32_t* pulClassSize) = 0;  // 37
    virtual HRESULT GetFieldMarshal(mdToken tk, const uint8_t** ppvNativeType,
                                    uint32_t* pcbNativeType) = 0;                          // 38
    virtual HRESULT GetRVA(mdToken tk, uint32_t* pulCodeRVA, uint32_t* pdwImplFlags) = 0;  // 39
    virtual HRESULT GetPermissionSetProps(mdPermission pm, uint32_t* pdwAction,
                                          const void** ppvPermission,
                                          uint32_t* pcbPermission) = 0;  // 40
    virtual HRESULT GetSigFromToken(mdSignature mdSig, const uint8_t** ppvSig,
                                    uint32_t* pcbSig) = 0;  // 41
    virtual HRESULT GetModuleRefProps(mdModuleRef mur, char16_t* szName, uint32_t cchName,
                                      uint32_t* pchName) = 0;  // 42
    virtual HRESULT EnumModuleRefs(void** phEnum, mdModuleRef* rModuleRefs, uint32_t cmax,
                                   uint32_t* pcModuleRefs) = 0;  // 43
    virtual HRESULT GetTypeSpecFromToken(mdTypeSpec typespec, const uint8_t** ppvSig,
                                         uint32_t* pcbSig) = 0;                     // 44
    virtual HRESULT GetNameFromToken(mdToken tk, const char** pszUtf8NamePtr) = 0;  // 45
    virtual HRESULT EnumUnresolvedMethods(void** phEnum, mdToken* rMethods, uint32_t cMax,
                                          uint32_t* pcTokens) = 0;  // 46
    virtual HRESULT GetUserString(mdString stk, char16_t* szString, uint32_t cchString,
                                  uint32_t* pchString) = 0;  // 47
    virtual HRESULT GetPinvokeMap(mdToken tk, uint32_t* pdwMappingFlags, char16_t* szImportName,
                                  uint32_t cchImportName, uint32_t* pchImportName,
                                  mdModuleRef* pmrImportDLL) = 0;  // 48
    virtual HRESULT EnumSignatures(void** phEnum, mdSignature* rSignatures, uint32_t cmax,
                                   uint32_t* pcSignatures) = 0;  // 49
    virtual HRESULT EnumTypeSpecs(void** phEnum, mdTypeSpec* rTypeSpecs, uint32_t cmax,
                                  uint32_t* pcTypeSpecs) = 0;  // 50
    virtual HRESULT EnumUserStrings(void** phEnum, mdString* rStrings, uint32_t cmax,
                                    uint32_t* pcStrings) = 0;  // 51
    virtual HRESULT GetParamForMethodIndex(mdMethodDef md, uint32_t ulParamSeq,
                                           mdParamDef* ppd) = 0;  // 52
    virtual HRESULT EnumCustomAttributes(void** phEnum, mdToken tk, mdToken tkType,
                                         mdCustomAttribute* rCustomAttributes, uint32_t cMax,
                                         uint32_t* pcCustomAttributes) = 0;  // 53
    virtual HRESULT GetCustomAttributeProps(mdCustomAttribute cv, mdToken* ptkObj, mdToken* ptkType,
                                            const void** ppBlob, uint32_t* pcbSize) = 0;  // 54
    virtual HRESULT FindTypeRef(mdToken tkResolutionScope, const char16_t* szName,
                                mdTypeRef* ptr) = 0;  // 55
    virtual HRESULT GetMemberProps(mdToken mb, mdTypeDef* pClass, char16_t* szMember,
                                   uint32_t cchMember, uint32_t* pchMember, uint32_t* pdwAttr,
                                   const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob,
                                   uint32_t* pulCodeRVA, uint32_t* pdwImplFlags,
                                   uint32_t* pdwCPlusTypeFlag, const void** ppValue,
                                   uint32_t* pcchValue) = 0;  // 56
    virtual HRESULT GetFieldProps(mdFieldDef mb, mdTypeDef* pClass, char16_t* szField,
                                  uint32_t cchField, uint32_t* pchField, uint32_t* pdwAttr,
                                  const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob,
                                  uint32_t* pdwCPlusTypeFlag, const void** ppValue,
                                  uint32_t* pcchValue) = 0;  // 57
    virtual HRESULT GetPropertyProps(mdProperty prop, mdTypeDef* pClass, const char16_t* szProperty,
                                     uint32_t cchProperty, uint32_t* pchProperty,
                                     uint32_t* pdwPropFlags, const uint8_t** ppvSig,
                                     uint32_t* pbSig, uint32_t* pdwCPlusTypeFlag,
                                     const void** ppDefaultValue, uint32_t* pcchDefaultValue,
                                     mdMethodDef* pmdSetter, mdMethodDef* pmdGetter,
                                     mdMethodDef* rmdOtherMethod, uint32_t cMax,
                                     uint32_t* pcOtherMethod) = 0;  // 58
    virtual HRESULT GetParamProps(mdParamDef tk, mdMethodDef* pmd, uint32_t* pulSequence,
                                  char16_t* szName, uint32_t cchName, uint32_t* pchName,
                                  uint32_t* pdwAttr, uint32_t* pdwCPlusTypeFlag,
                                  const void** ppValue, uint32_t* pcchValue) = 0;  // 59
    virtual HRESULT GetCustomAttributeByName(mdToken tkObj, const char16_t* szName,
                                             const void** ppData, uint32_t* pcbData) = 0;  // 60
    virtual int32_t IsValidToken(mdToken tk) = 0;                                          // 61
    virtual HRESULT GetNestedClassProps(mdTypeDef tdNestedClass,
                                        mdTypeDef* ptdEnclosingClass) = 0;  // 62
    virtual HRESULT GetNativeCallConvFromSig(const void* pvSig, uint32_t cbSig,
                                             uint32_t* pCallConv) = 0;  // 63
    virtual HRESULT IsGlobal(mdToken pd, int32_t* pbGlobal) = 0;        // 64
};

/// Slots 65..72.
struct IMetaDataImport2 : IMetaDataImport {
    static constexpr Guid kIid{
        0xfce5efa0, 0x8bba, 0x4f8e, {0xa0, 0x36, 0x8f, 0x20, 0x22, 0xb0, 0x84, 0x66}};
    virtual HRESULT EnumGenericParams(void** phEnum, mdToken tk, mdGenericParam* rGenericParams,
                                      uint32_t cMax, uint32_t* pcGenericParams) = 0;  // 65
    virtual HRESULT GetGenericParamProps(mdGenericParam gp, uint32_t* pulParamSeq,
                                         uint32_t* pdwParamFlags, mdToken* ptOwner,
                                         uint32_t* reserved, char16_t* wzname, uint32_t cchName,
                                         uint32_t* pchName) = 0;  // 66
    virtual HRESULT GetMethodSpecProps(mdMethodSpec mi, mdToken* tkParent,
                                       const uint8_t** ppvSigBlob, uint32_t* pcbSigBlob) = 0;  // 67
    virtual HRESULT EnumGenericParamConstraints(void** phEnum, mdGenericParam tk,
                                                mdGenericParamConstraint* rGenericParamConstraints,
                                                uint32_t cMax,
                                                uint32_t* pcGenericParamConstraints) = 0;  // 68
    virtual HRESULT GetGenericParamConstraintProps(mdGenericParamConstraint gpc,
                                                   mdGenericParam* ptGenericParam,
                                                   mdToken* ptkConstraintType) = 0;  // 69
    virtual HRESULT GetPEKind(uint32_t* pdwPEKind, uint32_t* pdwMAchine) = 0;        // 70
    virtual HRESULT GetVersionString(char16_t* pwzBuf, uint32_t ccBufSize,
                                     uint32_t* pccBufSize) = 0;  // 71
    virtual HRESULT EnumMethodSpecs(void** phEnum, mdToken tk, mdMethodSpec* rMethodSpecs,
                                    uint32_t cMax, uint32_t* pcMethodSpecs) = 0;  // 72
};

/// Slots 3..16.
struct IMetaDataAssemblyImport : IUnknown {
    static constexpr Guid kIid{
        0xee62470b, 0xe94b, 0x424e, {0x9b, 0x7c, 0x2f, 0x00, 0xc9, 0x24, 0x9f, 0x93}};
    virtual HRESULT GetAssemblyProps(mdAssembly mda, const void** ppbPublicKey,
                                     uint32_t* pcbPublicKey, uint32_t* pulHashAlgId,
                                     char16_t* szName, uint32_t cchName, uint32_t* pchName,
                                     ASSEMBLYMETADATA* pMetaData,
                                     uint32_t* pdwAssemblyFlags) = 0;  // 3
    virtual HRESULT GetAssemblyRefProps(mdAssemblyRef mdar, const void** ppbPublicKeyOrToken,
                                        uint32_t* pcbPublicKeyOrToken, char16_t* szName,
                                        uint32_t cchName, uint32_t* pchName,
                                        ASSEMBLYMETADATA* pMetaData, const void** ppbHashValue,
                                        uint32_t* pcbHashValue,
                                        uint32_t* pdwAssemblyRefFlags) = 0;  // 4
    virtual HRESULT GetFileProps(mdFile mdf, char16_t* szName, uint32_t cchName, uint32_t* pchName,
                                 const void** ppbHashValue, uint32_t* pcbHashValue,
                                 uint32_t* pdwFileFlags) = 0;  // 5
    virtual HRESULT GetExportedTypeProps(mdExportedType mdct, char16_t* szName, uint32_t cchName,
                                         uint32_t* pchName, mdToken* ptkImplementation,
                                         mdTypeDef* ptkTypeDef,
                                         uint32_t* pdwExportedTypeFlags) = 0;  // 6
    virtual HRESULT GetManifestResourceProps(mdManifestResource mdmr, char16_t* szName,
                                             uint32_t cchName, uint32_t* pchName,
                                             mdToken* ptkImplementation, uint32_t* pdwOffset,
                                             uint32_t* pdwResourceFlags) = 0;  // 7
    virtual HRESULT EnumAssemblyRefs(void** phEnum, mdAssemblyRef* rAssemblyRefs, uint32_t cMax,
                                     uint32_t* pcTokens) = 0;  // 8
    virtual HRESULT EnumFiles(void** phEnum, mdFile* rFiles, uint32_t cMax,
                              uint32_t* pcTokens) = 0;  // 9
    virtual HRESULT EnumExportedTypes(void** phEnum, mdExportedType* rExportedTypes, uint32_t cMax,
                                      uint32_t* pcTokens) = 0;  // 10
    virtual HRESULT EnumManifestResources(void** phEnum, mdManifestResource* rManifestResources,
                                          uint32_t cMax, uint32_t* pcTokens) = 0;  // 11
    virtual HRESULT GetAssemblyFromScope(mdAssembly* ptkAssembly) = 0;             // 12
    virtual HRESULT FindExportedTypeByName(const char16_t* szName, mdToken mdtExportedType,
                                           mdExportedType* ptkExportedType) = 0;  // 13
    virtual HRESULT FindManifestResourceByName(const char16_t* szName,
                                               mdManifestResource* ptkManifestResource) = 0;  // 14
    virtual void CloseEnum(void* hEnum) = 0;                                                  // 15
    virtual HRESULT FindAssembliesByName(const char16_t* szAppBase, const char16_t* szPrivateBin,
                                         const char16_t* szAssemblyName, IUnknown** ppIUnk,
                                         uint32_t cMax, uint32_t* pcAssemblies) = 0;  // 16
};

}  // namespace umbra::clr
