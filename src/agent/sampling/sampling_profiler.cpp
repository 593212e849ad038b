// SPDX-License-Identifier: MIT
#include "src/agent/sampling/sampling_profiler.h"

#include <chrono>
#include <thread>
#include <utility>
#include <variant>

#include "src/agent/support/guarded.h"
#include "src/agent/support/kernel_clock.h"
#include "src/agent/support/log.h"
#include "src/agent/support/own_thread.h"
#include "src/base/utf8.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

using clr::HRESULT;

namespace {

// Within what an attached profiler may ask for, on every runtime. FUNCTION_UNLOADS is not.
constexpr uint32_t kMask = clr::COR_PRF_ENABLE_STACK_SNAPSHOT | clr::COR_PRF_MONITOR_THREADS |
                           clr::COR_PRF_MONITOR_MODULE_LOADS | clr::COR_PRF_MONITOR_SUSPENDS;

// Callbacks answer at once, so they have all left the library by the time the runtime first looks.
// It does so after this long; a shorter time counts as 300 ms, 0 as 2.5 s.
constexpr uint32_t kDetachMs = 300;

constexpr auto kShutdownTimeout = std::chrono::seconds(2);

}  // namespace

uint32_t SamplingProfiler::Release() {
    const uint32_t left = --references_;
    if (left == 0) {
        delete this;
    }
    return left;
}

HRESULT SamplingProfiler::Initialize(clr::IUnknown* /*info*/) {
    log_line("not profiled: CORECLR_PROFILER names the class of `umbra attach`");
    return clr::kProfilerCancelActivation;
}

HRESULT SamplingProfiler::InitializeForAttach(clr::IUnknown* info, void* data, uint32_t bytes) {
    return answer_attach(info, data, bytes, protocol::SampleOrder{},
                         [this](AttachRequest& request) { return begin(request); });
}

Status SamplingProfiler::begin(AttachRequest& request) {
    const HRESULT status = request.info->SetEventMask2(kMask, clr::COR_PRF_HIGH_MONITOR_NONE);
    if (clr::failed(status)) {
        return fail(ErrorCode::kUnsupported,
                    "the runtime refuses the event mask: HRESULT " + clr::hexadecimal(status));
    }
    if (Result<ControlSocket> control = ControlSocket::open()) {
        control_.emplace(std::move(*control));
    } else {
        log_line("`umbra detach` will not find this process: " + control.error().context);
    }
    info_ = std::move(request.info);
    channel_.emplace(std::move(request.channel));
    sampler_.emplace(*info_.get(), *channel_, std::get<protocol::SampleOrder>(request.order),
                     control_ ? &*control_ : nullptr);
    return {};
}

HRESULT SamplingProfiler::ProfilerAttachComplete() {
    thread_ = start_joinable_thread<&SamplingProfiler::run>("umbra-sampler", this);
    if (!thread_) {
        log_line("sampling did not begin: no thread");
        end(info_->RequestProfilerDetach(kDetachMs));
    }
    return clr::kOk;
}

void SamplingProfiler::run() noexcept {
    const Sampler::End why = sampler_->run();
    log_line("sampling has ended");
    if (why != Sampler::End::kShutdown) {
        end(info_->RequestProfilerDetach(kDetachMs));
        return;
    }
    sampling_over_.store(true);
    if (control_) {
        control_->remove();
    }
    guarded([this] {
        [[maybe_unused]] const Status sent =
            channel_->send(protocol::Shutdown{clock_ns(CLOCK_PROCESS_CPUTIME_ID)});
    });
}

void SamplingProfiler::end(HRESULT detach_status) noexcept {
    if (control_) {
        control_->remove();
    }
    guarded([&] {
        [[maybe_unused]] const Status sent = channel_->send(
            protocol::SamplingEnded{static_cast<uint32_t>(detach_status), sampler_->lost_nodes(),
                                    sampler_->missed_rounds()});
    });
    sampling_over_.store(true);
}

HRESULT SamplingProfiler::ProfilerDetachSucceeded() {
    if (thread_) {
        pthread_join(*thread_, nullptr);
        thread_.reset();
    }
    if (Channel* asker = sampler_->leave_request()) {
        guarded([&] { [[maybe_unused]] const Status sent = asker->send(protocol::AgentState{}); });
    }
    log_line("detached");
    return clr::kOk;
}

HRESULT SamplingProfiler::Shutdown() {
    if (!owner_.is_this()) {
        return clr::kOk;  // the child of a fork: there is no sampler in it
    }
    sampler_->interrupt();
    const auto timeout = std::chrono::steady_clock::now() + kShutdownTimeout;
    while (!sampling_over_.load() && std::chrono::steady_clock::now() < timeout) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return clr::kOk;
}

HRESULT SamplingProfiler::ModuleUnloadStarted(clr::ModuleID /*module*/) {
    sampler_->module_unloads();
    return clr::kOk;
}

HRESULT SamplingProfiler::ThreadNameChanged(clr::ThreadID thread, uint32_t length, char16_t* name) {
    return guarded([&] {
        if (name != nullptr && length != 0) {
            sampler_->thread_named(thread, to_utf8({name, length}));
        }
    });
}

HRESULT SamplingProfiler::ThreadDestroyed(clr::ThreadID thread) {
    return guarded([&] { sampler_->thread_gone(thread); });
}

HRESULT SamplingProfiler::RuntimeSuspendStarted(clr::COR_PRF_SUSPEND_REASON /*reason*/) {
    sampler_->suspend_started();
    return clr::kOk;
}

}  // namespace umbra::agent
