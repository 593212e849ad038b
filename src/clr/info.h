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
struct ICorProfilerObjectEnum;

/// Slots 3..35.
struct ICorProfilerInfo : IUnknown {
    static constexpr Guid kIid = guid("{28b5557d-3f3f-48b4-90b2-5f9eea2f6c48}");
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
    static constexpr Guid kIid = guid("{cc0935cd-a518-487d-b0bb-a93214e65478}");
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
    static constexpr Guid kIid = guid("{b555ed4f-452a-4e54-8b39-b5360bad32a0}");
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
    static constexpr Guid kIid = guid("{0d8fdcaa-6257-47bf-b1bf-94dac88466ee}");
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
    static constexpr Guid kIid = guid("{07602928-ce38-4b83-81e7-74adaf781214}");
    virtual HRESULT GetEventMask2(uint32_t* pdwEventsLow,
                                  uint32_t* pdwEventsHigh) UMBRA_NOTIMPL;                      // 81
    virtual HRESULT SetEventMask2(uint32_t dwEventsLow, uint32_t dwEventsHigh) UMBRA_NOTIMPL;  // 82
};

/// Slots 83..83.
struct ICorProfilerInfo6 : ICorProfilerInfo5 {
    static constexpr Guid kIid = guid("{f30a070d-bffb-46a7-b1d8-8781ef7b698a}");
    virtual HRESULT EnumNgenModuleMethodsInliningThisMethod(
        ModuleID inlinersModuleId, ModuleID inlineeModuleId, mdMethodDef inlineeMethodId,
        int32_t* incompleteData, ICorProfilerMethodEnum** ppEnum) UMBRA_NOTIMPL;  // 83
};

/// Slots 84..86.
struct ICorProfilerInfo7 : ICorProfilerInfo6 {
    static constexpr Guid kIid = guid("{9aeecc0d-63e0-4187-8c00-e312f503f663}");
    virtual HRESULT ApplyMetaData(ModuleID moduleId) UMBRA_NOTIMPL;  // 84
    virtual HRESULT GetInMemorySymbolsLength(ModuleID moduleId,
                                             uint32_t* pCountSymbolBytes) UMBRA_NOTIMPL;  // 85
    virtual HRESULT ReadInMemorySymbols(ModuleID moduleId, uint32_t symbolsReadOffset,
                                        uint8_t* pSymbolBytes, uint32_t countSymbolBytes,
                                        uint32_t* pCountSymbolBytesRead) UMBRA_NOTIMPL;  // 86
};

/// Slots 87..89.
struct ICorProfilerInfo8 : ICorProfilerInfo7 {
    static constexpr Guid kIid = guid("{c5ac80a6-782e-4716-8044-39598c60cfbf}");
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
    static constexpr Guid kIid = guid("{008170db-f8cc-4796-9a51-dc8aa0b47012}");
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
    static constexpr Guid kIid = guid("{2f1b5152-c869-40c9-aa5f-3abe026bd720}");
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
    static constexpr Guid kIid = guid("{06398876-8987-4154-b621-40a00d6e4d04}");
    virtual HRESULT GetEnvironmentVariable(const char16_t* szName, uint32_t cchValue,
                                           uint32_t* pcchValue,
                                           char16_t* szValue) UMBRA_NOTIMPL;  // 99
    virtual HRESULT SetEnvironmentVariable(const char16_t* szName,
                                           const char16_t* szValue) UMBRA_NOTIMPL;  // 100
};

/// Slots 101..107.
struct ICorProfilerInfo12 : ICorProfilerInfo11 {
    static constexpr Guid kIid = guid("{27b24ccd-1cb1-47c5-96ee-98190dc30959}");
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
    static constexpr Guid kIid = guid("{6e6c7ee2-0701-4ec2-9d29-2e8733b66934}");
    virtual HRESULT CreateHandle(ObjectID object, COR_PRF_HANDLE_TYPE type,
                                 ObjectHandleID* pHandle) UMBRA_NOTIMPL;  // 108
    virtual HRESULT DestroyHandle(ObjectHandleID handle) UMBRA_NOTIMPL;   // 109
    virtual HRESULT GetObjectIDFromHandle(ObjectHandleID handle,
                                          ObjectID* pObject) UMBRA_NOTIMPL;  // 110
};

/// Slots 111..113.
struct ICorProfilerInfo14 : ICorProfilerInfo13 {
    static constexpr Guid kIid = guid("{f460e352-d76d-4fe9-835f-f6af9d6e862d}");
    virtual HRESULT EnumerateNonGCObjects(ICorProfilerObjectEnum** ppEnum) UMBRA_NOTIMPL;  // 111
    virtual HRESULT GetNonGCHeapBounds(uint32_t cObjectRanges, uint32_t* pcObjectRanges,
                                       COR_PRF_NONGC_HEAP_RANGE* ranges) UMBRA_NOTIMPL;  // 112
    virtual HRESULT EventPipeCreateProvider2(const char16_t* providerName,
                                             EventPipeProviderCallback* pCallback,
                                             EVENTPIPE_PROVIDER* pProvider) UMBRA_NOTIMPL;  // 113
};

/// Slots 114..114.
struct ICorProfilerInfo15 : ICorProfilerInfo14 {
    static constexpr Guid kIid = guid("{b446462d-bd22-41dd-872d-dc714c49eb56}");
    virtual HRESULT EnumerateGCHeapObjects(ObjectCallback callback,
                                           void* callbackState) UMBRA_NOTIMPL;  // 114
};

}  // namespace umbra::clr

#pragma GCC diagnostic pop
// NOLINTEND(misc-unused-parameters)
