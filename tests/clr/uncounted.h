// SPDX-License-Identifier: MIT
// Interfaces of the runtime to derive fakes from: every call is answered by "not implemented".
#pragma once

#include "src/clr/info.h"
#include "src/clr/metadata.h"

namespace umbra::clr {

/// Not counted: the object lives as long as the test that made it. Answers to any interface id.
template <typename Base>
class Uncounted : public Base {
  public:
    HRESULT QueryInterface(const Guid& /*riid*/, void** ppv) override {
        *ppv = this;
        return kOk;
    }
    uint32_t AddRef() override { return 1; }
    uint32_t Release() override { return 1; }
};

using InfoBase = Uncounted<ICorProfilerInfo15>;
using MetadataBase = Uncounted<IMetaDataImport2>;

}  // namespace umbra::clr
