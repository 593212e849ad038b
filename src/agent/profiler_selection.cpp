// SPDX-License-Identifier: MIT
// Which methods of a runtime get probes, which are watched, and their numbers.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "src/agent/methods/function_name.h"
#include "src/agent/profiler.h"
#include "src/agent/support/guarded.h"
#include "src/clr/metadata_reader.h"

namespace umbra::agent {
namespace {

// The runtime's own exception machinery enters and never leaves, or runs once a frame: dozens of
// events a throw that mean nothing to a user (docs/runtime_contract.md).
constexpr std::array<std::string_view, 4> kNeverHooked = {
    "System.Runtime.EH", "System.Runtime.StackFrameIterator", "System.Runtime.InternalCalls",
    "System.Runtime.ExceptionServices.InternalCalls"};

bool never_hooked(std::string_view type) {
    return std::any_of(kNeverHooked.begin(), kNeverHooked.end(), [&](std::string_view name) {
        return type.starts_with(name) && (type.size() == name.size() || type[name.size()] == '+');
    });
}

}  // namespace

std::shared_ptr<const Profiler::Module> Profiler::module(clr::ModuleID id) {
    {
        const std::shared_lock lock(modules_.mutex);
        if (const auto known = modules_.by_id.find(id); known != modules_.by_id.end()) {
            return known->second;
        }
    }
    const std::string path = module_path(*info_.get(), id);
    auto made = std::make_shared<Module>();
    made->name = file_name_of(path);
    made->corelib = is_core_library(path);
    made->fragile = made->corelib ? fragile_methods(id) : nullptr;
    uint32_t flags = 0;
    if (clr::succeeded(info_->GetModuleInfo2(id, nullptr, 0, nullptr, nullptr, nullptr, &flags))) {
        made->emitted = (flags & clr::COR_PRF_MODULE_DYNAMIC) != 0;
        made->collectible = (flags & clr::COR_PRF_MODULE_COLLECTIBLE) != 0;
    }
    const std::unique_lock lock(modules_.mutex);
    if (made->corelib) {
        modules_.framework.learn(path);
        const std::lock_guard core_lock(async_.mutex);
        async_.core_library = id;
    }
    made->framework = modules_.framework.contains(path);
    made->selection = modules_.selection;
    made->verdict = modules_.selection->module(made->name, made->framework);
    made->index = process_->module_index(path, made->framework, number_);
    made->trivial = modules_.trivial;
    made->inliners = std::make_shared<PrecompiledInliners>();
    if (modules_.trivial && (made->corelib || made->verdict != Selection::Verdict::kNone)) {
        made->code = modules_.trivial->add_loaded(clr::module_image(*info_.get(), id), path);
    }
    return modules_.by_id.try_emplace(id, std::move(made)).first->second;
}

std::shared_ptr<const CompilerHelpers> Profiler::fragile_in(clr::ModuleID id) {
    const std::shared_lock lock(modules_.mutex);
    const auto found = modules_.by_id.find(id);
    return found == modules_.by_id.end() ? nullptr : found->second->fragile;
}

std::shared_ptr<const CompilerHelpers> Profiler::fragile_methods(clr::ModuleID core_library) {
    if (!helpers_are_fragile_) {
        return nullptr;
    }
    const auto metadata = clr::MetadataReader::of_module(*info_.get(), core_library);
    if (!metadata) {
        return std::make_shared<const CompilerHelpers>();
    }
    return std::make_shared<const CompilerHelpers>(*metadata, [&](clr::mdMethodDef method) {
        return clr::method_code(*info_.get(), core_library, method);
    });
}

void Profiler::refuse(clr::ModuleID id, std::span<const clr::mdMethodDef> methods,
                      const std::string& why) {
    std::vector<std::string> names;
    const auto metadata = clr::MetadataReader::of_module(*info_.get(), id);
    for (const clr::mdMethodDef token :
         methods.first(std::min(methods.size(), RefusedMethods::kMaxNamed))) {
        const auto name = metadata ? name_in_patterns(*metadata, token) : std::nullopt;
        names.push_back(name.value_or("(name unknown)"));
    }
    process_->methods_refused(why, names, methods.size());
}

uint32_t Profiler::module_index(clr::ModuleID id) {
    return module(id)->index;
}

Profiler::Choice Profiler::choice(clr::ModuleID module_id, clr::mdToken token) {
    const std::shared_ptr<const Module> in = module(module_id);
    if (in->verdict == Selection::Verdict::kNone || !is_selected_by_name(module_id, *in, token)) {
        return Choice::kLeftAlone;
    }
    return in->code && in->trivial->contains(*in->code, token) && !is_named(module_id, *in, token)
               ? Choice::kTrivial
               : Choice::kTimed;
}

bool Profiler::is_named(clr::ModuleID module_id, const Module& in, clr::mdToken token) {
    if (!in.selection->names_any()) {
        return false;
    }
    const auto metadata = clr::MetadataReader::of_module(*info_.get(), module_id);
    const auto name = metadata ? name_in_patterns(*metadata, token) : std::nullopt;
    return name && in.selection->names(in.name, *name);
}

bool Profiler::is_selected_by_name(clr::ModuleID module_id, const Module& in, clr::mdToken token) {
    if (in.verdict == Selection::Verdict::kAll && !in.corelib) {
        return true;
    }
    const std::optional<clr::MetadataReader> metadata =
        clr::MetadataReader::of_module(*info_.get(), module_id);
    const auto method = metadata ? metadata->method(token) : std::nullopt;
    if (!method) {
        return in.verdict == Selection::Verdict::kAll;
    }
    const std::string type = metadata->full_name(method->type);
    if (in.corelib && never_hooked(type)) {
        return false;
    }
    return in.verdict == Selection::Verdict::kAll ||
           in.selection->selects(in.name, in.framework, pattern_name(type) + '.' + method->name);
}

void Profiler::watch(uint32_t index, clr::ModuleID module_id, clr::mdToken token) {
    const std::shared_ptr<const Module> in = module(module_id);
    if (index == 0 || !in->selection->watched().any()) {
        return;
    }
    const auto metadata = clr::MetadataReader::of_module(*info_.get(), module_id);
    if (const auto name = metadata ? name_in_patterns(*metadata, token) : std::nullopt) {
        process_->watch(index, in->selection->watched().request_of(in->name, *name));
    }
}

FunctionFacts Profiler::facts_of(clr::FunctionID function) {
    FunctionFacts facts;
    facts.owner = this;
    facts.capture = process_->capture();
    clr::ClassID class_id = 0;
    if (clr::succeeded(info_->GetFunctionInfo(function, &class_id, &facts.module, &facts.token))) {
        const Choice made = choice(facts.module, facts.token);
        facts.selected = made == Choice::kTimed;
        facts.trivial = made == Choice::kTrivial;
    }
    return facts;
}

uint32_t Profiler::register_function(clr::FunctionID function) noexcept {
    uint32_t index = process_->registry().find(this, function);
    if (index != 0) {
        // Code of collectible assemblies goes without a word about generic instantiations over
        // their types; their FunctionIDs are used again.
        const FunctionEntry& entry = process_->registry().at(index);
        clr::ClassID class_id = 0;
        clr::ModuleID module_id = 0;
        clr::mdToken token = 0;
        if (clr::succeeded(info_->GetFunctionInfo(function, &class_id, &module_id, &token)) &&
            (entry.module != module_id || entry.token != token)) {
            process_->registry().retire(this, function);
            index = 0;
        }
    }
    if (index == 0) {
        FunctionFacts facts;
        facts.owner = this;
        facts.capture = process_->capture();
        guarded([&] {
            facts = facts_of(function);
            facts.traits = traits_in_capture(function, facts.module, facts.token);
            facts.selected = facts.selected && facts.traits != hotpath::kTaskStub;
        });
        index = process_->add_function(function, facts);
        guarded([&] {
            if (facts.module != 0) {
                process_->register_method(index, module_index(facts.module), facts.token);
            }
            if (facts.selected) {
                watch(index, facts.module, facts.token);
            }
        });
        return index;
    }
    if (process_->registry().at(index).capture.load(std::memory_order_acquire) !=
        process_->capture()) {
        renew(index, function);
    }
    return index;
}

void Profiler::renew(uint32_t index, clr::FunctionID function) noexcept {
    FunctionEntry& entry = process_->registry().at(index);
    Choice made = Choice::kLeftAlone;
    guarded([&] {
        const uint8_t traits = traits_in_capture(function, entry.module, entry.token);
        entry.traits.store(traits, std::memory_order_relaxed);
        made =
            traits == hotpath::kTaskStub ? Choice::kLeftAlone : choice(entry.module, entry.token);
        process_->register_method(index, module_index(entry.module), entry.token);
        if (made == Choice::kTimed) {
            watch(index, entry.module, entry.token);
        }
    });
    process_->renew_function(index, made == Choice::kTimed, made == Choice::kTrivial);
}

void Profiler::renew_functions(clr::ModuleID module) {
    const Registry& registry = process_->registry();
    for (uint32_t index = 1; index <= registry.count(); ++index) {
        const FunctionEntry& entry = registry.at(index);
        const clr::FunctionID function = entry.function.load(std::memory_order_relaxed);
        if (function != 0 && entry.ready.load(std::memory_order_acquire) && entry.owner == this &&
            entry.module == module && !entry.all_instantiations) {
            renew(index, function);
        }
    }
}

bool Profiler::is_selected(uint32_t index) const {
    const FunctionEntry& entry = process_->registry().at(index);
    return index != 0 && entry.capture.load(std::memory_order_acquire) == process_->capture() &&
           entry.selected.load(std::memory_order_relaxed);
}

bool Profiler::is_deinstrumented(uint32_t index) const {
    if (index == 0) {
        return false;
    }
    const FunctionEntry& entry = process_->registry().at(index);
    return process_->deinstrumented().contains({entry.owner, entry.module, entry.token});
}

}  // namespace umbra::agent
