// SPDX-License-Identifier: MIT
#include "src/agent/process.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "hotpath/calibration.h"
#include "hotpath/clock.h"
#include "hotpath/recorder.h"
#include "src/agent/log.h"
#include "src/agent/profiler.h"
#include "src/clr/method_names.h"
#include "src/protocol/environment.h"

namespace umbra::agent {
namespace {

constexpr size_t kMaxCommandLineBytes = size_t{16} * 1024;
// Names sent at once; so often the namer looks at what else waits.
constexpr uint32_t kNamingBatch = 64;
// Functions come in flocks while a program starts: woken for each, the namer would take as much
// time in switching as in naming.
constexpr auto kGather = std::chrono::milliseconds(2);

std::string read_command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!text.empty() && text.back() == '\0') {
        text.pop_back();
    }
    std::replace(text.begin(), text.end(), '\0', ' ');
    text.resize(std::min(text.size(), kMaxCommandLineBytes));
    return text;
}

bool is_set_to(const char* variable, std::string_view wanted) {
    const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): not set by us
    return value != nullptr && value == wanted;
}

// The TSC where its ticks have a fixed length, unless the environment asks for the system's clock.
hotpath::ClockSource choose_clock() {
    const bool os = is_set_to(protocol::kClockVariable, protocol::kOsClock);
    return os || !hotpath::ticks_are_invariant() ? hotpath::ClockSource::kOs
                                                 : hotpath::ClockSource::kTsc;
}

// Threads of ours take no signals: they belong to the program.
template <typename Body>
bool start_thread(const char* name, void* argument, Body* body) {
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t thread{};
    const bool started = pthread_create(&thread, nullptr, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    if (started) {
        pthread_setname_np(thread, name);
        pthread_detach(thread);
    }
    return started;
}

}  // namespace

hotpath::HookFunctions AgentProcess::hooks() const noexcept {
    return is_set_to(protocol::kProbesVariable, protocol::kEmptyProbes)
               ? hotpath::empty_hook_functions()
               : hotpath::hook_functions(segment_.header->clock);
}

Result<AgentProcess*> AgentProcess::start(const std::string& runtime_version) {
    // Leaked on purpose: probes and threads of ours outlive every destructor of the program.
    static std::mutex& mutex = *new std::mutex;
    static auto& outcome = *new std::optional<Result<AgentProcess*>>;
    const std::lock_guard lock(mutex);
    if (!outcome) {
        outcome = connect(runtime_version);
    }
    return *outcome;
}

Result<AgentProcess*> AgentProcess::connect(const std::string& runtime_version) {
    const char* path =
        std::getenv(protocol::kSocketVariable);  // NOLINT(concurrency-mt-unsafe): not set by us
    if (path == nullptr || *path == '\0') {
        return fail(ErrorCode::kNotFound,
                    "UMBRA_SOCKET is not set: start the program with `umbra run`");
    }
    Result<Channel> channel = Channel::open(path);
    if (!channel) {
        return tl::unexpected<Error>(channel.error());
    }
    // From here on there is a console to tell the reason on.
    const auto tell = [&](Error error) -> tl::unexpected<Error> {
        [[maybe_unused]] const Status sent = channel->send(protocol::Notice{
            "process " + std::to_string(getpid()) + " is not profiled: " + error.context});
        return tl::unexpected<Error>(std::move(error));
    };
    Result<Segment> segment = create_segment(choose_clock());
    if (!segment) {
        return tell(segment.error());
    }
    protocol::Hello hello;
    hello.tool_version = UMBRA_VERSION;
    hello.pid = static_cast<uint32_t>(getpid());
    hello.runtime = runtime_version;
    hello.command_line = read_command_line();
    hello.segment_bytes = hotpath::kSegmentBytes;
    if (Status sent = channel->send(hello, segment->fd.get()); !sent) {
        return tl::unexpected<Error>(sent.error());
    }
    Result<protocol::Message> answer = channel->receive();
    if (!answer) {
        return tl::unexpected<Error>(answer.error());
    }
    if (const auto* refuse = std::get_if<protocol::Refuse>(&*answer)) {
        return fail(ErrorCode::kRefused, "the collector refuses this process: " + refuse->reason);
    }
    auto* welcome = std::get_if<protocol::Welcome>(&*answer);
    if (welcome == nullptr) {
        return fail(ErrorCode::kVersion, "the collector answered Hello with something else");
    }
    auto* process = new AgentProcess(std::move(*channel), std::move(*segment), std::move(*welcome));
    if (!process->registry_.reserve()) {
        return fail(ErrorCode::kSystem, "no address space for the function registry");
    }
    // The mapping is enough from here on, and no program can close that behind our back.
    process->segment_.fd.reset();
    process->segment_.header->probe_costs = hotpath::calibrate(*process->segment_.header);
    hotpath::RecorderOptions options;
    options.header = process->segment_.header;
    options.drop_when_full = process->settings_.drop;
    options.adaptive = process->settings_.adaptive;
    if (!hotpath::start_recording(options)) {
        return fail(ErrorCode::kSystem, "the process is out of thread-specific keys");
    }
    if (Status started = process->start_threads(); !started) {
        hotpath::stop_recording();
        return tl::unexpected<Error>(started.error());
    }
    return process;
}

