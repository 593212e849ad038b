// SPDX-License-Identifier: MIT
#include "src/fakeclr/fake_emit.h"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "src/clr/metadata_schema.h"
#include "src/fakeclr/fake_metadata.h"
#include "src/fakeclr/fake_model.h"

namespace umbra::fakeclr {

HRESULT FakeEmit::QueryInterface(const Guid& riid, void** ppv) {
    return module_.metadata->QueryInterface(riid, ppv);
}

uint32_t FakeEmit::AddRef() {
    return module_.metadata->AddRef();
}

uint32_t FakeEmit::Release() {
    return module_.metadata->Release();
}

HRESULT FakeEmit::GetTokenFromSig(const uint8_t* pvSig, uint32_t cbSig, mdSignature* pmsig) {
    if (pvSig == nullptr || pmsig == nullptr) {
        return kPointer;
    }
    const std::unique_lock lock(module_.model->mutex());
    const Blob signature(pvSig, pvSig + cbSig);
    auto& known = module_.signatures;
    const auto found = std::ranges::find(known, signature);
    const auto row = static_cast<uint32_t>(std::distance(known.begin(), found)) + 1;
    if (found == known.end()) {
        known.push_back(signature);
    }
    *pmsig = clr::token_of(clr::kStandAloneSig, row);
    return kOk;
}

}  // namespace umbra::fakeclr
