// SPDX-License-Identifier: MIT
// Small interfaces the profiling API hands out: enumerators and ReJIT control.
#pragma once

#include "src/clr/types.h"

namespace umbra::clr {

/// Slot 3.
struct IMethodMalloc : IUnknown {
    static constexpr Guid kIid = guid("{a0efb28b-6ee2-4d7b-b983-a75ef7beedb8}");
    virtual void* Alloc(uint32_t cb) = 0;  // 3
};

/// Slots 3..5.
struct ICorProfilerFunctionControl : IUnknown {
    static constexpr Guid kIid = guid("{f0963021-e1ea-4732-8581-e01b0bd3c0c6}");
    virtual HRESULT SetCodegenFlags(uint32_t flags) = 0;  // 3
    virtual HRESULT SetILFunctionBody(uint32_t cbNewILMethodHeader,
                                      const uint8_t* pbNewILMethodHeader) = 0;  // 4
    virtual HRESULT SetILInstrumentedCodeMap(uint32_t cILMapEntries,
                                             COR_IL_MAP* rgILMapEntries) = 0;  // 5
};

/// Slots 3..7 of each enumerator.
template <typename Enumerator, typename Item>
struct Enumerates : IUnknown {
    virtual HRESULT Skip(uint32_t celt) = 0;                                       // 3
    virtual HRESULT Reset() = 0;                                                   // 4
    virtual HRESULT Clone(Enumerator** ppEnum) = 0;                                // 5
    virtual HRESULT GetCount(uint32_t* pcelt) = 0;                                 // 6
    virtual HRESULT Next(uint32_t celt, Item* items, uint32_t* pceltFetched) = 0;  // 7
};

struct ICorProfilerFunctionEnum : Enumerates<ICorProfilerFunctionEnum, COR_PRF_FUNCTION> {
    static constexpr Guid kIid = guid("{ff71301a-b994-429d-a10b-b345a65280ef}");
};
struct ICorProfilerModuleEnum : Enumerates<ICorProfilerModuleEnum, ModuleID> {
    static constexpr Guid kIid = guid("{b0266d75-2081-4493-af7f-028ba34db891}");
};
struct ICorProfilerThreadEnum : Enumerates<ICorProfilerThreadEnum, ThreadID> {
    static constexpr Guid kIid = guid("{571194f7-25ed-419f-aa8b-7016b3159701}");
};
struct ICorProfilerMethodEnum : Enumerates<ICorProfilerMethodEnum, COR_PRF_METHOD> {
    static constexpr Guid kIid = guid("{fccee788-0088-454b-a811-c99f298d1942}");
};

}  // namespace umbra::clr
