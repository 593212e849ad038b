// SPDX-License-Identifier: MIT
// ICorProfilerInfo15 with every call answered by "not implemented".
#pragma once

#include "src/clr/info.h"
#include "src/fakeclr/clr_names.h"

namespace umbra::fakeclr {

/// The slots FakeInfo does not need. IUnknown stays open: identity is the implementation's.
class InfoBase : public ICorProfilerInfo15 {
  public:
    HRESULT GetClassFromObject(ObjectID /*objectId*/, ClassID* /*pClassId*/) override {
        return kNotImplemented;
    }
    HRESULT GetClassFromToken(ModuleID /*moduleId*/, mdTypeDef /*typeDef*/,
                              ClassID* /*pClassId*/) override {
        return kNotImplemented;
    }
    HRESULT GetCodeInfo(FunctionID /*functionId*/, const uint8_t** /*pStart*/,
                        uint32_t* /*pcSize*/) override {
        return kNotImplemented;
    }
    HRESULT GetEventMask(uint32_t* /*pdwEvents*/) override { return kNotImplemented; }
    HRESULT GetFunctionFromIP(const uint8_t* /*ip*/, FunctionID* /*pFunctionId*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionFromToken(ModuleID /*moduleId*/, mdToken /*token*/,
                                 FunctionID* /*pFunctionId*/) override {
        return kNotImplemented;
    }
    HRESULT GetHandleFromThread(ThreadID /*threadId*/, void** /*phThread*/) override {
        return kNotImplemented;
    }
    HRESULT GetObjectSize(ObjectID /*objectId*/, uint32_t* /*pcSize*/) override {
        return kNotImplemented;
    }
    HRESULT IsArrayClass(ClassID /*classId*/, CorElementType* /*pBaseElemType*/,
                         ClassID* /*pBaseClassId*/, uint32_t* /*pcRank*/) override {
        return kNotImplemented;
    }
    HRESULT GetThreadInfo(ThreadID /*threadId*/, uint32_t* /*pdwWin32ThreadId*/) override {
        return kNotImplemented;
    }
    HRESULT GetCurrentThreadID(ThreadID* /*pThreadId*/) override { return kNotImplemented; }
    HRESULT GetClassIDInfo(ClassID /*classId*/, ModuleID* /*pModuleId*/,
                           mdTypeDef* /*pTypeDefToken*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionInfo(FunctionID /*functionId*/, ClassID* /*pClassId*/,
                            ModuleID* /*pModuleId*/, mdToken* /*pToken*/) override {
        return kNotImplemented;
    }
    HRESULT SetEventMask(uint32_t /*dwEvents*/) override { return kNotImplemented; }
    HRESULT SetEnterLeaveFunctionHooks(FunctionEnter* /*pFuncEnter*/, FunctionLeave* /*pFuncLeave*/,
                                       FunctionTailcall* /*pFuncTailcall*/) override {
        return kNotImplemented;
    }
    HRESULT SetFunctionIDMapper(FunctionIDMapper* /*pFunc*/) override { return kNotImplemented; }
    HRESULT GetTokenAndMetaDataFromFunction(FunctionID /*functionId*/, const Guid& /*riid*/,
                                            IUnknown** /*ppImport*/, mdToken* /*pToken*/) override {
        return kNotImplemented;
    }
    HRESULT GetModuleInfo(ModuleID /*moduleId*/, const uint8_t** /*ppBaseLoadAddress*/,
                          uint32_t /*cchName*/, uint32_t* /*pcchName*/, char16_t* /*szName*/,
                          AssemblyID* /*pAssemblyId*/) override {
        return kNotImplemented;
    }
    HRESULT GetModuleMetaData(ModuleID /*moduleId*/, uint32_t /*dwOpenFlags*/, const Guid& /*riid*/,
                              IUnknown** /*ppOut*/) override {
        return kNotImplemented;
    }
    HRESULT GetILFunctionBody(ModuleID /*moduleId*/, mdMethodDef /*methodId*/,
                              const uint8_t** /*ppMethodHeader*/,
                              uint32_t* /*pcbMethodSize*/) override {
        return kNotImplemented;
    }
    HRESULT GetILFunctionBodyAllocator(ModuleID /*moduleId*/,
                                       IMethodMalloc** /*ppMalloc*/) override {
        return kNotImplemented;
    }
    HRESULT SetILFunctionBody(ModuleID /*moduleId*/, mdMethodDef /*methodid*/,
                              const uint8_t* /*pbNewILMethodHeader*/) override {
        return kNotImplemented;
    }
    HRESULT GetAppDomainInfo(AppDomainID /*appDomainId*/, uint32_t /*cchName*/,
                             uint32_t* /*pcchName*/, char16_t* /*szName*/,
                             ProcessID* /*pProcessId*/) override {
        return kNotImplemented;
    }
    HRESULT GetAssemblyInfo(AssemblyID /*assemblyId*/, uint32_t /*cchName*/, uint32_t* /*pcchName*/,
                            char16_t* /*szName*/, AppDomainID* /*pAppDomainId*/,
                            ModuleID* /*pModuleId*/) override {
        return kNotImplemented;
    }
    HRESULT SetFunctionReJIT(FunctionID /*functionId*/) override { return kNotImplemented; }
    HRESULT ForceGC() override { return kNotImplemented; }
    HRESULT SetILInstrumentedCodeMap(FunctionID /*functionId*/, int32_t /*fStartJit*/,
                                     uint32_t /*cILMapEntries*/,
                                     COR_IL_MAP* /*rgILMapEntries*/) override {
        return kNotImplemented;
    }
    HRESULT GetInprocInspectionInterface(IUnknown** /*ppicd*/) override { return kNotImplemented; }
    HRESULT GetInprocInspectionIThisThread(IUnknown** /*ppicd*/) override {
        return kNotImplemented;
    }
    HRESULT GetThreadContext(ThreadID /*threadId*/, ContextID* /*pContextId*/) override {
        return kNotImplemented;
    }
    HRESULT BeginInprocDebugging(int32_t /*fThisThreadOnly*/,
                                 uint32_t* /*pdwProfilerContext*/) override {
        return kNotImplemented;
    }
    HRESULT EndInprocDebugging(uint32_t /*dwProfilerContext*/) override { return kNotImplemented; }
    HRESULT GetILToNativeMapping(FunctionID /*functionId*/, uint32_t /*cMap*/, uint32_t* /*pcMap*/,
                                 COR_DEBUG_IL_TO_NATIVE_MAP* /*map*/) override {
        return kNotImplemented;
    }
    HRESULT DoStackSnapshot(ThreadID /*thread*/, StackSnapshotCallback* /*callback*/,
                            uint32_t /*infoFlags*/, void* /*clientData*/, uint8_t* /*context*/,
                            uint32_t /*contextSize*/) override {
        return kNotImplemented;
    }
    HRESULT SetEnterLeaveFunctionHooks2(FunctionEnter2* /*pFuncEnter*/,
                                        FunctionLeave2* /*pFuncLeave*/,
                                        FunctionTailcall2* /*pFuncTailcall*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionInfo2(FunctionID /*funcId*/, COR_PRF_FRAME_INFO /*frameInfo*/,
                             ClassID* /*pClassId*/, ModuleID* /*pModuleId*/, mdToken* /*pToken*/,
                             uint32_t /*cTypeArgs*/, uint32_t* /*pcTypeArgs*/,
                             ClassID* /*typeArgs*/) override {
        return kNotImplemented;
    }
    HRESULT GetStringLayout(uint32_t* /*pBufferLengthOffset*/, uint32_t* /*pStringLengthOffset*/,
                            uint32_t* /*pBufferOffset*/) override {
        return kNotImplemented;
    }
    HRESULT GetClassLayout(ClassID /*classID*/, COR_FIELD_OFFSET* /*rFieldOffset*/,
                           uint32_t /*cFieldOffset*/, uint32_t* /*pcFieldOffset*/,
                           uint32_t* /*pulClassSize*/) override {
        return kNotImplemented;
    }
    HRESULT GetClassIDInfo2(ClassID /*classId*/, ModuleID* /*pModuleId*/,
                            mdTypeDef* /*pTypeDefToken*/, ClassID* /*pParentClassId*/,
                            uint32_t /*cNumTypeArgs*/, uint32_t* /*pcNumTypeArgs*/,
                            ClassID* /*typeArgs*/) override {
        return kNotImplemented;
    }
    HRESULT GetCodeInfo2(FunctionID /*functionID*/, uint32_t /*cCodeInfos*/,
                         uint32_t* /*pcCodeInfos*/, COR_PRF_CODE_INFO* /*codeInfos*/) override {
        return kNotImplemented;
    }
    HRESULT GetClassFromTokenAndTypeArgs(ModuleID /*moduleID*/, mdTypeDef /*typeDef*/,
                                         uint32_t /*cTypeArgs*/, ClassID* /*typeArgs*/,
                                         ClassID* /*pClassID*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionFromTokenAndTypeArgs(ModuleID /*moduleID*/, mdMethodDef /*funcDef*/,
                                            ClassID /*classId*/, uint32_t /*cTypeArgs*/,
                                            ClassID* /*typeArgs*/,
                                            FunctionID* /*pFunctionID*/) override {
        return kNotImplemented;
    }
    HRESULT EnumModuleFrozenObjects(ModuleID /*moduleID*/,
                                    ICorProfilerObjectEnum** /*ppEnum*/) override {
        return kNotImplemented;
    }
    HRESULT GetArrayObjectInfo(ObjectID /*objectId*/, uint32_t /*cDimensions*/,
                               uint32_t* /*pDimensionSizes*/, int32_t* /*pDimensionLowerBounds*/,
                               uint8_t** /*ppData*/) override {
        return kNotImplemented;
    }
    HRESULT GetBoxClassLayout(ClassID /*classId*/, uint32_t* /*pBufferOffset*/) override {
        return kNotImplemented;
    }
    HRESULT GetThreadAppDomain(ThreadID /*threadId*/, AppDomainID* /*pAppDomainId*/) override {
        return kNotImplemented;
    }
    HRESULT GetRVAStaticAddress(ClassID /*classId*/, mdFieldDef /*fieldToken*/,
                                void** /*ppAddress*/) override {
        return kNotImplemented;
    }
    HRESULT GetAppDomainStaticAddress(ClassID /*classId*/, mdFieldDef /*fieldToken*/,
                                      AppDomainID /*appDomainId*/, void** /*ppAddress*/) override {
        return kNotImplemented;
    }
    HRESULT GetThreadStaticAddress(ClassID /*classId*/, mdFieldDef /*fieldToken*/,
                                   ThreadID /*threadId*/, void** /*ppAddress*/) override {
        return kNotImplemented;
    }
    HRESULT GetContextStaticAddress(ClassID /*classId*/, mdFieldDef /*fieldToken*/,
                                    ContextID /*contextId*/, void** /*ppAddress*/) override {
        return kNotImplemented;
    }
    HRESULT GetStaticFieldInfo(ClassID /*classId*/, mdFieldDef /*fieldToken*/,
                               COR_PRF_STATIC_TYPE* /*pFieldInfo*/) override {
        return kNotImplemented;
    }
    HRESULT GetGenerationBounds(uint32_t /*cObjectRanges*/, uint32_t* /*pcObjectRanges*/,
                                COR_PRF_GC_GENERATION_RANGE* /*ranges*/) override {
        return kNotImplemented;
    }
    HRESULT GetObjectGeneration(ObjectID /*objectId*/,
                                COR_PRF_GC_GENERATION_RANGE* /*range*/) override {
        return kNotImplemented;
    }
    HRESULT GetNotifiedExceptionClauseInfo(COR_PRF_EX_CLAUSE_INFO* /*pinfo*/) override {
        return kNotImplemented;
    }
    HRESULT EnumJITedFunctions(ICorProfilerFunctionEnum** /*ppEnum*/) override {
        return kNotImplemented;
    }
    HRESULT RequestProfilerDetach(uint32_t /*dwExpectedCompletionMilliseconds*/) override {
        return kNotImplemented;
    }
    HRESULT SetFunctionIDMapper2(FunctionIDMapper2* /*pFunc*/, void* /*clientData*/) override {
        return kNotImplemented;
    }
    HRESULT GetStringLayout2(uint32_t* /*pStringLengthOffset*/,
                             uint32_t* /*pBufferOffset*/) override {
        return kNotImplemented;
    }
    HRESULT SetEnterLeaveFunctionHooks3(FunctionEnter3* /*pFuncEnter3*/,
                                        FunctionLeave3* /*pFuncLeave3*/,
                                        FunctionTailcall3* /*pFuncTailcall3*/) override {
        return kNotImplemented;
    }
    HRESULT SetEnterLeaveFunctionHooks3WithInfo(
        FunctionEnter3WithInfo* /*pFuncEnter3WithInfo*/,
        FunctionLeave3WithInfo* /*pFuncLeave3WithInfo*/,
        FunctionTailcall3WithInfo* /*pFuncTailcall3WithInfo*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionEnter3Info(FunctionID /*functionId*/, COR_PRF_ELT_INFO /*eltInfo*/,
                                  COR_PRF_FRAME_INFO* /*pFrameInfo*/, uint32_t* /*pcbArgumentInfo*/,
                                  COR_PRF_FUNCTION_ARGUMENT_INFO* /*pArgumentInfo*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionLeave3Info(FunctionID /*functionId*/, COR_PRF_ELT_INFO /*eltInfo*/,
                                  COR_PRF_FRAME_INFO* /*pFrameInfo*/,
                                  COR_PRF_FUNCTION_ARGUMENT_RANGE* /*pRetvalRange*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionTailcall3Info(FunctionID /*functionId*/, COR_PRF_ELT_INFO /*eltInfo*/,
                                     COR_PRF_FRAME_INFO* /*pFrameInfo*/) override {
        return kNotImplemented;
    }
    HRESULT EnumModules(ICorProfilerModuleEnum** /*ppEnum*/) override { return kNotImplemented; }
    HRESULT GetRuntimeInformation(uint16_t* /*pClrInstanceId*/,
                                  COR_PRF_RUNTIME_TYPE* /*pRuntimeType*/,
                                  uint16_t* /*pMajorVersion*/, uint16_t* /*pMinorVersion*/,
                                  uint16_t* /*pBuildNumber*/, uint16_t* /*pQFEVersion*/,
                                  uint32_t /*cchVersionString*/, uint32_t* /*pcchVersionString*/,
                                  char16_t* /*szVersionString*/) override {
        return kNotImplemented;
    }
    HRESULT GetThreadStaticAddress2(ClassID /*classId*/, mdFieldDef /*fieldToken*/,
                                    AppDomainID /*appDomainId*/, ThreadID /*threadId*/,
                                    void** /*ppAddress*/) override {
        return kNotImplemented;
    }
    HRESULT GetAppDomainsContainingModule(ModuleID /*moduleId*/, uint32_t /*cAppDomainIds*/,
                                          uint32_t* /*pcAppDomainIds*/,
                                          AppDomainID* /*appDomainIds*/) override {
        return kNotImplemented;
    }
    HRESULT GetModuleInfo2(ModuleID /*moduleId*/, const uint8_t** /*ppBaseLoadAddress*/,
                           uint32_t /*cchName*/, uint32_t* /*pcchName*/, char16_t* /*szName*/,
                           AssemblyID* /*pAssemblyId*/, uint32_t* /*pdwModuleFlags*/) override {
        return kNotImplemented;
    }
    HRESULT EnumThreads(ICorProfilerThreadEnum** /*ppEnum*/) override { return kNotImplemented; }
    HRESULT InitializeCurrentThread() override { return kNotImplemented; }
    HRESULT RequestReJIT(uint32_t /*cFunctions*/, ModuleID* /*moduleIds*/,
                         mdMethodDef* /*methodIds*/) override {
        return kNotImplemented;
    }
    HRESULT RequestRevert(uint32_t /*cFunctions*/, ModuleID* /*moduleIds*/,
                          mdMethodDef* /*methodIds*/, HRESULT* /*status*/) override {
        return kNotImplemented;
    }
    HRESULT GetCodeInfo3(FunctionID /*functionID*/, ReJITID /*reJitId*/, uint32_t /*cCodeInfos*/,
                         uint32_t* /*pcCodeInfos*/, COR_PRF_CODE_INFO* /*codeInfos*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionFromIP2(const uint8_t* /*ip*/, FunctionID* /*pFunctionId*/,
                               ReJITID* /*pReJitId*/) override {
        return kNotImplemented;
    }
    HRESULT GetReJITIDs(FunctionID /*functionId*/, uint32_t /*cReJitIds*/, uint32_t* /*pcReJitIds*/,
                        ReJITID* /*reJitIds*/) override {
        return kNotImplemented;
    }
    HRESULT GetILToNativeMapping2(FunctionID /*functionId*/, ReJITID /*reJitId*/, uint32_t /*cMap*/,
                                  uint32_t* /*pcMap*/,
                                  COR_DEBUG_IL_TO_NATIVE_MAP* /*map*/) override {
        return kNotImplemented;
    }
    HRESULT EnumJITedFunctions2(ICorProfilerFunctionEnum** /*ppEnum*/) override {
        return kNotImplemented;
    }
    HRESULT GetObjectSize2(ObjectID /*objectId*/, size_t* /*pcSize*/) override {
        return kNotImplemented;
    }
    HRESULT GetEventMask2(uint32_t* /*pdwEventsLow*/, uint32_t* /*pdwEventsHigh*/) override {
        return kNotImplemented;
    }
    HRESULT SetEventMask2(uint32_t /*dwEventsLow*/, uint32_t /*dwEventsHigh*/) override {
        return kNotImplemented;
    }
    HRESULT EnumNgenModuleMethodsInliningThisMethod(ModuleID /*inlinersModuleId*/,
                                                    ModuleID /*inlineeModuleId*/,
                                                    mdMethodDef /*inlineeMethodId*/,
                                                    int32_t* /*incompleteData*/,
                                                    ICorProfilerMethodEnum** /*ppEnum*/) override {
        return kNotImplemented;
    }
    HRESULT ApplyMetaData(ModuleID /*moduleId*/) override { return kNotImplemented; }
    HRESULT GetInMemorySymbolsLength(ModuleID /*moduleId*/,
                                     uint32_t* /*pCountSymbolBytes*/) override {
        return kNotImplemented;
    }
    HRESULT ReadInMemorySymbols(ModuleID /*moduleId*/, uint32_t /*symbolsReadOffset*/,
                                uint8_t* /*pSymbolBytes*/, uint32_t /*countSymbolBytes*/,
                                uint32_t* /*pCountSymbolBytesRead*/) override {
        return kNotImplemented;
    }
    HRESULT IsFunctionDynamic(FunctionID /*functionId*/, int32_t* /*isDynamic*/) override {
        return kNotImplemented;
    }
    HRESULT GetFunctionFromIP3(const uint8_t* /*ip*/, FunctionID* /*functionId*/,
                               ReJITID* /*pReJitId*/) override {
        return kNotImplemented;
    }
    HRESULT GetDynamicFunctionInfo(FunctionID /*functionId*/, ModuleID* /*moduleId*/,
                                   const uint8_t** /*ppvSig*/, uint32_t* /*pbSig*/,
                                   uint32_t /*cchName*/, uint32_t* /*pcchName*/,
                                   char16_t* /*wszName*/) override {
        return kNotImplemented;
    }
    HRESULT GetNativeCodeStartAddresses(FunctionID /*functionID*/, ReJITID /*reJitId*/,
                                        uint32_t /*cCodeStartAddresses*/,
                                        uint32_t* /*pcCodeStartAddresses*/,
                                        uintptr_t* /*codeStartAddresses*/) override {
        return kNotImplemented;
    }
    HRESULT GetILToNativeMapping3(uintptr_t /*pNativeCodeStartAddress*/, uint32_t /*cMap*/,
                                  uint32_t* /*pcMap*/,
                                  COR_DEBUG_IL_TO_NATIVE_MAP* /*map*/) override {
        return kNotImplemented;
    }
    HRESULT GetCodeInfo4(uintptr_t /*pNativeCodeStartAddress*/, uint32_t /*cCodeInfos*/,
                         uint32_t* /*pcCodeInfos*/, COR_PRF_CODE_INFO* /*codeInfos*/) override {
        return kNotImplemented;
    }
    HRESULT EnumerateObjectReferences(ObjectID /*objectId*/, ObjectReferenceCallback /*callback*/,
                                      void* /*clientData*/) override {
        return kNotImplemented;
    }
    HRESULT IsFrozenObject(ObjectID /*objectId*/, int32_t* /*pbFrozen*/) override {
        return kNotImplemented;
    }
    HRESULT GetLOHObjectSizeThreshold(uint32_t* /*pThreshold*/) override { return kNotImplemented; }
    HRESULT RequestReJITWithInliners(uint32_t /*dwRejitFlags*/, uint32_t /*cFunctions*/,
                                     ModuleID* /*moduleIds*/, mdMethodDef* /*methodIds*/) override {
        return kNotImplemented;
    }
    HRESULT SuspendRuntime() override { return kNotImplemented; }
    HRESULT ResumeRuntime() override { return kNotImplemented; }
    HRESULT GetEnvironmentVariable(const char16_t* /*szName*/, uint32_t /*cchValue*/,
                                   uint32_t* /*pcchValue*/, char16_t* /*szValue*/) override {
        return kNotImplemented;
    }
    HRESULT SetEnvironmentVariable(const char16_t* /*szName*/,
                                   const char16_t* /*szValue*/) override {
        return kNotImplemented;
    }
    HRESULT EventPipeStartSession(uint32_t /*cProviderConfigs*/,
                                  COR_PRF_EVENTPIPE_PROVIDER_CONFIG* /*pProviderConfigs*/,
                                  int32_t /*requestRundown*/,
                                  EVENTPIPE_SESSION* /*pSession*/) override {
        return kNotImplemented;
    }
    HRESULT EventPipeAddProviderToSession(
        EVENTPIPE_SESSION /*session*/,
        COR_PRF_EVENTPIPE_PROVIDER_CONFIG /*providerConfig*/) override {
        return kNotImplemented;
    }
    HRESULT EventPipeStopSession(EVENTPIPE_SESSION /*session*/) override { return kNotImplemented; }
    HRESULT EventPipeCreateProvider(const char16_t* /*providerName*/,
                                    EVENTPIPE_PROVIDER* /*pProvider*/) override {
        return kNotImplemented;
    }
    HRESULT EventPipeGetProviderInfo(EVENTPIPE_PROVIDER /*provider*/, uint32_t /*cchName*/,
                                     uint32_t* /*pcchName*/, char16_t* /*providerName*/) override {
        return kNotImplemented;
    }
    HRESULT EventPipeDefineEvent(EVENTPIPE_PROVIDER /*provider*/, const char16_t* /*eventName*/,
                                 uint32_t /*eventID*/, uint64_t /*keywords*/,
                                 uint32_t /*eventVersion*/, uint32_t /*level*/, uint8_t /*opcode*/,
                                 int32_t /*needStack*/, uint32_t /*cParamDescs*/,
                                 COR_PRF_EVENTPIPE_PARAM_DESC* /*pParamDescs*/,
                                 EVENTPIPE_EVENT* /*pEvent*/) override {
        return kNotImplemented;
    }
    HRESULT EventPipeWriteEvent(EVENTPIPE_EVENT /*event*/, uint32_t /*cData*/,
                                COR_PRF_EVENT_DATA* /*data*/, const Guid* /*pActivityId*/,
                                const Guid* /*pRelatedActivityId*/) override {
        return kNotImplemented;
    }
    HRESULT CreateHandle(ObjectID /*object*/, COR_PRF_HANDLE_TYPE /*type*/,
                         ObjectHandleID* /*pHandle*/) override {
        return kNotImplemented;
    }
    HRESULT DestroyHandle(ObjectHandleID /*handle*/) override { return kNotImplemented; }
    HRESULT GetObjectIDFromHandle(ObjectHandleID /*handle*/, ObjectID* /*pObject*/) override {
        return kNotImplemented;
    }
    HRESULT EnumerateNonGCObjects(ICorProfilerObjectEnum** /*ppEnum*/) override {
        return kNotImplemented;
    }
    HRESULT GetNonGCHeapBounds(uint32_t /*cObjectRanges*/, uint32_t* /*pcObjectRanges*/,
                               COR_PRF_NONGC_HEAP_RANGE* /*ranges*/) override {
        return kNotImplemented;
    }
    HRESULT EventPipeCreateProvider2(const char16_t* /*providerName*/,
                                     EventPipeProviderCallback* /*pCallback*/,
                                     EVENTPIPE_PROVIDER* /*pProvider*/) override {
        return kNotImplemented;
    }
    HRESULT EnumerateGCHeapObjects(ObjectCallback /*callback*/, void* /*callbackState*/) override {
        return kNotImplemented;
    }
};

}  // namespace umbra::fakeclr
