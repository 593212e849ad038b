// SPDX-License-Identifier: MIT
#include "src/agent/attachment.h"

#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "src/agent/greeting.h"
#include "src/agent/profiler.h"
#include "src/agent/support/guarded.h"
#include "src/agent/support/kernel_clock.h"
#include "src/agent/support/log.h"
#include "src/agent/support/own_thread.h"
#include "src/protocol/attach_data.h"

namespace umbra::agent {
namespace {

// Within what an attached profiler may ask for, on every runtime. FUNCTION_UNLOADS is not.
constexpr uint32_t kMask = clr::COR_PRF_ENABLE_STACK_SNAPSHOT | clr::COR_PRF_MONITOR_THREADS |
                           clr::COR_PRF_MONITOR_MODULE_LOADS | clr::COR_PRF_MONITOR_SUSPENDS;

// Callbacks answer at once, so they have all left the library by the time the runtime first looks.
// It does so after this long; a shorter time counts as 300 ms, 0 as 2.5 s.
constexpr uint32_t kDetachMs = 300;

constexpr auto kShutdownTimeout = std::chrono::seconds(2);

}  // namespace

Result<AttachRequest> AttachRequest::receive(clr::IUnknown* info, const void* client_data,
                                             uint32_t client_data_bytes) {
    const auto data = protocol::decode_attach_data(
        {static_cast<const char*>(client_data), client_data == nullptr ? 0 : client_data_bytes});
    if (!data) {
        return fail(ErrorCode::kInvalid, "whoever attached it is not umbra");
    }
    clr::ComPtr<clr::ICorProfilerInfo10> info10;
    if (info == nullptr ||
        clr::failed(info->QueryInterface(clr::ICorProfilerInfo10::kIid, info10.put_void()))) {
        return fail(ErrorCode::kUnsupported, "this runtime lacks ICorProfilerInfo10");
    }
    Result<Channel> channel = Channel::open(data->socket_path);
    if (!channel) {
        return tl::unexpected<Error>(channel.error());
    }
    const Result<protocol::HelloAnswer> answer =
        greet(*channel, hello_of(runtime_version(*info10.get())));
    if (!answer) {
        return tl::unexpected<Error>(answer.error());
    }
    if (const auto* order = std::get_if<protocol::SampleOrder>(&*answer)) {
        return AttachRequest{std::move(info10), std::move(*channel), *order};
    }
    if (const auto* order = std::get_if<protocol::Remain>(&*answer)) {
        return AttachRequest{std::move(info10), std::move(*channel), *order};
    }
    const auto* refuse = std::get_if<protocol::Refuse>(&*answer);
    return fail(ErrorCode::kRefused, refuse != nullptr
                                         ? "umbra refuses this process: " + refuse->reason
                                         : "umbra answered Hello with something else");
}

Result<std::unique_ptr<Attachment>> Attachment::begin(clr::ComPtr<clr::ICorProfilerInfo10> info,
                                                      Channel channel,
                                                      const protocol::SampleOrder& order) {
    const clr::HRESULT status = info->SetEventMask2(kMask, clr::COR_PRF_HIGH_MONITOR_NONE);
    if (clr::failed(status)) {
        const std::string reason =
            "the runtime refuses the event mask: HRESULT " + clr::hexadecimal(status);
        [[maybe_unused]] const Status told = channel.send(protocol::Notice{reason});
        return fail(ErrorCode::kUnsupported, reason);
    }
    Result<ControlSocket> control = ControlSocket::open();
    if (!control) {
        log_line("`umbra detach` will not find this process: " + control.error().context);
    }
    return std::unique_ptr<Attachment>(new Attachment(
        std::move(info), std::move(channel), order,
        control ? std::optional(std::move(*control)) : std::optional<ControlSocket>()));
}

Attachment::Attachment(clr::ComPtr<clr::ICorProfilerInfo10> info, Channel channel,
                       const protocol::SampleOrder& order, std::optional<ControlSocket> control)
    : info_(std::move(info)),
      channel_(std::move(channel)),
      control_(std::move(control)),
      sampler_(*info_.get(), channel_, order, control_ ? &*control_ : nullptr) {
}

void Attachment::attached() noexcept {
    thread_ = start_joinable_thread(
        "umbra-sampler", this, +[](void* self) -> void* {
            static_cast<Attachment*>(self)->run();
            return nullptr;
        });
    if (!thread_) {
        log_line("sampling did not begin: no thread");
        end(info_->RequestProfilerDetach(kDetachMs));
    }
}

void Attachment::run() noexcept {
    const Sampler::End why = sampler_.run();
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
            channel_.send(protocol::Shutdown{clock_ns(CLOCK_PROCESS_CPUTIME_ID)});
    });
}

void Attachment::end(clr::HRESULT detach_status) noexcept {
    if (control_) {
        control_->remove();
    }
    guarded([&] {
        [[maybe_unused]] const Status sent = channel_.send(protocol::SamplingEnded{
            static_cast<uint32_t>(detach_status), sampler_.lost_nodes(), sampler_.missed_rounds()});
    });
    sampling_over_.store(true);
}

void Attachment::detached() noexcept {
    if (thread_) {
        pthread_join(*thread_, nullptr);
        thread_.reset();
    }
    if (Channel* asker = sampler_.leave_request()) {
        guarded([&] { [[maybe_unused]] const Status sent = asker->send(protocol::AgentState{}); });
    }
    log_line("detached");
}

void Attachment::shut_down() noexcept {
    if (!owner_.is_this()) {
        return;  // the child of a fork: there is no sampler in it
    }
    sampler_.interrupt();
    const auto timeout = std::chrono::steady_clock::now() + kShutdownTimeout;
    while (!sampling_over_.load() && std::chrono::steady_clock::now() < timeout) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void Attachment::thread_named(clr::ThreadID thread, std::string name) {
    sampler_.thread_named(thread, std::move(name));
}

}  // namespace umbra::agent
