// SPDX-License-Identifier: MIT
#include "src/agent/process.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <variant>

#include <unistd.h>

#include "hotpath/calibration.h"
#include "hotpath/clock.h"
#include "hotpath/recorder.h"
#include "src/agent/link/greeting.h"
#include "src/agent/profiler.h"
#include "src/agent/support/kernel_clock.h"
#include "src/agent/support/log.h"
#include "src/agent/support/own_thread.h"
#include "src/agent/support/runtime_version.h"
#include "src/base/utf8.h"
#include "src/protocol/environment.h"

namespace umbra::agent {
namespace {

bool is_set_to(const char* variable, std::string_view wanted) {
    const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): not set by us
    return value != nullptr && value == wanted;
}

// The processor's counter where its ticks have a fixed length, unless the environment asks for the
// system's clock.
hotpath::ClockSource choose_clock() {
    const bool os = is_set_to(protocol::kClockVariable, protocol::kOsClock);
    return os || !hotpath::ticks_are_invariant() ? hotpath::ClockSource::kOs
                                                 : hotpath::ClockSource::kCounter;
}

}  // namespace

bool AgentProcess::probes_are_empty() noexcept {
    return is_set_to(protocol::kProbesVariable, protocol::kEmptyProbes);
}

hotpath::HookFunctions AgentProcess::hooks() const noexcept {
    return probes_are_empty() ? hotpath::empty_hook_functions()
                              : hotpath::hook_functions(choose_clock());
}

hotpath::IlProbeFunctions AgentProcess::il_probes() const noexcept {
    return probes_are_empty() ? hotpath::empty_il_probe_functions()
                              : hotpath::il_probe_functions(choose_clock());
}

Result<AgentProcess*> AgentProcess::start(const std::string& runtime_version, Begin begin) {
    // Leaked on purpose: probes and threads of ours outlive every destructor of the program.
    static std::mutex& mutex = *new std::mutex;
    static auto& outcome = *new std::optional<Result<AgentProcess*>>;
    const std::lock_guard lock(mutex);
    if (!outcome) {
        outcome = create(runtime_version, begin);
    }
    return *outcome;
}

Result<AgentProcess*> AgentProcess::create(const std::string& runtime_version, Begin begin) {
    auto* process = new AgentProcess;
    process->runtime_version_ = runtime_version;
    process->attached_ = begin == Begin::kAttached;
    if (!process->registry_.reserve()) {
        return fail(ErrorCode::kSystem, "no address space for the function registry");
    }
    const char* path =
        std::getenv(protocol::kSocketVariable);  // NOLINT(concurrency-mt-unsafe): not set by us
    const bool launched = begin == Begin::kAsAsked && path != nullptr && *path != '\0';
    const Status status = launched ? process->launch(path) : process->sleep();
    if (!status) {
        return tl::unexpected<Error>(status.error());
    }
    return process;
}

Status AgentProcess::launch(const char* socket_path) {
    Result<Channel> channel = Channel::open(socket_path);
    if (!channel) {
        return tl::unexpected<Error>(channel.error());
    }
    Status recording = meet_collector(*channel);
    if (recording) {
        capture_.store(1, std::memory_order_release);
        recording = begin_recording();
    }
    if (!recording) {
        return recording;
    }
    channel_ = std::make_unique<Channel>(std::move(*channel));
    worker_.connect(*channel_);
    const bool started = start_thread<&AgentProcess::run_control>("umbra-control", this);
    if (!started || !worker_.start(false)) {
        hotpath::stop_recording();
        return fail(ErrorCode::kSystem, "starting the agent's threads failed");
    }
    return {};
}

Status AgentProcess::sleep() {
    Result<ControlSocket> control = ControlSocket::open();
    if (!control) {
        return tl::unexpected<Error>(control.error());
    }
    control_.emplace(std::move(*control));
    const bool started = start_thread<&AgentProcess::run_dormant>("umbra-control", this);
    if (!started) {
        control_->remove();
        return fail(ErrorCode::kSystem, "starting the agent's thread failed");
    }
    return {};
}

