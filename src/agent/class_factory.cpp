// SPDX-License-Identifier: MIT
// DllGetClassObject: the one door through which a runtime finds the agent.
#include <new>

#include "src/agent/profiler.h"
#include "src/agent/sampling/sampling_profiler.h"
#include "src/clr/com.h"
#include "src/protocol/environment.h"

namespace umbra::agent {
namespace {

constexpr Guid kProfiler = guid(protocol::kProfilerClsid);
constexpr Guid kSampler = guid(protocol::kSamplerClsid);

/// Stateless; one of each for the process, without a lifetime to count.
template <typename Class>
class ClassFactory final : public clr::IClassFactory {
  public:
    clr::HRESULT QueryInterface(const Guid& riid, void** ppv) override {
        if (ppv == nullptr) {
            return clr::kPointer;
        }
        if (riid == clr::IUnknown::kIid || riid == clr::IClassFactory::kIid) {
            *ppv = this;
            return clr::kOk;
        }
        *ppv = nullptr;
        return clr::kNoInterface;
    }
    uint32_t AddRef() override { return 1; }
    uint32_t Release() override { return 1; }

    clr::HRESULT CreateInstance(clr::IUnknown* outer, const Guid& riid, void** ppv) override {
        if (ppv == nullptr) {
            return clr::kPointer;
        }
        *ppv = nullptr;
        if (outer != nullptr) {
            return clr::kNoAggregation;
        }
        auto* made = new (std::nothrow) Class;
        if (made == nullptr) {
            return clr::kFail;
        }
        made->AddRef();
        const clr::HRESULT status = made->QueryInterface(riid, ppv);
        made->Release();  // the last one, where it has no such interface
        return status;
    }
    clr::HRESULT LockServer(int32_t /*lock*/) override { return clr::kOk; }
};

constinit ClassFactory<Profiler> g_profilers;
constinit ClassFactory<SamplingProfiler> g_samplers;

}  // namespace
}  // namespace umbra::agent

extern "C" __attribute__((visibility("default"))) umbra::clr::HRESULT DllGetClassObject(
    const umbra::Guid& clsid, const umbra::Guid& riid, void** ppv) {
    using namespace umbra;  // NOLINT(google-build-using-namespace): one function
    if (ppv == nullptr) {
        return clr::kPointer;
    }
    *ppv = nullptr;
    return clsid == agent::kProfiler  ? agent::g_profilers.QueryInterface(riid, ppv)
           : clsid == agent::kSampler ? agent::g_samplers.QueryInterface(riid, ppv)
                                      : clr::kClassNotAvailable;
}
