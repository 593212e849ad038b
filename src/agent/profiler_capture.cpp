// SPDX-License-Identifier: MIT
// A dormant runtime's captures: hooks come by compiling methods anew and go with that code.
//
// A capture asks the runtime for a new version of every selected method (ReJIT with unchanged IL),
// which compiles with hooks at the method's next call. At its end it takes these versions back
// (RequestRevert) and the code from before is there again. For that the versions a method is born
// with must stay free of hooks; those of modules that load during the capture are not, since
// their calls count from the first. Such methods get one more version at the end, without hooks.
#include <algorithm>
#include <array>
#include <iterator>

#include "hotpath/recorder.h"
#include "src/agent/profiler.h"
#include "src/agent/support/event_mask.h"
#include "src/agent/support/guarded.h"
#include "src/agent/support/suspend_runtime.h"
#include "src/clr/enumerators.h"
#include "src/clr/metadata_reader.h"

namespace umbra::agent {
namespace {

using clr::HRESULT;

// Methods in one request: each holds the runtime's lock on versions for its time.
constexpr size_t kMethodsAtOnce = 512;
constexpr char kNoVersionsOfCollectible[] =
    "its assembly can be unloaded, and of such the runtime compiles nothing anew; 'umbra run' "
    "without --probe=il and --args times it";
constexpr char kNoVersionsOfEmitted[] =
    "its assembly was made at run time (Reflection.Emit), and of such the runtime compiles nothing "
    "anew; 'umbra run' without --probe=il and --args times it";
constexpr char kNeededToStart[] =
    "the runtime needs the core library to start, and .NET 8 ends a program whose core library has "
    "other IL from the first call on; without --probe=il and --args 'umbra run' times them, and so "
    "does 'umbra start' once the program runs";
constexpr char kNeededByCompiler[] =
    ".NET 9 would crash if it were asked to compile them anew, since its compiler needs them; in a "
    "program that 'umbra run' starts they are timed";

/// As the runtime wants them: the next methods from `at` on whose modules are not going. These stay
/// until `work` lets go.
struct Methods {
    std::vector<clr::ModuleID> modules;
    std::vector<clr::mdMethodDef> tokens;

