// SPDX-License-Identifier: MIT
#include "src/agent/agent_worker.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "hotpath/recorder.h"
#include "src/agent/methods/function_name.h"
#include "src/agent/methods/inlining_pause.h"
#include "src/agent/profiler.h"
#include "src/agent/support/log.h"
#include "src/agent/support/own_thread.h"
#include "src/clr/method_names.h"

namespace umbra::agent {
namespace {

// Functions named before what else waits has its turn.
constexpr uint32_t kNamingBatch = 64;
// A program compiles thousands of functions a second while it starts. Woken for each, the thread
// would take as much time in switching as in naming: a rebuild by MSBuild slept and woke 30,000
// times with 2 ms.
constexpr auto kGather = std::chrono::milliseconds(10);
// Probes meet types of async calls, and wake nobody.
constexpr auto kLookForTypes = std::chrono::milliseconds(50);

}  // namespace

void AgentWorker::connect(Channel& channel) {
    channel_.store(&channel);
}

Status AgentWorker::start(bool joinable) {
    thread_ = start_joinable_thread<&AgentWorker::run>("umbra-worker", this);
    if (!thread_) {
        return fail(ErrorCode::kSystem, "starting the agent's thread for names failed");
    }
    if (!joinable) {
        pthread_detach(*thread_);
    }
    return {};
}

void AgentWorker::end() noexcept {
    {
        const std::lock_guard lock(mutex_);
        draining_ = true;
        wake_.notify_one();
    }
    pthread_join(*thread_, nullptr);
    thread_.reset();
    const std::lock_guard lock(mutex_);
    draining_ = false;
}

void AgentWorker::forget_told() {
    const std::scoped_lock lock(naming_, mutex_);
    named_.store(registry_.count());
    pending_ = {};
    type_indexes_.clear();
    types_given_ = 0;
    module_indexes_.clear();
    async_types_.forget_all();
}

void AgentWorker::function_added() {
    const std::lock_guard lock(mutex_);
    wake();
}

// One that gathers, or works, looks for itself.
void AgentWorker::wake() {
    if (asleep_) {
        wake_.notify_one();
    }
}

void AgentWorker::name_again(uint32_t index) {
    const std::lock_guard lock(mutex_);
    pending_.again.push_back(index);
    wake();
}

void AgentWorker::name_all_of(const Profiler* owner) noexcept {
    try {
        name_functions(Registry::kCapacity, owner);
        name_types(owner);
        name_async_types(owner);
    } catch (...) {  // out of memory: some functions stay without a name
    }
}

// Now that none of its functions can be found any more, nobody can ask for one again: whoever does
// looks and asks under this lock.
void AgentWorker::forget_module(clr::ModuleID module, const Profiler* owner) {
    const std::scoped_lock lock(naming_, mutex_);
    async_types_.forget_module(owner, module);
    std::erase_if(type_indexes_, [&](const auto& type) {
        return type.first.first == owner && type.second.module == module;
    });
    std::erase_if(pending_.recompilations, [&](const Recompilation& request) {
        return request.module == module && request.owner == owner;
    });
    deinstrumented_.forget_module(owner, module);
}

uint32_t AgentWorker::type_index(clr::ClassID type, clr::ModuleID module, Profiler* owner) {
    const std::lock_guard lock(mutex_);
    const auto [place, added] = type_indexes_.try_emplace({owner, type}, KnownType{0, module});
    if (added) {
        place->second.index = ++types_given_;
        pending_.types.push_back({place->second.index, type, module, owner});
        wake();
    }
    return place->second.index;
}

uint32_t AgentWorker::module_index(const std::string& path, bool framework, uint32_t runtime) {
    const std::lock_guard lock(mutex_);
    const auto [place, added] = module_indexes_.try_emplace(
        {runtime, path}, static_cast<uint32_t>(module_indexes_.size() + 1));
    if (added) {
        pending_.outbox.push_back(protocol::ModuleLoaded{place->second, path, framework, runtime});
        wake();
    }
    return place->second;
}

void AgentWorker::post(protocol::Message message) {
    const std::lock_guard lock(mutex_);
    pending_.outbox.push_back(std::move(message));
    wake();
}

void AgentWorker::recompile(uint32_t index) {
    const FunctionEntry& entry = registry_.at(index);
    const std::lock_guard lock(mutex_);
    if (entry.function.load(std::memory_order_relaxed) != 0) {
        pending_.recompilations.push_back({entry.module, entry.token, entry.owner});
        wake();
    }
}

// A function may be retired while this looks at it: see forget_module().
void AgentWorker::take_hooks_out(uint32_t index) {
    const FunctionEntry& entry = registry_.at(index);
    const std::lock_guard lock(mutex_);
    if (entry.function.load(std::memory_order_relaxed) != 0 && entry.selected &&
        deinstrumented_.add({entry.owner, entry.module, entry.token})) {
        pending_.recompilations.push_back({entry.module, entry.token, entry.owner});
        wake();
    }
}

void AgentWorker::send(const protocol::Message& message) {
    send_all({message});
}

void AgentWorker::send_all(const std::deque<protocol::Message>& messages) {
    Channel* channel = channel_.load();
    if (channel != nullptr && !channel->send_all(messages)) {
        disconnect();
        hotpath::cut_off_recording();
    }
}

// Called with naming_ held. The index is new: module and name go out in this order.
void AgentWorker::name_function(uint32_t index) {
    FunctionEntry& entry = registry_.at(index);
    const clr::FunctionID function = entry.function.load(std::memory_order_relaxed);
    if (function == 0 || entry.owner->has_left()) {
        return;
    }
    protocol::FunctionNamed named;
    named.index = index;
    named.instrumented = entry.selected.load(std::memory_order_relaxed);
    named.trivial = entry.trivial.load(std::memory_order_relaxed);
    named.runtime = entry.owner->number();
    clr::ICorProfilerInfo3& info = entry.owner->info();
    if (Result<clr::MethodName> name = entry.all_instantiations
                                           ? clr::method_name(info, entry.module, entry.token)
                                           : clr::method_name(info, function)) {
        named.module = entry.owner->module_index(name->module);
        set_name(std::move(*name), named);
    }
    named.suspended = (entry.traits.load(std::memory_order_relaxed) & hotpath::kRuntimeAsync) != 0;
    const std::lock_guard lock(mutex_);
    pending_.outbox.push_back(std::move(named));
}

void AgentWorker::name_functions(uint32_t at_most, const Profiler* owner) {
    const std::lock_guard lock(naming_);
    const auto name_if_ready = [this, owner](uint32_t index) {
        const FunctionEntry& entry = registry_.at(index);
        const bool ready = entry.ready.load(std::memory_order_acquire) &&
                           (owner == nullptr || entry.owner == owner);
        if (ready) {
            name_function(index);
        }
        return ready;
    };
    std::erase_if(unready_, name_if_ready);
    uint32_t index = named_.load();
    for (const uint32_t end = std::min(registry_.count(), index + at_most); index < end;) {
        if (!name_if_ready(++index)) {
            unready_.push_back(index);
        }
        named_.store(index);
    }
    std::deque<uint32_t> functions;
    {
        const std::lock_guard queue_lock(mutex_);
        functions.swap(pending_.again);
    }
    for (const uint32_t again : functions) {
        if (owner == nullptr || registry_.at(again).owner == owner) {
            name_function(again);
        } else {
            unready_.push_back(again);
        }
    }
    some_unready_.store(!unready_.empty());
}

void AgentWorker::name_types(const Profiler* owner) {
    const std::lock_guard lock(naming_);
    std::deque<TypeRequest> types;
    {
        const std::lock_guard queue_lock(mutex_);
        std::erase_if(pending_.types, [&](const TypeRequest& request) {
            const bool its = owner == nullptr || request.owner == owner;
            if (its) {
                types.push_back(request);
            }
            return its;
        });
    }
    for (const TypeRequest& request : types) {
        if (!request.owner->has_left()) {
            post(protocol::TypeNamed{request.index,
                                     clr::class_name(request.owner->info(), request.type),
                                     is_cancellation(request.owner->info(), request.type)});
        }
    }
}

void AgentWorker::name_async_types() {
    const std::lock_guard lock(mutex_);
    async_types_.begin();
    wake();
}

void AgentWorker::name_async_types(const Profiler* owner) {
    const std::lock_guard lock(naming_);
    for (protocol::AsyncTypeNamed& type : async_types_.name_new(owner)) {
        post(std::move(type));
    }
}

Profiler* AgentWorker::next_owner() {
    const std::lock_guard lock(mutex_);
    return pending_.recompilations.empty() ? nullptr : pending_.recompilations.front().owner;
}

std::vector<AgentWorker::Recompilation> AgentWorker::take_recompilations(const Profiler* owner) {
    std::vector<Recompilation> taken;
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_.recompilations, [&](const Recompilation& request) {
        const bool its = request.owner == owner;
        if (its) {
            taken.push_back(request);
        }
        return its;
    });
    return taken;
}

