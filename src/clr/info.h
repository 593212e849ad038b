// SPDX-License-Identifier: MIT
// ICorProfilerInfo up to 15, as the runtime offers it: vtable order is the contract (slot numbers
// at each line).
#pragma once

#include "src/clr/enumerators.h"
#include "src/clr/types.h"

namespace umbra::clr {

struct IMethodMalloc;

/// Slots 3..35.
struct ICorProfilerInfo : IUnknown {
    static constexpr Guid kIid{
        0x28b5557d, 0x3f3f, 0x48b4, {0x90, 0xb2, 0x5f, 0x9e, 0xea, 0x2f, 0x6c, 0x48}};
    virtual HRESULT GetClassFromObject(ObjectID objectId, ClassID* pClassId) = 0;  // 3
    virtual HRESULT GetClassFromToken(ModuleID moduleId, mdTypeDef typeDef,
                                      ClassID* pClassId) = 0;  // 4
    virtual HRESULT GetCodeInfo(FunctionID functionId, const uint8_t** pStart,
                                uint32_t* pcSize) = 0;                                  // 5
    virtual HRESULT GetEventMask(uint32_t* pdwEvents) = 0;                              // 6
    virtual HRESULT GetFunctionFromIP(const uint8_t* ip, FunctionID* pFunctionId) = 0;  // 7
    virtual HRESULT GetFunctionFromToken(ModuleID moduleId, mdToken token,
                                         FunctionID* pFunctionId) = 0;            // 8
    virtual HRESULT GetHandleFromThread(ThreadID threadId, void** phThread) = 0;  // 9
    virtual HRESULT GetObjectSize(ObjectID objectId, uint32_t* pcSize) = 0;       // 10
    virtual HRESULT IsArrayClass(ClassID classId, CorElementType* pBaseElemType,
                                 ClassID* pBaseClassId, uint32_t* pcRank) = 0;         // 11
    virtual HRESULT GetThreadInfo(ThreadID threadId, uint32_t* pdwWin32ThreadId) = 0;  // 12
    virtual HRESULT GetCurrentThreadID(ThreadID* pThreadId) = 0;                       // 13
    virtual HRESULT GetClassIDInfo(ClassID classId, ModuleID* pModuleId,
                                   mdTypeDef* pTypeDefToken) = 0;  // 14
    virtual HRESULT GetFunctionInfo(FunctionID functionId, ClassID* pClassId, ModuleID* pModuleId,
                                    mdToken* pToken) = 0;  // 15
    virtual HRESULT SetEventMask(uint32_t dwEvents) = 0;   // 16
    virtual HRESULT SetEnterLeaveFunctionHooks(FunctionEnter* pFuncEnter, FunctionLeave* pFuncLeave,
                                               FunctionTailcall* pFuncTailcall) = 0;  // 17
    virtual HRESULT SetFunctionIDMapper(FunctionIDMapper* pFunc) = 0;                 // 18
    virtual HRESULT GetTokenAndMetaDataFromFunction(FunctionID functionId, const Guid& riid,
                                                    IUnknown** ppImport,
                                                    mdToken* pToken) = 0;  // 19
    virtual HRESULT GetModuleInfo(ModuleID moduleId, const uint8_t** ppBaseLoadAddress,
                                  uint32_t cchName, uint32_t* pcchName, char16_t* szName,
                                  AssemblyID* pAssemblyId) = 0;  // 20
    virtual HRESULT GetModuleMetaData(ModuleID moduleId, uint32_t dwOpenFlags, const Guid& riid,
                                      IUnknown** ppOut) = 0;  // 21
    virtual HRESULT GetILFunctionBody(ModuleID moduleId, mdMethodDef methodId,
                                      const uint8_t** ppMethodHeader,
                                      uint32_t* pcbMethodSize) = 0;  // 22
    virtual HRESULT GetILFunctionBodyAllocator(ModuleID moduleId,
                                               IMethodMalloc** ppMalloc) = 0;  // 23
    virtual HRESULT SetILFunctionBody(ModuleID moduleId, mdMethodDef methodid,
                                      const uint8_t* pbNewILMethodHeader) = 0;  // 24
    virtual HRESULT GetAppDomainInfo(AppDomainID appDomainId, uint32_t cchName, uint32_t* pcchName,
                                     char16_t* szName, ProcessID* pProcessId) = 0;  // 25
    virtual HRESULT GetAssemblyInfo(AssemblyID assemblyId, uint32_t cchName, uint32_t* pcchName,
                                    char16_t* szName, AppDomainID* pAppDomainId,
                                    ModuleID* pModuleId) = 0;     // 26
    virtual HRESULT SetFunctionReJIT(FunctionID functionId) = 0;  // 27
    virtual HRESULT ForceGC() = 0;                                // 28
    virtual HRESULT SetILInstrumentedCodeMap(FunctionID functionId, int32_t fStartJit,
                                             uint32_t cILMapEntries,
                                             COR_IL_MAP* rgILMapEntries) = 0;        // 29
    virtual HRESULT GetInprocInspectionInterface(IUnknown** ppicd) = 0;              // 30
    virtual HRESULT GetInprocInspectionIThisThread(IUnknown** ppicd) = 0;            // 31
    virtual HRESULT GetThreadContext(ThreadID threadId, ContextID* pContextId) = 0;  // 32
    virtual HRESULT BeginInprocDebugging(int32_t fThisThreadOnly,
                                         uint32_t* pdwProfilerContext) = 0;  // 33
    virtual HRESULT EndInprocDebugging(uint32_t dwProfilerContext) = 0;      // 34
    virtual HRESULT GetILToNativeMapping(FunctionID functionId, uint32_t cMap, uint32_t* pcMap,
                                         COR_DEBUG_IL_TO_NATIVE_MAP* map) = 0;  // 35
};

/// Slots 36..56.
struct ICorProfilerInfo2 : ICorProfilerInfo {
    static constexpr Guid kIid{
        0xcc0935cd, 0xa518, 0x487d, {0xb0, 0xbb, 0xa9, 0x32, 0x14, 0xe6, 0x54, 0x78}};
    virtual HRESULT DoStackSnapshot(ThreadID thread, StackSnapshotCallback* callback,
                                    uint32_t infoFlags, void* clientData, uint8_t* context,
                                    uint32_t contextSize) = 0;  // 36
    virtual HRESULT SetEnterLeaveFunctionHooks2(FunctionEnter2* pFuncEnter,
                                                FunctionLeave2* pFuncLeave,
                                                FunctionTailcall2* pFuncTailcall) = 0;  // 37
    virtual HRESULT GetFunctionInfo2(FunctionID funcId, COR_PRF_FRAME_INFO frameInfo,
                                     ClassID* pClassId, ModuleID* pModuleId, mdToken* pToken,
                                     uint32_t cTypeArgs, uint32_t* pcTypeArgs,
                                     ClassID* typeArgs) = 0;  // 38
    virtual HRESULT GetStringLayout(uint32_t* pBufferLengthOffset, uint32_t* pStringLengthOffset,
                                    uint32_t* pBufferOffset) = 0;  // 39
    virtual HRESULT GetClassLayout(ClassID classID, COR_FIELD_OFFSET* rFieldOffset,
                                   uint32_t cFieldOffset, uint32_t* pcFieldOffset,
                                   uint32_t* pulClassSize) = 0;  // 40
    virtual HRESULT GetClassIDInfo2(ClassID classId, ModuleID* pModuleId, mdTypeDef* pTypeDefToken,
                                    ClassID* pParentClassId, uint32_t cNumTypeArgs,
                                    uint32_t* pcNumTypeArgs, ClassID* typeArgs) = 0;  // 41
    virtual HRESULT GetCodeInfo2(FunctionID functionID, uint32_t cCodeInfos, uint32_t* pcCodeInfos,
                                 COR_PRF_CODE_INFO* codeInfos) = 0;  // 42
    virtual HRESULT GetClassFromTokenAndTypeArgs(ModuleID moduleID, mdTypeDef typeDef,
                                                 uint32_t cTypeArgs, ClassID* typeArgs,
                                                 ClassID* pClassID) = 0;  // 43
    virtual HRESULT GetFunctionFromTokenAndTypeArgs(ModuleID moduleID, mdMethodDef funcDef,
                                                    ClassID classId, uint32_t cTypeArgs,
                                                    ClassID* typeArgs,
                                                    FunctionID* pFunctionID) = 0;  // 44
    virtual HRESULT EnumModuleFrozenObjects(ModuleID moduleID,
                                            ICorProfilerObjectEnum** ppEnum) = 0;  // 45
    virtual HRESULT GetArrayObjectInfo(ObjectID objectId, uint32_t cDimensions,
                                       uint32_t* pDimensionSizes, int32_t* pDimensionLowerBounds,
                                       uint8_t** ppData) = 0;                              // 46
    virtual HRESULT GetBoxClassLayout(ClassID classId, uint32_t* pBufferOffset) = 0;       // 47
    virtual HRESULT GetThreadAppDomain(ThreadID threadId, AppDomainID* pAppDomainId) = 0;  // 48
    virtual HRESULT GetRVAStaticAddress(ClassID classId, mdFieldDef fieldToken,
                                        void** ppAddress) = 0;  // 49
    virtual HRESULT GetAppDomainStaticAddress(ClassID classId, mdFieldDef fieldToken,
                                              AppDomainID appDomainId, void** ppAddress) = 0;  // 50
    virtual HRESULT GetThreadStaticAddress(ClassID classId, mdFieldDef fieldToken,
                                           ThreadID threadId, void** ppAddress) = 0;  // 51
    virtual HRESULT GetContextStaticAddress(ClassID classId, mdFieldDef fieldToken,
                                            ContextID contextId, void** ppAddress) = 0;  // 52
    virtual HRESULT GetStaticFieldInfo(ClassID classId, mdFieldDef fieldToken,
                                       COR_PRF_STATIC_TYPE* pFieldInfo) = 0;  // 53
    virtual HRESULT GetGenerationBounds(uint32_t cObjectRanges, uint32_t* pcObjectRanges,
                                        COR_PRF_GC_GENERATION_RANGE* ranges) = 0;  // 54
    virtual HRESULT GetObjectGeneration(ObjectID objectId,
                                        COR_PRF_GC_GENERATION_RANGE* range) = 0;        // 55
    virtual HRESULT GetNotifiedExceptionClauseInfo(COR_PRF_EX_CLAUSE_INFO* pinfo) = 0;  // 56
};

/// Slots 57..70.
struct ICorProfilerInfo3 : ICorProfilerInfo2 {
    static constexpr Guid kIid{
        0xb555ed4f, 0x452a, 0x4e54, {0x8b, 0x39, 0xb5, 0x36, 0x0b, 0xad, 0x32, 0xa0}};
    virtual HRESULT EnumJITedFunctions(ICorProfilerFunctionEnum** ppEnum) = 0;             // 57
    virtual HRESULT RequestProfilerDetach(uint32_t dwExpectedCompletionMilliseconds) = 0;  // 58
    virtual HRESULT SetFunctionIDMapper2(FunctionIDMapper2* pFunc, void* clientData) = 0;  // 59
    virtual HRESULT GetStringLayout2(uint32_t* pStringLengthOffset,
                                     uint32_t* pBufferOffset) = 0;  // 60
    virtual HRESULT SetEnterLeaveFunctionHooks3(FunctionEnter3* pFuncEnter3,
                                                FunctionLeave3* pFuncLeave3,
                                                FunctionTailcall3* pFuncTailcall3) = 0;  // 61
    virtual HRESULT SetEnterLeaveFunctionHooks3WithInfo(
        FunctionEnter3WithInfo* pFuncEnter3WithInfo, FunctionLeave3WithInfo* pFuncLeave3WithInfo,
        FunctionTailcall3WithInfo* pFuncTailcall3WithInfo) = 0;  // 62
    virtual HRESULT GetFunctionEnter3Info(FunctionID functionId, COR_PRF_ELT_INFO eltInfo,
                                          COR_PRF_FRAME_INFO* pFrameInfo, uint32_t* pcbArgumentInfo,
                                          COR_PRF_FUNCTION_ARGUMENT_INFO* pArgumentInfo) = 0;  // 63
    virtual HRESULT GetFunctionLeave3Info(FunctionID functionId, COR_PRF_ELT_INFO eltInfo,
                                          COR_PRF_FRAME_INFO* pFrameInfo,
                                          COR_PRF_FUNCTION_ARGUMENT_RANGE* pRetvalRange) = 0;  // 64
    virtual HRESULT GetFunctionTailcall3Info(FunctionID functionId, COR_PRF_ELT_INFO eltInfo,
                                             COR_PRF_FRAME_INFO* pFrameInfo) = 0;  // 65
    virtual HRESULT EnumModules(ICorProfilerModuleEnum** ppEnum) = 0;              // 66
    virtual HRESULT GetRuntimeInformation(uint16_t* pClrInstanceId,
                                          COR_PRF_RUNTIME_TYPE* pRuntimeType,
                                          uint16_t* pMajorVersion, uint16_t* pMinorVersion,
                                          uint16_t* pBuildNumber, uint16_t* pQFEVersion,
                                          uint32_t cchVersionString, uint32_t* pcchVersionString,
                                          char16_t* szVersionString) = 0;  // 67
    virtual HRESULT GetThreadStaticAddress2(ClassID classId, mdFieldDef fieldToken,
                                            AppDomainID appDomainId, ThreadID threadId,
                                            void** ppAddress) = 0;  // 68
    virtual HRESULT GetAppDomainsContainingModule(ModuleID moduleId, uint32_t cAppDomainIds,
                                                  uint32_t* pcAppDomainIds,
                                                  AppDomainID* appDomainIds) = 0;  // 69
    virtual HRESULT GetModuleInfo2(ModuleID moduleId, const uint8_t** ppBaseLoadAddress,
                                   uint32_t cchName, uint32_t* pcchName, char16_t* szName,
                                   AssemblyID* pAssemblyId, uint32_t* pdwModuleFlags) = 0;  // 70
};

/// Slots 71..80.
struct ICorProfilerInfo4 : ICorProfilerInfo3 {
    static constexpr Guid kIid{
        0x0d8fdcaa, 0x6257, 0x47bf, {0xb1, 0xbf, 0x94, 0xda, 0xc8, 0x84, 0x66, 0xee}};
    virtual HRESULT EnumThreads(ICorProfilerThreadEnum** ppEnum) = 0;  // 71
    virtual HRESULT InitializeCurrentThread() = 0;                     // 72
    virtual HRESULT RequestReJIT(uint32_t cFunctions, ModuleID* moduleIds,
                                 mdMethodDef* methodIds) = 0;  // 73
    virtual HRESULT RequestRevert(uint32_t cFunctions, ModuleID* moduleIds, mdMethodDef* methodIds,
                                  HRESULT* status) = 0;  // 74
    virtual HRESULT GetCodeInfo3(FunctionID functionID, ReJITID reJitId, uint32_t cCodeInfos,
                                 uint32_t* pcCodeInfos, COR_PRF_CODE_INFO* codeInfos) = 0;  // 75
    virtual HRESULT GetFunctionFromIP2(const uint8_t* ip, FunctionID* pFunctionId,
                                       ReJITID* pReJitId) = 0;  // 76
    virtual HRESULT GetReJITIDs(FunctionID functionId, uint32_t cReJitIds, uint32_t* pcReJitIds,
                                ReJITID* reJitIds) = 0;  // 77
    virtual HRESULT GetILToNativeMapping2(FunctionID functionId, ReJITID reJitId, uint32_t cMap,
                                          uint32_t* pcMap,
                                          COR_DEBUG_IL_TO_NATIVE_MAP* map) = 0;  // 78
    virtual HRESULT EnumJITedFunctions2(ICorProfilerFunctionEnum** ppEnum) = 0;  // 79
    virtual HRESULT GetObjectSize2(ObjectID objectId, size_t* pcSize) = 0;       // 80
};

/// Slots 81..82.
struct ICorProfilerInfo5 : ICorProfilerInfo4 {
    static constexpr Guid kIid{
        0x07602928, 0xce38, 0x4b83, {0x81, 0xe7, 0x74, 0xad, 0xaf, 0x78, 0x12, 0x14}};
    virtual HRESULT GetEventMask2(uint32_t* pdwEventsLow, uint32_t* pdwEventsHigh) = 0;  // 81
    virtual HRESULT SetEventMask2(uint32_t dwEventsLow, uint32_t dwEventsHigh) = 0;      // 82
};

/// Slots 83..83.
struct ICorProfilerInfo6 : ICorProfilerInfo5 {
    static constexpr Guid kIid{
        0xf30a070d, 0xbffb, 0x46a7, {0xb1, 0xd8, 0x87, 0x81, 0xef, 0x7b, 0x69, 0x8a}};
    virtual HRESULT EnumNgenModuleMethodsInliningThisMethod(
        ModuleID inlinersModuleId, ModuleID inlineeModuleId, mdMethodDef inlineeMethodId,
        int32_t* incompleteData, ICorProfilerMethodEnum** ppEnum) = 0;  // 83
};

/// Slots 84..86.
struct ICorProfilerInfo7 : ICorProfilerInfo6 {
    static constexpr Guid kIid{
        0x9aeecc0d, 0x63e0, 0x4187, {0x8c, 0x00, 0xe3, 0x12, 0xf5, 0x03, 0xf6, 0x63}};
    virtual HRESULT ApplyMetaData(ModuleID moduleId) = 0;  // 84
    virtual HRESULT GetInMemorySymbolsLength(ModuleID moduleId,
                                             uint32_t* pCountSymbolBytes) = 0;  // 85
    virtual HRESULT ReadInMemorySymbols(ModuleID moduleId, uint32_t symbolsReadOffset,
                                        uint8_t* pSymbolBytes, uint32_t countSymbolBytes,
                                        uint32_t* pCountSymbolBytesRead) = 0;  // 86
};

/// Slots 87..89.
struct ICorProfilerInfo8 : ICorProfilerInfo7 {
    static constexpr Guid kIid{
        0xc5ac80a6, 0x782e, 0x4716, {0x80, 0x44, 0x39, 0x59, 0x8c, 0x60, 0xcf, 0xbf}};
    virtual HRESULT IsFunctionDynamic(FunctionID functionId, int32_t* isDynamic) = 0;  // 87
    virtual HRESULT GetFunctionFromIP3(const uint8_t* ip, FunctionID* functionId,
                                       ReJITID* pReJitId) = 0;  // 88
    virtual HRESULT GetDynamicFunctionInfo(FunctionID functionId, ModuleID* moduleId,
                                           const uint8_t** ppvSig, uint32_t* pbSig,
                                           uint32_t cchName, uint32_t* pcchName,
                                           char16_t* wszName) = 0;  // 89
};

/// Slots 90..92.
struct ICorProfilerInfo9 : ICorProfilerInfo8 {
    static constexpr Guid kIid{
        0x008170db, 0xf8cc, 0x4796, {0x9a, 0x51, 0xdc, 0x8a, 0xa0, 0xb4, 0x70, 0x12}};
    virtual HRESULT GetNativeCodeStartAddresses(FunctionID functionID, ReJITID reJitId,
                                                uint32_t cCodeStartAddresses,
                                                uint32_t* pcCodeStartAddresses,
                                                uintptr_t* codeStartAddresses) = 0;  // 90
    virtual HRESULT GetILToNativeMapping3(uintptr_t pNativeCodeStartAddress, uint32_t cMap,
                                          uint32_t* pcMap,
                                          COR_DEBUG_IL_TO_NATIVE_MAP* map) = 0;  // 91
    virtual HRESULT GetCodeInfo4(uintptr_t pNativeCodeStartAddress, uint32_t cCodeInfos,
                                 uint32_t* pcCodeInfos, COR_PRF_CODE_INFO* codeInfos) = 0;  // 92
};

/// Slots 93..98.
struct ICorProfilerInfo10 : ICorProfilerInfo9 {
    static constexpr Guid kIid{
        0x2f1b5152, 0xc869, 0x40c9, {0xaa, 0x5f, 0x3a, 0xbe, 0x02, 0x6b, 0xd7, 0x20}};
    virtual HRESULT EnumerateObjectReferences(ObjectID objectId, ObjectReferenceCallback callback,
                                              void* clientData) = 0;           // 93
    virtual HRESULT IsFrozenObject(ObjectID objectId, int32_t* pbFrozen) = 0;  // 94
    virtual HRESULT GetLOHObjectSizeThreshold(uint32_t* pThreshold) = 0;       // 95
    virtual HRESULT RequestReJITWithInliners(uint32_t dwRejitFlags, uint32_t cFunctions,
                                             ModuleID* moduleIds,
                                             mdMethodDef* methodIds) = 0;  // 96
    virtual HRESULT SuspendRuntime() = 0;                                  // 97
    virtual HRESULT ResumeRuntime() = 0;                                   // 98
};

/// Slots 99..100.
struct ICorProfilerInfo11 : ICorProfilerInfo10 {
    static constexpr Guid kIid{
        0x06398876, 0x8987, 0x4154, {0xb6, 0x21, 0x40, 0xa0, 0x0d, 0x6e, 0x4d, 0x04}};
    virtual HRESULT GetEnvironmentVariable(const char16_t* szName, uint32_t cchValue,
                                           uint32_t* pcchValue, char16_t* szValue) = 0;  // 99
    virtual HRESULT SetEnvironmentVariable(const char16_t* szName,
                                           const char16_t* szValue) = 0;  // 100
};

/// Slots 101..107.
struct ICorProfilerInfo12 : ICorProfilerInfo11 {
    static constexpr Guid kIid{
        0x27b24ccd, 0x1cb1, 0x47c5, {0x96, 0xee, 0x98, 0x19, 0x0d, 0xc3, 0x09, 0x59}};
    virtual HRESULT EventPipeStartSession(uint32_t cProviderConfigs,
                                          COR_PRF_EVENTPIPE_PROVIDER_CONFIG* pProviderConfigs,
                                          int32_t requestRundown,
                                          EVENTPIPE_SESSION* pSession) = 0;  // 101
    virtual HRESULT EventPipeAddProviderToSession(
        EVENTPIPE_SESSION session, COR_PRF_EVENTPIPE_PROVIDER_CONFIG providerConfig) = 0;  // 102
    virtual HRESULT EventPipeStopSession(EVENTPIPE_SESSION session) = 0;                   // 103
    virtual HRESULT EventPipeCreateProvider(const char16_t* providerName,
                                            EVENTPIPE_PROVIDER* pProvider) = 0;  // 104
    virtual HRESULT EventPipeGetProviderInfo(EVENTPIPE_PROVIDER provider, uint32_t cchName,
                                             uint32_t* pcchName,
                                             char16_t* providerName) = 0;  // 105
    virtual HRESULT EventPipeDefineEvent(EVENTPIPE_PROVIDER provider, const char16_t* eventName,
                                         uint32_t eventID, uint64_t keywords, uint32_t eventVersion,
                                         uint32_t level, uint8_t opcode, int32_t needStack,
                                         uint32_t cParamDescs,
                                         COR_PRF_EVENTPIPE_PARAM_DESC* pParamDescs,
                                         EVENTPIPE_EVENT* pEvent) = 0;  // 106
    virtual HRESULT EventPipeWriteEvent(EVENTPIPE_EVENT event, uint32_t cData,
                                        COR_PRF_EVENT_DATA* data, const Guid* pActivityId,
                                        const Guid* pRelatedActivityId) = 0;  // 107
};

/// Slots 108..110.
struct ICorProfilerInfo13 : ICorProfilerInfo12 {
    static constexpr Guid kIid{
        0x6e6c7ee2, 0x0701, 0x4ec2, {0x9d, 0x29, 0x2e, 0x87, 0x33, 0xb6, 0x69, 0x34}};
    virtual HRESULT CreateHandle(ObjectID object, COR_PRF_HANDLE_TYPE type,
                                 ObjectHandleID* pHandle) = 0;                            // 108
    virtual HRESULT DestroyHandle(ObjectHandleID handle) = 0;                             // 109
    virtual HRESULT GetObjectIDFromHandle(ObjectHandleID handle, ObjectID* pObject) = 0;  // 110
};

/// Slots 111..113.
struct ICorProfilerInfo14 : ICorProfilerInfo13 {
    static constexpr Guid kIid{
        0xf460e352, 0xd76d, 0x4fe9, {0x83, 0x5f, 0xf6, 0xaf, 0x9d, 0x6e, 0x86, 0x2d}};
    virtual HRESULT EnumerateNonGCObjects(ICorProfilerObjectEnum** ppEnum) = 0;  // 111
    virtual HRESULT GetNonGCHeapBounds(uint32_t cObjectRanges, uint32_t* pcObjectRanges,
                                       COR_PRF_NONGC_HEAP_RANGE* ranges) = 0;  // 112
    virtual HRESULT EventPipeCreateProvider2(const char16_t* providerName,
                                             EventPipeProviderCallback* pCallback,
                                             EVENTPIPE_PROVIDER* pProvider) = 0;  // 113
};

/// Slots 114..114.
struct ICorProfilerInfo15 : ICorProfilerInfo14 {
    static constexpr Guid kIid{
        0xb446462d, 0xbd22, 0x41dd, {0x87, 0x2d, 0xdc, 0x71, 0x4c, 0x49, 0xeb, 0x56}};
    virtual HRESULT EnumerateGCHeapObjects(ObjectCallback callback,
                                           void* callbackState) = 0;  // 114
};

}  // namespace umbra::clr
