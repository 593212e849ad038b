// SPDX-License-Identifier: MIT
#include "src/agent/sampling/sampler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "src/agent/support/kernel_clock.h"
#include "src/agent/support/log.h"
#include "src/agent/support/managed_threads.h"
#include "src/base/unique_fd.h"

namespace umbra::agent {
namespace {

constexpr auto kUnloadTimeout = std::chrono::seconds(2);
constexpr uint64_t kSecondNs = 1'000'000'000;

uint64_t now_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

std::string kernel_name(uint32_t os_tid) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/self/task/%u/comm", os_tid);
    const UniqueFd file(open(path.data(), O_RDONLY | O_CLOEXEC));
    std::array<char, 32> name{};
    const ssize_t got = file ? read(file.get(), name.data(), name.size()) : 0;
    std::string text(name.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return text.substr(0, text.find('\n'));
}

// A run of native frames comes as function 0. Dynamic methods do not come at all.
clr::HRESULT on_frame(clr::FunctionID function, uintptr_t /*ip*/, clr::COR_PRF_FRAME_INFO /*info*/,
                      uint32_t /*context_bytes*/, uint8_t* /*context*/, void* arena) noexcept {
    return static_cast<StackArena*>(arena)->add_frame(function) ? clr::kOk : clr::kFail;
}

}  // namespace

Sampler::Sampler(clr::ICorProfilerInfo10& info, Channel& channel,
                 const protocol::SampleOrder& order, ControlSocket* control)
    : info_(info),
      channel_(channel),
      control_(control),
      order_(order),
      functions_(info,
                 [this](protocol::Message message) { outbox_.push_back(std::move(message)); }) {
}

Sampler::End Sampler::run() noexcept {
    try {
        return loop();
    } catch (...) {
        log_line("sampling ended: out of memory");
        return End::kGone;
    }
}

void Sampler::interrupt() noexcept {
    interrupted_.store(true);
    channel_.stop_receiving();
}

Sampler::End Sampler::loop() {
    begin();
    const uint64_t period_ns = 1000 * kSecondNs / std::max(order_.rate_millihertz, 1U);
    SampleSchedule schedule(now_ns(), period_ns, order_.most_suspended_ppm, times_.begin_ns);
    while (connected_) {
        protocol::Message message;
        wait_until(schedule.next_ns());
        const Channel::Got got = channel_.try_next(message);
        if (interrupted_.load()) {
            return End::kShutdown;
        }
        if (got == Channel::Got::kGone) {
            return End::kGone;
        }
        if (asked_ && serve_control()) {
            take_last_round();
            return End::kAsked;
        }
        if (got == Channel::Got::kMessage &&
            std::holds_alternative<protocol::SampleStop>(message)) {
            take_last_round();
            return End::kAsked;
        }
        if (now_ns() >= schedule.next_ns()) {
            const uint64_t suspended_ns = take_round();
            schedule.round_done(now_ns(), suspended_ns);
        }
    }
    return End::kGone;
}

// Or until somebody has something to say.
void Sampler::wait_until(uint64_t deadline_ns) {
    const uint64_t now = now_ns();
    const uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    const timespec time{static_cast<time_t>(left / kSecondNs), static_cast<long>(left % kSecondNs)};
    std::array<pollfd, 2> readable{
        pollfd{channel_.descriptor(), POLLIN | POLLRDHUP, 0},
        pollfd{control_ != nullptr ? control_->descriptor() : -1, POLLIN, 0}};
    ppoll(readable.data(), readable.size(), &time, nullptr);
    asked_ = readable[1].revents != 0;
}

bool Sampler::serve_control() {
    if (!control_->is_ours()) {
        control_ = nullptr;
        return false;
    }
    std::optional<ControlSocket::Request> request = control_->accept();
    if (!request) {
        return false;
    }
    protocol::AgentState state;
    state.state = protocol::AgentState::kSampling;
    const bool foreign = request->ask.version != protocol::kProtocolVersion;
    if (foreign) {
        state.text = "the agent that samples it speaks protocol " +
                     std::to_string(protocol::kProtocolVersion) + ", the caller another";
    } else if (request->ask.what == protocol::Ask::kRecord) {
        state.text = "it is being sampled by `umbra attach`";
    } else if (request->ask.what != protocol::Ask::kStatus) {
        leaving_.emplace(std::move(request->channel));
        return true;
    }
    [[maybe_unused]] const Status sent = request->channel.send(state);
    return false;
}

// The first round tells nothing: it finds the threads, and what they have spent before.
void Sampler::begin() {
    {
        const std::lock_guard lock(code_);
        functions_.catch_up();
    }
    arena_.reset();
    uint64_t suspended_ns = 0;
    suspend_and_look(suspended_ns);
    for (const StackArena::Stack& stack : arena_.stacks()) {
        Thread& thread = threads_[stack.os_tid];
        thread.id = stack.thread;
        thread.cpu.begin(thread_cpu_ns(stack.os_tid).value_or(0));
    }
    times_.begin_ns = now_ns();
    times_.last_round_ns = times_.begin_ns;
    times_.begin_process_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    times_.begin_sampler_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t Sampler::take_round() {
    arena_.reset();
    read_clocks();
    const uint64_t at_ns = now_ns();
    protocol::SampleRound round;
    {
        const auto lock = suspend_and_look(round.suspended_ns);
        if (!lock) {
            ++totals_.missed_rounds;
            return 0;
        }
        if (module_has_gone_.exchange(false)) {
            functions_.forget_ids();
        }
        ++totals_.rounds;
        digest(round.samples, at_ns - times_.last_round_ns);
    }
    times_.last_round_ns = at_ns;
    forget_ended_threads();
    round.time_ns = at_ns - times_.begin_ns;
    round.sampler_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - times_.begin_sampler_cpu_ns;
    const uint64_t all_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - times_.begin_process_cpu_ns;
    round.process_cpu_ns = all_ns - std::min(all_ns, round.sampler_cpu_ns);
    round.unattributed_cpu_ns = totals_.unattributed_ns;
    for (const auto& [os_tid, thread] : threads_) {
        round.unattributed_cpu_ns += thread.cpu.owed_ns();
    }
    const uint64_t suspended_ns = round.suspended_ns;
    tell_round(std::move(round));
    return suspended_ns;
}

// The time since the last round belongs to the recording.
void Sampler::take_last_round() {
    for (int attempt = 0; attempt < 20 && take_round() == 0; ++attempt) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

// Only who has spent something since the last round can be running.
void Sampler::read_clocks() {
    for (auto& [os_tid, thread] : threads_) {
        const uint64_t before_ns = thread.cpu.last_ns();
        thread.cpu.note(thread_cpu_ns(os_tid).value_or(before_ns));
        thread.running = thread.cpu.last_ns() != before_ns && is_running(os_tid);
    }
}

// ---- while the runtime is stopped -----------------------------------------------------------

std::unique_lock<std::timed_mutex> Sampler::suspend_and_look(uint64_t& suspended_ns) {
    uint64_t begin_ns = now_ns();
    if (clr::failed(info_.SuspendRuntime())) {
        suspended_ns = 0;
        return {};
    }
    // It may have waited for another suspension to end; the last one that began is ours.
    begin_ns = std::max(begin_ns, suspend_started_ns_.load());
    look_at_threads();
    // Code on a stack stays loaded while its thread stands still; from then on, as long as the
    // callbacks that announce its end wait for this. Taken any earlier it would be a deadlock: such
    // a callback may come on a thread that the suspension waits for.
    std::unique_lock lock(code_);
    info_.ResumeRuntime();
    suspended_ns = std::max<uint64_t>(now_ns() - begin_ns, 1);
    return lock;
}

void Sampler::look_at_threads() noexcept {
    for_managed_threads(info_, [&](clr::ThreadID id, uint32_t os_tid) {
        if (!arena_.begin_stack(id, os_tid)) {
            return;
        }
        // A thread without managed frames gives a failure and no frames.
        const clr::HRESULT status = info_.DoStackSnapshot(id, &on_frame, 0, &arena_, nullptr, 0);
        if (clr::failed(status)) {
            arena_.cut_stack();
        }
    });
}

// ---- afterwards -----------------------------------------------------------------------------

void Sampler::digest(std::vector<protocol::ThreadSample>& samples, uint64_t wall_ns) {
    samples.reserve(arena_.stacks().size());
    for (const StackArena::Stack& stack : arena_.stacks()) {
        Thread& thread = threads_[stack.os_tid];
        if (thread.id != stack.thread) {
            // New, and all it has spent it has spent here; or another one with an old number.
            totals_.unattributed_ns += thread.cpu.owed_ns();
            thread = {};
            thread.id = stack.thread;
            thread.cpu.note(thread_cpu_ns(stack.os_tid).value_or(0));
        }
        thread.last_round = totals_.rounds;
        const uint64_t cpu_ns = thread.running ? thread.cpu.settle() : 0;
        samples.push_back({stack.os_tid, node_of(stack), wall_ns, cpu_ns});
        name_thread(stack.os_tid, thread);
    }
}

uint32_t Sampler::node_of(const StackArena::Stack& stack) {
    const std::span<const clr::FunctionID> frames = arena_.frames(stack);
    if (std::ranges::all_of(frames, [](clr::FunctionID id) { return id == 0; })) {
        return 0;
    }
    uint32_t node = stack.cut ? stacks_.child(0, protocol::kCutFrames) : 0;
    for (size_t index = frames.size(); index-- > 0;) {
        node = stacks_.child(node, functions_.index_of(frames[index]));
    }
    return node;
}

void Sampler::forget_ended_threads() {
    std::erase_if(threads_, [this](const auto& entry) {
        const bool ended = entry.second.last_round != totals_.rounds;
        totals_.unattributed_ns += ended ? entry.second.cpu.owed_ns() : 0;
        return ended;
    });
}

void Sampler::name_thread(uint32_t os_tid, Thread& thread) {
    std::string name = names_.take(thread.id);
    if (name.empty() && !thread.told_name) {
        name = kernel_name(os_tid);
    }
    if (!name.empty()) {
        thread.told_name = true;
        outbox_.emplace_back(protocol::ThreadNamed{os_tid, std::move(name)});
    }
}

void Sampler::tell(const protocol::Message& message) {
    connected_ = connected_ && channel_.send(message).has_value();
}

// Names come before nodes, and these before the samples that mention them.
void Sampler::tell_round(protocol::SampleRound round) {
    for (const protocol::Message& message : outbox_) {
        tell(message);
    }
    outbox_.clear();
    while (nodes_sent_ < stacks_.size()) {
        const auto fresh = stacks_.nodes_from(nodes_sent_ + 1);
        const auto part = fresh.first(std::min(fresh.size(), protocol::kMaxRowsAtOnce));
        tell(protocol::StackNodes{{part.begin(), part.end()}});
        nodes_sent_ += static_cast<uint32_t>(part.size());
    }
    std::vector<protocol::ThreadSample> samples = std::move(round.samples);
    for (size_t at = 0; at == 0 || at < samples.size(); at += protocol::kMaxRowsAtOnce) {
        const size_t end = std::min(samples.size(), at + protocol::kMaxRowsAtOnce);
        round.continued = at != 0;
        round.samples.assign(samples.begin() + static_cast<std::ptrdiff_t>(at),
                             samples.begin() + static_cast<std::ptrdiff_t>(end));
        tell(round);
    }
}

// ---- callbacks ------------------------------------------------------------------------------

void Sampler::module_unloads() noexcept {
    // A callback must never hang for good, whatever holds the sampler up.
    const std::unique_lock lock(code_, kUnloadTimeout);
    module_has_gone_.store(true);
}

void Sampler::suspend_started() noexcept {
    suspend_started_ns_.store(now_ns());
}

void Sampler::thread_named(clr::ThreadID thread, std::string name) {
    names_.add(thread, std::move(name));
}

void Sampler::thread_gone(clr::ThreadID thread) {
    names_.forget(thread);
}

}  // namespace umbra::agent