// No lock is held over a request: callbacks wait for ours, and the runtime takes its own. All
// methods of a runtime in one request: each makes it stop all its threads.
void AgentWorker::request_recompilations() {
    while (Profiler* owner = next_owner()) {
        ModulesInUse::Work work(owner->modules_in_use());
        std::vector<clr::ModuleID> modules;
        std::vector<clr::mdMethodDef> methods;
        for (const Recompilation& request : take_recompilations(owner)) {
            if (work.keep(request.module)) {
                modules.push_back(request.module);
                methods.push_back(request.token);
            }
        }
        if (!owner->has_left()) {
            const InliningPause::Scope pause(owner->inlining_pause(), InliningPause::Settle::kYes);
            owner->request_rejit(modules, methods);
        }
    }
}

bool AgentWorker::work_left() const {
    return !pending_.empty() || named_.load() < registry_.count() || some_unready_.load() ||
           async_types_.work_left();
}

void AgentWorker::run() noexcept {
    try {
        name_until_drained();
    } catch (...) {  // out of memory: the probes go on, the names end here
        log_line("naming ended: out of memory");
    }
}

void AgentWorker::name_until_drained() {
    for (;;) {
        name_functions(kNamingBatch, nullptr);
        name_types(nullptr);
        name_async_types(nullptr);
        request_recompilations();
        std::deque<protocol::Message> messages;
        {
            const std::lock_guard lock(mutex_);
            messages.swap(pending_.outbox);
        }
        send_all(messages);
        std::unique_lock lock(mutex_);
        if (!work_left()) {
            if (draining_) {
                return;
            }
            flush_requested_ = false;
            asleep_ = true;
            idle_.notify_all();
            const auto wanted = [this] { return flush_requested_ || draining_ || work_left(); };
            while (!wanted()) {
                if (async_types_.begun()) {
                    wake_.wait_for(lock, kLookForTypes);
                } else {
                    wake_.wait(lock);
                }
            }
            asleep_ = false;
            wake_.wait_for(lock, kGather, [this] { return flush_requested_ || draining_; });
        }
    }
}

void AgentWorker::flush() noexcept {
    std::unique_lock lock(mutex_);
    flush_requested_ = true;
    wake_.notify_one();
    idle_.wait_for(lock, std::chrono::seconds(2),
                   [&] { return !connected() || (asleep_ && !flush_requested_ && !work_left()); });
}

}  // namespace umbra::agent
