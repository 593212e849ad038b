// SPDX-License-Identifier: MIT
// Answers of ICorProfilerInfo, with the errors the CLR gives at the wrong moment.
#include "src/fakeclr/fake_info.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "src/fakeclr/fake_enum.h"
#include "src/fakeclr/fake_metadata.h"
#include "src/fakeclr/fake_runtime.h"
#include "src/fakeclr/il_code.h"

namespace umbra::fakeclr {
namespace {

// Flags whose change after Initialize is refused (corprof.idl: COR_PRF_MONITOR_IMMUTABLE), by the
// values of .NET 9; .NET 10 is laxer about two of them.
constexpr uint32_t kImmutableLow = 0xeef8cc00;
constexpr uint32_t kImmutableHigh = clr::COR_PRF_HIGH_DISABLE_TIERED_COMPILATION;
// ENABLE_FUNCTION_ARGS, _RETVAL and _FRAME_INFO: they need the slow hooks.
constexpr uint32_t kSlowHookFlags = 0x0e000000;

constexpr HRESULT kRejitNotEnabled = clr::corprof_error(0x137c);
constexpr HRESULT kIrreversibleInstrumentation = clr::corprof_error(0x1370);
constexpr HRESULT kFunctionNotIl = clr::corprof_error(0x1354);
constexpr HRESULT kNotManagedThread = clr::corprof_error(0x1355);
constexpr uint32_t kBlockInlining = 1;

thread_local const COR_PRF_EX_CLAUSE_INFO* notified_clause = nullptr;

/// Fills as many ids as fit and says how many there are.
void copy_ids(const std::vector<FakeType*>& types, uint32_t capacity, uint32_t* count,
              ClassID* ids) {
    put(count, static_cast<uint32_t>(types.size()));
    if (ids != nullptr) {
        std::transform(
            types.begin(),
            types.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(capacity, types.size())),
            ids, [](const FakeType* type) { return type->id(); });
    }
}

template <typename Interface, typename Item>
HRESULT hand_out(Interface** out, std::vector<Item> items) {
    if (out == nullptr) {
        return kPointer;
    }
    *out = new FakeEnum<Interface, Item>(std::move(items));
    return kOk;
}

}  // namespace

uintptr_t FakeInfo::map_function(FunctionID function, bool& hook, bool& asked) const {
    FunctionIDMapper* mapper = nullptr;
    FunctionIDMapper2* mapper2 = nullptr;
    void* data = nullptr;
    {
        const std::lock_guard lock(mapper_mutex_);
        mapper = mapper_;
        mapper2 = mapper2_;
        data = mapper_data_;
    }
    int32_t answer = 1;
    uintptr_t id = function;
    asked = mapper != nullptr || mapper2 != nullptr;
    if (mapper2 != nullptr) {
        id = mapper2(function, data, &answer);
    } else if (mapper != nullptr) {
        id = mapper(function, &answer);
    }
    hook = answer != 0;
    return id;
}

void FakeInfo::set_phase(Phase phase) {
    attached_ = attached_ || phase == Phase::kAttaching;
    phase_.store(phase);
}

HRESULT FakeInfo::QueryInterface(const Guid& riid, void** ppv) {
    constexpr std::array kVersions = {
        &IUnknown::kIid,
        &clr::ICorProfilerInfo::kIid,
        &clr::ICorProfilerInfo2::kIid,
        &clr::ICorProfilerInfo3::kIid,
        &clr::ICorProfilerInfo4::kIid,
        &clr::ICorProfilerInfo5::kIid,
        &clr::ICorProfilerInfo6::kIid,
        &clr::ICorProfilerInfo7::kIid,
        &clr::ICorProfilerInfo8::kIid,
        &clr::ICorProfilerInfo9::kIid,
        &clr::ICorProfilerInfo10::kIid,
        &clr::ICorProfilerInfo11::kIid,
        &clr::ICorProfilerInfo12::kIid,
        &clr::ICorProfilerInfo13::kIid,
        &clr::ICorProfilerInfo14::kIid,
        &clr::ICorProfilerInfo15::kIid,
    };
    if (ppv == nullptr) {
        return kPointer;
    }
    const bool known =
        std::ranges::any_of(kVersions, [&](const Guid* version) { return *version == riid; });
    *ppv = known ? static_cast<ICorProfilerInfo15*>(this) : nullptr;
    return known ? kOk : kNoInterface;
}

