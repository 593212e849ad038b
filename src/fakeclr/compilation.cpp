// SPDX-License-Identifier: MIT
// FakeRuntime's compiler: which code a method has, and what the profiler hears of its compilation.
#include <memory>
#include <utility>

#include "src/fakeclr/fake_metadata.h"
#include "src/fakeclr/fake_runtime.h"
#include "src/fakeclr/il_code.h"

namespace umbra::fakeclr {
namespace {

constexpr int32_t kTrue = 1;
constexpr auto kInvalidProgram = static_cast<HRESULT>(0x8013153a);  // COR_E_INVALIDPROGRAM

/// What GetReJITParameters is given.
class FunctionControl final : public ICorProfilerFunctionControl {
  public:
    HRESULT QueryInterface(const Guid& riid, void** ppv) override {
        const bool known = riid == IUnknown::kIid || riid == ICorProfilerFunctionControl::kIid;
        *ppv = known ? this : nullptr;
        return known ? kOk : kNoInterface;
    }
    uint32_t AddRef() override { return 1; }
    uint32_t Release() override { return 1; }
    HRESULT SetCodegenFlags(uint32_t /*flags*/) override { return kOk; }
    HRESULT SetILFunctionBody(uint32_t size, const uint8_t* header) override {
        if (size == 0 || header == nullptr) {
            return kInvalidArgument;
        }
        body_.assign(header, header + size);
        return kOk;
    }
    HRESULT SetILInstrumentedCodeMap(uint32_t /*size*/, clr::COR_IL_MAP* /*entries*/) override {
        return kOk;
    }

    /// Empty: the method's own.
    [[nodiscard]] const Blob& body() const { return body_; }

  private:
    Blob body_;
};

}  // namespace

bool FakeRuntime::use_precompiled(FakeMethod& method, bool& search) {
    const FakeModule& module = *method.type->module;
    search = method.precompiled && module.has_precompiled_code && !module.image_rejected;
    if (!search) {
        return false;
    }
    int32_t use = kTrue;
    if (auto* profiler = listener(clr::COR_PRF_MONITOR_CACHE_SEARCHES)) {
        profiler->JITCachedFunctionSearchStarted(method.id, &use);
    }
    return use != 0;
}

std::shared_ptr<const IlCode> FakeRuntime::code_of(FakeMethod& method, const Blob& body) {
    if (body.empty()) {
        return nullptr;
    }
    FakeMetadata& metadata = *method.type->module->metadata;
    Result<IlCode> code = IlCode::parse(body, [&metadata](uint32_t token) -> il::Bytes {
        const uint8_t* blob = nullptr;
        uint32_t bytes = 0;
        return succeeded(metadata.GetSigFromToken(token, &blob, &bytes)) ? il::Bytes(blob, bytes)
                                                                         : il::Bytes();
    });
    if (!code) {
        callback4_->ReJITError(method.type->module->id(), method.token, method.id, kInvalidProgram);
        return nullptr;
    }
    return std::make_shared<const IlCode>(*std::move(code));
}

const CompiledBody& FakeRuntime::compile(FakeMethod& method) {
    const bool first = method.body.load(std::memory_order_acquire) == nullptr;
    const bool rejit = method.rejit_requested.exchange(false) && callback4_;
    bool searched = false;
    if (first && !rejit && use_precompiled(method, searched)) {
        if (auto* profiler = listener(clr::COR_PRF_MONITOR_CACHE_SEARCHES)) {
            profiler->JITCachedFunctionSearchFinished(method.id,
                                                      clr::COR_PRF_CACHED_FUNCTION_FOUND);
        }
        return publish(method, {.precompiled = true}, false);
    }

    const ReJITID rejit_id = rejit ? next_rejit_id_.fetch_add(1) : 0;
    const ModuleID module = method.type->module->id();
    std::shared_ptr<const IlCode> il;
    if (rejit) {
        FunctionControl control;
        callback4_->GetReJITParameters(module, method.token, &control);
        il = code_of(method, control.body());
        callback4_->ReJITCompilationStarted(method.id, rejit_id, kTrue);
    } else if (auto* profiler = listener(clr::COR_PRF_MONITOR_JIT_COMPILATION)) {
        profiler->JITCompilationStarted(method.id, kTrue);
    }
    CompiledBody body;
    body.il = std::move(il);
    if ((info_.events_low() & clr::COR_PRF_MONITOR_ENTERLEAVE) != 0 && active_.load()) {
        body.client_id = info_.map_function(method.id, body.hooked, body.mapper_asked);
    }
    // Published first: Finished may look at the code, as EnumJITedFunctions would.
    const CompiledBody& published = publish(method, body, rejit);
    if (rejit) {
        callback4_->ReJITCompilationFinished(method.id, rejit_id, kOk, kTrue);
    } else if (auto* profiler = listener(clr::COR_PRF_MONITOR_JIT_COMPILATION)) {
        profiler->JITCompilationFinished(method.id, kOk, kTrue);
    }
    return published;
}

const CompiledBody& FakeRuntime::publish(FakeMethod& method, const CompiledBody& body, bool rejit) {
    const CompiledBody* kept = model_.keep(method, body);
    const CompiledBody* before = method.body.exchange(kept, std::memory_order_acq_rel);
    if (rejit && !method.rejitted.exchange(true)) {
        method.before_rejit = before;
    }
    return *kept;
}

HRESULT FakeRuntime::request_rejit(ModuleID module, mdMethodDef token) {
    if (model_.module(module) == nullptr) {
        return kInvalidArgument;
    }
    for (FakeMethod* method : model_.methods_of(module, token)) {
        method->rejit_requested = true;
    }
    return kOk;
}

HRESULT FakeRuntime::revert(ModuleID module, mdMethodDef token) {
    if (model_.module(module) == nullptr) {
        return kInvalidArgument;
    }
    for (FakeMethod* method : model_.methods_of(module, token)) {
        method->rejit_requested = false;
        if (method->rejitted.exchange(false)) {
            method->body.store(method->before_rejit.exchange(nullptr), std::memory_order_release);
        }
    }
    return kOk;
}

}  // namespace umbra::fakeclr