    template <typename Iterator>
    Methods(Iterator& at, const Iterator& end, ModulesInUse::Work& work) {
        for (; at != end && tokens.size() < kMethodsAtOnce; ++at) {
            if (work.keep(at->first)) {
                modules.push_back(at->first);
                tokens.push_back(at->second);
            }
        }
    }
};

}  // namespace

void Profiler::prepare_capture(const protocol::Welcome& settings) {
    in_capture_.store(true);
    async_.wanted.store(settings.async_calls && !AgentProcess::probes_are_empty());
    async_.asked.store(false);
    suspension_.abort();  // of one that an earlier capture saw begin, the end is not told
    inlining_.store(settings.inlining, std::memory_order_relaxed);
    probes_in_il_.store(il_ != nullptr && (settings.il_probes || !takes_hooks()),
                        std::memory_order_relaxed);
    {
        const std::unique_lock lock(modules_.mutex);
        modules_.selection = std::make_shared<const Selection>(settings);
        modules_.trivial = settings.trivial
                               ? nullptr
                               : std::make_shared<TrivialMethods>(
                                     modules_.selection, [this](std::string_view path) {
                                         const std::shared_lock shared(modules_.mutex);
                                         return modules_.framework.contains(path);
                                     });
        modules_.by_id.clear();
    }
    {
        const std::lock_guard lock(captured_.mutex);
        captured_.loaded.clear();
        captured_.emitted.clear();
    }
    {
        const std::lock_guard lock(inlinings_.mutex);
        inlinings_.told.clear();
    }
    {
        const std::lock_guard lock(threads_.mutex);
        threads_.by_id.clear();
    }
    if (!process_->dormant()) {
        return;  // the core library is the first module to load
    }
    // It tells which folder is the framework's, and as soon as calls are recorded the program's
    // threads ask about modules whose methods they compile.
    if (const clr::ModuleID core_library = loaded_core_library(*info_.get())) {
        module(core_library);
    }
}

std::vector<clr::mdMethodDef> Profiler::selected_methods(clr::ModuleID id) {
    if (module(id)->verdict == Selection::Verdict::kNone) {
        return {};
    }
    const auto metadata = clr::MetadataReader::of_module(*info_.get(), id);
    if (!metadata) {
        return {};
    }
    std::vector<clr::mdMethodDef> methods = metadata->methods_with_code();
    std::erase_if(methods, [&](clr::mdMethodDef method) { return !selects(id, method); });
    return methods;
}

std::vector<clr::mdMethodDef> Profiler::renewable_methods(clr::ModuleID id) {
    std::vector<clr::mdMethodDef> methods = selected_methods(id);
    const std::shared_ptr<const Module> in = module(id);
    if (!in->renewable()) {
        // What has hooks from an earlier capture is timed in this one, too.
        if (const auto hooked = first_jit_hooked(id); !hooked.empty()) {
            renew_functions(id);
            std::erase_if(methods, [&](clr::mdMethodDef method) {
                return std::ranges::binary_search(hooked, method);
            });
        }
        if (in->emitted) {
            refuse_emitted(id, methods);
        } else if (!methods.empty()) {
            refuse(id, methods, kNoVersionsOfCollectible);
        }
        return {};
    }
    if (in->corelib && !process_->dormant() && !methods.empty()) {
        refuse(id, methods, kNeededToStart);
        return {};
    }
    if (const auto fragile = in->fragile) {
        const auto refused = std::stable_partition(
            methods.begin(), methods.end(),
            [&](clr::mdMethodDef method) { return !fragile->contains(method); });
        if (refused != methods.end()) {
            refuse(id, {refused, methods.end()}, kNeededByCompiler);
            methods.erase(refused, methods.end());
        }
    }
    return methods;
}

void Profiler::refuse_emitted(clr::ModuleID id, std::span<const clr::mdMethodDef> methods) {
    std::vector<clr::mdMethodDef> fresh;
    {
        const std::lock_guard lock(captured_.mutex);
        std::ranges::copy_if(methods, std::back_inserter(fresh), [&](clr::mdMethodDef method) {
            return captured_.emitted.insert({id, method}).second;
        });
    }
    if (!fresh.empty()) {
        refuse(id, fresh, kNoVersionsOfEmitted);
    }
}

void Profiler::set_mask(const EventMask& mask) noexcept {
    if (gate_) {
        gate_->set_base(mask.low, mask.high);
    } else {
        info_->SetEventMask2(mask.low, mask.high);
    }
}

uint32_t Profiler::begin_capture() noexcept {
    uint32_t requested = 0;
    set_mask(probes_in_il() ? kIlActiveMask : kActiveMask);
    const InliningPause::Scope pause(inlining_pause_, InliningPause::Settle::kYes);
    guarded([&] {
        ModulesInUse::Work work(modules_in_use_);
        const auto for_each_module = [&, modules = loaded_modules(*info_.get())](const auto& act) {
            for (const clr::ModuleID id : modules) {
                if (work.keep(id)) {
                    act(id);
                    work.let_go();
                }
            }
        };
        // What is loaded is read there, not in its file, by whoever asks about another module.
        for_each_module([&](clr::ModuleID id) { module(id); });
        // Before anything is compiled: what a method is taken for rests on these.
        bool has_async = false;
        for_each_module([&](clr::ModuleID id) { has_async = has_async || needs_async_probes(id); });
        if (has_async) {
            ask_for_async_probes();
        }
        for_each_module([&](clr::ModuleID id) {
            std::vector<clr::mdMethodDef> methods = renewable_methods(id);
            if (probes_in_il() && !methods.empty()) {
                metadata_->open(id, WritableMetadata::Known::kToThreads);
            }
            for (size_t at = 0; at < methods.size(); at += kMethodsAtOnce) {
                const auto some =
                    std::span(methods).subspan(at, std::min(kMethodsAtOnce, methods.size() - at));
                std::vector<clr::ModuleID> of_them(some.size(), id);
                request_rejit(of_them, some, Inliners::kToo);
            }
            requested += static_cast<uint32_t>(methods.size());
        });
        tell_lasting_inlinings();
    });
    return requested;
}

void Profiler::end_capture() noexcept {
    set_mask(kDormantMask);
    const InliningPause::Scope pause(inlining_pause_, InliningPause::Settle::kYes);
    guarded([&] {
        ModulesInUse::Work work(modules_in_use_);
        std::vector<MethodSet::value_type> ordinary;
        std::vector<MethodSet::value_type> born;
        {
            const std::lock_guard lock(captured_.mutex);
            for (const auto& method : captured_.requested) {
                (captured_.first_jit_hooked.contains(method) ? born : ordinary).push_back(method);
            }
            captured_.requested.clear();
        }
        for (auto at = ordinary.begin(); at != ordinary.end(); work.let_go()) {
            Methods some(at, ordinary.end(), work);
            std::vector<HRESULT> outcomes(some.tokens.size());
            if (!some.tokens.empty()) {
                const ModulesInUse::Request request(modules_in_use_);
                info_->RequestRevert(static_cast<uint32_t>(some.tokens.size()), some.modules.data(),
                                     some.tokens.data(), outcomes.data());
            }
        }
        for (auto at = born.begin(); at != born.end(); work.let_go()) {
            Methods some(at, born.end(), work);
            request_rejit(some.modules, some.tokens);
        }
    });
}

bool Profiler::is_loaded_in_capture(clr::ModuleID module) {
    const std::lock_guard lock(captured_.mutex);
    return captured_.loaded.contains(module);
}

std::vector<clr::mdMethodDef> Profiler::first_jit_hooked(clr::ModuleID module) {
    std::vector<clr::mdMethodDef> methods;
    const std::lock_guard lock(captured_.mutex);
    for (auto at = captured_.first_jit_hooked.lower_bound({module, 0});
         at != captured_.first_jit_hooked.end() && at->first == module; ++at) {
        methods.push_back(at->second);
    }
    return methods;
}

bool Profiler::first_jit_has_hooks(uint32_t index) {
    if (!is_selected(index)) {
        return false;
    }
    const FunctionEntry& entry = process_->registry().at(index);
    bool born = false;
    guarded([&] {
        const bool stays = !module(entry.module)->renewable();
        const MethodSet::value_type method{entry.module, entry.token};
        const std::lock_guard lock(captured_.mutex);
        if (captured_.loaded.contains(entry.module) ||
            (stays && captured_.first_jit_hooked.contains(method))) {
            captured_.first_jit_hooked.insert(method);
            captured_.requested.insert(method);
            born = true;
        }
    });
    return born;
}

void Profiler::note_without_hooks(clr::FunctionID function) noexcept {
    const uint32_t index = process_->registry().find(this, function);
    if (index == 0 || !process_->dormant()) {
        return;
    }
    const FunctionEntry& entry = process_->registry().at(index);
    guarded([&] {
        const std::shared_ptr<const Module> in = module(entry.module);
        if (in->renewable()) {
            return;
        }
        if (in->emitted && records() && is_selected(index)) {
            refuse_emitted(entry.module, std::array{entry.token});
        }
        const std::lock_guard lock(captured_.mutex);
        captured_.first_jit_hooked.erase({entry.module, entry.token});
    });
}

bool Profiler::suspend() noexcept {
    const auto info = clr::query<clr::ICorProfilerInfo10>(*info_.get());
    return info && suspend_runtime(*info.get());
}

void Profiler::resume() noexcept {
    if (const auto info = clr::query<clr::ICorProfilerInfo10>(*info_.get())) {
        info->ResumeRuntime();
    }
}

HRESULT Profiler::request_detach() noexcept {
    constexpr uint32_t kExpectedMs = 1000;
    return info_->RequestProfilerDetach(kExpectedMs);
}

}  // namespace umbra::agent
