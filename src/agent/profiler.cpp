// SPDX-License-Identifier: MIT
#include "src/agent/profiler.h"

#include <string>
#include <utility>

#include "hotpath/record.h"
#include "hotpath/recorder.h"
#include "src/agent/il/kept_frame.h"
#include "src/agent/support/event_mask.h"
#include "src/agent/support/guarded.h"
#include "src/agent/support/log.h"
#include "src/agent/support/runtime_admission.h"
#include "src/agent/support/runtime_version.h"
#include "src/clr/metadata_reader.h"

namespace umbra::agent {

using clr::HRESULT;
using hotpath::ControlType;

uint32_t Profiler::Release() {
    const uint32_t left = --references_;
    if (left == 0 && process_ == nullptr) {
        delete this;
    }
    return left;
}

HRESULT Profiler::Initialize(clr::IUnknown* info) {
    HRESULT status = clr::kProfilerCancelActivation;
    guarded([&] { status = initialize(info); });
    return status;
}

HRESULT Profiler::initialize(clr::IUnknown* info) {
    if (info == nullptr || !(info_ = clr::query<clr::ICorProfilerInfo5>(*info))) {
        log_line("not profiled: this runtime lacks ICorProfilerInfo5");
        return clr::kProfilerCancelActivation;
    }
    metadata_ = std::make_unique<WritableMetadata>(*info_.get());
    const std::string version = runtime_version(*info_.get());
    const Status admitted =
        RuntimeAdmission::of_process().started(runtime_identity(*info_.get()), version);
    if (!admitted) {
        log_line("not profiled: " + admitted.error().context);
        info_.reset();
        return clr::kProfilerCancelActivation;
    }
    const Result<AgentProcess*> process = AgentProcess::start(version);
    if (!process) {
        const Error& error = process.error();
        std::string reason = "not profiled: " + error.context;
        if (error.os_error != 0) {
            reason += " (" + std::string(strerrordesc_np(error.os_error)) + ')';
        }
        log_line(reason);
        return clr::kProfilerCancelActivation;
    }
    process_ = *process;
    helpers_are_fragile_ = CompilerHelpers::are_fragile(runtime_major_version(*info_.get()));
    const bool only_il = !process_->dormant() && process_->settings().il_probes;
    const HRESULT status =
        only_il ? info_->SetEventMask2(kIlActiveMask.low, kIlActiveMask.high) : install_hooks();
    if (clr::failed(status)) {
        const std::string reason = (only_il ? "the runtime refuses the event mask: HRESULT "
                                            : "the runtime refuses the hooks: HRESULT ") +
                                   clr::hexadecimal(status);
        log_line("not profiled: " + reason);
        process_->worker().post(protocol::Notice{"process is not profiled: " + reason});
        process_ = nullptr;
        return clr::kProfilerCancelActivation;
    }
    if (process_->dormant() || only_il) {
        if (auto info10 = clr::query<clr::ICorProfilerInfo10>(*info)) {
            il_ = std::make_unique<IlProbes>(std::move(info10), *metadata_, process_->il_probes());
        }
    }
    process_->add_runtime(this);
    return clr::kOk;
}

HRESULT Profiler::install_hooks() {
    EventMask mask = process_->dormant() ? kDormantMask : kActiveMask;
    if (!process_->dormant() && process_->settings().framework) {
        mask.low |= clr::COR_PRF_MONITOR_ENTERLEAVE;
    } else {
        gate_ = std::make_unique<CompileGate>(*info_.get(), mask.low, mask.high);
    }
    // The order matters: hooks first and then a mask without ENTERLEAVE is refused.
    HRESULT status = info_->SetEventMask2(mask.low, mask.high);
    if (clr::succeeded(status)) {
        status = info_->SetFunctionIDMapper2(&Profiler::map_function, this);
    }
    if (clr::succeeded(status)) {
        const hotpath::HookFunctions hooks = process_->hooks();
        status = info_->SetEnterLeaveFunctionHooks3(
            reinterpret_cast<clr::FunctionEnter3*>(hooks.enter),
            reinterpret_cast<clr::FunctionLeave3*>(hooks.leave),
            reinterpret_cast<clr::FunctionTailcall3*>(hooks.tailcall));
    }
    return status;
}

HRESULT Profiler::Shutdown() {
    process_->runtime_ends(this);
    return clr::kOk;
}

// ---- modules ---------------------------------------------------------------------------------

uintptr_t Profiler::map_function(clr::FunctionID function, void* self, int32_t* hook) noexcept {
    auto* profiler = static_cast<Profiler*>(self);
    *hook = 0;
    if (!profiler->records()) {
        return uintptr_t{function};  // the answer must not be 0, hooked or not
    }
    // JITCompilationStarted has registered it; a full registry is asked again in vain.
    uint32_t index = profiler->process_->registry().find(profiler, function);
    if (index == 0) {
        index = profiler->register_function(function);
    }
    // A dormant process's code gets hooks where it was meant to, and nowhere else: what compiles
    // beside it, with the flag on for another thread's sake, would keep them for good.
    const bool meant = CompileGate::mapper_asked(function) || !profiler->process_->dormant();
    if (meant && profiler->is_selected(index) && !DeinstrumentedMethods::is_unhooked(function)) {
        *hook = 1;
    }
    return index != 0 ? hotpath::client_id(index) : uintptr_t{function};
}

HRESULT Profiler::ModuleLoadStarted(clr::ModuleID /*module*/) {
    if (gate_) {
        gate_->module_load_started();
    }
    return clr::kOk;
}

HRESULT Profiler::ModuleLoadFinished(clr::ModuleID id, HRESULT status) {
    if (gate_) {
        gate_->module_load_finished();
    }
    if (clr::failed(status) || !records()) {
        return clr::kOk;
    }
    return guarded([&] {
        if (probes_in_il()) {
            request_module(id);
        } else if (process_->dormant()) {
            const std::lock_guard lock(captured_.mutex);
            captured_.loaded.insert(id);
        }
        module(id);
        if (needs_async_probes(id)) {
            ask_for_async_probes();
        }
    });
}

HRESULT Profiler::ModuleUnloadStarted(clr::ModuleID id) {
    const ModulesInUse::Leaving leaving(modules_in_use_, id);
    if (!leaving.in_order()) {
        log_line("a module goes that is still in use");
    }
    // The runtime does not call FunctionUnloadStarted for each function of it.
    process_->module_unloads(id, this);
    return guarded([&] {
        {
            const std::lock_guard lock(captured_.mutex);
            const auto of_it = [id](const auto& method) { return method.first == id; };
            std::erase_if(captured_.emitted, of_it);
            std::erase_if(captured_.requested, of_it);
            std::erase_if(captured_.first_jit_hooked, of_it);
            captured_.loaded.erase(id);
        }
        if (il_) {
            forget_module(id);
        }
        metadata_->forget(id);
        {
            const std::lock_guard lock(inlinings_.mutex);
            std::erase_if(inlinings_.lasting,
                          [id](const auto& one) { return one.first.first == id; });
        }
        const std::unique_lock lock(modules_.mutex);
        modules_.by_id.erase(id);
    });
}

HRESULT Profiler::FunctionUnloadStarted(clr::FunctionID function) {
    process_->function_unloads(function, this);
    return clr::kOk;
}

// ---- compilation ---------------------------------------------------------------------------

void Profiler::record_function(ControlType type, clr::FunctionID function,
                               const uint64_t* payload) noexcept {
    hotpath::record_control(type, process_->registry().find(this, function), payload);
}

HRESULT Profiler::compile_started(clr::FunctionID function, uint32_t index, bool hooked) {
    if (is_selected(index)) {
        const bool unhooked = !hooked && DeinstrumentedMethods::begin_unhooked(function);
        if (gate_ && !unhooked) {
            gate_->compilation_started(function);
        }
    }
    hotpath::record_control(ControlType::kCompileStarted, index);
    return clr::kOk;
}

HRESULT Profiler::compile_finished(clr::FunctionID function, HRESULT status) {
    const uint32_t index = process_->registry().find(this, function);
    const bool selected = is_selected(index);
    if (gate_ && !has_left() && gate_->compilation_finished(function, selected) && selected &&
        clr::succeeded(status) && records()) {
        guarded([&] { process_->repair_hooks(index); });
    }
    hotpath::record_control(ControlType::kCompileFinished, index);
    return clr::kOk;
}

void Profiler::forget_hooks(clr::FunctionID function) noexcept {
    DeinstrumentedMethods::end_unhooked(function);
    if (gate_ && !has_left()) {
        static_cast<void>(gate_->compilation_finished(function, false));
    }
}

HRESULT Profiler::JITCompilationStarted(clr::FunctionID function, int32_t /*safe_to_block*/) {
    metadata_->let_open();
    const bool recorded = records();
    if (!recorded || probes_in_il()) {
        note_without_hooks(function);
        return recorded ? il_compile_started(function) : clr::kOk;
    }
    const uint32_t index = register_function(function);
    const bool hooked = !process_->dormant() || first_jit_has_hooks(index);
    if (!hooked) {
        note_without_hooks(function);
    } else if (is_selected(index)) {
        const FunctionEntry& entry = process_->registry().at(index);
        guarded([&] { keep_frame(*info_.get(), function, entry.module, entry.token); });
    }
    return compile_started(function, index, hooked);
}

HRESULT Profiler::DynamicMethodJITCompilationStarted(clr::FunctionID /*function*/,
                                                     int32_t /*safe_to_block*/,
                                                     const uint8_t* /*il*/, uint32_t /*bytes*/) {
    metadata_->let_open();
    return clr::kOk;
}

HRESULT Profiler::JITCompilationFinished(clr::FunctionID function, HRESULT status,
                                         int32_t /*safe_to_block*/) {
    if (probes_in_il()) {
        forget_hooks(function);
        return il_compile_finished(function);
    }
    if (process_->dormant() && DeinstrumentedMethods::end_unhooked(function)) {
        record_function(ControlType::kCompileFinished, function);
        return clr::kOk;
    }
    return compile_finished(function, status);
}

HRESULT Profiler::JITCachedFunctionSearchStarted(clr::FunctionID function, int32_t* use_cached) {
    // Whole mode rejects precompiled images at load; here single methods are refused.
    bool refused = false;
    if (gate_ && !probes_in_il() && records()) {
        guarded([&] { refused = refuses_precompiled(function); });
    }
    *use_cached = refused ? 0 : 1;
    return clr::kOk;
}

HRESULT Profiler::GetReJITParameters(clr::ModuleID module, clr::mdMethodDef method,
                                     clr::ICorProfilerFunctionControl* control) {
    if (control == nullptr || has_left()) {
        return clr::kOk;
    }
    return guarded([&] {
        if (!records() || !write_version(module, method, *control)) {
            tell_lines(module, method, nullptr, *control);  // the IL stays as it is
        }
    });
}

bool Profiler::write_version(clr::ModuleID module, clr::mdMethodDef method,
                             clr::ICorProfilerFunctionControl& control) {
    if (write_core_probe(module, method, control)) {
        return true;
    }
    if (probes_in_il()) {
        return write_probes(module, method, control);
    }
    const auto made =
        selects(module, method) ? body_with_frame(*info_.get(), module, method) : std::nullopt;
    if (made) {
        set_body(module, method, *made, control);
    }
    return made.has_value();
}

HRESULT Profiler::ReJITCompilationStarted(clr::FunctionID function, clr::ReJITID /*rejit*/,
                                          int32_t /*safe_to_block*/) {
    metadata_->let_open();
    if (!records()) {
        return clr::kOk;
    }
    if (probes_in_il()) {
        return il_compile_started(function);
    }
    const uint32_t index = register_function(function);
    return compile_started(function, index, !is_deinstrumented(index));
}

HRESULT Profiler::ReJITCompilationFinished(clr::FunctionID function, clr::ReJITID /*rejit*/,
                                           HRESULT status, int32_t /*safe_to_block*/) {
    if (probes_in_il()) {
        forget_hooks(function);
        return il_recompiled(function, status);
    }
    if (DeinstrumentedMethods::end_unhooked(function)) {
        const uint32_t index = process_->registry().find(this, function);
        hotpath::record_control(ControlType::kCompileFinished, index);
        return clr::failed(status) ? clr::kOk : guarded([&] { process_->hooks_removed(index); });
    }
    return compile_finished(function, status);
}

HRESULT Profiler::ReJITError(clr::ModuleID /*module*/, clr::mdMethodDef /*method*/,
                             clr::FunctionID /*function*/, HRESULT status) {
    return guarded([&] { process_->recompilation_failed(status); });
}

void Profiler::request_rejit(std::span<clr::ModuleID> modules, std::span<clr::mdMethodDef> methods,
                             Inliners inliners) noexcept {
    size_t kept = 0;
    guarded([&] {
        for (size_t i = 0; i < methods.size(); ++i) {
            const auto fragile = module(modules[i])->fragile;
            if (!fragile || !fragile->contains(methods[i])) {
                modules[kept] = modules[i];
                methods[kept++] = methods[i];
            }
        }
    });
    modules = modules.first(kept);
    methods = methods.first(kept);
    if (methods.empty()) {
        return;
    }
    const bool with_inliners = il_ && (probes_in_il() || inliners == Inliners::kToo);
    request_all(modules, methods, with_inliners ? il_->info.get() : nullptr);
}

void Profiler::request_all(std::span<clr::ModuleID> modules, std::span<clr::mdMethodDef> methods,
                           clr::ICorProfilerInfo10* with_inliners) noexcept {
    const auto count = static_cast<uint32_t>(modules.size());
    const InliningPause::Scope pause(inlining_pause_);
    const ModulesInUse::Request request(modules_in_use_);
    const HRESULT status = with_inliners != nullptr
                               ? with_inliners->RequestReJITWithInliners(
                                     kInlinersToo, count, modules.data(), methods.data())
                               : info_->RequestReJIT(count, modules.data(), methods.data());
    guarded([&] { note_requested(modules, methods); });
    if (clr::failed(status)) {
        guarded([&] { process_->recompilation_failed(status); });
    }
}

void Profiler::note_requested(std::span<const clr::ModuleID> modules,
                              std::span<const clr::mdMethodDef> methods) {
    if (process_->dormant()) {
        const std::lock_guard lock(captured_.mutex);
        for (size_t i = 0; i < methods.size(); ++i) {
            captured_.requested.insert({modules[i], methods[i]});
        }
    }
}

}  // namespace umbra::agent
