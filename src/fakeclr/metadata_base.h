// SPDX-License-Identifier: MIT
// IMetaDataImport2 with every call answered by "not implemented".
#pragma once

#include "src/clr/metadata.h"
#include "src/fakeclr/clr_names.h"

namespace umbra::fakeclr {

/// The slots FakeMetadata does not need. IUnknown stays open: lifetime is the implementation's.
class MetadataBase : public IMetaDataImport2 {
  public:
    void CloseEnum(void* /*hEnum*/) override {}
    HRESULT CountEnum(void* /*hEnum*/, uint32_t* /*pulCount*/) override { return kNotImplemented; }
    HRESULT ResetEnum(void* /*hEnum*/, uint32_t /*ulPos*/) override { return kNotImplemented; }
    HRESULT EnumTypeDefs(void** /*phEnum*/, mdTypeDef* /*rTypeDefs*/, uint32_t /*cMax*/,
                         uint32_t* /*pcTypeDefs*/) override {
        return kNotImplemented;
    }
    HRESULT EnumInterfaceImpls(void** /*phEnum*/, mdTypeDef /*td*/, mdInterfaceImpl* /*rImpls*/,
                               uint32_t /*cMax*/, uint32_t* /*pcImpls*/) override {
        return kNotImplemented;
    }
    HRESULT EnumTypeRefs(void** /*phEnum*/, mdTypeRef* /*rTypeRefs*/, uint32_t /*cMax*/,
                         uint32_t* /*pcTypeRefs*/) override {
        return kNotImplemented;
    }
    HRESULT FindTypeDefByName(const char16_t* /*szTypeDef*/, mdToken /*tkEnclosingClass*/,
                              mdTypeDef* /*ptd*/) override {
        return kNotImplemented;
    }
    HRESULT GetScopeProps(char16_t* /*szName*/, uint32_t /*cchName*/, uint32_t* /*pchName*/,
                          Guid* /*pmvid*/) override {
        return kNotImplemented;
    }
    HRESULT GetModuleFromScope(mdModule* /*pmd*/) override { return kNotImplemented; }
    HRESULT GetTypeDefProps(mdTypeDef /*td*/, char16_t* /*szTypeDef*/, uint32_t /*cchTypeDef*/,
                            uint32_t* /*pchTypeDef*/, uint32_t* /*pdwTypeDefFlags*/,
                            mdToken* /*ptkExtends*/) override {
        return kNotImplemented;
    }
    HRESULT GetInterfaceImplProps(mdInterfaceImpl /*iiImpl*/, mdTypeDef* /*pClass*/,
                                  mdToken* /*ptkIface*/) override {
        return kNotImplemented;
    }
    HRESULT GetTypeRefProps(mdTypeRef /*tr*/, mdToken* /*ptkResolutionScope*/, char16_t* /*szName*/,
                            uint32_t /*cchName*/, uint32_t* /*pchName*/) override {
        return kNotImplemented;
    }
    HRESULT ResolveTypeRef(mdTypeRef /*tr*/, const Guid& /*riid*/, IUnknown** /*ppIScope*/,
                           mdTypeDef* /*ptd*/) override {
        return kNotImplemented;
    }
    HRESULT EnumMembers(void** /*phEnum*/, mdTypeDef /*cl*/, mdToken* /*rMembers*/,
                        uint32_t /*cMax*/, uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumMembersWithName(void** /*phEnum*/, mdTypeDef /*cl*/, const char16_t* /*szName*/,
                                mdToken* /*rMembers*/, uint32_t /*cMax*/,
                                uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumMethods(void** /*phEnum*/, mdTypeDef /*cl*/, mdMethodDef* /*rMethods*/,
                        uint32_t /*cMax*/, uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumMethodsWithName(void** /*phEnum*/, mdTypeDef /*cl*/, const char16_t* /*szName*/,
                                mdMethodDef* /*rMethods*/, uint32_t /*cMax*/,
                                uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumFields(void** /*phEnum*/, mdTypeDef /*cl*/, mdFieldDef* /*rFields*/,
                       uint32_t /*cMax*/, uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumFieldsWithName(void** /*phEnum*/, mdTypeDef /*cl*/, const char16_t* /*szName*/,
                               mdFieldDef* /*rFields*/, uint32_t /*cMax*/,
                               uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumParams(void** /*phEnum*/, mdMethodDef /*mb*/, mdParamDef* /*rParams*/,
                       uint32_t /*cMax*/, uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumMemberRefs(void** /*phEnum*/, mdToken /*tkParent*/, mdMemberRef* /*rMemberRefs*/,
                           uint32_t /*cMax*/, uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumMethodImpls(void** /*phEnum*/, mdTypeDef /*td*/, mdToken* /*rMethodBody*/,
                            mdToken* /*rMethodDecl*/, uint32_t /*cMax*/,
                            uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT EnumPermissionSets(void** /*phEnum*/, mdToken /*tk*/, uint32_t /*dwActions*/,
                               mdPermission* /*rPermission*/, uint32_t /*cMax*/,
                               uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT FindMember(mdTypeDef /*td*/, const char16_t* /*szName*/, const uint8_t* /*pvSigBlob*/,
                       uint32_t /*cbSigBlob*/, mdToken* /*pmb*/) override {
        return kNotImplemented;
    }
    HRESULT FindMethod(mdTypeDef /*td*/, const char16_t* /*szName*/, const uint8_t* /*pvSigBlob*/,
                       uint32_t /*cbSigBlob*/, mdMethodDef* /*pmb*/) override {
        return kNotImplemented;
    }
    HRESULT FindField(mdTypeDef /*td*/, const char16_t* /*szName*/, const uint8_t* /*pvSigBlob*/,
                      uint32_t /*cbSigBlob*/, mdFieldDef* /*pmb*/) override {
        return kNotImplemented;
    }
    HRESULT FindMemberRef(mdTypeRef /*td*/, const char16_t* /*szName*/,
                          const uint8_t* /*pvSigBlob*/, uint32_t /*cbSigBlob*/,
                          mdMemberRef* /*pmr*/) override {
        return kNotImplemented;
    }
    HRESULT GetMethodProps(mdMethodDef /*mb*/, mdTypeDef* /*pClass*/, char16_t* /*szMethod*/,
                           uint32_t /*cchMethod*/, uint32_t* /*pchMethod*/, uint32_t* /*pdwAttr*/,
                           const uint8_t** /*ppvSigBlob*/, uint32_t* /*pcbSigBlob*/,
                           uint32_t* /*pulCodeRVA*/, uint32_t* /*pdwImplFlags*/) override {
        return kNotImplemented;
    }
    HRESULT GetMemberRefProps(mdMemberRef /*mr*/, mdToken* /*ptk*/, char16_t* /*szMember*/,
                              uint32_t /*cchMember*/, uint32_t* /*pchMember*/,
                              const uint8_t** /*ppvSigBlob*/, uint32_t* /*pbSig*/) override {
        return kNotImplemented;
    }
    HRESULT EnumProperties(void** /*phEnum*/, mdTypeDef /*td*/, mdProperty* /*rProperties*/,
                           uint32_t /*cMax*/, uint32_t* /*pcProperties*/) override {
        return kNotImplemented;
    }
    HRESULT EnumEvents(void** /*phEnum*/, mdTypeDef /*td*/, mdEvent* /*rEvents*/, uint32_t /*cMax*/,
                       uint32_t* /*pcEvents*/) override {
        return kNotImplemented;
    }
    HRESULT GetEventProps(mdEvent /*ev*/, mdTypeDef* /*pClass*/, const char16_t* /*szEvent*/,
                          uint32_t /*cchEvent*/, uint32_t* /*pchEvent*/,
                          uint32_t* /*pdwEventFlags*/, mdToken* /*ptkEventType*/,
                          mdMethodDef* /*pmdAddOn*/, mdMethodDef* /*pmdRemoveOn*/,
                          mdMethodDef* /*pmdFire*/, mdMethodDef* /*rmdOtherMethod*/,
                          uint32_t /*cMax*/, uint32_t* /*pcOtherMethod*/) override {
        return kNotImplemented;
    }
    HRESULT EnumMethodSemantics(void** /*phEnum*/, mdMethodDef /*mb*/, mdToken* /*rEventProp*/,
                                uint32_t /*cMax*/, uint32_t* /*pcEventProp*/) override {
        return kNotImplemented;
    }
    HRESULT GetMethodSemantics(mdMethodDef /*mb*/, mdToken /*tkEventProp*/,
                               uint32_t* /*pdwSemanticsFlags*/) override {
        return kNotImplemented;
    }
    HRESULT GetClassLayout(mdTypeDef /*td*/, uint32_t* /*pdwPackSize*/,
                           COR_FIELD_OFFSET* /*rFieldOffset*/, uint32_t /*cMax*/,
                           uint32_t* /*pcFieldOffset*/, uint32_t* /*pulClassSize*/) override {
        return kNotImplemented;
    }
    HRESULT GetFieldMarshal(mdToken /*tk*/, const uint8_t** /*ppvNativeType*/,
                            uint32_t* /*pcbNativeType*/) override {
        return kNotImplemented;
    }
    HRESULT GetRVA(mdToken /*tk*/, uint32_t* /*pulCodeRVA*/, uint32_t* /*pdwImplFlags*/) override {
        return kNotImplemented;
    }
    HRESULT GetPermissionSetProps(mdPermission /*pm*/, uint32_t* /*pdwAction*/,
                                  const void** /*ppvPermission*/,
                                  uint32_t* /*pcbPermission*/) override {
        return kNotImplemented;
    }
    HRESULT GetSigFromToken(mdSignature /*mdSig*/, const uint8_t** /*ppvSig*/,
                            uint32_t* /*pcbSig*/) override {
        return kNotImplemented;
    }
    HRESULT GetModuleRefProps(mdModuleRef /*mur*/, char16_t* /*szName*/, uint32_t /*cchName*/,
                              uint32_t* /*pchName*/) override {
        return kNotImplemented;
    }
    HRESULT EnumModuleRefs(void** /*phEnum*/, mdModuleRef* /*rModuleRefs*/, uint32_t /*cmax*/,
                           uint32_t* /*pcModuleRefs*/) override {
        return kNotImplemented;
    }
    HRESULT GetTypeSpecFromToken(mdTypeSpec /*typespec*/, const uint8_t** /*ppvSig*/,
                                 uint32_t* /*pcbSig*/) override {
        return kNotImplemented;
    }
    HRESULT GetNameFromToken(mdToken /*tk*/, const char** /*pszUtf8NamePtr*/) override {
        return kNotImplemented;
    }
    HRESULT EnumUnresolvedMethods(void** /*phEnum*/, mdToken* /*rMethods*/, uint32_t /*cMax*/,
                                  uint32_t* /*pcTokens*/) override {
        return kNotImplemented;
    }
    HRESULT GetUserString(mdString /*stk*/, char16_t* /*szString*/, uint32_t /*cchString*/,
                          uint32_t* /*pchString*/) override {
        return kNotImplemented;
    }
    HRESULT GetPinvokeMap(mdToken /*tk*/, uint32_t* /*pdwMappingFlags*/, char16_t* /*szImportName*/,
                          uint32_t /*cchImportName*/, uint32_t* /*pchImportName*/,
                          mdModuleRef* /*pmrImportDLL*/) override {
        return kNotImplemented;
    }
    HRESULT EnumSignatures(void** /*phEnum*/, mdSignature* /*rSignatures*/, uint32_t /*cmax*/,
                           uint32_t* /*pcSignatures*/) override {
        return kNotImplemented;
    }
    HRESULT EnumTypeSpecs(void** /*phEnum*/, mdTypeSpec* /*rTypeSpecs*/, uint32_t /*cmax*/,
                          uint32_t* /*pcTypeSpecs*/) override {
        return kNotImplemented;
    }
    HRESULT EnumUserStrings(void** /*phEnum*/, mdString* /*rStrings*/, uint32_t /*cmax*/,
                            uint32_t* /*pcStrings*/) override {
        return kNotImplemented;
    }
    HRESULT GetParamForMethodIndex(mdMethodDef /*md*/, uint32_t /*ulParamSeq*/,
                                   mdParamDef* /*ppd*/) override {
        return kNotImplemented;
    }
    HRESULT EnumCustomAttributes(void** /*phEnum*/, mdToken /*tk*/, mdToken /*tkType*/,
                                 mdCustomAttribute* /*rCustomAttributes*/, uint32_t /*cMax*/,
                                 uint32_t* /*pcCustomAttributes*/) override {
        return kNotImplemented;
    }
    HRESULT GetCustomAttributeProps(mdCustomAttribute /*cv*/, mdToken* /*ptkObj*/,
                                    mdToken* /*ptkType*/, const void** /*ppBlob*/,
                                    uint32_t* /*pcbSize*/) override {
        return kNotImplemented;
    }
    HRESULT FindTypeRef(mdToken /*tkResolutionScope*/, const char16_t* /*szName*/,
                        mdTypeRef* /*ptr*/) override {
        return kNotImplemented;
    }
    HRESULT GetMemberProps(mdToken /*mb*/, mdTypeDef* /*pClass*/, char16_t* /*szMember*/,
                           uint32_t /*cchMember*/, uint32_t* /*pchMember*/, uint32_t* /*pdwAttr*/,
                           const uint8_t** /*ppvSigBlob*/, uint32_t* /*pcbSigBlob*/,
                           uint32_t* /*pulCodeRVA*/, uint32_t* /*pdwImplFlags*/,
                           uint32_t* /*pdwCPlusTypeFlag*/, const void** /*ppValue*/,
                           uint32_t* /*pcchValue*/) override {
        return kNotImplemented;
    }
    HRESULT GetFieldProps(mdFieldDef /*mb*/, mdTypeDef* /*pClass*/, char16_t* /*szField*/,
                          uint32_t /*cchField*/, uint32_t* /*pchField*/, uint32_t* /*pdwAttr*/,
                          const uint8_t** /*ppvSigBlob*/, uint32_t* /*pcbSigBlob*/,
                          uint32_t* /*pdwCPlusTypeFlag*/, const void** /*ppValue*/,
                          uint32_t* /*pcchValue*/) override {
        return kNotImplemented;
    }
    HRESULT GetPropertyProps(mdProperty /*prop*/, mdTypeDef* /*pClass*/,
                             const char16_t* /*szProperty*/, uint32_t /*cchProperty*/,
                             uint32_t* /*pchProperty*/, uint32_t* /*pdwPropFlags*/,
                             const uint8_t** /*ppvSig*/, uint32_t* /*pbSig*/,
                             uint32_t* /*pdwCPlusTypeFlag*/, const void** /*ppDefaultValue*/,
                             uint32_t* /*pcchDefaultValue*/, mdMethodDef* /*pmdSetter*/,
                             mdMethodDef* /*pmdGetter*/, mdMethodDef* /*rmdOtherMethod*/,
                             uint32_t /*cMax*/, uint32_t* /*pcOtherMethod*/) override {
        return kNotImplemented;
    }
    HRESULT GetParamProps(mdParamDef /*tk*/, mdMethodDef* /*pmd*/, uint32_t* /*pulSequence*/,
                          char16_t* /*szName*/, uint32_t /*cchName*/, uint32_t* /*pchName*/,
                          uint32_t* /*pdwAttr*/, uint32_t* /*pdwCPlusTypeFlag*/,
                          const void** /*ppValue*/, uint32_t* /*pcchValue*/) override {
        return kNotImplemented;
    }
    HRESULT GetCustomAttributeByName(mdToken /*tkObj*/, const char16_t* /*szName*/,
                                     const void** /*ppData*/, uint32_t* /*pcbData*/) override {
        return kNotImplemented;
    }
    int32_t IsValidToken(mdToken /*tk*/) override { return 0; }
    HRESULT GetNestedClassProps(mdTypeDef /*tdNestedClass*/,
                                mdTypeDef* /*ptdEnclosingClass*/) override {
        return kNotImplemented;
    }
    HRESULT GetNativeCallConvFromSig(const void* /*pvSig*/, uint32_t /*cbSig*/,
                                     uint32_t* /*pCallConv*/) override {
        return kNotImplemented;
    }
    HRESULT IsGlobal(mdToken /*pd*/, int32_t* /*pbGlobal*/) override { return kNotImplemented; }
    HRESULT EnumGenericParams(void** /*phEnum*/, mdToken /*tk*/, mdGenericParam* /*rGenericParams*/,
                              uint32_t /*cMax*/, uint32_t* /*pcGenericParams*/) override {
        return kNotImplemented;
    }
    HRESULT GetGenericParamProps(mdGenericParam /*gp*/, uint32_t* /*pulParamSeq*/,
                                 uint32_t* /*pdwParamFlags*/, mdToken* /*ptOwner*/,
                                 uint32_t* /*reserved*/, char16_t* /*wzname*/, uint32_t /*cchName*/,
                                 uint32_t* /*pchName*/) override {
        return kNotImplemented;
    }
    HRESULT GetMethodSpecProps(mdMethodSpec /*mi*/, mdToken* /*tkParent*/,
                               const uint8_t** /*ppvSigBlob*/, uint32_t* /*pcbSigBlob*/) override {
        return kNotImplemented;
    }
    HRESULT EnumGenericParamConstraints(void** /*phEnum*/, mdGenericParam /*tk*/,
                                        mdGenericParamConstraint* /*rGenericParamConstraints*/,
                                        uint32_t /*cMax*/,
                                        uint32_t* /*pcGenericParamConstraints*/) override {
        return kNotImplemented;
    }
    HRESULT GetGenericParamConstraintProps(mdGenericParamConstraint /*gpc*/,
                                           mdGenericParam* /*ptGenericParam*/,
                                           mdToken* /*ptkConstraintType*/) override {
        return kNotImplemented;
    }
    HRESULT GetPEKind(uint32_t* /*pdwPEKind*/, uint32_t* /*pdwMAchine*/) override {
        return kNotImplemented;
    }
    HRESULT GetVersionString(char16_t* /*pwzBuf*/, uint32_t /*ccBufSize*/,
                             uint32_t* /*pccBufSize*/) override {
        return kNotImplemented;
    }
    HRESULT EnumMethodSpecs(void** /*phEnum*/, mdToken /*tk*/, mdMethodSpec* /*rMethodSpecs*/,
                            uint32_t /*cMax*/, uint32_t* /*pcMethodSpecs*/) override {
        return kNotImplemented;
    }
};

}  // namespace umbra::fakeclr