HRESULT FakeInfo::GetEventMask(uint32_t* pdwEvents) {
    put(pdwEvents, events_low());
    return kOk;
}

HRESULT FakeInfo::SetEventMask(uint32_t dwEvents) {
    return SetEventMask2(dwEvents, events_high());
}

HRESULT FakeInfo::GetEventMask2(uint32_t* pdwEventsLow, uint32_t* pdwEventsHigh) {
    put(pdwEventsLow, events_low());
    put(pdwEventsHigh, events_high());
    return kOk;
}

HRESULT FakeInfo::SetEventMask2(uint32_t dwEventsLow, uint32_t dwEventsHigh) {
    const uint32_t changed_low = dwEventsLow ^ events_low();
    const uint32_t changed_high = dwEventsHigh ^ events_high();
    if (phase_.load() == Phase::kRunning &&
        ((changed_low & kImmutableLow) != 0 || (changed_high & kImmutableHigh) != 0)) {
        return kFail;
    }
    const bool unfit_for_hooks =
        (dwEventsLow & kSlowHookFlags) != 0 || (dwEventsLow & clr::COR_PRF_MONITOR_ENTERLEAVE) == 0;
    if (phase_.load() == Phase::kInitializing && hooks_set_ && unfit_for_hooks) {
        return kInconsistentWithFlags;
    }
    events_low_ = dwEventsLow;
    events_high_ = dwEventsHigh;
    return kOk;
}

HRESULT FakeInfo::SetFunctionIDMapper(FunctionIDMapper* pFunc) {
    const std::lock_guard lock(mapper_mutex_);
    mapper_ = pFunc;
    return kOk;
}

HRESULT FakeInfo::SetFunctionIDMapper2(FunctionIDMapper2* pFunc, void* clientData) {
    const std::lock_guard lock(mapper_mutex_);
    mapper2_ = pFunc;
    mapper_data_ = clientData;
    return kOk;
}

HRESULT FakeInfo::SetEnterLeaveFunctionHooks3(FunctionEnter3* pFuncEnter3,
                                              FunctionLeave3* pFuncLeave3,
                                              FunctionTailcall3* pFuncTailcall3) {
    if (pFuncEnter3 == nullptr && pFuncLeave3 == nullptr && pFuncTailcall3 == nullptr) {
        return kInvalidArgument;
    }
    if (phase_.load() != Phase::kInitializing) {
        return kCallOnlyFromInit;
    }
    if ((events_low() & kSlowHookFlags) != 0) {
        return kInconsistentWithFlags;
    }
    const auto slot = [](auto* hook) {
        return hook == nullptr ? umbra_fakeclr_no_hook : reinterpret_cast<Hook>(hook);
    };
    slots_ = {slot(pFuncEnter3), slot(pFuncLeave3), slot(pFuncTailcall3)};
    hooks_set_ = true;
    return kOk;
}

HRESULT FakeInfo::SetEnterLeaveFunctionHooks3WithInfo(
    FunctionEnter3WithInfo* pFuncEnter3WithInfo, FunctionLeave3WithInfo* pFuncLeave3WithInfo,
    FunctionTailcall3WithInfo* pFuncTailcall3WithInfo) {
    if (phase_.load() != Phase::kInitializing) {
        return kCallOnlyFromInit;
    }
    slow_hooks_ = {pFuncEnter3WithInfo, pFuncLeave3WithInfo, pFuncTailcall3WithInfo};
    return kOk;
}

