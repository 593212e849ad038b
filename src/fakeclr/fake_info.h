// SPDX-License-Identifier: MIT
// ICorProfilerInfo15 of one FakeRuntime: what a profiler may ask and switch, and when.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "src/fakeclr/call_stub.h"
#include "src/fakeclr/clr_names.h"

namespace umbra::fakeclr {

class FakeRuntime;

/// Hooks that may ask for arguments and return values. Here they get no info to ask with.
struct SlowHooks {
    FunctionEnter3WithInfo* enter = nullptr;
    FunctionLeave3WithInfo* leave = nullptr;
    FunctionTailcall3WithInfo* tailcall = nullptr;
};

/// The profiler's view of the runtime. AddRef and Release count nothing, as in the CLR: the object
/// lives as long as its runtime. Safe on any thread.
class FakeInfo final : public ICorProfilerInfo15 {
  public:
    enum class Phase { kBeforeInitialize, kInitializing, kAttaching, kRunning };

    explicit FakeInfo(FakeRuntime& runtime) : runtime_(runtime) {}

    // What the runtime reads.
    [[nodiscard]] uint32_t events_low() const { return events_low_.load(); }
    [[nodiscard]] uint32_t events_high() const { return events_high_.load(); }
    [[nodiscard]] const HookSlots& slots() const { return slots_; }
    /// The hooks that the runtime calls as ordinary functions; null where there are none.
    [[nodiscard]] const SlowHooks& slow_hooks() const { return slow_hooks_; }
    void set_phase(Phase phase);
    /// An attached profiler wants to go.
    [[nodiscard]] bool detach_requested() const { return detach_requested_.load(); }
    /// What GetProfilingHandle asks: the mapper's answer, or hook everything by its FunctionID.
    [[nodiscard]] uintptr_t map_function(FunctionID function, bool& hook, bool& asked) const;

    /// What the calling thread's exception callbacks are about; null: it is in none.
    static void set_notified_clause(const COR_PRF_EX_CLAUSE_INFO* clause);

    // IUnknown
    HRESULT QueryInterface(const Guid& riid, void** ppv) override;
    uint32_t AddRef() override { return 1; }
    uint32_t Release() override { return 1; }

    // Switches
    HRESULT GetEventMask(uint32_t* pdwEvents) override;
    HRESULT SetEventMask(uint32_t dwEvents) override;
    HRESULT GetEventMask2(uint32_t* pdwEventsLow, uint32_t* pdwEventsHigh) override;
    HRESULT SetEventMask2(uint32_t dwEventsLow, uint32_t dwEventsHigh) override;
    HRESULT SetFunctionIDMapper(FunctionIDMapper* pFunc) override;
    HRESULT SetFunctionIDMapper2(FunctionIDMapper2* pFunc, void* clientData) override;
    HRESULT SetEnterLeaveFunctionHooks3(FunctionEnter3* pFuncEnter3, FunctionLeave3* pFuncLeave3,
                                        FunctionTailcall3* pFuncTailcall3) override;
    HRESULT SetEnterLeaveFunctionHooks3WithInfo(
        FunctionEnter3WithInfo* pFuncEnter3WithInfo, FunctionLeave3WithInfo* pFuncLeave3WithInfo,
        FunctionTailcall3WithInfo* pFuncTailcall3WithInfo) override;
    HRESULT RequestProfilerDetach(uint32_t dwExpectedCompletionMilliseconds) override;

