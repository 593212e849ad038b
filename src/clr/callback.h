// SPDX-License-Identifier: MIT
// ICorProfilerCallback up to 11, as the runtime calls it: vtable order is the contract (slot
// numbers at each line).
#pragma once

#include <initializer_list>

#include "src/clr/enumerators.h"
#include "src/clr/types.h"

// NOLINTBEGIN(misc-unused-parameters): the slots' own bodies look at no argument
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace umbra::clr {

struct ICorProfilerAssemblyReferenceProvider;

/// Slots 3..71.
struct ICorProfilerCallback : IUnknown {
    static constexpr Guid kIid = guid("{176fbed1-a55c-4796-98ca-a9da0ef883e7}");
    virtual HRESULT Initialize(IUnknown* pICorProfilerInfoUnk) UMBRA_IGNORED;         // 3
    virtual HRESULT Shutdown() UMBRA_IGNORED;                                         // 4
    virtual HRESULT AppDomainCreationStarted(AppDomainID appDomainId) UMBRA_IGNORED;  // 5
    virtual HRESULT AppDomainCreationFinished(AppDomainID appDomainId,
                                              HRESULT hrStatus) UMBRA_IGNORED;        // 6
    virtual HRESULT AppDomainShutdownStarted(AppDomainID appDomainId) UMBRA_IGNORED;  // 7
    virtual HRESULT AppDomainShutdownFinished(AppDomainID appDomainId,
                                              HRESULT hrStatus) UMBRA_IGNORED;  // 8
    virtual HRESULT AssemblyLoadStarted(AssemblyID assemblyId) UMBRA_IGNORED;   // 9
    virtual HRESULT AssemblyLoadFinished(AssemblyID assemblyId,
                                         HRESULT hrStatus) UMBRA_IGNORED;        // 10
    virtual HRESULT AssemblyUnloadStarted(AssemblyID assemblyId) UMBRA_IGNORED;  // 11
    virtual HRESULT AssemblyUnloadFinished(AssemblyID assemblyId,
                                           HRESULT hrStatus) UMBRA_IGNORED;                   // 12
    virtual HRESULT ModuleLoadStarted(ModuleID moduleId) UMBRA_IGNORED;                       // 13
    virtual HRESULT ModuleLoadFinished(ModuleID moduleId, HRESULT hrStatus) UMBRA_IGNORED;    // 14
    virtual HRESULT ModuleUnloadStarted(ModuleID moduleId) UMBRA_IGNORED;                     // 15
    virtual HRESULT ModuleUnloadFinished(ModuleID moduleId, HRESULT hrStatus) UMBRA_IGNORED;  // 16
    virtual HRESULT ModuleAttachedToAssembly(ModuleID moduleId,
                                             AssemblyID AssemblyId) UMBRA_IGNORED;         // 17
    virtual HRESULT ClassLoadStarted(ClassID classId) UMBRA_IGNORED;                       // 18
    virtual HRESULT ClassLoadFinished(ClassID classId, HRESULT hrStatus) UMBRA_IGNORED;    // 19
    virtual HRESULT ClassUnloadStarted(ClassID classId) UMBRA_IGNORED;                     // 20
    virtual HRESULT ClassUnloadFinished(ClassID classId, HRESULT hrStatus) UMBRA_IGNORED;  // 21
    virtual HRESULT FunctionUnloadStarted(FunctionID functionId) UMBRA_IGNORED;            // 22
    virtual HRESULT JITCompilationStarted(FunctionID functionId,
                                          int32_t fIsSafeToBlock) UMBRA_IGNORED;  // 23
    virtual HRESULT JITCompilationFinished(FunctionID functionId, HRESULT hrStatus,
                                           int32_t fIsSafeToBlock) UMBRA_IGNORED;  // 24
    virtual HRESULT JITCachedFunctionSearchStarted(FunctionID functionId,
                                                   int32_t* pbUseCachedFunction)
        UMBRA_IGNORED;  // 25
    virtual HRESULT JITCachedFunctionSearchFinished(FunctionID functionId,
                                                    COR_PRF_JIT_CACHE result) UMBRA_IGNORED;  // 26
    virtual HRESULT JITFunctionPitched(FunctionID functionId) UMBRA_IGNORED;                  // 27
    virtual HRESULT JITInlining(FunctionID callerId, FunctionID calleeId,
                                int32_t* pfShouldInline) UMBRA_IGNORED;  // 28
    virtual HRESULT ThreadCreated(ThreadID threadId) UMBRA_IGNORED;      // 29
    virtual HRESULT ThreadDestroyed(ThreadID threadId) UMBRA_IGNORED;    // 30
    virtual HRESULT ThreadAssignedToOSThread(ThreadID managedThreadId,
                                             uint32_t osThreadId) UMBRA_IGNORED;  // 31
    virtual HRESULT RemotingClientInvocationStarted() UMBRA_IGNORED;              // 32
    virtual HRESULT RemotingClientSendingMessage(Guid* pCookie,
                                                 int32_t fIsAsync) UMBRA_IGNORED;  // 33
    virtual HRESULT RemotingClientReceivingReply(Guid* pCookie,
                                                 int32_t fIsAsync) UMBRA_IGNORED;  // 34
    virtual HRESULT RemotingClientInvocationFinished() UMBRA_IGNORED;              // 35
    virtual HRESULT RemotingServerReceivingMessage(Guid* pCookie,
                                                   int32_t fIsAsync) UMBRA_IGNORED;  // 36
    virtual HRESULT RemotingServerInvocationStarted() UMBRA_IGNORED;                 // 37
    virtual HRESULT RemotingServerInvocationReturned() UMBRA_IGNORED;                // 38
    virtual HRESULT RemotingServerSendingReply(Guid* pCookie,
                                               int32_t fIsAsync) UMBRA_IGNORED;  // 39
    virtual HRESULT UnmanagedToManagedTransition(FunctionID functionId,
                                                 COR_PRF_TRANSITION_REASON reason)
        UMBRA_IGNORED;  // 40
    virtual HRESULT ManagedToUnmanagedTransition(FunctionID functionId,
                                                 COR_PRF_TRANSITION_REASON reason)
        UMBRA_IGNORED;  // 41
    virtual HRESULT RuntimeSuspendStarted(COR_PRF_SUSPEND_REASON suspendReason)
        UMBRA_IGNORED;                                                        // 42
    virtual HRESULT RuntimeSuspendFinished() UMBRA_IGNORED;                   // 43
    virtual HRESULT RuntimeSuspendAborted() UMBRA_IGNORED;                    // 44
    virtual HRESULT RuntimeResumeStarted() UMBRA_IGNORED;                     // 45
    virtual HRESULT RuntimeResumeFinished() UMBRA_IGNORED;                    // 46
    virtual HRESULT RuntimeThreadSuspended(ThreadID threadId) UMBRA_IGNORED;  // 47
    virtual HRESULT RuntimeThreadResumed(ThreadID threadId) UMBRA_IGNORED;    // 48
    virtual HRESULT MovedReferences(uint32_t cMovedObjectIDRanges, ObjectID* oldObjectIDRangeStart,
                                    ObjectID* newObjectIDRangeStart,
                                    uint32_t* cObjectIDRangeLength) UMBRA_IGNORED;      // 49
    virtual HRESULT ObjectAllocated(ObjectID objectId, ClassID classId) UMBRA_IGNORED;  // 50
    virtual HRESULT ObjectsAllocatedByClass(uint32_t cClassCount, ClassID* classIds,
                                            uint32_t* cObjects) UMBRA_IGNORED;  // 51
    virtual HRESULT ObjectReferences(ObjectID objectId, ClassID classId, uint32_t cObjectRefs,
                                     ObjectID* objectRefIds) UMBRA_IGNORED;                  // 52
    virtual HRESULT RootReferences(uint32_t cRootRefs, ObjectID* rootRefIds) UMBRA_IGNORED;  // 53
    virtual HRESULT ExceptionThrown(ObjectID thrownObjectId) UMBRA_IGNORED;                  // 54
    virtual HRESULT ExceptionSearchFunctionEnter(FunctionID functionId) UMBRA_IGNORED;       // 55
    virtual HRESULT ExceptionSearchFunctionLeave() UMBRA_IGNORED;                            // 56
    virtual HRESULT ExceptionSearchFilterEnter(FunctionID functionId) UMBRA_IGNORED;         // 57
    virtual HRESULT ExceptionSearchFilterLeave() UMBRA_IGNORED;                              // 58
    virtual HRESULT ExceptionSearchCatcherFound(FunctionID functionId) UMBRA_IGNORED;        // 59
    virtual HRESULT ExceptionOSHandlerEnter(uintptr_t /*unused*/) UMBRA_IGNORED;             // 60
    virtual HRESULT ExceptionOSHandlerLeave(uintptr_t /*unused*/) UMBRA_IGNORED;             // 61
    virtual HRESULT ExceptionUnwindFunctionEnter(FunctionID functionId) UMBRA_IGNORED;       // 62
    virtual HRESULT ExceptionUnwindFunctionLeave() UMBRA_IGNORED;                            // 63
    virtual HRESULT ExceptionUnwindFinallyEnter(FunctionID functionId) UMBRA_IGNORED;        // 64
    virtual HRESULT ExceptionUnwindFinallyLeave() UMBRA_IGNORED;                             // 65
    virtual HRESULT ExceptionCatcherEnter(FunctionID functionId,
                                          ObjectID objectId) UMBRA_IGNORED;  // 66
    virtual HRESULT ExceptionCatcherLeave() UMBRA_IGNORED;                   // 67
    virtual HRESULT COMClassicVTableCreated(ClassID wrappedClassId, const Guid& implementedIID,
                                            void* pVTable, uint32_t cSlots) UMBRA_IGNORED;  // 68
    virtual HRESULT COMClassicVTableDestroyed(ClassID wrappedClassId, const Guid& implementedIID,
                                              void* pVTable) UMBRA_IGNORED;  // 69
    virtual HRESULT ExceptionCLRCatcherFound() UMBRA_IGNORED;                // 70
    virtual HRESULT ExceptionCLRCatcherExecute() UMBRA_IGNORED;              // 71
};

/// Slots 72..79.
struct ICorProfilerCallback2 : ICorProfilerCallback {
    static constexpr Guid kIid = guid("{8a8cc829-ccf2-49fe-bbae-0f022228071a}");
    virtual HRESULT ThreadNameChanged(ThreadID threadId, uint32_t cchName,
                                      char16_t* name) UMBRA_IGNORED;  // 72
    virtual HRESULT GarbageCollectionStarted(int32_t cGenerations, int32_t* generationCollected,
                                             COR_PRF_GC_REASON reason) UMBRA_IGNORED;  // 73
    virtual HRESULT SurvivingReferences(uint32_t cSurvivingObjectIDRanges,
                                        ObjectID* objectIDRangeStart,
                                        uint32_t* cObjectIDRangeLength) UMBRA_IGNORED;  // 74
    virtual HRESULT GarbageCollectionFinished() UMBRA_IGNORED;                          // 75
    virtual HRESULT FinalizeableObjectQueued(uint32_t finalizerFlags,
                                             ObjectID objectID) UMBRA_IGNORED;  // 76
    virtual HRESULT RootReferences2(uint32_t cRootRefs, ObjectID* rootRefIds,
                                    COR_PRF_GC_ROOT_KIND* rootKinds,
                                    COR_PRF_GC_ROOT_FLAGS* rootFlags,
                                    uintptr_t* rootIds) UMBRA_IGNORED;  // 77
    virtual HRESULT HandleCreated(GCHandleID handleId,
                                  ObjectID initialObjectId) UMBRA_IGNORED;  // 78
    virtual HRESULT HandleDestroyed(GCHandleID handleId) UMBRA_IGNORED;     // 79
};

/// Slots 80..82.
struct ICorProfilerCallback3 : ICorProfilerCallback2 {
    static constexpr Guid kIid = guid("{4fd2ed52-7731-4b8d-9469-03d2cc3086c5}");
    virtual HRESULT InitializeForAttach(IUnknown* pCorProfilerInfoUnk, void* pvClientData,
                                        uint32_t cbClientData) UMBRA_IGNORED;  // 80
    virtual HRESULT ProfilerAttachComplete() UMBRA_IGNORED;                    // 81
    virtual HRESULT ProfilerDetachSucceeded() UMBRA_IGNORED;                   // 82
};

/// Slots 83..88.
struct ICorProfilerCallback4 : ICorProfilerCallback3 {
    static constexpr Guid kIid = guid("{7b63b2e3-107d-4d48-b2f6-f61e229470d2}");
    virtual HRESULT ReJITCompilationStarted(FunctionID functionId, ReJITID rejitId,
                                            int32_t fIsSafeToBlock) UMBRA_IGNORED;  // 83
    virtual HRESULT GetReJITParameters(ModuleID moduleId, mdMethodDef methodId,
                                       ICorProfilerFunctionControl* pFunctionControl)
        UMBRA_IGNORED;  // 84
    virtual HRESULT ReJITCompilationFinished(FunctionID functionId, ReJITID rejitId,
                                             HRESULT hrStatus,
                                             int32_t fIsSafeToBlock) UMBRA_IGNORED;  // 85
    virtual HRESULT ReJITError(ModuleID moduleId, mdMethodDef methodId, FunctionID functionId,
                               HRESULT hrStatus) UMBRA_IGNORED;  // 86
    virtual HRESULT MovedReferences2(uint32_t cMovedObjectIDRanges, ObjectID* oldObjectIDRangeStart,
                                     ObjectID* newObjectIDRangeStart,
                                     size_t* cObjectIDRangeLength) UMBRA_IGNORED;  // 87
    virtual HRESULT SurvivingReferences2(uint32_t cSurvivingObjectIDRanges,
                                         ObjectID* objectIDRangeStart,
                                         size_t* cObjectIDRangeLength) UMBRA_IGNORED;  // 88
};

/// Slots 89..89.
struct ICorProfilerCallback5 : ICorProfilerCallback4 {
    static constexpr Guid kIid = guid("{8dfba405-8c9f-45f8-bffa-83b14cef78b5}");
    virtual HRESULT ConditionalWeakTableElementReferences(uint32_t cRootRefs, ObjectID* keyRefIds,
                                                          ObjectID* valueRefIds,
                                                          GCHandleID* rootIds) UMBRA_IGNORED;  // 89
};

/// Slots 90..90.
struct ICorProfilerCallback6 : ICorProfilerCallback5 {
    static constexpr Guid kIid = guid("{fc13df4b-4448-4f4f-950c-ba8d19d00c36}");
    virtual HRESULT GetAssemblyReferences(const char16_t* wszAssemblyPath,
                                          ICorProfilerAssemblyReferenceProvider* pAsmRefProvider)
        UMBRA_IGNORED;  // 90
};

/// Slots 91..91.
struct ICorProfilerCallback7 : ICorProfilerCallback6 {
    static constexpr Guid kIid = guid("{f76a2dba-1d52-4539-866c-2aa518f9efc3}");
    virtual HRESULT ModuleInMemorySymbolsUpdated(ModuleID moduleId) UMBRA_IGNORED;  // 91
};

/// Slots 92..93.
struct ICorProfilerCallback8 : ICorProfilerCallback7 {
    static constexpr Guid kIid = guid("{5bed9b15-c079-4d47-bfe2-215a140c07e0}");
    virtual HRESULT DynamicMethodJITCompilationStarted(FunctionID functionId,
                                                       int32_t fIsSafeToBlock,
                                                       const uint8_t* pILHeader,
                                                       uint32_t cbILHeader) UMBRA_IGNORED;  // 92
    virtual HRESULT DynamicMethodJITCompilationFinished(FunctionID functionId, HRESULT hrStatus,
                                                        int32_t fIsSafeToBlock)
        UMBRA_IGNORED;  // 93
};

/// Slots 94..94.
struct ICorProfilerCallback9 : ICorProfilerCallback8 {
    static constexpr Guid kIid = guid("{27583ec3-c8f5-482f-8052-194b8ce4705a}");
    virtual HRESULT DynamicMethodUnloaded(FunctionID functionId) UMBRA_IGNORED;  // 94
};

/// Slots 95..96.
struct ICorProfilerCallback10 : ICorProfilerCallback9 {
    static constexpr Guid kIid = guid("{cec5b60e-c69c-495f-87f6-84d28ee16ffb}");
    virtual HRESULT EventPipeEventDelivered(EVENTPIPE_PROVIDER provider, uint32_t eventId,
                                            uint32_t eventVersion, uint32_t cbMetadataBlob,
                                            const uint8_t* metadataBlob, uint32_t cbEventData,
                                            const uint8_t* eventData, const Guid* pActivityId,
                                            const Guid* pRelatedActivityId, ThreadID eventThread,
                                            uint32_t numStackFrames,
                                            uintptr_t* stackFrames) UMBRA_IGNORED;        // 95
    virtual HRESULT EventPipeProviderCreated(EVENTPIPE_PROVIDER provider) UMBRA_IGNORED;  // 96
};

/// Slots 97..97. What a profiler derives from, to override what it handles. AddRef and Release stay
/// open: lifetime is the profiler's.
struct ICorProfilerCallback11 : ICorProfilerCallback10 {
    static constexpr Guid kIid = guid("{42350846-aaed-47f7-b128-fd0c98881cde}");
    /// Knows the ids of all versions.
    HRESULT QueryInterface(const Guid& riid, void** ppv) override {
        if (ppv == nullptr) {
            return kPointer;
        }
        *ppv = nullptr;
        for (const Guid& known :
             {IUnknown::kIid, ICorProfilerCallback::kIid, ICorProfilerCallback2::kIid,
              ICorProfilerCallback3::kIid, ICorProfilerCallback4::kIid, ICorProfilerCallback5::kIid,
              ICorProfilerCallback6::kIid, ICorProfilerCallback7::kIid, ICorProfilerCallback8::kIid,
              ICorProfilerCallback9::kIid, ICorProfilerCallback10::kIid,
              ICorProfilerCallback11::kIid}) {
            if (riid == known) {
                *ppv = this;
                AddRef();
                return kOk;
            }
        }
        return kNoInterface;
    }
    virtual HRESULT LoadAsNotificationOnly(int32_t* pbNotificationOnly) UMBRA_IGNORED;  // 97
};

}  // namespace umbra::clr

#pragma GCC diagnostic pop
// NOLINTEND(misc-unused-parameters)