Status AgentProcess::start_threads() {
    const bool started =
        start_thread(
            "umbra-control", this,
            +[](void* self) -> void* {
                static_cast<AgentProcess*>(self)->run_control();
                return nullptr;
            }) &&
        start_thread(
            "umbra-namer", this, +[](void* self) -> void* {
                auto* process = static_cast<AgentProcess*>(self);
                try {
                    process->run_namer();
                } catch (...) {  // out of memory: the probes go on, the names end here
                    log_line("naming ended: out of memory");
                }
                return nullptr;
            });
    if (!started) {
        return fail(ErrorCode::kSystem, "starting the agent's threads failed");
    }
    return {};
}

void AgentProcess::run_control() noexcept {
    try {
        while (const std::optional<protocol::Message> message = channel_.next()) {
            if (const auto* limit = std::get_if<protocol::Limit>(&*message)) {
                limit_functions(*limit);
            }
        }
    } catch (...) {  // out of memory: as if the collector had gone
    }
    connected_.store(false);
    hotpath::stop_recording();
    log_line("the collector is gone: probes are off");
}

uint32_t AgentProcess::add_function(clr::FunctionID function, const FunctionFacts& facts) noexcept {
    if (const uint32_t known = registry_.find(function); known != 0) {
        return known;
    }
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
    {
        const std::scoped_lock lock(naming_, mutex_);
        std::erase_if(type_indexes_,
                      [&](const auto& type) { return type.second.module == module; });
        std::erase_if(recompilations_, [&](const Recompilation& request) {
            return request.module == module && request.owner == owner;
        });
    }
    limited_.forget_module(owner, module);
    for (uint32_t index = 1; index <= registry_.count(); ++index) {
        const FunctionEntry& entry = registry_.at(index);
        const clr::FunctionID function = entry.function.load(std::memory_order_relaxed);
        if (function != 0 && entry.ready.load(std::memory_order_acquire) &&
            entry.module == module && entry.owner == owner) {
            registry_.retire(function);
        }
    }
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
    recompilations_.push_back({entry.module, entry.token, entry.owner});
    wake_.notify_one();
}

void AgentProcess::limit_functions(const protocol::Limit& limit) {
    for (const uint32_t index : limit.functions) {
        if (index == 0 || index > registry_.count() ||
            !registry_.at(index).ready.load(std::memory_order_acquire)) {
            continue;
        }
        const FunctionEntry& entry = registry_.at(index);
        if (entry.function.load(std::memory_order_relaxed) == 0 || !entry.selected ||
            !limited_.add({entry.owner, entry.module, entry.token})) {
            continue;
        }
        const std::lock_guard lock(mutex_);
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
    if (connected_.load() && !channel_.send(message)) {
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
    named.instrumented = entry.selected;
    if (Result<clr::MethodName> name = clr::method_name(entry.owner->info(), function)) {
        named.module = entry.owner->module_index(name->module);
        named.token = name->token;
        named.namespace_ = std::move(name->namespace_);
        named.type = std::move(name->type);
        named.method = std::move(name->method);
        named.method_args = std::move(name->method_args);
        named.return_type = std::move(name->return_type);
        named.parameters = std::move(name->parameters);
        named.user_parameters = std::move(name->user_parameters);
        named.is_static = name->is_static;
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

void AgentProcess::recompile() {
    const std::lock_guard lock(naming_);
    std::deque<Recompilation> requests;
    {
        const std::lock_guard queue_lock(mutex_);
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
            modules.push_back(request.module);
            methods.push_back(request.token);
            return true;
        });
        owner->compile_anew(modules, methods);
    }
}

bool AgentProcess::work_left() const {
    const uint32_t count = registry_.count();
    return !outbox_.empty() || !types_.empty() || !recompilations_.empty() || named_.load() < count;
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
            hurry_ = false;
            asleep_ = true;
            idle_.notify_all();
            wake_.wait(lock, [this] { return hurry_ || work_left(); });
            asleep_ = false;
            wake_.wait_for(lock, kGather, [this] { return hurry_; });
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