HRESULT FakeInfo::RequestProfilerDetach(uint32_t /*dwExpectedCompletionMilliseconds*/) {
    if (hooks_set_ || (events_low() & clr::COR_PRF_ENABLE_REJIT) != 0) {
        return kIrreversibleInstrumentation;
    }
    detach_requested_ = attached_.load();
    return attached_ ? kOk : kNotImplemented;
}

HRESULT FakeInfo::GetFunctionInfo(FunctionID functionId, ClassID* pClassId, ModuleID* pModuleId,
                                  mdToken* pToken) {
    const FakeMethod* method = runtime_.model().method(functionId);
    if (method == nullptr) {
        return kInvalidArgument;
    }
    // Shared generic code does not know its exact class without a frame.
    put(pClassId, method->type->type_arguments.empty() ? method->type->id() : ClassID{0});
    put(pModuleId, method->type->module->id());
    put(pToken, method->token);
    return kOk;
}

HRESULT FakeInfo::GetFunctionInfo2(FunctionID funcId, COR_PRF_FRAME_INFO /*frameInfo*/,
                                   ClassID* pClassId, ModuleID* pModuleId, mdToken* pToken,
                                   uint32_t cTypeArgs, uint32_t* pcTypeArgs, ClassID* typeArgs) {
    const FakeMethod* method = runtime_.model().method(funcId);
    if (method == nullptr) {
        return kInvalidArgument;
    }
    put(pClassId, method->type->id());
    put(pModuleId, method->type->module->id());
    put(pToken, method->token);
    copy_ids(method->type_arguments, cTypeArgs, pcTypeArgs, typeArgs);
    return kOk;
}

HRESULT FakeInfo::GetFunctionFromToken(ModuleID moduleId, mdToken token, FunctionID* pFunctionId) {
    const auto methods = runtime_.model().methods_of(moduleId, token);
    if (methods.empty()) {
        return kInvalidArgument;
    }
    put(pFunctionId, methods.front()->id);
    return kOk;
}

HRESULT FakeInfo::GetTokenAndMetaDataFromFunction(FunctionID functionId, const Guid& riid,
                                                  IUnknown** ppImport, mdToken* pToken) {
    const FakeMethod* method = runtime_.model().method(functionId);
    if (method == nullptr) {
        return kInvalidArgument;
    }
    put(pToken, method->token);
    return ppImport == nullptr ? kOk
                               : method->type->module->metadata->QueryInterface(
                                     riid, reinterpret_cast<void**>(ppImport));
}

HRESULT FakeInfo::GetILFunctionBody(ModuleID moduleId, mdMethodDef methodId,
                                    const uint8_t** ppMethodHeader, uint32_t* pcbMethodSize) {
    const auto methods = runtime_.model().methods_of(moduleId, methodId);
    if (methods.empty()) {
        return kInvalidArgument;
    }
    const il::Bytes body = own_il(methods.front()->signature);
    put(ppMethodHeader, body.data());
    put(pcbMethodSize, static_cast<uint32_t>(body.size()));
    return body.empty() ? kFunctionNotIl : kOk;
}

void FakeInfo::set_notified_clause(const COR_PRF_EX_CLAUSE_INFO* clause) {
    notified_clause = clause;
}

HRESULT FakeInfo::GetNotifiedExceptionClauseInfo(COR_PRF_EX_CLAUSE_INFO* pinfo) {
    if (notified_clause == nullptr) {
        return kFalse;
    }
    put(pinfo, *notified_clause);
    return kOk;
}

HRESULT FakeInfo::IsFunctionDynamic(FunctionID functionId, int32_t* isDynamic) {
    put(isDynamic, int32_t{0});
    return runtime_.model().method(functionId) == nullptr ? kInvalidArgument : kOk;
}

HRESULT FakeInfo::EnumJITedFunctions(ICorProfilerFunctionEnum** ppEnum) {
    return EnumJITedFunctions2(ppEnum);
}

