// SPDX-License-Identifier: MIT
// A profiler that counts and writes down what it is told: proves fakeclr without the real agent.
#include "tests/fakeclr/test_profiler.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "src/clr/callback.h"
#include "src/clr/metadata.h"

extern "C" {
void test_profiler_enter();
void test_profiler_leave();
void test_profiler_tailcall();
}

namespace umbra::fakeclr {
namespace {

static_assert(offsetof(FunctionCounters, enters) == 0 && offsetof(FunctionCounters, leaves) == 8 &&
              offsetof(FunctionCounters, tailcalls) == 16 &&
              offsetof(FunctionCounters, enter_caller_sp) == 24 &&
              offsetof(FunctionCounters, leave_caller_sp) == 32);

using clr::FunctionID;
using clr::HRESULT;
using clr::kOk;
using clr::ModuleID;
using clr::ObjectID;
using clr::ThreadID;

TestProfilerSettings next_settings;
TestProfiler* latest = nullptr;
std::atomic<int> live_instances{0};

std::string ascii(const char16_t* text, size_t size) {
    std::string out;
    for (size_t i = 0; i < size; ++i) {
        out.push_back(static_cast<char>(text[i]));
    }
    return out;
}

class Profiler final : public clr::ICorProfilerCallback11, public TestProfiler {
  public:
    Profiler() : settings_(next_settings) {
        latest = this;
        ++live_instances;
    }
    ~Profiler() { --live_instances; }

    HRESULT QueryInterface(const Guid& riid, void** ppv) override {
        constexpr const Guid* kVersions[] = {
            &clr::IUnknown::kIid,
            &clr::ICorProfilerCallback::kIid,
            &clr::ICorProfilerCallback2::kIid,
            &clr::ICorProfilerCallback3::kIid,
            &clr::ICorProfilerCallback4::kIid,
            &clr::ICorProfilerCallback5::kIid,
            &clr::ICorProfilerCallback6::kIid,
            &clr::ICorProfilerCallback7::kIid,
            &clr::ICorProfilerCallback8::kIid,
            &clr::ICorProfilerCallback9::kIid,
            &clr::ICorProfilerCallback10::kIid,
            &clr::ICorProfilerCallback11::kIid,
        };
        for (size_t i = 0; i < std::size(kVersions); ++i) {
            if (*kVersions[i] == riid) {
                note("QueryInterface " + std::to_string(i));
                AddRef();
                *ppv = static_cast<clr::ICorProfilerCallback11*>(this);
                return kOk;
            }
        }
        return clr::kNoInterface;
    }
    uint32_t AddRef() override { return ++references_; }
    uint32_t Release() override {
        const uint32_t left = --references_;
        if (left == 0) {
            delete this;
        }
        return left;
    }

    clr::ICorProfilerInfo15& info() override { return *info_; }
    std::vector<std::string> log() override {
        const std::lock_guard lock(mutex_);
        return log_;
    }
    void clear_log() override {
        const std::lock_guard lock(mutex_);
        log_.clear();
    }
    FunctionCounters counters(FunctionID function) override {
        const std::lock_guard lock(mutex_);
        const auto found = by_function_.find(function);
        return found == by_function_.end() ? FunctionCounters{} : *found->second;
    }

