// SPDX-License-Identifier: MIT
// ICorProfilerInfo up to 15, as the runtime offers it: vtable order is the contract (slot numbers
// at each line).
#pragma once

#include "src/clr/enumerators.h"
#include "src/clr/types.h"

// NOLINTBEGIN(misc-unused-parameters): the slots' own bodies look at no argument
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace umbra::clr {

struct IMethodMalloc;

/// Slots 3..35.
struct ICorProfilerInfo : IUnknown {
    static constexpr Guid kIid{
        0x28b5557d, 0x3f3f, 0x48b4, {0x90, 0xb2, 0x5f, 0x9e, 0xea, 0x2f, 0x6c, 0x48}};
    virtual HRESULT GetClassFromObject(ObjectID objectId, ClassID* pClassId) UMBRA_NOTIMPL;  // 3
    virtual HRESULT GetClassFromToken(ModuleID moduleId, mdTypeDef typeDef,
                                      ClassID* pClassId) UMBRA_NOTIMPL;  // 4
    virtual HRESULT GetCodeInfo(FunctionID functionId, const uint8_t** pStart,
                                uint32_t* pcSize) UMBRA_NOTIMPL;      // 5
    virtual HRESULT GetEventMask(uint32_t* pdwEvents) UMBRA_NOTIMPL;  // 6
    virtual HRESULT GetFunctionFromIP(const uint8_t* ip,
                                      FunctionID* pFunctionId) UMBRA_NOTIMPL;  // 7
    virtual HRESULT GetFunctionFromToken(ModuleID moduleId, mdToken token,
                                         FunctionID* pFunctionId) UMBRA_NOTIMPL;            // 8
    virtual HRESULT GetHandleFromThread(ThreadID threadId, void** phThread) UMBRA_NOTIMPL;  // 9
    virtual HRESULT GetObjectSize(ObjectID objectId, uint32_t* pcSize) UMBRA_NOTIMPL;       // 10
    virtual HRESULT IsArrayClass(ClassID classId, CorElementType* pBaseElemType,
                                 ClassID* pBaseClassId, uint32_t* pcRank) UMBRA_NOTIMPL;  // 11
    virtual HRESULT GetThreadInfo(ThreadID threadId,
                                  uint32_t* pdwWin32ThreadId) UMBRA_NOTIMPL;  // 12
    virtual HRESULT GetCurrentThreadID(ThreadID* pThreadId) UMBRA_NOTIMPL;    // 13
    virtual HRESULT GetClassIDInfo(ClassID classId, ModuleID* pModuleId,
                                   mdTypeDef* pTypeDefToken) UMBRA_NOTIMPL;  // 14
    virtual HRESULT GetFunctionInfo(FunctionID functionId, ClassID* pClassId, ModuleID* pModuleId,
                                    mdToken* pToken) UMBRA_NOTIMPL;  // 15
    virtual HRESULT SetEventMask(uint32_t dwEvents) UMBRA_NOTIMPL;   // 16
    virtual HRESULT SetEnterLeaveFunctionHooks(FunctionEnter* pFuncEnter, FunctionLeave* pFuncLeave,
                                               FunctionTailcall* pFuncTailcall)
        UMBRA_NOTIMPL;                                                           // 17
    virtual HRESULT SetFunctionIDMapper(FunctionIDMapper* pFunc) UMBRA_NOTIMPL;  // 18
    virtual HRESULT GetTokenAndMetaDataFromFunction(FunctionID functionId, const Guid& riid,
                                                    IUnknown** ppImport,
                                                    mdToken* pToken) UMBRA_NOTIMPL;  // 19
    virtual HRESULT GetModuleInfo(ModuleID moduleId, const uint8_t** ppBaseLoadAddress,
                                  uint32_t cchName, uint32_t* pcchName, char16_t* szName,
                                  AssemblyID* pAssemblyId) UMBRA_NOTIMPL;  // 20
    virtual HRESULT GetModuleMetaData(ModuleID moduleId, uint32_t dwOpenFlags, const Guid& riid,
                                      IUnknown** ppOut) UMBRA_NOTIMPL;  // 21
    virtual HRESULT GetILFunctionBody(ModuleID moduleId, mdMethodDef methodId,
                                      const uint8_t** ppMethodHeader,
                                      uint32_t* pcbMethodSize) UMBRA_NOTIMPL;  // 22
    virtual HRESULT GetILFunctionBodyAllocator(ModuleID moduleId,
                                               IMethodMalloc** ppMalloc) UMBRA_NOTIMPL;  // 23
    virtual HRESULT SetILFunctionBody(ModuleID moduleId, mdMethodDef methodid,
                                      const uint8_t* pbNewILMethodHeader) UMBRA_NOTIMPL;  // 24
    virtual HRESULT GetAppDomainInfo(AppDomainID appDomainId, uint32_t cchName, uint32_t* pcchName,
                                     char16_t* szName, ProcessID* pProcessId) UMBRA_NOTIMPL;  // 25
    virtual HRESULT GetAssemblyInfo(AssemblyID assemblyId, uint32_t cchName, uint32_t* pcchName,
                                    char16_t* szName, AppDomainID* pAppDomainId,
                                    ModuleID* pModuleId) UMBRA_NOTIMPL;     // 26
    virtual HRESULT SetFunctionReJIT(FunctionID functionId) UMBRA_NOTIMPL;  // 27
    virtual HRESULT ForceGC() UMBRA_NOTIMPL;                                // 28
    virtual HRESULT SetILInstrumentedCodeMap(FunctionID functionId, int32_t fStartJit,
                                             uint32_t cILMapEntries,
                                             COR_IL_MAP* rgILMapEntries) UMBRA_NOTIMPL;        // 29
    virtual HRESULT GetInprocInspectionInterface(IUnknown** ppicd) UMBRA_NOTIMPL;              // 30
    virtual HRESULT GetInprocInspectionIThisThread(IUnknown** ppicd) UMBRA_NOTIMPL;            // 31
    virtual HRESULT GetThreadContext(ThreadID threadId, ContextID* pContextId) UMBRA_NOTIMPL;  // 32
    virtual HRESULT BeginInprocDebugging(int32_t fThisThreadOnly,
                                         uint32_t* pdwProfilerContext) UMBRA_NOTIMPL;  // 33
    virtual HRESULT EndInprocDebugging(uint32_t dwProfilerContext) UMBRA_NOTIMPL;      // 34
    virtual HRESULT GetILToNativeMapping(FunctionID functionId, uint32_t cMap, uint32_t* pcMap,
                                         COR_DEBUG_IL_TO_NATIVE_MAP* map) UMBRA_NOTIMPL;  // 35
};

/// Slots 36..56.
struct ICorProfilerInfo2 : ICorProfilerInfo {
    static constexpr Guid kIid{
        0xcc0935cd, 0xa518, 0x487d, {0xb0, 0xbb, 0xa9, 0x32, 0x14, 0xe6, 0x54, 0x78}};
    virtual HRESULT DoStackSnapshot(ThreadID thread, StackSnapshotCallback* callback,
                                    uint32_t infoFlags, void* clientData, uint8_t* context,
                                    uint32_t contextSize) UMBRA_NOTIMPL;  // 36
    virtual HRESULT SetEnterLeaveFunctionHooks2(
        FunctionEnter2* pFuncEnter, FunctionLeave2* pFuncLeave,
        FunctionTailcall2* pFuncTailcall) UMBRA_NOTIMPL;  // 37
    virtual HRESULT GetFunctionInfo2(FunctionID funcId, COR_PRF_FRAME_INFO frameInfo,
                                     ClassID* pClassId, ModuleID* pModuleId, mdToken* pToken,
                                     uint32_t cTypeArgs, uint32_t* pcTypeArgs,
                                     ClassID* typeArgs) UMBRA_NOTIMPL;  // 38
    virtual HRESULT GetStringLayout(uint32_t* pBufferLengthOffset, uint32_t* pStringLengthOffset,
                                    uint32_t* pBufferOffset) UMBRA_NOTIMPL;  // 39
    virtual HRESULT GetClassLayout(ClassID classID, COR_FIELD_OFFSET* rFieldOffset,
                                   uint32_t cFieldOffset, uint32_t* pcFieldOffset,
                                   uint32_t* pulClassSize) UMBRA_NOTIMPL;  // 40
    virtual HRESULT GetClassIDInfo2(ClassID classId, ModuleID* pModuleId, mdTypeDef* pTypeDefToken,
                                    ClassID* pParentClassId, uint32_t cNumTypeArgs,
                                    uint32_t* pcNumTypeArgs,
                                    ClassID* typeArgs) UMBRA_NOTIMPL;  // 41
    virtual HRESULT GetCodeInfo2(FunctionID functionID, uint32_t cCodeInfos, uint32_t* pcCodeInfos,
                                 COR_PRF_CODE_INFO* codeInfos) UMBRA_NOTIMPL;  // 42
    virtual HRESULT GetClassFromTokenAndTypeArgs(ModuleID moduleID, mdTypeDef typeDef,
                                                 uint32_t cTypeArgs, ClassID* typeArgs,
                                                 ClassID* pClassID) UMBRA_NOTIMPL;  // 43
    virtual HRESULT GetFunctionFromTokenAndTypeArgs(ModuleID moduleID, mdMethodDef funcDef,
                                                    ClassID classId, uint32_t cTypeArgs,
                                                    ClassID* typeArgs,
                                                    FunctionID* pFunctionID) UMBRA_NOTIMPL;  // 44
    virtual HRESULT EnumModuleFrozenObjects(ModuleID moduleID,
                                            ICorProfilerObjectEnum** ppEnum) UMBRA_NOTIMPL;  // 45
    virtual HRESULT GetArrayObjectInfo(ObjectID objectId, uint32_t cDimensions,
                                       uint32_t* pDimensionSizes, int32_t* pDimensionLowerBounds,
                                       uint8_t** ppData) UMBRA_NOTIMPL;  // 46
    virtual HRESULT GetBoxClassLayout(ClassID classId,
                                      uint32_t* pBufferOffset) UMBRA_NOTIMPL;  // 47
    virtual HRESULT GetThreadAppDomain(ThreadID threadId,
                                       AppDomainID* pAppDomainId) UMBRA_NOTIMPL;  // 48
    virtual HRESULT GetRVAStaticAddress(ClassID classId, mdFieldDef fieldToken,
                                        void** ppAddress) UMBRA_NOTIMPL;  // 49
    virtual HRESULT GetAppDomainStaticAddress(ClassID classId, mdFieldDef fieldToken,
                                              AppDomainID appDomainId,
                                              void** ppAddress) UMBRA_NOTIMPL;  // 50
    virtual HRESULT GetThreadStaticAddress(ClassID classId, mdFieldDef fieldToken,
                                           ThreadID threadId,
                                           void** ppAddress) UMBRA_NOTIMPL;  // 51
    virtual HRESULT GetContextStaticAddress(ClassID classId, mdFieldDef fieldToken,
                                            ContextID contextId,
                                            void** ppAddress) UMBRA_NOTIMPL;  // 52
    virtual HRESULT GetStaticFieldInfo(ClassID classId, mdFieldDef fieldToken,
                                       COR_PRF_STATIC_TYPE* pFieldInfo) UMBRA_NOTIMPL;  // 53
    virtual HRESULT GetGenerationBounds(uint32_t cObjectRanges, uint32_t* pcObjectRanges,
                                        COR_PRF_GC_GENERATION_RANGE* ranges) UMBRA_NOTIMPL;  // 54
    virtual HRESULT GetObjectGeneration(ObjectID objectId,
                                        COR_PRF_GC_GENERATION_RANGE* range) UMBRA_NOTIMPL;  // 55
    virtual HRESULT GetNotifiedExceptionClauseInfo(COR_PRF_EX_CLAUSE_INFO* pinfo)
        UMBRA_NOTIMPL;  // 56
};

/// Slots 57..70.
struct ICorProfilerInfo3 : ICorProfilerInfo2 {
    static constexpr Guid kIid{
        0xb555ed4f, 0x452a, 0x4e54, {0x8b, 0x39, 0xb5, 0x36, 0x0b, 0xad, 0x32, 0xa0}};
    virtual HRESULT EnumJITedFunctions(ICorProfilerFunctionEnum** ppEnum) UMBRA_NOTIMPL;  // 57
    virtual HRESULT RequestProfilerDetach(uint32_t dwExpectedCompletionMilliseconds)
        UMBRA_NOTIMPL;  // 58
    virtual HRESULT SetFunctionIDMapper2(FunctionIDMapper2* pFunc,
                                         void* clientData) UMBRA_NOTIMPL;  // 59
    virtual HRESULT GetStringLayout2(uint32_t* pStringLengthOffset,
                                     uint32_t* pBufferOffset) UMBRA_NOTIMPL;  // 60
    virtual HRESULT SetEnterLeaveFunctionHooks3(
        FunctionEnter3* pFuncEnter3, FunctionLeave3* pFuncLeave3,
        FunctionTailcall3* pFuncTailcall3) UMBRA_NOTIMPL;  // 61
    virtual HRESULT SetEnterLeaveFunctionHooks3WithInfo(
        FunctionEnter3WithInfo* pFuncEnter3WithInfo, FunctionLeave3WithInfo* pFuncLeave3WithInfo,
        FunctionTailcall3WithInfo* pFuncTailcall3WithInfo) UMBRA_NOTIMPL;  // 62
    virtual HRESULT GetFunctionEnter3Info(FunctionID functionId, COR_PRF_ELT_INFO eltInfo,
                                          COR_PRF_FRAME_INFO* pFrameInfo, uint32_t* pcbArgumentInfo,
                                          COR_PRF_FUNCTION_ARGUMENT_INFO* pArgumentInfo)
        UMBRA_NOTIMPL;  // 63
    virtual HRESULT GetFunctionLeave3Info(
        FunctionID functionId, COR_PRF_ELT_INFO eltInfo, COR_PRF_FRAME_INFO* pFrameInfo,
        COR_PRF_FUNCTION_ARGUMENT_RANGE* pRetvalRange) UMBRA_NOTIMPL;  // 64
    virtual HRESULT GetFunctionTailcall3Info(FunctionID functionId, COR_PRF_ELT_INFO eltInfo,
                                             COR_PRF_FRAME_INFO* pFrameInfo) UMBRA_NOTIMPL;  // 65
    virtual HRESULT EnumModules(ICorProfilerModuleEnum** ppEnum) UMBRA_NOTIMPL;              // 66
    virtual HRESULT GetRuntimeInformation(uint16_t* pClrInstanceId,
                                          COR_PRF_RUNTIME_TYPE* pRuntimeType,
                                          uint16_t* pMajorVersion, uint16_t* pMinorVersion,
                                          uint16_t* pBuildNumber, uint16_t* pQFEVersion,
                                          uint32_t cchVersionString, uint32_t* pcchVersionString,
                                          char16_t* szVersionString) UMBRA_NOTIMPL;  // 67
    virtual HRESULT GetThreadStaticAddress2(ClassID classId, mdFieldDef fieldToken,
                                            AppDomainID appDomainId, ThreadID threadId,
                                            void** ppAddress) UMBRA_NOTIMPL;  // 68
    virtual HRESULT GetAppDomainsContainingModule(ModuleID moduleId, uint32_t cAppDomainIds,
                                                  uint32_t* pcAppDomainIds,
                                                  AppDomainID* appDomainIds) UMBRA_NOTIMPL;  // 69
    virtual HRESULT GetModuleInfo2(ModuleID moduleId, const uint8_t** ppBaseLoadAddress,
                                   uint32_t cchName, uint32_t* pcchName, char16_t* szName,
                                   AssemblyID* pAssemblyId,
                                   uint32_t* pdwModuleFlags) UMBRA_NOTIMPL;  // 70
};

/// Slots 71..80.
struct ICorProfilerInfo4 : ICorProfilerInfo3 {
    static constexpr Guid kIid{
        0x0d8fdcaa, 0x6257, 0x47bf, {0xb1, 0xbf, 0x94, 0xda, 0xc8, 0x84, 0x66, 0xee}};
    virtual HRESULT EnumThreads(ICorProfilerThreadEnum** ppEnum) UMBRA_NOTIMPL;  // 71
    virtual HRESULT InitializeCurrentThread() UMBRA_NOTIMPL;                     // 72
    virtual HRESULT RequestReJIT(uint32_t cFunctions, ModuleID* moduleIds,
                                 mdMethodDef* methodIds) UMBRA_NOTIMPL;  // 73
    virtual HRESULT RequestRevert(uint32_t cFunctions, ModuleID* moduleIds, mdMethodDef* methodIds,
                                  HRESULT* status) UMBRA_NOTIMPL;  // 74
    virtual HRESULT GetCodeInfo3(FunctionID functionID, ReJITID reJitId, uint32_t cCodeInfos,
                                 uint32_t* pcCodeInfos,
                                 COR_PRF_CODE_INFO* codeInfos) UMBRA_NOTIMPL;  // 75
    virtual HRESULT GetFunctionFromIP2(const uint8_t* ip, FunctionID* pFunctionId,
                                       ReJITID* pReJitId) UMBRA_NOTIMPL;  // 76
    virtual HRESULT GetReJITIDs(FunctionID functionId, uint32_t cReJitIds, uint32_t* pcReJitIds,
                                ReJITID* reJitIds) UMBRA_NOTIMPL;  // 77
    virtual HRESULT GetILToNativeMapping2(FunctionID functionId, ReJITID reJitId, uint32_t cMap,
                                          uint32_t* pcMap,
                                          COR_DEBUG_IL_TO_NATIVE_MAP* map) UMBRA_NOTIMPL;  // 78
    virtual HRESULT EnumJITedFunctions2(ICorProfilerFunctionEnum** ppEnum) UMBRA_NOTIMPL;  // 79
    virtual HRESULT GetObjectSize2(ObjectID objectId, size_t* pcSize) UMBRA_NOTIMPL;       // 80
};

/// Slots 81..82.
struct ICorProfilerInfo5 : ICorProfilerInfo4 {
    static constexpr Guid kIid{
        0x07602928, 0xce38, 0x4b83, {0x81, 0xe7, 0x74, 0xad, 0xaf, 0x78, 0x12, 0x14}};
    virtual HRESULT GetEventMask2(uint32_t* pdwEventsLow,
                                  uint32_t* pdwEventsHigh) UMBRA_NOTIMPL;                      // 81
    virtual HRESULT SetEventMask2(uint32_t dwEventsLow, uint32_t dwEventsHigh) UMBRA_NOTIMPL;  // 82
};

/// Slots 83..83.
struct ICorProfilerInfo6 : ICorProfilerInfo5 {
    static constexpr Guid kIid{
        0xf30a070d, 0xbffb, 0x46a7, {0xb1, 0xd8, 0x87, 0x81, 0xef, 0x7b, 0x69, 0x8a}};
    virtual HRESULT EnumNgenModuleMethodsInliningThisMethod(
        ModuleID inlinersModuleId, ModuleID inlineeModuleId, mdMethodDef inlineeMethodId,
        int32_t* incompleteData, ICorProfilerMethodEnum** ppEnum) UMBRA_NOTIMPL;  // 83
};

/// Slots 84..86.
struct ICorProfilerInfo7 : ICorProfilerInfo6 {
    static constexpr Guid kIid{
        0x9aeecc0d, 0x63e0, 0x4187, {0x8c, 0x00, 0xe3, 0x12, 0xf5, 0x03, 0xf6, 0x63}};
    virtual HRESULT ApplyMetaData(ModuleID moduleId) UMBRA_NOTIMPL;  // 84
    virtual HRESULT GetInMemorySymbolsLength(ModuleID moduleId,
                                             uint32_t* pCountSymbolBytes) UMBRA_NOTIMPL;  // 85
    virtual HRESULT ReadInMemorySymbols(ModuleID moduleId, uint32_t symbolsReadOffset,
                                        uint8_t* pSymbolBytes, uint32_t countSymbolBytes,
                                        uint32_t* pCountSymbolBytesRead) UMBRA_NOTIMPL;  // 86
};

/// Slots 87..89.
struct ICorProfilerInfo8 : ICorProfilerInfo7 {
    static constexpr Guid kIid{
        0xc5ac80a6, 0x782e, 0x4716, {0x80, 0x44, 0x39, 0x59, 0x8c, 0x60, 0xcf, 0xbf}};
    virtual HRESULT IsFunctionDynamic(FunctionID functionId,
                                      int32_t* isDynamic) UMBRA_NOTIMPL;  // 87
    virtual HRESULT GetFunctionFromIP3(const uint8_t* ip, FunctionID* functionId,
                                       ReJITID* pReJitId) UMBRA_NOTIMPL;  // 88
    virtual HRESULT GetDynamicFunctionInfo(FunctionID functionId, ModuleID* moduleId,
                                           const uint8_t** ppvSig, uint32_t* pbSig,
                                           uint32_t cchName, uint32_t* pcchName,
                                           char16_t* wszName) UMBRA_NOTIMPL;  // 89
};

/// Slots 90..92.
struct ICorProfilerInfo9 : ICorProfilerInfo8 {
    static constexpr Guid kIid{
        0x008170db, 0xf8cc, 0x4796, {0x9a, 0x51, 0xdc, 0x8a, 0xa0, 0xb4, 0x70, 0x12}};
    virtual HRESULT GetNativeCodeStartAddresses(FunctionID functionID, ReJITID reJitId,
                                                uint32_t cCodeStartAddresses,
                                                uint32_t* pcCodeStartAddresses,
                                                uintptr_t* codeStartAddresses) UMBRA_NOTIMPL;  // 90
    virtual HRESULT GetILToNativeMapping3(uintptr_t pNativeCodeStartAddress, uint32_t cMap,
                                          uint32_t* pcMap,
                                          COR_DEBUG_IL_TO_NATIVE_MAP* map) UMBRA_NOTIMPL;  // 91
    virtual HRESULT GetCodeInfo4(uintptr_t pNativeCodeStartAddress, uint32_t cCodeInfos,
                                 uint32_t* pcCodeInfos,
                                 COR_PRF_CODE_INFO* codeInfos) UMBRA_NOTIMPL;  // 92
};

/// Slots 93..98.
struct ICorProfilerInfo10 : ICorProfilerInfo9 {
    static constexpr Guid kIid{
        0x2f1b5152, 0xc869, 0x40c9, {0xaa, 0x5f, 0x3a, 0xbe, 0x02, 0x6b, 0xd7, 0x20}};
    virtual HRESULT EnumerateObjectReferences(ObjectID objectId, ObjectReferenceCallback callback,
                                              void* clientData) UMBRA_NOTIMPL;           // 93
    virtual HRESULT IsFrozenObject(ObjectID objectId, int32_t* pbFrozen) UMBRA_NOTIMPL;  // 94
    virtual HRESULT GetLOHObjectSizeThreshold(uint32_t* pThreshold) UMBRA_NOTIMPL;       // 95
    virtual HRESULT RequestReJITWithInliners(uint32_t dwRejitFlags, uint32_t cFunctions,
                                             ModuleID* moduleIds,
                                             mdMethodDef* methodIds) UMBRA_NOTIMPL;  // 96
    virtual HRESULT SuspendRuntime() UMBRA_NOTIMPL;                                  // 97
    virtual HRESULT ResumeRuntime() UMBRA_NOTIMPL;                                   // 98
};

/// Slots 99..100.
struct ICorProfilerInfo11 : ICorProfilerInfo10 {
    static constexpr Guid kIid{
        0x06398876, 0x8987, 0x4154, {0xb6, 0x21, 0x40, 0xa0, 0x0d, 0x6e, 0x4d, 0x04}};
    virtual HRESULT GetEnvironmentVariable(const char16_t* szName, uint32_t cchValue,
                                           uint32_t* pcchValue,
                                           char16_t* szValue) UMBRA_NOTIMPL;  // 99
    virtual HRESULT SetEnvironmentVariable(const char16_t* szName,
                                           const char16_t* szValue) UMBRA_NOTIMPL;  // 100
};

/// Slots 101..107.
struct ICorProfilerInfo12 : ICorProfilerInfo11 {
    static constexpr Guid kIid{
        0x27b24ccd, 0x1cb1, 0x47c5, {0x96, 0xee, 0x98, 0x19, 0x0d, 0xc3, 0x09, 0x59}};
    virtual HRESULT EventPipeStartSession(uint32_t cProviderConfigs,
                                          COR_PRF_EVENTPIPE_PROVIDER_CONFIG* pProviderConfigs,
                                          int32_t requestRundown,
                                          EVENTPIPE_SESSION* pSession) UMBRA_NOTIMPL;  // 101
    virtual HRESULT EventPipeAddProviderToSession(EVENTPIPE_SESSION session,
                                                  COR_PRF_EVENTPIPE_PROVIDER_CONFIG providerConfig)
        UMBRA_NOTIMPL;                                                              // 102
    virtual HRESULT EventPipeStopSession(EVENTPIPE_SESSION session) UMBRA_NOTIMPL;  // 103
    virtual HRESULT EventPipeCreateProvider(const char16_t* providerName,
                                            EVENTPIPE_PROVIDER* pProvider) UMBRA_NOTIMPL;  // 104
    virtual HRESULT EventPipeGetProviderInfo(EVENTPIPE_PROVIDER provider, uint32_t cchName,
                                             uint32_t* pcchName,
                                             char16_t* providerName) UMBRA_NOTIMPL;  // 105
    virtual HRESULT EventPipeDefineEvent(EVENTPIPE_PROVIDER provider, const char16_t* eventName,
                                         uint32_t eventID, uint64_t keywords, uint32_t eventVersion,
                                         uint32_t level, uint8_t opcode, int32_t needStack,
                                         uint32_t cParamDescs,
                                         COR_PRF_EVENTPIPE_PARAM_DESC* pParamDescs,
                                         EVENTPIPE_EVENT* pEvent) UMBRA_NOTIMPL;  // 106
    virtual HRESULT EventPipeWriteEvent(EVENTPIPE_EVENT event, uint32_t cData,
                                        COR_PRF_EVENT_DATA* data, const Guid* pActivityId,
                                        const Guid* pRelatedActivityId) UMBRA_NOTIMPL;  // 107
};

/// Slots 108..110.
struct ICorProfilerInfo13 : ICorProfilerInfo12 {
    static constexpr Guid kIid{
        0x6e6c7ee2, 0x0701, 0x4ec2, {0x9d, 0x29, 0x2e, 0x87, 0x33, 0xb6, 0x69, 0x34}};
    virtual HRESULT CreateHandle(ObjectID object, COR_PRF_HANDLE_TYPE type,
                                 ObjectHandleID* pHandle) UMBRA_NOTIMPL;  // 108
    virtual HRESULT DestroyHandle(ObjectHandleID handle) UMBRA_NOTIMPL;   // 109
    virtual HRESULT GetObjectIDFromHandle(ObjectHandleID handle,
                                          ObjectID* pObject) UMBRA_NOTIMPL;  // 110
};

/// Slots 111..113.
struct ICorProfilerInfo14 : ICorProfilerInfo13 {
    static constexpr Guid kIid{
        0xf460e352, 0xd76d, 0x4fe9, {0x83, 0x5f, 0xf6, 0xaf, 0x9d, 0x6e, 0x86, 0x2d}};
    virtual HRESULT EnumerateNonGCObjects(ICorProfilerObjectEnum** ppEnum) UMBRA_NOTIMPL;  // 111
    virtual HRESULT GetNonGCHeapBounds(uint32_t cObjectRanges, uint32_t* pcObjectRanges,
                                       COR_PRF_NONGC_HEAP_RANGE* ranges) UMBRA_NOTIMPL;  // 112
    virtual HRESULT EventPipeCreateProvider2(const char16_t* providerName,
                                             EventPipeProviderCallback* pCallback,
                                             EVENTPIPE_PROVIDER* pProvider) UMBRA_NOTIMPL;  // 113
};

/// Slots 114..114.
struct ICorProfilerInfo15 : ICorProfilerInfo14 {
    static constexpr Guid kIid{
        0xb446462d, 0xbd22, 0x41dd, {0x87, 0x2d, 0xdc, 0x71, 0x4c, 0x49, 0xeb, 0x56}};
    virtual HRESULT EnumerateGCHeapObjects(ObjectCallback callback,
                                           void* callbackState) UMBRA_NOTIMPL;  // 114
};

}  // namespace umbra::clr

#pragma GCC diagnostic pop
// NOLINTEND(misc-unused-parameters)
