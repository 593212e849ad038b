// SPDX-License-Identifier: MIT
// IMetaDataEmit over one module of the model: signatures can be added, nothing else.
#pragma once

#include "src/clr/metadata_emit.h"
#include "src/fakeclr/clr_names.h"

namespace umbra::fakeclr {

struct FakeModule;

/// Lives as long as its module; identity and references are those of the module's FakeMetadata.
/// Safe on any thread.
class FakeEmit final : public clr::IMetaDataEmit {
  public:
    explicit FakeEmit(FakeModule& module) : module_(module) {}

    HRESULT QueryInterface(const Guid& riid, void** ppv) override;
    uint32_t AddRef() override;
    uint32_t Release() override;

    HRESULT GetTokenFromSig(const uint8_t* pvSig, uint32_t cbSig, mdSignature* pmsig) override;

    HRESULT SetModuleProps(const char16_t* /*szName*/) override { return kNotImplemented; }
    HRESULT Save(const char16_t* /*szFile*/, uint32_t /*dwSaveFlags*/) override {
        return kNotImplemented;
    }
    HRESULT SaveToStream(void* /*pIStream*/, uint32_t /*dwSaveFlags*/) override {
        return kNotImplemented;
    }
    HRESULT GetSaveSize(int32_t /*fSave*/, uint32_t* /*pdwSaveSize*/) override {
        return kNotImplemented;
    }
    HRESULT DefineTypeDef(const char16_t* /*szTypeDef*/, uint32_t /*dwTypeDefFlags*/,
                          mdToken /*tkExtends*/, mdToken* /*rtkImplements*/,
                          mdTypeDef* /*ptd*/) override {
        return kNotImplemented;
    }
    HRESULT DefineNestedType(const char16_t* /*szTypeDef*/, uint32_t /*dwTypeDefFlags*/,
                             mdToken /*tkExtends*/, mdToken* /*rtkImplements*/,
                             mdTypeDef /*tdEncloser*/, mdTypeDef* /*ptd*/) override {
        return kNotImplemented;
    }
    HRESULT SetHandler(IUnknown* /*pUnk*/) override { return kNotImplemented; }
    HRESULT DefineMethod(mdTypeDef /*td*/, const char16_t* /*szName*/, uint32_t /*dwMethodFlags*/,
                         const uint8_t* /*pvSigBlob*/, uint32_t /*cbSigBlob*/,
                         uint32_t /*ulCodeRVA*/, uint32_t /*dwImplFlags*/,
                         mdMethodDef* /*pmd*/) override {
        return kNotImplemented;
    }
    HRESULT DefineMethodImpl(mdTypeDef /*td*/, mdToken /*tkBody*/, mdToken /*tkDecl*/) override {
        return kNotImplemented;
    }
    HRESULT DefineTypeRefByName(mdToken /*tkResolutionScope*/, const char16_t* /*szName*/,
                                mdTypeRef* /*ptr*/) override {
        return kNotImplemented;
    }
    HRESULT DefineImportType(IUnknown* /*pAssemImport*/, const void* /*pbHashValue*/,
                             uint32_t /*cbHashValue*/, IUnknown* /*pImport*/,
                             mdTypeDef /*tdImport*/, IUnknown* /*pAssemEmit*/,
                             mdTypeRef* /*ptr*/) override {
        return kNotImplemented;
    }
    HRESULT DefineMemberRef(mdToken /*tkImport*/, const char16_t* /*szName*/,
                            const uint8_t* /*pvSigBlob*/, uint32_t /*cbSigBlob*/,
                            mdMemberRef* /*pmr*/) override {
        return kNotImplemented;
    }
    HRESULT DefineImportMember(IUnknown* /*pAssemImport*/, const void* /*pbHashValue*/,
                               uint32_t /*cbHashValue*/, IUnknown* /*pImport*/,
                               mdToken /*mbMember*/, IUnknown* /*pAssemEmit*/, mdToken /*tkParent*/,
                               mdMemberRef* /*pmr*/) override {
        return kNotImplemented;
    }
    HRESULT DefineEvent(mdTypeDef /*td*/, const char16_t* /*szEvent*/, uint32_t /*dwEventFlags*/,
                        mdToken /*tkEventType*/, mdMethodDef /*mdAddOn*/,
                        mdMethodDef /*mdRemoveOn*/, mdMethodDef /*mdFire*/,
                        mdMethodDef* /*rmdOtherMethods*/, clr::mdEvent* /*pmdEvent*/) override {
        return kNotImplemented;
    }
    HRESULT SetClassLayout(mdTypeDef /*td*/, uint32_t /*dwPackSize*/,
                           COR_FIELD_OFFSET* /*rFieldOffsets*/, uint32_t /*ulClassSize*/) override {
        return kNotImplemented;
    }
    HRESULT DeleteClassLayout(mdTypeDef /*td*/) override { return kNotImplemented; }
    HRESULT SetFieldMarshal(mdToken /*tk*/, const uint8_t* /*pvNativeType*/,
                            uint32_t /*cbNativeType*/) override {
        return kNotImplemented;
    }
    HRESULT DeleteFieldMarshal(mdToken /*tk*/) override { return kNotImplemented; }
    HRESULT DefinePermissionSet(mdToken /*tk*/, uint32_t /*dwAction*/, const void* /*pvPermission*/,
                                uint32_t /*cbPermission*/, clr::mdPermission* /*ppm*/) override {
        return kNotImplemented;
    }
    HRESULT SetRVA(mdMethodDef /*md*/, uint32_t /*ulRVA*/) override { return kNotImplemented; }
    HRESULT DefineModuleRef(const char16_t* /*szName*/, clr::mdModuleRef* /*pmur*/) override {
        return kNotImplemented;
    }
    HRESULT SetParent(mdMemberRef /*mr*/, mdToken /*tk*/) override { return kNotImplemented; }
    HRESULT GetTokenFromTypeSpec(const uint8_t* /*pvSig*/, uint32_t /*cbSig*/,
                                 clr::mdTypeSpec* /*ptypespec*/) override {
        return kNotImplemented;
    }

    // Slots 27 to 51, which metadata_emit.h does not declare: whoever calls them gets an answer.
    // A slot is chosen by its place alone, and what is handed over need not be looked at.
#define UMBRA_MORE_SLOTS(a, b, c, d, e) \
    virtual HRESULT a() {               \
        return kNotImplemented;         \
    }                                   \
    virtual HRESULT b() {               \
        return kNotImplemented;         \
    }                                   \
    virtual HRESULT c() {               \
        return kNotImplemented;         \
    }                                   \
    virtual HRESULT d() {               \
        return kNotImplemented;         \
    }                                   \
    virtual HRESULT e() {               \
        return kNotImplemented;         \
    }
    UMBRA_MORE_SLOTS(slot27, slot28, slot29, slot30, slot31)
    UMBRA_MORE_SLOTS(slot32, slot33, slot34, slot35, slot36)
    UMBRA_MORE_SLOTS(slot37, slot38, slot39, slot40, slot41)
    UMBRA_MORE_SLOTS(slot42, slot43, slot44, slot45, slot46)
    UMBRA_MORE_SLOTS(slot47, slot48, slot49, slot50, slot51)
#undef UMBRA_MORE_SLOTS

  private:
    FakeModule& module_;
};

}  // namespace umbra::fakeclr
