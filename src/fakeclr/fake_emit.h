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

    // Slots 27 to 51, which metadata_emit.h does not declare: whoever calls them gets an answer.
    // A slot is chosen by its place alone, and what is handed over need not be looked at.
#define UMBRA_MORE_SLOTS(a, b, c, d, e) \
    virtual HRESULT a() UMBRA_NOTIMPL;  \
    virtual HRESULT b() UMBRA_NOTIMPL;  \
    virtual HRESULT c() UMBRA_NOTIMPL;  \
    virtual HRESULT d() UMBRA_NOTIMPL;  \
    virtual HRESULT e() UMBRA_NOTIMPL;
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