Status AgentProcess::meet_collector(Channel& channel) {
    Result<Segment> segment = create_segment(choose_clock(), segment_.header);
    if (!segment) {
        // There is a console to tell the reason on.
        [[maybe_unused]] const Status sent =
            channel.send(protocol::Notice{"process " + std::to_string(getpid()) +
                                          " is not profiled: " + segment.error().context});
        return tl::unexpected<Error>(segment.error());
    }
    // The mapping is enough once the collector has the descriptor, and no program can close that
    // behind our back.
    segment_.header = segment->header;
    protocol::Hello hello = hello_of(runtime_version_);
    hello.segment_bytes = hotpath::kSegmentBytes;
    hello.running = dormant();
    hello.il_probes = attached_;
    hello.runtimes = runtime_versions();
    Result<protocol::HelloAnswer> answer = greet(channel, hello, segment->fd.get());
    if (!answer) {
        return tl::unexpected<Error>(answer.error());
    }
    auto* welcome = std::get_if<protocol::Welcome>(&*answer);
    if (welcome == nullptr) {
        return fail(ErrorCode::kVersion, "umbra answered Hello with something else");
    }
    settings_ = std::move(*welcome);
    arguments_.begin(settings_.arguments);
    segment_.header->probe_costs = hotpath::calibrate(segment_.header->clock);
    pauses_.emplace(*segment_.header);
    return {};
}

Status AgentProcess::begin_recording() {
    hotpath::SegmentHeader& header = *segment_.header;
    if (dormant()) {
        header.start_ticks = hotpath::read_clock(header.clock);  // the capture has no past
    }
    hotpath::RecorderOptions options;
    options.header = &header;
    options.drop_when_full = settings_.drop;
    options.discard = is_set_to(protocol::kProbesVariable, protocol::kDiscardingProbes);
    if (!hotpath::start_recording(options)) {
        return fail(ErrorCode::kSystem, "the process is out of thread-specific keys");
    }
    return {};
}

void AgentProcess::add_runtime(Profiler* profiler) {
    const std::lock_guard lock(runtimes_.mutex);
    runtimes_.all.push_back(profiler);
    runtimes_.going_on.fetch_add(1);
    profiler->set_number(static_cast<uint32_t>(runtimes_.all.size()));
    worker_.add_runtime(profiler);
    if (!dormant()) {
        join_capture(*profiler);
    } else if (runtimes_.capturing && !runtimes_.chosen.takes_one()) {
        join_capture(*profiler);
        profiler->begin_capture();
    }
}

void AgentProcess::join_capture(Profiler& runtime) {
    worker_.post(protocol::RuntimeStarted{runtime.number(), runtime_version(runtime.info())});
    runtime.prepare_capture(settings_);
}

// No lock is waited for that a thread holds while it stops this runtime's.
void AgentProcess::runtime_ends(Profiler* profiler) noexcept {
    if (is_forked_child()) {
        return;  // somebody else ends
    }
    const uint32_t left = runtimes_.going_on.fetch_sub(1) - 1;
    try {
        if (control_ && left == 0) {
            control_->remove();
        }
        if (worker_.connected()) {
            if (left == 0) {
                tell_what_is_left();
            }
            worker_.post(protocol::Shutdown{clock_ns(CLOCK_PROCESS_CPUTIME_ID), left});
            worker_.flush();
        }
    } catch (...) {  // out of memory: the collector sees the process end
    }
    profiler->leave();
}

uint32_t AgentProcess::add_function(clr::FunctionID function, const FunctionFacts& facts) noexcept {
    const uint32_t index = registry_.add(function, facts);
    if (index == 0) {
        segment_.header->functions_refused.fetch_add(1, std::memory_order_relaxed);
        return 0;
    }
    worker_.function_added();
    return index;
}

// The child of a fork compiles methods of its own, and gives them indexes that its parent gives to
// others: what it has mapped is its parent's segment.
uint32_t AgentProcess::module_index(const std::string& path, bool framework, uint32_t runtime) {
    const uint32_t index = worker_.module_index(path, framework, runtime);
    if (segment_.header != nullptr && index < hotpath::kRegisteredModules && !is_forked_child()) {
        hotpath::RegisteredModule& module = hotpath::registered_modules(segment_.header)[index];
        if (path.size() <= module.path.size()) {
            module.runtime = runtime;
            module.framework = framework ? 1 : 0;
            std::ranges::copy(path, module.path.begin());
            module.path_bytes.store(static_cast<uint32_t>(path.size()), std::memory_order_release);
        }
    }
    return index;
}

void AgentProcess::register_method(uint32_t index, uint32_t module, clr::mdToken token) noexcept {
    if (index != 0 && !is_forked_child()) {
        std::atomic_ref<uint8_t>(hotpath::function_traits(segment_.header)[index])
            .store(registry_.at(index).traits.load(std::memory_order_relaxed),
                   std::memory_order_relaxed);
        // Behind its traits: who sees it need not look at these again.
        hotpath::registered_methods(segment_.header)[index].word.store(
            hotpath::RegisteredMethod::pack(module, token), std::memory_order_release);
    }
}

