// SPDX-License-Identifier: MIT
// Probes as rewritten IL: of a runtime that was attached to, or because a capture asks for them.
//
// A capture asks for a new version of every selected method (ReJIT) and is asked for its IL when it
// is next called. All instantiations of a generic method share that IL, so they share an entry of
// the registry. At the capture's end the versions before come back (RequestRevert); frames that are
// still in the old ones go on with probes that record nothing.
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hotpath/record.h"
#include "hotpath/recorder.h"
#include "src/agent/il/kept_frame.h"
#include "src/agent/link/attach_request.h"
#include "src/agent/methods/function_name.h"
#include "src/agent/profiler.h"
#include "src/agent/support/guarded.h"
#include "src/agent/support/log.h"
#include "src/agent/support/runtime_version.h"
#include "src/clr/metadata_reader.h"
#include "src/clr/metadata_schema.h"

namespace umbra::agent {

using clr::HRESULT;
using hotpath::ControlType;

HRESULT Profiler::InitializeForAttach(clr::IUnknown* info, void* data, uint32_t bytes) {
    return answer_attach(
        info, data, bytes, protocol::Remain{}, [this](AttachRequest& request) -> Status {
            Status dormant = remain(std::move(request.info));
            if (dormant) {
                [[maybe_unused]] const Status told = request.channel.send(protocol::AgentState{});
            }
            return dormant;
        });
}

Status Profiler::remain(clr::ComPtr<clr::ICorProfilerInfo10> info) {
    info_ = clr::query<clr::ICorProfilerInfo5>(*info.get());
    if (!info_) {
        return fail(ErrorCode::kUnsupported, "this runtime lacks ICorProfilerInfo5");
    }
    metadata_ = std::make_unique<WritableMetadata>(*info_.get());
    const Result<AgentProcess*> process =
        AgentProcess::start(runtime_version(*info_.get()), AgentProcess::Begin::kAttached);
    if (!process) {
        return tl::unexpected<Error>(process.error());
    }
    const HRESULT status = info_->SetEventMask2(kDormantMask.low, kDormantMask.high);
    if (clr::failed(status)) {
        return fail(ErrorCode::kUnsupported,
                    "the runtime refuses the event mask: HRESULT " + clr::hexadecimal(status));
    }
    process_ = *process;
    helpers_are_fragile_ = CompilerHelpers::are_fragile(runtime_major_version(*info_.get()));
    il_ = std::make_unique<IlProbes>(std::move(info), *metadata_, process_->il_probes());
    process_->add_runtime(this);
    return {};
}

uint32_t Profiler::register_method(clr::ModuleID module, clr::mdMethodDef method, Choice choice) {
    const std::lock_guard lock(il_->mutex);
    uint32_t& index = il_->indexes[{module, method}];
    const bool fresh = index == 0;
    if (fresh) {
        index = process_->add_method({.module = module,
                                      .token = method,
                                      .owner = this,
                                      .capture = process_->capture(),
                                      .selected = choice == Choice::kTimed,
                                      .trivial = choice == Choice::kTrivial,
                                      .all_instantiations = true,
                                      .traits = traits_of(module, method)});
    } else if (process_->registry().at(index).capture.load(std::memory_order_acquire) ==
               process_->capture()) {
        return index;
    }
    process_->register_method(index, module_index(module), method);
    if (choice == Choice::kTimed) {
        watch(index, module, method);
    }
    if (!fresh) {
        process_->renew_function(index, choice == Choice::kTimed, choice == Choice::kTrivial);
    }
    return index;
}

std::optional<Profiler::Method> Profiler::method_of(clr::FunctionID function) {
    Method method;
    clr::ClassID class_id = 0;
    if (clr::failed(info_->GetFunctionInfo(function, &class_id, &method.module, &method.token))) {
        return std::nullopt;
    }
    return method;
}

uint32_t Profiler::known_method(clr::FunctionID function) {
    const std::optional<Method> method = method_of(function);
    if (!method) {
        return 0;
    }
    const std::lock_guard lock(il_->mutex);
    const auto known = il_->indexes.find({method->module, method->token});
    return known == il_->indexes.end() ? 0 : known->second;
}

bool Profiler::write_probes(clr::ModuleID module, clr::mdMethodDef method,
                            clr::ICorProfilerFunctionControl& control) {
    // Asked about everything into which a selected method has been inlined, too.
    if (!selects(module, method) || process_->deinstrumented().contains({this, module, method})) {
        return false;
    }
    const uint32_t index = register_method(module, method, Choice::kTimed);
    if (index == 0) {
        return false;
    }
    ArgumentPlan plan;
    if (process_->arguments().any()) {
        plan = plan_arguments(module, method, index);
    }
    const auto made = il_->rewriter.rewrite(
        module, method,
        {.client_id = hotpath::client_id(index),
         .index = index,
         .arguments = plan.values,
         .runtime = this->module(module)->corelib || !follows_runtime_async(module)
                        ? std::nullopt
                        : std::optional(number_)});
    if (!made) {
        refuse(module, std::array{method}, made.error());
        return false;
    }
    for (protocol::ArgumentNamed& named : plan.names) {
        process_->worker().post(std::move(named));
    }
    set_body(module, method, *made, control);
    return true;
}

void Profiler::set_body(clr::ModuleID module, clr::mdMethodDef method, const il::Instrumented& made,
                        clr::ICorProfilerFunctionControl& control) {
    const HRESULT status =
        control.SetILFunctionBody(static_cast<uint32_t>(made.body.size()), made.body.data());
    if (clr::failed(status)) {
        return process_->recompilation_failed(status);
    }
    tell_lines(module, method, &made, control);
}

void Profiler::tell_lines(clr::ModuleID module, clr::mdMethodDef method,
                          const il::Instrumented* made, clr::ICorProfilerFunctionControl& control) {
    std::vector<clr::COR_IL_MAP> map = map_from_file(*info_.get(), module, method, made);
    if (!map.empty()) {
        control.SetILInstrumentedCodeMap(static_cast<uint32_t>(map.size()), map.data());
    }
}

ArgumentPlan Profiler::plan_arguments(clr::ModuleID module_id, clr::mdMethodDef token,
                                      uint32_t index) {
    const auto metadata = clr::MetadataReader::of_module(*info_.get(), module_id);
    const auto name = metadata ? name_in_patterns(*metadata, token) : std::nullopt;
    if (!name) {
        return {};
    }
    return process_->arguments().of_method(
        {.module = module(module_id)->name, .name = *name, .token = token, .index = index},
        *metadata, [&](clr::mdToken type) { return find_enum(*metadata, type); });
}

tl::expected<std::optional<clr::EnumType>, std::string> Profiler::find_enum(
    const clr::MetadataReader& metadata, clr::mdToken type) {
    constexpr size_t kConstants = protocol::kMaxEnumConstants;
    if (clr::table_of(type) == clr::kTypeDef) {
        return metadata.image() != nullptr ? metadata.image()->enum_type(type, kConstants)
                                           : std::nullopt;
    }
    const clr::TypeChain chain = metadata.chain(type);
    ModulesInUse::Work work(modules_in_use_);
    std::optional<clr::EnumType> found;
    size_t types = 0;
    for (const clr::ModuleID id : loaded_modules(*info_.get())) {
        if (!work.keep(id)) {
            continue;
        }
        const auto other = clr::MetadataReader::of_module(*info_.get(), id);
        if (const clr::mdTypeDef token = other ? other->find_type(chain) : 0) {
            ++types;
            found = other->image()->enum_type(token, kConstants);
        }
        work.let_go();
    }
    if (types == 0) {
        return tl::unexpected<std::string>("its type is of a module that is not loaded yet");
    }
    if (types > 1 && found) {
        found->constants.clear();  // whose they are is not known
    }
    return found;
}

void Profiler::request_module(clr::ModuleID id) {
    std::vector<clr::mdMethodDef> methods = renewable_methods(id);
    if (!methods.empty()) {
        metadata_->open(id, WritableMetadata::Known::kToNobody);
    }
    std::vector<clr::ModuleID> modules(methods.size(), id);
    request_rejit(modules, methods);
}

HRESULT Profiler::il_compile_started(clr::FunctionID function) {
    uint32_t index = 0;
    guarded([&] {
        if (const std::optional<Method> method = method_of(function)) {
            const Choice made = choice(method->module, method->token);
            index = register_method(method->module, method->token, made);
            if (made == Choice::kTimed && module(method->module)->emitted) {
                refuse_emitted(method->module, std::array{method->token});
            }
        }
    });
    if (index != 0) {
        hotpath::record_control(ControlType::kCompileStarted, index);
    }
    return clr::kOk;
}

HRESULT Profiler::il_compile_finished(clr::FunctionID function) {
    uint32_t index = 0;
    guarded([&] { index = known_method(function); });
    if (index != 0) {
        hotpath::record_control(ControlType::kCompileFinished, index);
    }
    return clr::kOk;
}

HRESULT Profiler::il_recompiled(clr::FunctionID function, HRESULT status) {
    il_compile_finished(function);
    return guarded([&] {
        const uint32_t index = known_method(function);
        if (clr::succeeded(status) && is_deinstrumented(index)) {
            process_->hooks_removed(index);
        }
    });
}

void Profiler::forget_module(clr::ModuleID module) {
    il_->rewriter.forget_module(module);
    const std::lock_guard lock(il_->mutex);
    std::erase_if(il_->indexes,
                  [module](const auto& known) { return known.first.first == module; });
}

}  // namespace umbra::agent
