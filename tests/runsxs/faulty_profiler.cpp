// SPDX-License-Identifier: MIT
#include "tests/runsxs/faulty_profiler.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <unistd.h>

#include "src/clr/callback.h"
#include "src/clr/info.h"
#include "src/fakeclr/call_stub.h"

namespace umbra::runsxs {
namespace {

using clr::FunctionID;
using clr::HRESULT;
using clr::ICorProfilerInfo5;

// A hook may change no register: this is a bare return.
const fakeclr::Hook no_hook = fakeclr::umbra_fakeclr_no_hook;

// What is wrong with a profiler of several instances is mostly what they have in common.
std::atomic<ICorProfilerInfo5*> g_first_info{nullptr};
std::atomic<FunctionID> g_a_function{0};
std::atomic<int> g_instances{0};
int g_data = 0;

class Profiler final : public clr::ICorProfilerCallback11 {
  public:
    explicit Profiler(Wrong wrong) : wrong_(wrong) {}

    HRESULT QueryInterface(const Guid& riid, void** ppv) override {
        const bool known = riid == clr::IUnknown::kIid || riid == clr::ICorProfilerCallback::kIid ||
                           riid == clr::ICorProfilerCallback2::kIid ||
                           riid == clr::ICorProfilerCallback3::kIid ||
                           riid == clr::ICorProfilerCallback4::kIid;
        if (!known && wrong_ != Wrong::kHasEverything) {
            return clr::kNoInterface;
        }
        references_ += wrong_ == Wrong::kUncounted ? 0 : 1;
        *ppv = static_cast<clr::ICorProfilerCallback11*>(this);
        return clr::kOk;
    }
    uint32_t AddRef() override { return ++references_; }
    uint32_t Release() override { return --references_; }  // kept: some calls come late

    HRESULT Initialize(clr::IUnknown* unknown) override {
        const bool second = g_instances.fetch_add(1) == 1;
        if (second) {
            do_as_second();
        }
        if (clr::failed(unknown->QueryInterface(ICorProfilerInfo5::kIid,
                                                reinterpret_cast<void**>(&info_)))) {
            return clr::kProfilerCancelActivation;
        }
        ICorProfilerInfo5* none = nullptr;
        g_first_info.compare_exchange_strong(none, info_);
        if (wrong_ == Wrong::kPrints) {
            std::puts("loaded");
        }
        if (wrong_ == Wrong::kReleasesTooOften) {
            info_->Release();
            info_->Release();
        }
        if (second && refuses_second()) {
            return refuse();
        }
        return take();
    }

    HRESULT InitializeForAttach(clr::IUnknown* unknown, void* /*data*/,
                                uint32_t /*size*/) override {
        return unknown->QueryInterface(ICorProfilerInfo5::kIid, reinterpret_cast<void**>(&info_));
    }
    HRESULT ProfilerAttachComplete() override { return info_->RequestProfilerDetach(100); }
    HRESULT ProfilerDetachSucceeded() override {
        if (wrong_ == Wrong::kInfoAfterDetach) {
            std::thread([info = info_] {
                for (int i = 0; i < 1'000; ++i) {
                    uint32_t mask = 0;
                    info->GetEventMask(&mask);
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
            }).detach();
        }
        if (wrong_ != Wrong::kKeepsDetachedInfo) {
            info_->Release();
        }
        return clr::kOk;
    }

    HRESULT Shutdown() override {
        shut_down_ = true;
        return clr::kOk;
    }

    HRESULT JITCompilationStarted(FunctionID function, int32_t /*safe*/) override {
        if (wrong_ == Wrong::kThrows) {
            throw std::runtime_error("no");
        }
        if (shut_down_ && wrong_ != Wrong::kInfoAfterShutdown) {
            return clr::kOk;
        }
        FunctionID none = 0;
        g_a_function.compare_exchange_strong(none, function);
        ICorProfilerInfo5& info = wrong_ == Wrong::kFirstInfo ? *g_first_info.load() : *info_;
        clr::ModuleID module = 0;
        clr::mdToken token = 0;
        clr::ClassID type = 0;
        info.GetFunctionInfo(wrong_ == Wrong::kOthersId ? g_a_function.load() : function, &type,
                             &module, &token);
        return clr::kOk;
    }

  private:
    [[nodiscard]] bool refuses_second() const {
        return wrong_ == Wrong::kKeepsRefusedInfo || wrong_ == Wrong::kTouchesRefused ||
               wrong_ == Wrong::kFirstOnly;
    }

    void do_as_second() const {
        if (wrong_ == Wrong::kCrashes) {
            std::abort();
        }
        if (wrong_ == Wrong::kExits) {
            _exit(3);
        }
        while (wrong_ == Wrong::kWaits) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
        }
    }

    HRESULT refuse() {
        if (wrong_ == Wrong::kTouchesRefused) {
            info_->SetEventMask(clr::COR_PRF_MONITOR_JIT_COMPILATION);
        }
        if (wrong_ != Wrong::kKeepsRefusedInfo) {
            info_->Release();
        }
        return clr::kProfilerCancelActivation;
    }

    HRESULT take() {
        info_->SetEventMask(clr::COR_PRF_MONITOR_JIT_COMPILATION | clr::COR_PRF_MONITOR_ENTERLEAVE);
        info_->SetFunctionIDMapper2(&map, wrong_ == Wrong::kOneClientData
                                              ? static_cast<void*>(&g_data)
                                              : static_cast<void*>(this));
        info_->SetEnterLeaveFunctionHooks3(reinterpret_cast<clr::FunctionEnter3*>(no_hook),
                                           reinterpret_cast<clr::FunctionLeave3*>(no_hook),
                                           reinterpret_cast<clr::FunctionTailcall3*>(no_hook));
        return clr::kOk;
    }

    static uintptr_t map(FunctionID function, void* data, int32_t* hook) {
        *hook = 1;
        const bool none =
            data != &g_data && static_cast<Profiler*>(data)->wrong_ == Wrong::kNoClientId;
        return none ? 0 : function;
    }

    const Wrong wrong_;
    std::atomic<uint32_t> references_{0};
    ICorProfilerInfo5* info_ = nullptr;
    std::atomic<bool> shut_down_{false};
};

class Factory final : public clr::IClassFactory {
  public:
    explicit Factory(Wrong wrong) : wrong_(wrong) {}

    HRESULT QueryInterface(const Guid& /*riid*/, void** ppv) override {
        *ppv = this;
        return clr::kOk;
    }
    uint32_t AddRef() override { return 1; }
    uint32_t Release() override { return 1; }
    HRESULT CreateInstance(clr::IUnknown* /*outer*/, const Guid& riid, void** ppv) override {
        auto* profiler = new Profiler(wrong_);
        const HRESULT status = profiler->QueryInterface(riid, ppv);
        return status;
    }
    HRESULT LockServer(int32_t /*lock*/) override { return clr::kOk; }

  private:
    const Wrong wrong_;
};

}  // namespace
}  // namespace umbra::runsxs

extern "C" __attribute__((visibility("default"))) umbra::clr::HRESULT DllGetClassObject(
    const umbra::Guid& clsid, const umbra::Guid& riid, void** ppv) {
    auto* factory = new umbra::runsxs::Factory(static_cast<umbra::runsxs::Wrong>(clsid.data1));
    return factory->QueryInterface(riid, ppv);
}