void AgentProcess::register_thread(uint32_t os_tid, std::string_view name) noexcept {
    if (segment_.header == nullptr || is_forked_child()) {
        return;
    }
    hotpath::RegisteredThread& thread =
        hotpath::registered_threads(segment_.header)[hotpath::registered_place(os_tid)];
    thread.os_tid.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);  // 0 is seen before the new name
    thread.name.fill(0);
    std::ranges::copy(cut_utf8(name, thread.name.size()), thread.name.begin());
    thread.os_tid.store(os_tid, std::memory_order_release);
}

void AgentProcess::watch(uint32_t index, uint8_t request) noexcept {
    if (!is_forked_child()) {
        std::atomic_ref<uint8_t>(hotpath::watched_functions(segment_.header)[index])
            .store(request, std::memory_order_relaxed);
    }
}

void AgentProcess::notice(const std::string& sentence) {
    if (notices_.first(sentence)) {
        worker_.post(protocol::Notice{sentence});
    }
}

uint32_t AgentProcess::add_method(const FunctionFacts& facts) noexcept {
    return add_function(method_id(methods_added_.fetch_add(1)), facts);
}

void AgentProcess::methods_refused(const std::string& why, std::span<const std::string> names,
                                   uint64_t methods) {
    segment_.header->methods_refused.fetch_add(methods, std::memory_order_relaxed);
    if (std::string text = refused_.add(why, names, methods); !text.empty()) {
        worker_.post(protocol::Notice{std::move(text)});
    }
}

void AgentProcess::renew_function(uint32_t index, bool selected, bool trivial) noexcept {
    FunctionEntry& entry = registry_.at(index);
    const uint32_t capture = capture_.load(std::memory_order_acquire);
    entry.selected.store(selected, std::memory_order_relaxed);
    entry.trivial.store(trivial, std::memory_order_relaxed);
    if (entry.capture.exchange(capture, std::memory_order_acq_rel) == capture) {
        return;  // another thread was first
    }
    try {
        worker_.name_again(index);
    } catch (...) {  // out of memory: it stays without a name
    }
}

void AgentProcess::function_unloads(clr::FunctionID function, const Profiler* owner) noexcept {
    worker_.name_all_of(owner);
    registry_.retire(owner, function);
}

void AgentProcess::module_unloads(clr::ModuleID module, const Profiler* owner) noexcept {
    worker_.name_all_of(owner);
    for (uint32_t index = 1; index <= registry_.count(); ++index) {
        const FunctionEntry& entry = registry_.at(index);
        const clr::FunctionID function = entry.function.load(std::memory_order_relaxed);
        if (function != 0 && entry.ready.load(std::memory_order_acquire) &&
            entry.module == module && entry.owner == owner) {
            registry_.retire(owner, function);
        }
    }
    worker_.forget_module(module, owner);
}

void AgentProcess::repair_hooks(uint32_t index) {
    segment_.header->missed_hooks.fetch_add(1, std::memory_order_relaxed);
    worker_.recompile(index);
}

void AgentProcess::take_hooks_out(const protocol::RemoveHooks& request) {
    for (const uint32_t index : request.functions) {
        if (index != 0 && index <= registry_.count() &&
            registry_.at(index).ready.load(std::memory_order_acquire)) {
            worker_.take_hooks_out(index);
        }
    }
}

bool AgentProcess::obey(protocol::Message message) {
    const std::optional<protocol::RecordingOrder> order =
        protocol::narrow<protocol::RecordingOrder>(std::move(message));
    if (!order) {
        return false;
    }
    return std::visit(protocol::Handlers{
                          [this](const protocol::RemoveHooks& request) {
                              take_hooks_out(request);
                              return true;
                          },
                          [](const protocol::EndCapture& /*end*/) { return false; },
                      },
                      *order);
}

void AgentProcess::hooks_removed(uint32_t index) {
    if (deinstrumented_.note_unhooked(index)) {
        worker_.post(protocol::HooksRemoved{index});
    }
}

void AgentProcess::recompilation_failed(clr::HRESULT why) {
    const std::string sentence =
        why == clr::kModuleIsDynamic
            ? "methods made at run time (Reflection.Emit) keep their probes: the runtime does not "
              "compile them anew"
            : "the runtime does not compile some methods anew: their probes stay as they are "
              "(HRESULT " +
                  clr::hexadecimal(why) + ')';
    notice(sentence);
}

void AgentProcess::run_control() noexcept {
    try {
        std::optional<protocol::Message> message;
        while ((message = channel_->next()) && obey(std::move(*message))) {
        }
    } catch (...) {  // out of memory: as if the collector had gone
    }
    worker_.disconnect();
    hotpath::cut_off_recording();
    log_line("umbra is gone: probes are off");
}

}  // namespace umbra::agent
