// SPDX-License-Identifier: MIT
// The namer: tells the collector of functions, types and modules, off every critical path.
#include <algorithm>
#include <chrono>
#include <utility>

#include "src/agent/methods/function_name.h"
#include "src/agent/process.h"
#include "src/agent/profiler.h"
#include "src/agent/support/log.h"
#include "src/agent/support/own_thread.h"
#include "src/clr/method_names.h"

namespace umbra::agent {
namespace {

// Names sent at once; so often the namer looks at what else waits.
constexpr uint32_t kNamingBatch = 64;
// Functions come in flocks while a program starts: woken for each, the namer would take as much
// time in switching as in naming.
constexpr auto kGather = std::chrono::milliseconds(2);

}  // namespace

Status AgentProcess::start_namer(bool joinable) {
    namer_ = start_joinable_thread(
        "umbra-namer", this, +[](void* self) -> void* {
            auto* process = static_cast<AgentProcess*>(self);
            try {
                process->run_namer();
            } catch (...) {  // out of memory: the probes go on, the names end here
                log_line("naming ended: out of memory");
            }
            return nullptr;
        });
    if (!namer_) {
        return fail(ErrorCode::kSystem, "starting the agent's thread for names failed");
    }
    if (!joinable) {
        pthread_detach(*namer_);
    }
    return {};
}

void AgentProcess::end_namer() noexcept {
    {
        const std::lock_guard lock(mutex_);
        last_round_ = true;
        wake_.notify_one();
    }
    pthread_join(*namer_, nullptr);
    namer_.reset();
    const std::lock_guard lock(mutex_);
    last_round_ = false;
}

uint32_t AgentProcess::add_function(clr::FunctionID function, const FunctionFacts& facts) noexcept {
    const uint32_t index = registry_.add(function, facts);
    if (index == 0) {
        segment_.header->functions_refused.fetch_add(1, std::memory_order_relaxed);
        return 0;
    }
    bool wake = false;
    {
        const std::lock_guard lock(mutex_);
        wake = asleep_;
    }
    if (wake) {
        wake_.notify_one();
    }
    return index;
}

void AgentProcess::renew_function(uint32_t index, bool selected) noexcept {
    FunctionEntry& entry = registry_.at(index);
    const uint32_t window = window_.load(std::memory_order_acquire);
    entry.selected.store(selected, std::memory_order_relaxed);
    if (entry.window.exchange(window, std::memory_order_acq_rel) == window) {
        return;  // another thread was first
    }
    try {
        const std::lock_guard lock(mutex_);
        renewed_.push_back(index);
        wake_.notify_one();
    } catch (...) {  // out of memory: it stays without a name
    }
}

void AgentProcess::name_all() noexcept {
    try {
        name_functions(Registry::kCapacity);
        name_types();
    } catch (...) {  // out of memory: some functions stay without a name
    }
}

void AgentProcess::function_unloads(clr::FunctionID function) noexcept {
    name_all();
    registry_.retire(function);
}

void AgentProcess::module_unloads(clr::ModuleID module, const Profiler* owner) noexcept {
    name_all();
    for (uint32_t index = 1; index <= registry_.count(); ++index) {
        const FunctionEntry& entry = registry_.at(index);
        const clr::FunctionID function = entry.function.load(std::memory_order_relaxed);
        if (function != 0 && entry.ready.load(std::memory_order_acquire) &&
            entry.module == module && entry.owner == owner) {
            registry_.retire(function);
        }
    }
    // Now that none of its functions can be found any more, nobody can ask for one again: whoever
    // does looks and asks under this lock.
    const std::lock_guard lock(mutex_);
    std::erase_if(type_indexes_, [&](const auto& type) { return type.second.module == module; });
    std::erase_if(recompilations_, [&](const Recompilation& request) {
        return request.module == module && request.owner == owner;
    });
    limited_.forget_module(owner, module);
}

uint32_t AgentProcess::type_index(clr::ClassID type, clr::ModuleID module, Profiler* owner) {
    const std::lock_guard lock(mutex_);
    const auto [place, added] = type_indexes_.try_emplace(type, KnownType{0, module});
    if (added) {
        place->second.index = ++types_given_;
        types_.push_back({place->second.index, type, module, owner});
        wake_.notify_one();
    }
    return place->second.index;
}

uint32_t AgentProcess::module_index(const std::string& path, bool framework) {
    const std::lock_guard lock(mutex_);
    const auto [place, added] =
        module_indexes_.try_emplace(path, static_cast<uint32_t>(module_indexes_.size() + 1));
    if (added) {
        outbox_.push_back(protocol::ModuleLoaded{place->second, path, framework});
        wake_.notify_one();
    }
    return place->second;
}

void AgentProcess::post(protocol::Message message) {
    const std::lock_guard lock(mutex_);
    outbox_.push_back(std::move(message));
    wake_.notify_one();
}

void AgentProcess::repair_hooks(uint32_t index) {
    segment_.header->missed_hooks.fetch_add(1, std::memory_order_relaxed);
    const FunctionEntry& entry = registry_.at(index);
    const std::lock_guard lock(mutex_);
    if (entry.function.load(std::memory_order_relaxed) != 0) {
        recompilations_.push_back({entry.module, entry.token, entry.owner});
        wake_.notify_one();
    }
}

void AgentProcess::limit_functions(const protocol::Limit& limit) {
    for (const uint32_t index : limit.functions) {
        if (index != 0 && index <= registry_.count() &&
            registry_.at(index).ready.load(std::memory_order_acquire)) {
            limit_function(index);
        }
    }
}

// A function may be retired while this looks at it: see module_unloads().
void AgentProcess::limit_function(uint32_t index) {
    const FunctionEntry& entry = registry_.at(index);
    const std::lock_guard lock(mutex_);
    if (entry.function.load(std::memory_order_relaxed) != 0 && entry.selected &&
        limited_.add({entry.owner, entry.module, entry.token})) {
        recompilations_.push_back({entry.module, entry.token, entry.owner});
        wake_.notify_one();
    }
}

void AgentProcess::hooks_removed(uint32_t index) {
    if (limited_.note_unhooked(index)) {
        post(protocol::HooksRemoved{index});
    }
}

void AgentProcess::recompilation_failed(clr::HRESULT why) {
    if (!recompilation_failed_.exchange(true)) {
        post(
            protocol::Notice{"the runtime does not compile some methods anew: their hooks stay as "
                             "they are (HRESULT " +
                             std::to_string(static_cast<uint32_t>(why)) + ')'});
    }
}

void AgentProcess::send(const protocol::Message& message) {
    if (connected_.load() && !channel_->send(message)) {
        connected_.store(false);
        hotpath::stop_recording();
    }
}

// Called with naming_ held. The index is new: module and name go out in this order.
void AgentProcess::name_function(uint32_t index) {
    FunctionEntry& entry = registry_.at(index);
    const clr::FunctionID function = entry.function.load(std::memory_order_relaxed);
    if (function == 0) {
        return;
    }
    protocol::FunctionNamed named;
    named.index = index;
    named.instrumented = entry.selected.load(std::memory_order_relaxed);
    if (Result<clr::MethodName> name = clr::method_name(entry.owner->info(), function)) {
        named.module = entry.owner->module_index(name->module);
        set_name(std::move(*name), named);
    }
    const std::lock_guard lock(mutex_);
    outbox_.push_back(std::move(named));
}

void AgentProcess::name_functions(uint32_t at_most) {
    const std::lock_guard lock(naming_);
    uint32_t index = named_.load();
    const uint32_t end = std::min(registry_.count(), index + at_most);
    for (; index < end && registry_.at(index + 1).ready.load(std::memory_order_acquire); ++index) {
        name_function(index + 1);
        named_.store(index + 1);
    }
    std::deque<uint32_t> renewed;
    {
        const std::lock_guard queue_lock(mutex_);
        renewed.swap(renewed_);
    }
    for (const uint32_t again : renewed) {
        name_function(again);
    }
}

void AgentProcess::name_types() {
    const std::lock_guard lock(naming_);
    std::deque<TypeRequest> types;
    {
        const std::lock_guard queue_lock(mutex_);
        types.swap(types_);
    }
    for (const TypeRequest& request : types) {
        post(protocol::TypeNamed{request.index,
                                 clr::class_name(request.owner->info(), request.type)});
    }
}

// No lock is held over a request: callbacks wait for ours, and the runtime takes its own.
void AgentProcess::recompile() {
    ModulesInUse::Work work(modules_in_use_);
    std::deque<Recompilation> requests;
    {
        const std::lock_guard lock(mutex_);
        requests.swap(recompilations_);
    }
    // All methods of a runtime in one request: each makes it stop all its threads.
    while (!requests.empty()) {
        Profiler* owner = requests.front().owner;
        std::vector<clr::ModuleID> modules;
        std::vector<clr::mdMethodDef> methods;
        std::erase_if(requests, [&](const Recompilation& request) {
            if (request.owner != owner) {
                return false;
            }
            if (work.keep(request.module)) {
                modules.push_back(request.module);
                methods.push_back(request.token);
            }
            return true;
        });
        owner->compile_anew(modules, methods);
        work.let_go();
    }
}

bool AgentProcess::work_left() const {
    const uint32_t count = registry_.count();
    return !outbox_.empty() || !types_.empty() || !recompilations_.empty() || !renewed_.empty() ||
           named_.load() < count;
}

void AgentProcess::run_namer() {
    for (;;) {
        name_functions(kNamingBatch);
        name_types();
        recompile();
        std::deque<protocol::Message> messages;
        {
            const std::lock_guard lock(mutex_);
            messages.swap(outbox_);
        }
        for (const protocol::Message& message : messages) {
            send(message);
        }
        std::unique_lock lock(mutex_);
        if (!work_left()) {
            if (last_round_) {
                return;
            }
            hurry_ = false;
            asleep_ = true;
            idle_.notify_all();
            wake_.wait(lock, [this] { return hurry_ || last_round_ || work_left(); });
            asleep_ = false;
            wake_.wait_for(lock, kGather, [this] { return hurry_ || last_round_; });
        }
    }
}

void AgentProcess::flush() noexcept {
    std::unique_lock lock(mutex_);
    hurry_ = true;
    wake_.notify_one();
    idle_.wait_for(lock, std::chrono::seconds(2),
                   [&] { return !connected_.load() || (asleep_ && !hurry_ && !work_left()); });
}

}  // namespace umbra::agent
