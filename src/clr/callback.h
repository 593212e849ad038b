// SPDX-License-Identifier: MIT
// ICorProfilerCallback up to 11, as the runtime calls it: vtable order is the contract (slot
// numbers at each line).
#pragma once

#include "src/clr/enumerators.h"
#include "src/clr/types.h"

namespace umbra::clr {

/// Slots 3..71.
struct ICorProfilerCallback : IUnknown {
    static constexpr Guid kIid{
        0x176fbed1, 0xa55c, 0x4796, {0x98, 0xca, 0xa9, 0xda, 0x0e, 0xf8, 0x83, 0xe7}};
    virtual HRESULT Initialize(IUnknown* pICorProfilerInfoUnk) = 0;                            // 3
    virtual HRESULT Shutdown() = 0;                                                            // 4
    virtual HRESULT AppDomainCreationStarted(AppDomainID appDomainId) = 0;                     // 5
    virtual HRESULT AppDomainCreationFinished(AppDomainID appDomainId, HRESULT hrStatus) = 0;  // 6
    virtual HRESULT AppDomainShutdownStarted(AppDomainID appDomainId) = 0;                     // 7
    virtual HRESULT AppDomainShutdownFinished(AppDomainID appDomainId, HRESULT hrStatus) = 0;  // 8
    virtual HRESULT AssemblyLoadStarted(AssemblyID assemblyId) = 0;                            // 9
    virtual HRESULT AssemblyLoadFinished(AssemblyID assemblyId, HRESULT hrStatus) = 0;         // 10
    virtual HRESULT AssemblyUnloadStarted(AssemblyID assemblyId) = 0;                          // 11
    virtual HRESULT AssemblyUnloadFinished(AssemblyID assemblyId, HRESULT hrStatus) = 0;       // 12
    virtual HRESULT ModuleLoadStarted(ModuleID moduleId) = 0;                                  // 13
    virtual HRESULT ModuleLoadFinished(ModuleID moduleId, HRESULT hrStatus) = 0;               // 14
    virtual HRESULT ModuleUnloadStarted(ModuleID moduleId) = 0;                                // 15
    virtual HRESULT ModuleUnloadFinished(ModuleID moduleId, HRESULT hrStatus) = 0;             // 16
    virtual HRESULT ModuleAttachedToAssembly(ModuleID moduleId, AssemblyID AssemblyId) = 0;    // 17
    virtual HRESULT ClassLoadStarted(ClassID classId) = 0;                                     // 18
    virtual HRESULT ClassLoadFinished(ClassID classId, HRESULT hrStatus) = 0;                  // 19
    virtual HRESULT ClassUnloadStarted(ClassID classId) = 0;                                   // 20
    virtual HRESULT ClassUnloadFinished(ClassID classId, HRESULT hrStatus) = 0;                // 21
    virtual HRESULT FunctionUnloadStarted(FunctionID functionId) = 0;                          // 22
    virtual HRESULT JITCompilationStarted(FunctionID functionId, int32_t fIsSafeToBlock) = 0;  // 23
    virtual HRESULT JITCompilationFinished(FunctionID functionId, HRESULT hrStatus,
                                           int32_t fIsSafeToBlock) = 0;  // 24
    virtual HRESULT JITCachedFunctionSearchStarted(FunctionID functionId,
                                                   int32_t* pbUseCachedFunction) = 0;  // 25
    virtual HRESULT JITCachedFunctionSearchFinished(FunctionID functionId,
                                                    COR_PRF_JIT_CACHE result) = 0;  // 26
    virtual HRESULT JITFunctionPitched(FunctionID functionId) = 0;                  // 27
    virtual HRESULT JITInlining(FunctionID callerId, FunctionID calleeId,
                                int32_t* pfShouldInline) = 0;  // 28
    virtual HRESULT ThreadCreated(ThreadID threadId) = 0;      // 29
    virtual HRESULT ThreadDestroyed(ThreadID threadId) = 0;    // 30
    virtual HRESULT ThreadAssignedToOSThread(ThreadID managedThreadId,
                                             uint32_t osThreadId) = 0;                    // 31
    virtual HRESULT RemotingClientInvocationStarted() = 0;                                // 32
    virtual HRESULT RemotingClientSendingMessage(Guid* pCookie, int32_t fIsAsync) = 0;    // 33
    virtual HRESULT RemotingClientReceivingReply(Guid* pCookie, int32_t fIsAsync) = 0;    // 34
    virtual HRESULT RemotingClientInvocationFinished() = 0;                               // 35
    virtual HRESULT RemotingServerReceivingMessage(Guid* pCookie, int32_t fIsAsync) = 0;  // 36
    virtual HRESULT RemotingServerInvocationStarted() = 0;                                // 37
    virtual HRESULT RemotingServerInvocationReturned() = 0;                               // 38
    virtual HRESULT RemotingServerSendingReply(Guid* pCookie, int32_t fIsAsync) = 0;      // 39
    virtual HRESULT UnmanagedToManagedTransition(FunctionID functionId,
                                                 COR_PRF_TRANSITION_REASON reason) = 0;  // 40
    virtual HRESULT ManagedToUnmanagedTransition(FunctionID functionId,
                                                 COR_PRF_TRANSITION_REASON reason) = 0;  // 41
    virtual HRESULT RuntimeSuspendStarted(COR_PRF_SUSPEND_REASON suspendReason) = 0;     // 42
    virtual HRESULT RuntimeSuspendFinished() = 0;                                        // 43
    virtual HRESULT RuntimeSuspendAborted() = 0;                                         // 44
    virtual HRESULT RuntimeResumeStarted() = 0;                                          // 45
    virtual HRESULT RuntimeResumeFinished() = 0;                                         // 46
    virtual HRESULT RuntimeThreadSuspended(ThreadID threadId) = 0;                       // 47
    virtual HRESULT RuntimeThreadResumed(ThreadID threadId) = 0;                         // 48
    virtual HRESULT MovedReferences(uint32_t cMovedObjectIDRanges, ObjectID* oldObjectIDRangeStart,
                                    ObjectID* newObjectIDRangeStart,
                                    uint32_t* cObjectIDRangeLength) = 0;      // 49
    virtual HRESULT ObjectAllocated(ObjectID objectId, ClassID classId) = 0;  // 50
    virtual HRESULT ObjectsAllocatedByClass(uint32_t cClassCount, ClassID* classIds,
                                            uint32_t* cObjects) = 0;  // 51
    virtual HRESULT ObjectReferences(ObjectID objectId, ClassID classId, uint32_t cObjectRefs,
                                     ObjectID* objectRefIds) = 0;                         // 52
    virtual HRESULT RootReferences(uint32_t cRootRefs, ObjectID* rootRefIds) = 0;         // 53
    virtual HRESULT ExceptionThrown(ObjectID thrownObjectId) = 0;                         // 54
    virtual HRESULT ExceptionSearchFunctionEnter(FunctionID functionId) = 0;              // 55
    virtual HRESULT ExceptionSearchFunctionLeave() = 0;                                   // 56
    virtual HRESULT ExceptionSearchFilterEnter(FunctionID functionId) = 0;                // 57
    virtual HRESULT ExceptionSearchFilterLeave() = 0;                                     // 58
    virtual HRESULT ExceptionSearchCatcherFound(FunctionID functionId) = 0;               // 59
    virtual HRESULT ExceptionOSHandlerEnter(uintptr_t /*unused*/) = 0;                    // 60
    virtual HRESULT ExceptionOSHandlerLeave(uintptr_t /*unused*/) = 0;                    // 61
    virtual HRESULT ExceptionUnwindFunctionEnter(FunctionID functionId) = 0;              // 62
    virtual HRESULT ExceptionUnwindFunctionLeave() = 0;                                   // 63
    virtual HRESULT ExceptionUnwindFinallyEnter(FunctionID functionId) = 0;               // 64
    virtual HRESULT ExceptionUnwindFinallyLeave() = 0;                                    // 65
    virtual HRESULT ExceptionCatcherEnter(FunctionID functionId, ObjectID objectId) = 0;  // 66
    virtual HRESULT ExceptionCatcherLeave() = 0;                                          // 67
    virtual HRESULT COMClassicVTableCreated(ClassID wrappedClassId, const Guid& implementedIID,
                                            void* pVTable, uint32_t cSlots) = 0;  // 68
    virtual HRESULT COMClassicVTableDestroyed(ClassID wrappedClassId, const Guid& implementedIID,
                                              void* pVTable) = 0;  // 69
    virtual HRESULT ExceptionCLRCatcherFound() = 0;                // 70
    virtual HRESULT ExceptionCLRCatcherExecute() = 0;              // 71
};

/// Slots 72..79.
struct ICorProfilerCallback2 : ICorProfilerCallback {
    static constexpr Guid kIid{
        0x8a8cc829, 0xccf2, 0x49fe, {0xbb, 0xae, 0x0f, 0x02, 0x22, 0x28, 0x07, 0x1a}};
    virtual HRESULT ThreadNameChanged(ThreadID threadId, uint32_t cchName,
                                      char16_t* name) = 0;  // 72
    virtual HRESULT GarbageCollectionStarted(int32_t cGenerations, int32_t* generationCollected,
                                             COR_PRF_GC_REASON reason) = 0;  // 73
    virtual HRESULT SurvivingReferences(uint32_t cSurvivingObjectIDRanges,
                                        ObjectID* objectIDRangeStart,
                                        uint32_t* cObjectIDRangeLength) = 0;                   // 74
    virtual HRESULT GarbageCollectionFinished() = 0;                                           // 75
    virtual HRESULT FinalizeableObjectQueued(uint32_t finalizerFlags, ObjectID objectID) = 0;  // 76
    virtual HRESULT RootReferences2(uint32_t cRootRefs, ObjectID* rootRefIds,
                                    COR_PRF_GC_ROOT_KIND* rootKinds,
                                    COR_PRF_GC_ROOT_FLAGS* rootFlags,
                                    uintptr_t* rootIds) = 0;                           // 77
    virtual HRESULT HandleCreated(GCHandleID handleId, ObjectID initialObjectId) = 0;  // 78
    virtual HRESULT HandleDestroyed(GCHandleID handleId) = 0;                          // 79
};

/// Slots 80..82.
struct ICorProfilerCallback3 : ICorProfilerCallback2 {
    static constexpr Guid kIid{
        0x4fd2ed52, 0x7731, 0x4b8d, {0x94, 0x69, 0x03, 0xd2, 0xcc, 0x30, 0x86, 0xc5}};
    virtual HRESULT InitializeForAttach(IUnknown* pCorProfilerInfoUnk, void* pvClientData,
                                        uint32_t cbClientData) = 0;  // 80
    virtual HRESULT ProfilerAttachComplete() = 0;                    // 81
    virtual HRESULT ProfilerDetachSucceeded() = 0;                   // 82
};

/// Slots 83..88.
struct ICorProfilerCallback4 : ICorProfilerCallback3 {
    static constexpr Guid kIid{
        0x7b63b2e3, 0x107d, 0x4d48, {0xb2, 0xf6, 0xf6, 0x1e, 0x22, 0x94, 0x70, 0xd2}};
    virtual HRESULT ReJITCompilationStarted(FunctionID functionId, ReJITID rejitId,
                                            int32_t fIsSafeToBlock) = 0;  // 83
    virtual HRESULT GetReJITParameters(ModuleID moduleId, mdMethodDef methodId,
                                       ICorProfilerFunctionControl* pFunctionControl) = 0;  // 84
    virtual HRESULT ReJITCompilationFinished(FunctionID functionId, ReJITID rejitId,
                                             HRESULT hrStatus, int32_t fIsSafeToBlock) = 0;  // 85
    virtual HRESULT ReJITError(ModuleID moduleId, mdMethodDef methodId, FunctionID functionId,
                               HRESULT hrStatus) = 0;  // 86
    virtual HRESULT MovedReferences2(uint32_t cMovedObjectIDRanges, ObjectID* oldObjectIDRangeStart,
                                     ObjectID* newObjectIDRangeStart,
                                     size_t* cObjectIDRangeLength) = 0;  // 87
    virtual HRESULT SurvivingReferences2(uint32_t cSurvivingObjectIDRanges,
                                         ObjectID* objectIDRangeStart,
                                         size_t* cObjectIDRangeLength) = 0;  // 88
};

/// Slots 89..89.
struct ICorProfilerCallback5 : ICorProfilerCallback4 {
    static constexpr Guid kIid{
        0x8dfba405, 0x8c9f, 0x45f8, {0xbf, 0xfa, 0x83, 0xb1, 0x4c, 0xef, 0x78, 0xb5}};
    virtual HRESULT ConditionalWeakTableElementReferences(uint32_t cRootRefs, ObjectID* keyRefIds,
                                                          ObjectID* valueRefIds,
                                                          GCHandleID* rootIds) = 0;  // 89
};

/// Slots 90..90.
struct ICorProfilerCallback6 : ICorProfilerCallback5 {
    static constexpr Guid kIid{
        0xfc13df4b, 0x4448, 0x4f4f, {0x95, 0x0c, 0xba, 0x8d, 0x19, 0xd0, 0x0c, 0x36}};
    virtual HRESULT GetAssemblyReferences(
        const char16_t* wszAssemblyPath,
        ICorProfilerAssemblyReferenceProvider* pAsmRefProvider) = 0;  // 90
};

/// Slots 91..91.
struct ICorProfilerCallback7 : ICorProfilerCallback6 {
    static constexpr Guid kIid{
        0xf76a2dba, 0x1d52, 0x4539, {0x86, 0x6c, 0x2a, 0xa5, 0x18, 0xf9, 0xef, 0xc3}};
    virtual HRESULT ModuleInMemorySymbolsUpdated(ModuleID moduleId) = 0;  // 91
};

/// Slots 92..93.
struct ICorProfilerCallback8 : ICorProfilerCallback7 {
    static constexpr Guid kIid{
        0x5bed9b15, 0xc079, 0x4d47, {0xbf, 0xe2, 0x21, 0x5a, 0x14, 0x0c, 0x07, 0xe0}};
    virtual HRESULT DynamicMethodJITCompilationStarted(FunctionID functionId,
                                                       int32_t fIsSafeToBlock,
                                                       const uint8_t* pILHeader,
                                                       uint32_t cbILHeader) = 0;  // 92
    virtual HRESULT DynamicMethodJITCompilationFinished(FunctionID functionId, HRESULT hrStatus,
                                                        int32_t fIsSafeToBlock) = 0;  // 93
};

/// Slots 94..94.
struct ICorProfilerCallback9 : ICorProfilerCallback8 {
    static constexpr Guid kIid{
        0x27583ec3, 0xc8f5, 0x482f, {0x80, 0x52, 0x19, 0x4b, 0x8c, 0xe4, 0x70, 0x5a}};
    virtual HRESULT DynamicMethodUnloaded(FunctionID functionId) = 0;  // 94
};

/// Slots 95..96.
struct ICorProfilerCallback10 : ICorProfilerCallback9 {
    static constexpr Guid kIid{
        0xcec5b60e, 0xc69c, 0x495f, {0x87, 0xf6, 0x84, 0xd2, 0x8e, 0xe1, 0x6f, 0xfb}};
    virtual HRESULT EventPipeEventDelivered(EVENTPIPE_PROVIDER provider, uint32_t eventId,
                                            uint32_t eventVersion, uint32_t cbMetadataBlob,
                                            const uint8_t* metadataBlob, uint32_t cbEventData,
                                            const uint8_t* eventData, const Guid* pActivityId,
                                            const Guid* pRelatedActivityId, ThreadID eventThread,
                                            uint32_t numStackFrames,
                                            uintptr_t* stackFrames) = 0;        // 95
    virtual HRESULT EventPipeProviderCreated(EVENTPIPE_PROVIDER provider) = 0;  // 96
};

/// Slots 97..97.
struct ICorProfilerCallback11 : ICorProfilerCallback10 {
    static constexpr Guid kIid{
        0x42350846, 0xaaed, 0x47f7, {0xb1, 0x28, 0xfd, 0x0c, 0x98, 0x88, 0x1c, 0xde}};
    virtual HRESULT LoadAsNotificationOnly(int32_t* pbNotificationOnly) = 0;  // 97
};

}  // namespace umbra::clr