HRESULT FakeInfo::EnumJITedFunctions2(ICorProfilerFunctionEnum** ppEnum) {
    std::vector<clr::COR_PRF_FUNCTION> functions;
    for (const FakeMethod* method : runtime_.model().compiled_methods()) {
        functions.push_back({method->id, 0});
    }
    return hand_out(ppEnum, std::move(functions));
}

HRESULT FakeInfo::RequestReJIT(uint32_t cFunctions, ModuleID* moduleIds, mdMethodDef* methodIds) {
    if ((events_low() & clr::COR_PRF_ENABLE_REJIT) == 0) {
        return kRejitNotEnabled;
    }
    HRESULT result = kOk;
    for (uint32_t i = 0; i < cFunctions; ++i) {
        const HRESULT one = runtime_.request_rejit(moduleIds[i], methodIds[i]);
        result = failed(one) ? one : result;
    }
    return result;
}

HRESULT FakeInfo::RequestReJITWithInliners(uint32_t dwRejitFlags, uint32_t cFunctions,
                                           ModuleID* moduleIds, mdMethodDef* methodIds) {
    return (dwRejitFlags & kBlockInlining) == 0 ? kInvalidArgument
                                                : RequestReJIT(cFunctions, moduleIds, methodIds);
}

HRESULT FakeInfo::RequestRevert(uint32_t cFunctions, ModuleID* moduleIds, mdMethodDef* methodIds,
                                HRESULT* status) {
    if ((events_low() & clr::COR_PRF_ENABLE_REJIT) == 0) {
        return kRejitNotEnabled;
    }
    HRESULT result = kOk;
    for (uint32_t i = 0; i < cFunctions; ++i) {
        const HRESULT one = runtime_.revert(moduleIds[i], methodIds[i]);
        if (status != nullptr) {
            status[i] = one;
        }
        result = failed(one) ? kFalse : result;
    }
    return result;
}

HRESULT FakeInfo::GetClassFromObject(ObjectID objectId, ClassID* pClassId) {
    const auto* object = reinterpret_cast<const FakeObject*>(objectId);
    if (object == nullptr) {
        return kInvalidArgument;
    }
    put(pClassId, object->type->id());
    return kOk;
}

HRESULT FakeInfo::IsArrayClass(ClassID classId, CorElementType* pBaseElemType,
                               ClassID* pBaseClassId, uint32_t* pcRank) {
    const FakeType* type = runtime_.model().type(classId);
    if (type == nullptr || type->element == nullptr) {
        return type == nullptr ? kInvalidArgument : kFalse;
    }
    put(pBaseElemType, clr::ELEMENT_TYPE_CLASS);
    put(pBaseClassId, type->element->id());
    put(pcRank, type->rank);
    return kOk;
}

HRESULT FakeInfo::GetClassIDInfo(ClassID classId, ModuleID* pModuleId, mdTypeDef* pTypeDefToken) {
    return GetClassIDInfo2(classId, pModuleId, pTypeDefToken, nullptr, 0, nullptr, nullptr);
}

HRESULT FakeInfo::GetClassIDInfo2(ClassID classId, ModuleID* pModuleId, mdTypeDef* pTypeDefToken,
                                  ClassID* pParentClassId, uint32_t cNumTypeArgs,
                                  uint32_t* pcNumTypeArgs, ClassID* typeArgs) {
    const FakeType* type = runtime_.model().type(classId);
    if (type == nullptr) {
        return kInvalidArgument;
    }
    if (type->element != nullptr) {
        return clr::kClassIdIsArray;
    }
    put(pModuleId, type->module->id());
    put(pTypeDefToken, type->token);
    put(pParentClassId, ClassID{0});
    copy_ids(type->type_arguments, cNumTypeArgs, pcNumTypeArgs, typeArgs);
    return kOk;
}

