// SPDX-License-Identifier: MIT
// What becomes of async calls: probes in the core library, beside hooks and probes in methods' IL.
#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/agent/async_types.h"
#include "src/agent/profiler.h"
#include "src/agent/support/runtime_version.h"
#include "src/clr/metadata_reader.h"

namespace umbra::agent {
namespace {

constexpr char kCarriesCoreProbe[] =
    "they carry the probes that follow async calls, beside which there is no room for others; with "
    "--no-async they are timed";

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

}  // namespace

uint8_t Profiler::traits_of(clr::ModuleID module, clr::mdMethodDef method) {
    const auto metadata =
        module == 0 ? std::nullopt : clr::MetadataReader::of_module(*info_.get(), module);
    return metadata ? agent::traits_of(*metadata, method) : 0;
}

uint8_t Profiler::traits_in_capture(clr::FunctionID function, clr::ModuleID module,
                                    clr::mdMethodDef method) {
    const uint8_t traits = traits_of(module, method);
    if (traits != hotpath::kRuntimeAsync) {
        return traits;
    }
    if (!follows_runtime_async(module)) {
        return 0;
    }
    return hands_out_task(*info_.get(), function) ? hotpath::kTaskStub : traits;
}

// What the program compiles while a capture begins may come before it is asked for the probes, and
// stays what it was taken for. They will be, for the sake of each module but the core library.
bool Profiler::follows_runtime_async(clr::ModuleID id) {
    if (!async_.wanted.load() || (!async_.asked.load() && module(id)->corelib)) {
        return false;
    }
    const std::shared_ptr<CoreProbes> probes = core_probes();
    return probes && probes->methods().follows_runtime_async;
}

bool Profiler::has_selected_async_methods(clr::ModuleID id) {
    const std::shared_ptr<const Module> in = module(id);
    if (in->verdict == Selection::Verdict::kNone || in->emitted) {
        return false;
    }
    const auto metadata = clr::MetadataReader::of_module(*info_.get(), id);
    const auto any_selected = [&](const std::vector<clr::mdMethodDef>& methods) {
        return std::ranges::any_of(methods,
                                   [&](clr::mdMethodDef method) { return selects(id, method); });
    };
    constexpr int kFirstThatSuspends = 10;
    return metadata && (any_selected(state_machines_in(*metadata)) ||
                        (runtime_major_version(*info_.get()) >= kFirstThatSuspends &&
                         any_selected(runtime_async_methods_in(*metadata))));
}

// Not for the core library itself: asked for while that loads, methods that its precompiled code
// has inlined stay without probes, and nobody says so (docs/runtime_contract.md).
bool Profiler::needs_async_probes(clr::ModuleID id) {
    return async_.wanted.load() && !async_.asked.load() && !module(id)->corelib &&
           has_selected_async_methods(id);
}

void Profiler::ask_for_async_probes() {
    if (async_.asked.exchange(true)) {
        return;
    }
    if (const std::shared_ptr<CoreProbes> probes = core_probes()) {
        request_core_probes(*probes);
    } else {
        process_->notice("async calls are not followed: the core library cannot be read");
    }
}

std::shared_ptr<CoreProbes> Profiler::core_probes() {
    const std::lock_guard lock(async_.mutex);
    if (!async_.probes && async_.core_library != 0) {
        if (const auto metadata =
                clr::MetadataReader::of_module(*info_.get(), async_.core_library)) {
            async_.probes =
                std::make_shared<CoreProbes>(*info_.get(), *metadata_, async_.core_library,
                                             CoreMethods::find(*metadata, number_));
        }
    }
    return async_.probes;
}

void Profiler::request_core_probes(CoreProbes& probes) {
    const CoreMethods& found = probes.methods();
    std::vector<clr::mdMethodDef> methods;
    std::vector<std::string> missing = found.missing;
    const auto fragile = module(probes.core_library())->fragile;
    for (const CorePlace& place : found.places) {
        if (!fragile || !fragile->contains(place.method)) {
            methods.push_back(place.method);
        }
    }
    if (methods.size() != found.places.size()) {
        missing.push_back(std::to_string(found.places.size() - methods.size()) +
                          " that this runtime cannot be asked for");
    }
    const std::string runtime = runtime_version(*info_.get());
    if (!missing.empty()) {
        process_->notice((found.suffices ? "async calls are told with less about them: "
                                         : "async calls are not followed, their pieces are timed "
                                           "each for itself: ") +
                         std::string("the core library of ") + runtime + " lacks " +
                         listed(missing));
    }
    const auto info = clr::query<clr::ICorProfilerInfo10>(*info_.get());
    if (!found.suffices || !info) {
        return;
    }
    process_->worker().name_async_types();
    metadata_->open(probes.core_library(), WritableMetadata::Known::kToThreads);
    std::vector<clr::ModuleID> modules(methods.size(), probes.core_library());
    request_all(modules, methods, info.get());
}

bool Profiler::has_core_probe(clr::ModuleID module, clr::mdMethodDef method) {
    if (!async_.asked.load()) {
        return false;
    }
    const std::shared_ptr<CoreProbes> probes = core_probes();
    return probes && probes->methods().suffices && probes->core_library() == module &&
           probes->contains(method);
}

bool Profiler::write_core_probe(clr::ModuleID module, clr::mdMethodDef method,
                                clr::ICorProfilerFunctionControl& control) {
    if (!has_core_probe(module, method)) {
        return false;
    }
    const std::shared_ptr<CoreProbes> probes = core_probes();
    if (probes_in_il() && selects(module, method)) {
        refuse(module, std::array{method}, kCarriesCoreProbe);
    }
    if (const auto made = probes->rewrite(method)) {
        set_body(module, method, *made, control);
    } else {
        process_->notice(
            "async calls are told with less about them: a method of the core library "
            "has no probe, since " +
            made.error());
    }
    return true;
}

}  // namespace umbra::agent