    HRESULT LoadAsNotificationOnly(int32_t* notification_only) override {
        note("LoadAsNotificationOnly");
        *notification_only = 0;
        return kOk;
    }
    HRESULT Initialize(clr::IUnknown* unknown) override {
        note("Initialize");
        void* info = nullptr;
        if (unknown->QueryInterface(clr::ICorProfilerInfo15::kIid, &info) != kOk) {
            return clr::kFail;
        }
        info_ = static_cast<clr::ICorProfilerInfo15*>(info);
        if (settings_.install_hooks) {
            if (info_->SetEventMask2(settings_.events_low, settings_.events_high) != kOk ||
                info_->SetFunctionIDMapper2(map, this) != kOk ||
                info_->SetEnterLeaveFunctionHooks3(
                    reinterpret_cast<clr::FunctionEnter3*>(test_profiler_enter),
                    reinterpret_cast<clr::FunctionLeave3*>(test_profiler_leave),
                    reinterpret_cast<clr::FunctionTailcall3*>(test_profiler_tailcall)) != kOk) {
                return clr::kFail;
            }
        }
        if (settings_.in_initialize) {
            settings_.in_initialize(*info_);
        }
        return settings_.initialize_answer;
    }
    HRESULT Shutdown() override { return note("Shutdown"); }
    HRESULT ModuleLoadStarted(ModuleID) override { return note("ModuleLoadStarted"); }
    HRESULT ModuleLoadFinished(ModuleID, HRESULT) override { return note("ModuleLoadFinished"); }
    HRESULT ModuleAttachedToAssembly(ModuleID, clr::AssemblyID) override {
        return note("ModuleAttachedToAssembly");
    }
    HRESULT ModuleUnloadStarted(ModuleID) override { return note("ModuleUnloadStarted"); }
    HRESULT ModuleUnloadFinished(ModuleID, HRESULT) override {
        return note("ModuleUnloadFinished");
    }
    HRESULT FunctionUnloadStarted(FunctionID id) override {
        return note("FunctionUnloadStarted " + name(id));
    }
    HRESULT JITCompilationStarted(FunctionID id, int32_t) override {
        note("JITCompilationStarted " + name(id));
        if (settings_.compiling) {
            settings_.compiling(*info_, true);
        }
        return kOk;
    }
    HRESULT JITCompilationFinished(FunctionID id, HRESULT, int32_t) override {
        if (settings_.compiling) {
            settings_.compiling(*info_, false);
        }
        return note("JITCompilationFinished " + name(id));
    }
    HRESULT JITCachedFunctionSearchStarted(FunctionID id, int32_t* use) override {
        *use = settings_.use_cached(id) ? 1 : 0;
        return note("JITCachedFunctionSearchStarted " + name(id));
    }
    HRESULT JITCachedFunctionSearchFinished(FunctionID id, clr::COR_PRF_JIT_CACHE) override {
        return note("JITCachedFunctionSearchFinished " + name(id));
    }
    HRESULT GetReJITParameters(ModuleID, clr::mdMethodDef,
                               clr::ICorProfilerFunctionControl* control) override {
        if (settings_.rejit) {
            settings_.rejit(*control);
        }
        return note("GetReJITParameters");
    }
    HRESULT ReJITCompilationStarted(FunctionID id, clr::ReJITID, int32_t) override {
        return note("ReJITCompilationStarted " + name(id));
    }
    HRESULT ReJITCompilationFinished(FunctionID id, clr::ReJITID, HRESULT, int32_t) override {
        return note("ReJITCompilationFinished " + name(id));
    }
    HRESULT ReJITError(ModuleID, clr::mdMethodDef, FunctionID id, HRESULT) override {
        return note("ReJITError " + name(id));
    }
    HRESULT ThreadCreated(ThreadID) override { return note("ThreadCreated"); }
    HRESULT ThreadAssignedToOSThread(ThreadID, uint32_t) override {
        return note("ThreadAssignedToOSThread");
    }
    HRESULT ThreadDestroyed(ThreadID) override { return note("ThreadDestroyed"); }
    HRESULT ThreadNameChanged(ThreadID, uint32_t size, char16_t* text) override {
        return note("ThreadNameChanged " + ascii(text, size));
    }
    HRESULT RuntimeSuspendStarted(clr::COR_PRF_SUSPEND_REASON) override {
        return note("RuntimeSuspendStarted");
    }
    HRESULT RuntimeSuspendFinished() override { return note("RuntimeSuspendFinished"); }
    HRESULT RuntimeResumeStarted() override { return note("RuntimeResumeStarted"); }
    HRESULT RuntimeResumeFinished() override { return note("RuntimeResumeFinished"); }
    HRESULT GarbageCollectionStarted(int32_t, int32_t*, clr::COR_PRF_GC_REASON) override {
        return note("GarbageCollectionStarted");
    }
    HRESULT GarbageCollectionFinished() override { return note("GarbageCollectionFinished"); }
    HRESULT ExceptionThrown(ObjectID object) override {
        clr::ClassID type = 0;
        info_->GetClassFromObject(object, &type);
        return note(type != 0 ? "ExceptionThrown" : "ExceptionThrown without a class");
    }
    HRESULT ExceptionSearchFunctionEnter(FunctionID id) override {
        return note("SearchFunctionEnter " + name(id));
    }
    HRESULT ExceptionSearchFunctionLeave() override { return note("SearchFunctionLeave"); }
    HRESULT ExceptionSearchFilterEnter(FunctionID id) override {
        return note("SearchFilterEnter " + name(id));
    }
    HRESULT ExceptionSearchFilterLeave() override { return note("SearchFilterLeave"); }
    HRESULT ExceptionSearchCatcherFound(FunctionID id) override {
        return note("SearchCatcherFound " + name(id));
    }
    HRESULT ExceptionUnwindFunctionEnter(FunctionID id) override {
        return note("UnwindFunctionEnter " + name(id));
    }
    HRESULT ExceptionUnwindFunctionLeave() override { return note("UnwindFunctionLeave"); }
    HRESULT ExceptionUnwindFinallyEnter(FunctionID id) override {
        return note("UnwindFinallyEnter " + name(id));
    }
    HRESULT ExceptionUnwindFinallyLeave() override { return note("UnwindFinallyLeave"); }
    HRESULT ExceptionCatcherEnter(FunctionID id, ObjectID) override {
        return note("CatcherEnter " + name(id));
    }
    HRESULT ExceptionCatcherLeave() override { return note("CatcherLeave"); }

