// SPDX-License-Identifier: MIT
// Small interfaces the profiling API hands out: enumerators and ReJIT control.
#pragma once

#include "src/clr/types.h"

namespace umbra::clr {

/// Slots 3..5.
struct ICorProfilerFunctionControl : IUnknown {
    static constexpr Guid kIid{
        0xf0963021, 0xe1ea, 0x4732, {0x85, 0x81, 0xe0, 0x1b, 0x0b, 0xd3, 0xc0, 0xc6}};
    virtual HRESULT SetCodegenFlags(uint32_t flags) = 0;  // 3
    virtual HRESULT SetILFunctionBody(uint32_t cbNewILMethodHeader,
                                      const uint8_t* pbNewILMethodHeader) = 0;  // 4
    virtual HRESULT SetILInstrumentedCodeMap(uint32_t cILMapEntries,
                                             COR_IL_MAP* rgILMapEntries) = 0;  // 5
};

/// Slots 3..3.
struct IMethodMalloc : IUnknown {
    static constexpr Guid kIid{
        0xa0efb28b, 0x6ee2, 0x4d7b, {0xb9, 0x83, 0xa7, 0x5e, 0xf7, 0xbe, 0xed, 0xb8}};
    virtual void* Alloc(uint32_t cb) = 0;  // 3
};

/// Slots 3..7.
struct ICorProfilerObjectEnum : IUnknown {
    static constexpr Guid kIid{
        0x2c6269bd, 0x2d13, 0x4321, {0xae, 0x12, 0x66, 0x86, 0x36, 0x5f, 0xd6, 0xaf}};
    virtual HRESULT Skip(uint32_t celt) = 0;                                             // 3
    virtual HRESULT Reset() = 0;                                                         // 4
    virtual HRESULT Clone(ICorProfilerObjectEnum** ppEnum) = 0;                          // 5
    virtual HRESULT GetCount(uint32_t* pcelt) = 0;                                       // 6
    virtual HRESULT Next(uint32_t celt, ObjectID* objects, uint32_t* pceltFetched) = 0;  // 7
};

/// Slots 3..7.
struct ICorProfilerFunctionEnum : IUnknown {
    static constexpr Guid kIid{
        0xff71301a, 0xb994, 0x429d, {0xa1, 0x0b, 0xb3, 0x45, 0xa6, 0x52, 0x80, 0xef}};
    virtual HRESULT Skip(uint32_t celt) = 0;                                                 // 3
    virtual HRESULT Reset() = 0;                                                             // 4
    virtual HRESULT Clone(ICorProfilerFunctionEnum** ppEnum) = 0;                            // 5
    virtual HRESULT GetCount(uint32_t* pcelt) = 0;                                           // 6
    virtual HRESULT Next(uint32_t celt, COR_PRF_FUNCTION* ids, uint32_t* pceltFetched) = 0;  // 7
};

/// Slots 3..7.
struct ICorProfilerModuleEnum : IUnknown {
    static constexpr Guid kIid{
        0xb0266d75, 0x2081, 0x4493, {0xaf, 0x7f, 0x02, 0x8b, 0xa3, 0x4d, 0xb8, 0x91}};
    virtual HRESULT Skip(uint32_t celt) = 0;                                         // 3
    virtual HRESULT Reset() = 0;                                                     // 4
    virtual HRESULT Clone(ICorProfilerModuleEnum** ppEnum) = 0;                      // 5
    virtual HRESULT GetCount(uint32_t* pcelt) = 0;                                   // 6
    virtual HRESULT Next(uint32_t celt, ModuleID* ids, uint32_t* pceltFetched) = 0;  // 7
};

/// Slots 3..7.
struct ICorProfilerThreadEnum : IUnknown {
    static constexpr Guid kIid{
        0x571194f7, 0x25ed, 0x419f, {0xaa, 0x8b, 0x70, 0x16, 0xb3, 0x15, 0x97, 0x01}};
    virtual HRESULT Skip(uint32_t celt) = 0;                                         // 3
    virtual HRESULT Reset() = 0;                                                     // 4
    virtual HRESULT Clone(ICorProfilerThreadEnum** ppEnum) = 0;                      // 5
    virtual HRESULT GetCount(uint32_t* pcelt) = 0;                                   // 6
    virtual HRESULT Next(uint32_t celt, ThreadID* ids, uint32_t* pceltFetched) = 0;  // 7
};

/// Slots 3..7.
struct ICorProfilerMethodEnum : IUnknown {
    static constexpr Guid kIid{
        0xfccee788, 0x0088, 0x454b, {0xa8, 0x11, 0xc9, 0x9f, 0x29, 0x8d, 0x19, 0x42}};
    virtual HRESULT Skip(uint32_t celt) = 0;                                                    // 3
    virtual HRESULT Reset() = 0;                                                                // 4
    virtual HRESULT Clone(ICorProfilerMethodEnum** ppEnum) = 0;                                 // 5
    virtual HRESULT GetCount(uint32_t* pcelt) = 0;                                              // 6
    virtual HRESULT Next(uint32_t celt, COR_PRF_METHOD* elements, uint32_t* pceltFetched) = 0;  // 7
};

/// Slots 3..3.
struct ICorProfilerAssemblyReferenceProvider : IUnknown {
    static constexpr Guid kIid{
        0x66a78c24, 0x2eef, 0x4f65, {0xb4, 0x5f, 0xdd, 0x1d, 0x80, 0x38, 0xbf, 0x3c}};
    virtual HRESULT AddAssemblyReference(
        const COR_PRF_ASSEMBLY_REFERENCE_INFO* pAssemblyRefInfo) = 0;  // 3
};

}  // namespace umbra::clr