    // Code
    HRESULT GetFunctionInfo(FunctionID functionId, ClassID* pClassId, ModuleID* pModuleId,
                            mdToken* pToken) override;
    HRESULT GetFunctionInfo2(FunctionID funcId, COR_PRF_FRAME_INFO frameInfo, ClassID* pClassId,
                             ModuleID* pModuleId, mdToken* pToken, uint32_t cTypeArgs,
                             uint32_t* pcTypeArgs, ClassID* typeArgs) override;
    HRESULT GetFunctionFromToken(ModuleID moduleId, mdToken token,
                                 FunctionID* pFunctionId) override;
    HRESULT GetTokenAndMetaDataFromFunction(FunctionID functionId, const Guid& riid,
                                            IUnknown** ppImport, mdToken* pToken) override;
    HRESULT GetILFunctionBody(ModuleID moduleId, mdMethodDef methodId,
                              const uint8_t** ppMethodHeader, uint32_t* pcbMethodSize) override;
    HRESULT GetNotifiedExceptionClauseInfo(COR_PRF_EX_CLAUSE_INFO* pinfo) override;
    HRESULT IsFunctionDynamic(FunctionID functionId, int32_t* isDynamic) override;
    HRESULT EnumJITedFunctions(ICorProfilerFunctionEnum** ppEnum) override;
    HRESULT EnumJITedFunctions2(ICorProfilerFunctionEnum** ppEnum) override;
    HRESULT RequestReJIT(uint32_t cFunctions, ModuleID* moduleIds, mdMethodDef* methodIds) override;
    HRESULT RequestReJITWithInliners(uint32_t dwRejitFlags, uint32_t cFunctions,
                                     ModuleID* moduleIds, mdMethodDef* methodIds) override;
    HRESULT RequestRevert(uint32_t cFunctions, ModuleID* moduleIds, mdMethodDef* methodIds,
                          HRESULT* status) override;

    // Types and modules
    HRESULT GetClassFromObject(ObjectID objectId, ClassID* pClassId) override;
    HRESULT IsArrayClass(ClassID classId, CorElementType* pBaseElemType, ClassID* pBaseClassId,
                         uint32_t* pcRank) override;
    HRESULT GetClassIDInfo(ClassID classId, ModuleID* pModuleId, mdTypeDef* pTypeDefToken) override;
    HRESULT GetClassIDInfo2(ClassID classId, ModuleID* pModuleId, mdTypeDef* pTypeDefToken,
                            ClassID* pParentClassId, uint32_t cNumTypeArgs, uint32_t* pcNumTypeArgs,
                            ClassID* typeArgs) override;
    HRESULT GetModuleInfo(ModuleID moduleId, const uint8_t** ppBaseLoadAddress, uint32_t cchName,
                          uint32_t* pcchName, char16_t* szName, AssemblyID* pAssemblyId) override;
    HRESULT GetModuleInfo2(ModuleID moduleId, const uint8_t** ppBaseLoadAddress, uint32_t cchName,
                           uint32_t* pcchName, char16_t* szName, AssemblyID* pAssemblyId,
                           uint32_t* pdwModuleFlags) override;
    HRESULT GetModuleMetaData(ModuleID moduleId, uint32_t dwOpenFlags, const Guid& riid,
                              IUnknown** ppOut) override;
    HRESULT EnumModules(ICorProfilerModuleEnum** ppEnum) override;

    // Threads and the runtime itself
    HRESULT GetCurrentThreadID(ThreadID* pThreadId) override;
    HRESULT GetThreadInfo(ThreadID threadId, uint32_t* pdwWin32ThreadId) override;
    HRESULT EnumThreads(ICorProfilerThreadEnum** ppEnum) override;
    HRESULT InitializeCurrentThread() override { return kOk; }
    HRESULT GetRuntimeInformation(uint16_t* pClrInstanceId, COR_PRF_RUNTIME_TYPE* pRuntimeType,
                                  uint16_t* pMajorVersion, uint16_t* pMinorVersion,
                                  uint16_t* pBuildNumber, uint16_t* pQFEVersion,
                                  uint32_t cchVersionString, uint32_t* pcchVersionString,
                                  char16_t* szVersionString) override;
    HRESULT SuspendRuntime() override { return kOk; }
    HRESULT ResumeRuntime() override { return kOk; }

  private:
    FakeRuntime& runtime_;
    std::atomic<Phase> phase_{Phase::kBeforeInitialize};
    std::atomic<uint32_t> events_low_{0};
    std::atomic<uint32_t> events_high_{0};
    std::atomic<bool> attached_{false};
    std::atomic<bool> detach_requested_{false};
    bool hooks_set_ = false;  ///< written during Initialize only, as are the slots
    SlowHooks slow_hooks_;
    HookSlots slots_{umbra_fakeclr_no_hook, umbra_fakeclr_no_hook, umbra_fakeclr_no_hook};
    mutable std::mutex mapper_mutex_;
    FunctionIDMapper* mapper_ = nullptr;
    FunctionIDMapper2* mapper2_ = nullptr;
    void* mapper_data_ = nullptr;
};

}  // namespace umbra::fakeclr