  private:
    static uintptr_t map(FunctionID function, void* self, int32_t* hook) {
        return static_cast<Profiler*>(self)->map_function(function, hook);
    }

    uintptr_t map_function(FunctionID function, int32_t* hook) {
        note("Mapper " + name(function));
        *hook = settings_.hook(function) ? 1 : 0;
        const std::lock_guard lock(mutex_);
        auto& counters = by_function_[function];
        if (!counters) {
            counters = std::make_unique<FunctionCounters>();
        }
        return reinterpret_cast<uintptr_t>(counters.get());
    }

    HRESULT note(std::string event) {
        const std::lock_guard lock(mutex_);
        log_.push_back(std::move(event));
        return kOk;
    }

    /// The method's own name, through the metadata interface.
    std::string name(FunctionID function) {
        clr::ModuleID module = 0;
        clr::mdToken token = 0;
        clr::ComPtr<clr::IUnknown> unknown;
        clr::ComPtr<clr::IMetaDataImport2> metadata;
        char16_t text[64];
        uint32_t size = 0;
        if (info_->GetFunctionInfo(function, nullptr, &module, &token) != kOk ||
            info_->GetModuleMetaData(module, 0, clr::IMetaDataImport2::kIid, unknown.put()) !=
                kOk ||
            unknown->QueryInterface(clr::IMetaDataImport2::kIid, metadata.put_void()) != kOk ||
            metadata->GetMethodProps(token, nullptr, text, 64, &size, nullptr, nullptr, nullptr,
                                     nullptr, nullptr) != kOk) {
            return "?";
        }
        return ascii(text, size - 1);
    }

    TestProfilerSettings settings_;
    std::atomic<uint32_t> references_{1};
    clr::ICorProfilerInfo15* info_ = nullptr;
    std::mutex mutex_;
    std::vector<std::string> log_;
    std::unordered_map<FunctionID, std::unique_ptr<FunctionCounters>> by_function_;
};

class Factory final : public clr::IClassFactory {
  public:
    HRESULT QueryInterface(const Guid&, void** ppv) override {
        *ppv = this;
        return kOk;
    }
    uint32_t AddRef() override { return 1; }
    uint32_t Release() override { return 1; }
    HRESULT CreateInstance(clr::IUnknown*, const Guid& riid, void** ppv) override {
        auto* profiler = new Profiler();
        const HRESULT hr = profiler->QueryInterface(riid, ppv);
        profiler->Release();
        return hr;
    }
    HRESULT LockServer(int32_t) override { return kOk; }
};

Factory factory;

}  // namespace
}  // namespace umbra::fakeclr

#define UMBRA_TEST_EXPORT extern "C" __attribute__((visibility("default")))

UMBRA_TEST_EXPORT umbra::clr::HRESULT DllGetClassObject(const umbra::Guid& /*clsid*/,
                                                        const umbra::Guid& riid, void** ppv) {
    return umbra::fakeclr::factory.QueryInterface(riid, ppv);
}
UMBRA_TEST_EXPORT void test_profiler_set(const umbra::fakeclr::TestProfilerSettings& settings) {
    umbra::fakeclr::next_settings = settings;
}
UMBRA_TEST_EXPORT umbra::fakeclr::TestProfiler* test_profiler_latest() {
    return umbra::fakeclr::latest;
}
UMBRA_TEST_EXPORT int test_profiler_live() {
    return umbra::fakeclr::live_instances;
}
