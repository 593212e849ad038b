// SPDX-License-Identifier: MIT
// A do-nothing implementation of all profiler callbacks.
#pragma once

#include <initializer_list>

#include "src/clr/callback.h"

namespace umbra::clr {

/// Answers every callback with kOk, so that a profiler overrides only what it handles.
/// AddRef and Release stay open: lifetime is the profiler's.
class CallbackBase : public ICorProfilerCallback11 {
  public:
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
                *ppv = static_cast<ICorProfilerCallback11*>(this);
                AddRef();
                return kOk;
            }
        }
        return kNoInterface;
    }
    HRESULT Initialize(IUnknown* /*pICorProfilerInfoUnk*/) override { return kOk; }
    HRESULT Shutdown() override { return kOk; }
    HRESULT AppDomainCreationStarted(AppDomainID /*appDomainId*/) override { return kOk; }
    HRESULT AppDomainCreationFinished(AppDomainID /*appDomainId*/, HRESULT /*hrStatus*/) override {
        return kOk;
    }
    HRESULT AppDomainShutdownStarted(AppDomainID /*appDomainId*/) override { return kOk; }
    HRESULT AppDomainShutdownFinished(AppDomainID /*appDomainId*/, HRESULT /*hrStatus*/) override {
        return kOk;
    }
    HRESULT AssemblyLoadStarted(AssemblyID /*assemblyId*/) override { return kOk; }
    HRESULT AssemblyLoadFinished(AssemblyID /*assemblyId*/, HRESULT /*hrStatus*/) override {
        return kOk;
    }
    HRESULT AssemblyUnloadStarted(AssemblyID /*assemblyId*/) override { return kOk; }
    HRESULT AssemblyUnloadFinished(AssemblyID /*assemblyId*/, HRESULT /*hrStatus*/) override {
        return kOk;
    }
    HRESULT ModuleLoadStarted(ModuleID /*moduleId*/) override { return kOk; }
    HRESULT ModuleLoadFinished(ModuleID /*moduleId*/, HRESULT /*hrStatus*/) override { return kOk; }
    HRESULT ModuleUnloadStarted(ModuleID /*moduleId*/) override { return kOk; }
    HRESULT ModuleUnloadFinished(ModuleID /*moduleId*/, HRESULT /*hrStatus*/) override {
        return kOk;
    }
    HRESULT ModuleAttachedToAssembly(ModuleID /*moduleId*/, AssemblyID /*AssemblyId*/) override {
        return kOk;
    }
    HRESULT ClassLoadStarted(ClassID /*classId*/) override { return kOk; }
    HRESULT ClassLoadFinished(ClassID /*classId*/, HRESULT /*hrStatus*/) override { return kOk; }
    HRESULT ClassUnloadStarted(ClassID /*classId*/) override { return kOk; }
    HRESULT ClassUnloadFinished(ClassID /*classId*/, HRESULT /*hrStatus*/) override { return kOk; }
    HRESULT FunctionUnloadStarted(FunctionID /*functionId*/) override { return kOk; }
    HRESULT JITCompilationStarted(FunctionID /*functionId*/, int32_t /*fIsSafeToBlock*/) override {
        return kOk;
    }
    HRESULT JITCompilationFinished(FunctionID /*functionId*/, HRESULT /*hrStatus*/,
                                   int32_t /*fIsSafeToBlock*/) override {
        return kOk;
    }
    HRESULT JITCachedFunctionSearchStarted(FunctionID /*functionId*/,
                                           int32_t* /*pbUseCachedFunction*/) override {
        return kOk;
    }
    HRESULT JITCachedFunctionSearchFinished(FunctionID /*functionId*/,
                                            COR_PRF_JIT_CACHE /*result*/) override {
        return kOk;
    }
    HRESULT JITFunctionPitched(FunctionID /*functionId*/) override { return kOk; }
    HRESULT JITInlining(FunctionID /*callerId*/, FunctionID /*calleeId*/,
                        int32_t* /*pfShouldInline*/) override {
        return kOk;
    }
    HRESULT ThreadCreated(ThreadID /*threadId*/) override { return kOk; }
    HRESULT ThreadDestroyed(ThreadID /*threadId*/) override { return kOk; }
    HRESULT ThreadAssignedToOSThread(ThreadID /*managedThreadId*/,
                                     uint32_t /*osThreadId*/) override {
        return kOk;
    }
    HRESULT RemotingClientInvocationStarted() override { return kOk; }
    HRESULT RemotingClientSendingMessage(Guid* /*pCookie*/, int32_t /*fIsAsync*/) override {
        return kOk;
    }
    HRESULT RemotingClientReceivingReply(Guid* /*pCookie*/, int32_t /*fIsAsync*/) override {
        return kOk;
    }
    HRESULT RemotingClientInvocationFinished() override { return kOk; }
    HRESULT RemotingServerReceivingMessage(Guid* /*pCookie*/, int32_t /*fIsAsync*/) override {
        return kOk;
    }
    HRESULT RemotingServerInvocationStarted() override { return kOk; }
    HRESULT RemotingServerInvocationReturned() override { return kOk; }
    HRESULT RemotingServerSendingReply(Guid* /*pCookie*/, int32_t /*fIsAsync*/) override {
        return kOk;
    }
    HRESULT UnmanagedToManagedTransition(FunctionID /*functionId*/,
                                         COR_PRF_TRANSITION_REASON /*reason*/) override {
        return kOk;
    }
    HRESULT ManagedToUnmanagedTransition(FunctionID /*functionId*/,
                                         COR_PRF_TRANSITION_REASON /*reason*/) override {
        return kOk;
    }
    HRESULT RuntimeSuspendStarted(COR_PRF_SUSPEND_REASON /*suspendReason*/) override { return kOk; }
    HRESULT RuntimeSuspendFinished() override { return kOk; }
    HRESULT RuntimeSuspendAborted() override { return kOk; }
    HRESULT RuntimeResumeStarted() override { return kOk; }
    HRESULT RuntimeResumeFinished() override { return kOk; }
    HRESULT RuntimeThreadSuspended(ThreadID /*threadId*/) override { return kOk; }
    HRESULT RuntimeThreadResumed(ThreadID /*threadId*/) override { return kOk; }
    HRESULT MovedReferences(uint32_t /*cMovedObjectIDRanges*/, ObjectID* /*oldObjectIDRangeStart*/,
                            ObjectID* /*newObjectIDRangeStart*/,
                            uint32_t* /*cObjectIDRangeLength*/) override {
        return kOk;
    }
    HRESULT ObjectAllocated(ObjectID /*objectId*/, ClassID /*classId*/) override { return kOk; }
    HRESULT ObjectsAllocatedByClass(uint32_t /*cClassCount*/, ClassID* /*classIds*/,
                                    uint32_t* /*cObjects*/) override {
        return kOk;
    }
    HRESULT ObjectReferences(ObjectID /*objectId*/, ClassID /*classId*/, uint32_t /*cObjectRefs*/,
                             ObjectID* /*objectRefIds*/) override {
        return kOk;
    }
    HRESULT RootReferences(uint32_t /*cRootRefs*/, ObjectID* /*rootRefIds*/) override {
        return kOk;
    }
    HRESULT ExceptionThrown(ObjectID /*thrownObjectId*/) override { return kOk; }
    HRESULT ExceptionSearchFunctionEnter(FunctionID /*functionId*/) override { return kOk; }
    HRESULT ExceptionSearchFunctionLeave() override { return kOk; }
    HRESULT ExceptionSearchFilterEnter(FunctionID /*functionId*/) override { return kOk; }
    HRESULT ExceptionSearchFilterLeave() override { return kOk; }
    HRESULT ExceptionSearchCatcherFound(FunctionID /*functionId*/) override { return kOk; }
    HRESULT ExceptionOSHandlerEnter(uintptr_t /*__unused*/) override { return kOk; }
    HRESULT ExceptionOSHandlerLeave(uintptr_t /*__unused*/) override { return kOk; }
    HRESULT ExceptionUnwindFunctionEnter(FunctionID /*functionId*/) override { return kOk; }
    HRESULT ExceptionUnwindFunctionLeave() override { return kOk; }
    HRESULT ExceptionUnwindFinallyEnter(FunctionID /*functionId*/) override { return kOk; }
    HRESULT ExceptionUnwindFinallyLeave() override { return kOk; }
    HRESULT ExceptionCatcherEnter(FunctionID /*functionId*/, ObjectID /*objectId*/) override {
        return kOk;
    }
    HRESULT ExceptionCatcherLeave() override { return kOk; }
    HRESULT COMClassicVTableCreated(ClassID /*wrappedClassId*/, const Guid& /*implementedIID*/,
                                    void* /*pVTable*/, uint32_t /*cSlots*/) override {
        return kOk;
    }
    HRESULT COMClassicVTableDestroyed(ClassID /*wrappedClassId*/, const Guid& /*implementedIID*/,
                                      void* /*pVTable*/) override {
        return kOk;
    }
    HRESULT ExceptionCLRCatcherFound() override { return kOk; }
    HRESULT ExceptionCLRCatcherExecute() override { return kOk; }
    HRESULT ThreadNameChanged(ThreadID /*threadId*/, uint32_t /*cchName*/,
                              char16_t* /*name*/) override {
        return kOk;
    }
    HRESULT GarbageCollectionStarted(int32_t /*cGenerations*/, int32_t* /*generationCollected*/,
                                     COR_PRF_GC_REASON /*reason*/) override {
        return kOk;
    }
    HRESULT SurvivingReferences(uint32_t /*cSurvivingObjectIDRanges*/,
                                ObjectID* /*objectIDRangeStart*/,
                                uint32_t* /*cObjectIDRangeLength*/) override {
        return kOk;
    }
    HRESULT GarbageCollectionFinished() override { return kOk; }
    HRESULT FinalizeableObjectQueued(uint32_t /*finalizerFlags*/, ObjectID /*objectID*/) override {
        return kOk;
    }
    HRESULT RootReferences2(uint32_t /*cRootRefs*/, ObjectID* /*rootRefIds*/,
                            COR_PRF_GC_ROOT_KIND* /*rootKinds*/,
                            COR_PRF_GC_ROOT_FLAGS* /*rootFlags*/, uintptr_t* /*rootIds*/) override {
        return kOk;
    }
    HRESULT HandleCreated(GCHandleID /*handleId*/, ObjectID /*initialObjectId*/) override {
        return kOk;
    }
    HRESULT HandleDestroyed(GCHandleID /*handleId*/) override { return kOk; }
    HRESULT InitializeForAttach(IUnknown* /*pCorProfilerInfoUnk*/, void* /*pvClientData*/,
                                uint32_t /*cbClientData*/) override {
        return kOk;
    }
    HRESULT ProfilerAttachComplete() override { return kOk; }
    HRESULT ProfilerDetachSucceeded() override { return kOk; }
    HRESULT ReJITCompilationStarted(FunctionID /*functionId*/, ReJITID /*rejitId*/,
                                    int32_t /*fIsSafeToBlock*/) override {
        return kOk;
    }
    HRESULT GetReJITParameters(ModuleID /*moduleId*/, mdMethodDef /*methodId*/,
                               ICorProfilerFunctionControl* /*pFunctionControl*/) override {
        return kOk;
    }
    HRESULT ReJITCompilationFinished(FunctionID /*functionId*/, ReJITID /*rejitId*/,
                                     HRESULT /*hrStatus*/, int32_t /*fIsSafeToBlock*/) override {
        return kOk;
    }
    HRESULT ReJITError(ModuleID /*moduleId*/, mdMethodDef /*methodId*/, FunctionID /*functionId*/,
                       HRESULT /*hrStatus*/) override {
        return kOk;
    }
    HRESULT MovedReferences2(uint32_t /*cMovedObjectIDRanges*/, ObjectID* /*oldObjectIDRangeStart*/,
                             ObjectID* /*newObjectIDRangeStart*/,
                             size_t* /*cObjectIDRangeLength*/) override {
        return kOk;
    }
    HRESULT SurvivingReferences2(uint32_t /*cSurvivingObjectIDRanges*/,
                                 ObjectID* /*objectIDRangeStart*/,
                                 size_t* /*cObjectIDRangeLength*/) override {
        return kOk;
    }
    HRESULT ConditionalWeakTableElementReferences(uint32_t /*cRootRefs*/, ObjectID* /*keyRefIds*/,
                                                  ObjectID* /*valueRefIds*/,
                                                  GCHandleID* /*rootIds*/) override {
        return kOk;
    }
    HRESULT GetAssemblyReferences(
        const char16_t* /*wszAssemblyPath*/,
        ICorProfilerAssemblyReferenceProvider* /*pAsmRefProvider*/) override {
        return kOk;
    }
    HRESULT ModuleInMemorySymbolsUpdated(ModuleID /*moduleId*/) override { return kOk; }
    HRESULT DynamicMethodJITCompilationStarted(FunctionID /*functionId*/,
                                               int32_t /*fIsSafeToBlock*/,
                                               const uint8_t* /*pILHeader*/,
                                               uint32_t /*cbILHeader*/) override {
        return kOk;
    }
    HRESULT DynamicMethodJITCompilationFinished(FunctionID /*functionId*/, HRESULT /*hrStatus*/,
                                                int32_t /*fIsSafeToBlock*/) override {
        return kOk;
    }
    HRESULT DynamicMethodUnloaded(FunctionID /*functionId*/) override { return kOk; }
    HRESULT EventPipeEventDelivered(EVENTPIPE_PROVIDER /*provider*/, uint32_t /*eventId*/,
                                    uint32_t /*eventVersion*/, uint32_t /*cbMetadataBlob*/,
                                    const uint8_t* /*metadataBlob*/, uint32_t /*cbEventData*/,
                                    const uint8_t* /*eventData*/, const Guid* /*pActivityId*/,
                                    const Guid* /*pRelatedActivityId*/, ThreadID /*eventThread*/,
                                    uint32_t /*numStackFrames*/,
                                    uintptr_t* /*stackFrames*/) override {
        return kOk;
    }
    HRESULT EventPipeProviderCreated(EVENTPIPE_PROVIDER /*provider*/) override { return kOk; }
    HRESULT LoadAsNotificationOnly(int32_t* /*pbNotificationOnly*/) override { return kOk; }
};

}  // namespace umbra::clr
