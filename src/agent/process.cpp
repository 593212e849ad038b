// SPDX-License-Identifier: MIT
#include "src/agent/process.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "hotpath/calibration.h"
#include "hotpath/clock.h"
#include "hotpath/recorder.h"
#include "src/agent/support/command_line.h"
#include "src/agent/support/log.h"
#include "src/agent/support/own_thread.h"
#include "src/protocol/environment.h"

namespace umbra::agent {
namespace {

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

}  // namespace

hotpath::HookFunctions AgentProcess::hooks() const noexcept {
    return is_set_to(protocol::kProbesVariable, protocol::kEmptyProbes)
               ? hotpath::empty_hook_functions()
               : hotpath::hook_functions(choose_clock());
}

Result<AgentProcess*> AgentProcess::start(const std::string& runtime_version) {
    // Leaked on purpose: probes and threads of ours outlive every destructor of the program.
    static std::mutex& mutex = *new std::mutex;
    static auto& outcome = *new std::optional<Result<AgentProcess*>>;
    const std::lock_guard lock(mutex);
    if (!outcome) {
        outcome = create(runtime_version);
    }
    return *outcome;
}

Result<AgentProcess*> AgentProcess::create(const std::string& runtime_version) {
    auto* process = new AgentProcess;
    process->runtime_version_ = runtime_version;
    if (!process->registry_.reserve()) {
        return fail(ErrorCode::kSystem, "no address space for the function registry");
    }
    const char* path =
        std::getenv(protocol::kSocketVariable);  // NOLINT(concurrency-mt-unsafe): not set by us
    const Status status =
        path != nullptr && *path != '\0' ? process->launch(path) : process->sleep();
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
        window_.store(1, std::memory_order_release);
        recording = begin_recording();
    }
    if (!recording) {
        return recording;
    }
    channel_ = std::make_unique<Channel>(std::move(*channel));
    connected_.store(true);
    const bool started = start_thread(
        "umbra-control", this, +[](void* self) -> void* {
            static_cast<AgentProcess*>(self)->run_control();
            return nullptr;
        });
    if (!started || !start_namer(false)) {
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
    const bool started = start_thread(
        "umbra-control", this, +[](void* self) -> void* {
            static_cast<AgentProcess*>(self)->run_dormant();
            return nullptr;
        });
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
    Result<protocol::Welcome> welcome = introduce(channel, segment->fd.get());
    if (!welcome) {
        return tl::unexpected<Error>(welcome.error());
    }
    settings_ = std::move(*welcome);
    segment_.header->probe_costs = hotpath::calibrate(*segment_.header);
    pauses_.emplace(*segment_.header);
    return {};
}

Status AgentProcess::begin_recording() {
    hotpath::SegmentHeader& header = *segment_.header;
    if (dormant()) {
        header.start_ticks = hotpath::read_clock(header.clock);  // the window has no past
    }
    hotpath::RecorderOptions options;
    options.header = &header;
    options.drop_when_full = settings_.drop;
    options.adaptive = settings_.adaptive;
    if (!hotpath::start_recording(options)) {
        return fail(ErrorCode::kSystem, "the process is out of thread-specific keys");
    }
    return {};
}

Result<protocol::Welcome> AgentProcess::introduce(Channel& channel, int segment_fd) const {
    protocol::Hello hello;
    hello.tool_version = UMBRA_VERSION;
    hello.pid = static_cast<uint32_t>(getpid());
    hello.runtime = runtime_version_;
    hello.command_line = own_command_line();
    hello.segment_bytes = hotpath::kSegmentBytes;
    hello.running = dormant();
    if (Status sent = channel.send(hello, segment_fd); !sent) {
        return tl::unexpected<Error>(sent.error());
    }
    Result<protocol::Message> answer = channel.receive();
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
    return std::move(*welcome);
}

void AgentProcess::shutdown() noexcept {
    try {
        if (control_) {
            control_->remove();
        }
        if (connected_.load()) {
            post(protocol::Shutdown{});
            flush();
        }
    } catch (...) {  // out of memory: the collector sees the process end
    }
}

void AgentProcess::run_control() noexcept {
    try {
        while (const std::optional<protocol::Message> message = channel_->next()) {
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

}  // namespace umbra::agent
