// SPDX-License-Identifier: MIT
// What may be inlined, and which precompiled code is used: calls that are counted stay calls.
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "src/agent/profiler.h"
#include "src/agent/support/guarded.h"
#include "src/clr/enumerators.h"

namespace umbra::agent {

using clr::HRESULT;

HRESULT Profiler::JITInlining(clr::FunctionID caller, clr::FunctionID callee,
                              int32_t* should_inline) {
    *should_inline = 1;
    if (has_left()) {
        return clr::kOk;
    }
    bool refused = inlining_pause_.in_effect();
    guarded([&] { refused = refused || would_be_in_helper(caller, callee); });
    if (refused) {
        *should_inline = 0;
        return clr::kOk;
    }
    if (!records()) {
        return guarded([&] { note_lasting_inlining(caller, callee); });
    }
    bool inlined = true;
    guarded([&] { inlined = may_be_inlined(caller, callee); });
    *should_inline = inlined ? 1 : 0;
    return clr::kOk;
}

bool Profiler::would_be_in_helper(clr::FunctionID caller, clr::FunctionID callee) {
    if (!helpers_are_fragile_) {
        return false;
    }
    const std::optional<Method> into = method_of(caller);
    const auto helpers = into ? fragile_in(into->module) : nullptr;
    if (!helpers || !helpers->contains(into->token)) {
        return false;
    }
    const std::optional<Method> what = method_of(callee);
    return !what || what->module != into->module || !helpers->contains(what->token);
}

bool Profiler::may_be_inlined(clr::FunctionID caller, clr::FunctionID callee) {
    const FunctionFacts facts = facts_of(callee);
    if (facts.trivial) {
        register_any(callee, facts);
    }
    if (has_core_probe(facts.module, facts.token)) {
        return false;
    }
    if (!facts.selected || process_->deinstrumented().contains({this, facts.module, facts.token})) {
        return true;
    }
    if (!inlining_.load(std::memory_order_relaxed) || traits_of(facts.module, facts.token) != 0) {
        return false;
    }
    // Where its caller has no probes it would leave no trace.
    const FunctionFacts into = facts_of(caller);
    if (!into.selected) {
        return false;
    }
    tell_inlined(register_any(callee, facts), register_any(caller, into));
    return true;
}

uint32_t Profiler::register_any(clr::FunctionID function, const FunctionFacts& facts) {
    if (probes_in_il()) {
        return register_method(facts.module, facts.token,
                               facts.selected  ? Choice::kTimed
                               : facts.trivial ? Choice::kTrivial
                                               : Choice::kLeftAlone);
    }
    return register_function(function);
}

void Profiler::tell_inlined(uint32_t index, uint32_t into) {
    if (index == 0) {
        return;
    }
    {
        const std::lock_guard lock(inlinings_.mutex);
        std::vector<uint32_t>& told = inlinings_.told[index];
        if (told.size() == protocol::kMostInlinedInto ||
            std::ranges::find(told, into) != told.end()) {
            return;
        }
        told.push_back(into);
    }
    process_->worker().post(protocol::Inlined{index, into});
}

void Profiler::note_lasting_inlining(clr::FunctionID caller, clr::FunctionID callee) {
    int32_t dynamic = 0;
    if (process_ == nullptr || !process_->dormant() || !il_ ||
        clr::failed(il_->info->IsFunctionDynamic(caller, &dynamic)) || dynamic == 0) {
        return;
    }
    if (const std::optional<Method> method = method_of(callee)) {
        const std::lock_guard lock(inlinings_.mutex);
        inlinings_.lasting.emplace(std::pair(method->module, method->token), callee);
    }
}

void Profiler::tell_lasting_inlinings() {
    std::map<MethodSet::value_type, clr::FunctionID> lasting;
    {
        const std::lock_guard lock(inlinings_.mutex);
        lasting = inlinings_.lasting;
    }
    ModulesInUse::Work work(modules_in_use_);
    for (const auto& [method, function] : lasting) {
        if (work.keep(method.first)) {
            const FunctionFacts facts = facts_of(function);
            if (facts.selected) {
                tell_inlined(register_any(function, facts), 0);
            }
            work.let_go();
        }
    }
}

bool Profiler::refuses_precompiled(clr::FunctionID function) {
    const FunctionFacts facts = facts_of(function);
    if (process_->dormant() && !is_loaded_in_capture(facts.module)) {
        return false;
    }
    if (facts.selected) {
        return true;
    }
    const std::shared_ptr<const Module> in = module(facts.module);
    if (facts.trivial) {
        register_any(function, facts);
        return !in->trivial->calls_nothing_timed(*in->code, facts.token);
    }
    if (in->verdict != Selection::Verdict::kByName) {
        return false;
    }
    const std::lock_guard lock(in->inliners->mutex);
    if (!in->inliners->methods) {
        in->inliners->methods = inliners_of_timed(facts.module);
    }
    return in->inliners->methods->contains(facts.token);
}

std::unordered_set<clr::mdMethodDef> Profiler::inliners_of_timed(clr::ModuleID module) {
    std::unordered_set<clr::mdMethodDef> found;
    const auto info = clr::query<clr::ICorProfilerInfo6>(*info_.get());
    if (!info) {
        return found;
    }
    for (const clr::mdMethodDef inlined : selected_methods(module)) {
        clr::ComPtr<clr::ICorProfilerMethodEnum> inliners;
        int32_t incomplete = 0;
        if (clr::failed(info->EnumNgenModuleMethodsInliningThisMethod(
                module, module, inlined, &incomplete, inliners.put()))) {
            continue;
        }
        clr::COR_PRF_METHOD inliner{};
        for (uint32_t got = 0; clr::succeeded(inliners->Next(1, &inliner, &got)) && got == 1;) {
            found.insert(inliner.methodId);
        }
    }
    return found;
}

}  // namespace umbra::agent