HRESULT FakeInfo::GetModuleInfo(ModuleID moduleId, const uint8_t** ppBaseLoadAddress,
                                uint32_t cchName, uint32_t* pcchName, char16_t* szName,
                                AssemblyID* pAssemblyId) {
    return GetModuleInfo2(moduleId, ppBaseLoadAddress, cchName, pcchName, szName, pAssemblyId,
                          nullptr);
}

HRESULT FakeInfo::GetModuleInfo2(ModuleID moduleId, const uint8_t** ppBaseLoadAddress,
                                 uint32_t cchName, uint32_t* pcchName, char16_t* szName,
                                 AssemblyID* pAssemblyId, uint32_t* pdwModuleFlags) {
    const FakeModule* module = runtime_.model().module(moduleId);
    if (module == nullptr) {
        return kInvalidArgument;
    }
    put(ppBaseLoadAddress, reinterpret_cast<const uint8_t*>(module));
    copy_text(module->path.data(), module->path.size(), szName, cchName, pcchName);
    put(pAssemblyId, module->assembly_id());
    put(pdwModuleFlags, static_cast<uint32_t>(module->dynamic ? clr::COR_PRF_MODULE_DYNAMIC
                                                              : clr::COR_PRF_MODULE_DISK));
    return kOk;
}

HRESULT FakeInfo::GetModuleMetaData(ModuleID moduleId, uint32_t /*dwOpenFlags*/, const Guid& riid,
                                    IUnknown** ppOut) {
    const FakeModule* module = runtime_.model().module(moduleId);
    if (module == nullptr || ppOut == nullptr) {
        return kInvalidArgument;
    }
    return module->metadata->QueryInterface(riid, reinterpret_cast<void**>(ppOut));
}

HRESULT FakeInfo::EnumModules(ICorProfilerModuleEnum** ppEnum) {
    std::vector<ModuleID> ids;
    for (const FakeModule* module : runtime_.model().loaded_modules()) {
        ids.push_back(module->id());
    }
    return hand_out(ppEnum, std::move(ids));
}

HRESULT FakeInfo::GetCurrentThreadID(ThreadID* pThreadId) {
    const FakeThread* thread = runtime_.current_thread();
    if (thread == nullptr) {
        return kNotManagedThread;
    }
    put(pThreadId, thread->id());
    return kOk;
}

HRESULT FakeInfo::GetThreadInfo(ThreadID threadId, uint32_t* pdwWin32ThreadId) {
    const FakeThread* thread = runtime_.thread(threadId);
    if (thread == nullptr) {
        return kInvalidArgument;
    }
    put(pdwWin32ThreadId, thread->os_tid.load());
    return kOk;
}

HRESULT FakeInfo::EnumThreads(ICorProfilerThreadEnum** ppEnum) {
    std::vector<ThreadID> ids;
    for (const FakeThread* thread : runtime_.threads()) {
        ids.push_back(thread->id());
    }
    return hand_out(ppEnum, std::move(ids));
}

HRESULT FakeInfo::GetRuntimeInformation(uint16_t* pClrInstanceId,
                                        COR_PRF_RUNTIME_TYPE* pRuntimeType, uint16_t* pMajorVersion,
                                        uint16_t* pMinorVersion, uint16_t* pBuildNumber,
                                        uint16_t* pQFEVersion, uint32_t cchVersionString,
                                        uint32_t* pcchVersionString, char16_t* szVersionString) {
    const RuntimeVersion& version = runtime_.version();
    put(pClrInstanceId, uint16_t{0});
    put(pRuntimeType, clr::COR_PRF_CORE_CLR);
    put(pMajorVersion, version.major);
    put(pMinorVersion, version.minor);
    put(pBuildNumber, version.build);
    put(pQFEVersion, uint16_t{0});
    const std::u16string text =
        widen(std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
              std::to_string(version.build));
    copy_text(text.data(), text.size(), szVersionString, cchVersionString, pcchVersionString);
    return kOk;
}

}  // namespace umbra::fakeclr
